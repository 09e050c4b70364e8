"""Three entries in a zip: a manifest with the checksum of the others, the document, and the arrays."""

from __future__ import annotations

import hashlib
import io
import json
import struct
import zipfile
from dataclasses import dataclass
from typing import Any

from bayfold import errors
from bayfold.persist import checks

PROTOCOL = 2
"""The number of the format. docs/model_files.md says when and how to raise it."""

MODEL = "bayfold model"
CHECKPOINT = "bayfold checkpoint"
"""What a manifest calls its file. A checkpoint is read by the fit that goes on from it alone."""

LONGEST_VERSION = 40  # letters of a version that are shown
MANIFEST = "manifest.json"
DOCUMENT = "model.json"
ARRAYS = "arrays.bin"
MOST_BYTES = {
    MANIFEST: checks.MOST_MANIFEST,
    DOCUMENT: checks.MOST_JSON,
    ARRAYS: checks.MOST_ARRAYS,
}

FIRST_BYTES = b"PK\x03\x04"
END = struct.Struct("<4s4H2LH")
"""The end of a zip: signature, two numbers of disks, entries on this one and in all, size and place of the directory,
length of a comment."""
END_SIGNATURE = b"PK\x05\x06"
LOCATOR_SIGNATURE = b"PK\x06\x07"
LOCATOR_SIZE = 20
"""Signatures of the end of a zip and of the locator of a larger one, and the bytes of the latter."""

MOST_DIRECTORY = 4096
"""Bytes of a directory of three entries; it takes a twentieth."""

LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time of all entries: equal models are equal files."""


@dataclass(frozen=True)
class Manifest:
    """What a file says of itself: its protocol, its checksum, and the version that wrote it."""

    protocol: int
    checksum: str
    version: str


def write_archive(
    versions: dict[str, str], document: bytes, arrays: bytes, file_format: str = MODEL
) -> bytes:
    """The bytes of a model file, or of a checkpoint, which is written often and not compressed."""
    for content, most in ((document, checks.MOST_JSON), (arrays, checks.MOST_ARRAYS)):
        if len(content) > most:
            raise errors.model_too_large(len(content), most, "bytes")
    if count_json_values(document) > checks.MOST_JSON_VALUES:
        raise errors.model_too_large(count_json_values(document), checks.MOST_JSON_VALUES, "values")
    manifest = {
        "format": file_format,
        "protocol": PROTOCOL,
        "sha256": find_checksum(document, arrays),
        "versions": versions,
    }
    entries = {
        MANIFEST: json.dumps(manifest, indent=1).encode(),
        DOCUMENT: document,
        ARRAYS: arrays,
    }
    if file_format == CHECKPOINT:
        return _zip(entries, frozenset(entries))[0]
    content, infos = _zip(entries, frozenset())
    # what the reader would take for a zip bomb is not compressed
    suspicious = frozenset(info.filename for info in infos if _is_suspicious(info))
    return _zip(entries, suspicious)[0] if suspicious else content


def _zip(
    entries: dict[str, bytes], uncompressed: frozenset[str]
) -> tuple[bytes, list[zipfile.ZipInfo]]:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in entries.items():
            info = zipfile.ZipInfo(name, LONG_AGO)
            info.external_attr = 0o644 << 16  # readable by its owner when unpacked by hand
            info.compress_type = (
                zipfile.ZIP_STORED if name in uncompressed else zipfile.ZIP_DEFLATED
            )
            archive.writestr(info, content, compresslevel=9)
    return buffer.getvalue(), archive.infolist()


def _is_suspicious(info: zipfile.ZipInfo) -> bool:
    """Whether an entry grows like a zip bomb when it is read."""
    return (
        info.file_size > checks.UNSUSPICIOUS
        and info.file_size > checks.MOST_RATIO * info.compress_size
    )


def count_json_values(document: bytes) -> int:
    """At least as many as there are values in JSON, without parsing it."""
    return sum(document.count(sign) for sign in (b",", b"[", b"{"))


def find_checksum(document: bytes, arrays: bytes) -> str:
    """Of the document and the arrays; the length of the first keeps bytes from moving between them."""
    digest = hashlib.sha256(struct.pack("<Q", len(document)))
    digest.update(document)
    digest.update(arrays)
    return digest.hexdigest()


def read_archive(
    content: bytes, name: str, file_format: str = MODEL
) -> tuple[Manifest, Any, bytes]:
    """The manifest, the document, parsed, and the arrays of a model file; ``name`` is what errors call it."""
    if not content.startswith(FIRST_BYTES):
        raise errors.not_a_model_file(name)
    _check_end(content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = {info.filename: info for info in archive.infolist()}
        if MANIFEST not in entries:
            raise errors.not_a_model_file(name)
        stored = json.loads(_read_entry(archive, entries[MANIFEST], name))
        manifest = _read_manifest(stored, name, file_format)
        once = len(archive.infolist()) == len(entries)
        checks.expect(once and entries.keys() == MOST_BYTES.keys(), "the list of entries")
        document = _read_entry(archive, entries[DOCUMENT], name)
        arrays = _read_entry(archive, entries[ARRAYS], name)
    checks.expect(find_checksum(document, arrays) == manifest.checksum, "the checksum")
    checks.expect(
        count_json_values(document) <= checks.MOST_JSON_VALUES, "the size of the document"
    )
    return manifest, json.loads(document), arrays


def _check_end(content: bytes) -> None:
    """Refuse a directory that is not that of a model file, before it is read."""
    checks.expect(len(content) > END.size, "the end of the file")
    signature, _, _, _, n_entries, size, _, comment = END.unpack(content[-END.size :])
    checks.expect(signature == END_SIGNATURE and comment == 0, "the end of the file")
    checks.expect(
        n_entries <= 2 * len(MOST_BYTES) and size <= MOST_DIRECTORY, "the list of entries"
    )
    before = content[-END.size - LOCATOR_SIZE : -END.size]
    checks.expect(not before.startswith(LOCATOR_SIGNATURE), "the end of the file")


def _read_manifest(manifest: Any, name: str, file_format: str) -> Manifest:
    fits = isinstance(manifest, dict) and manifest.get("format") == file_format
    if not fits:
        raise errors.not_a_model_file(name)
    protocol = manifest.get("protocol")
    versions = manifest.get("versions")
    checks.expect(
        type(protocol) is int and protocol >= 1 and isinstance(versions, dict), "the manifest"
    )
    version = str(versions.get("bayfold"))[:LONGEST_VERSION]
    if protocol > PROTOCOL:
        raise errors.newer_file(name, protocol, PROTOCOL, version)
    return Manifest(protocol, str(manifest.get("sha256")), version)


def _read_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> bytes:
    """The content of an entry, if it is no larger than it may be and than it says."""
    most = MOST_BYTES[info.filename]
    if info.file_size > most:
        raise errors.oversized_file(name, info.filename, info.file_size, most)
    if _is_suspicious(info):
        most = checks.MOST_RATIO * info.compress_size
        raise errors.oversized_file(name, info.filename, info.file_size, most)
    plain = info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    checks.expect(plain and not info.flag_bits & 0x1, "the list of entries")
    with archive.open(info) as entry:
        content = entry.read(info.file_size + 1)
    checks.expect(len(content) == info.file_size, "the length of an entry")
    return content
