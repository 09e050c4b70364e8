"""Model files as accidents and attackers leave them: bits, ends, entries, values and headers that are others.

Some keep the checksum as it was, as accidents do; some compute it anew, as whoever means harm would.
"""

from __future__ import annotations

import io
import json
import struct
import warnings
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

from bayfold.persist.archive import ARRAYS, DOCUMENT, MANIFEST, find_checksum

Random = np.random.Generator

ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1,
    2,
    255,
    2**31,
    2**53 + 1,
    2**63,
    2**70,
    -(2**70),
    0.5,
    -0.0,
    1e308,
    5e-324,
    "",
    "x",
    "\ud800",
    "NaiveBayesModel",
    "<f8",
    "|O",
    ">f8",
    [],
    [[]],
    {},
    {"list": []},
    {"array": 0},
    {"array": 10**9},
    {"object": 0},
    {"object": 10**9},
    {"float": "7ff8000000000000"},
    {"float": "7ff0000000000000"},
    {"scalar": ["<i8", "ffffffffffffff7f"]},
    {"cells": [[2**40], []]},
    {"dict": [[1, 2]]},
    {"dict": [[[], 2], [[], 3]]},
)


def entries_of(content: bytes) -> dict[str, bytes]:
    """The entries of a file."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(entries: dict[str, bytes], sealed: bool = True) -> bytes:
    """A file of these entries, with the right checksum if it is to be sealed."""
    entries = dict(entries)
    if sealed and entries.keys() >= {MANIFEST, DOCUMENT, ARRAYS}:
        manifest = json.loads(entries[MANIFEST])
        manifest["sha256"] = find_checksum(entries[DOCUMENT], entries[ARRAYS])
        entries[MANIFEST] = json.dumps(manifest).encode()
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # of names that come twice
        for name, entry in entries.items():
            archive.writestr(name, entry)
    return buffer.getvalue()


def with_document(content: bytes, document: Any) -> bytes:
    """A file with another document, sealed."""
    return packed(entries_of(content) | {DOCUMENT: json.dumps(document).encode()})


def document_of(content: bytes) -> Any:
    """The document of a file."""
    return json.loads(entries_of(content)[DOCUMENT])


def flip_bits(content: bytes, other: bytes, rng: Random) -> bytes:
    changed = bytearray(content)
    for place in rng.integers(0, len(content), rng.integers(1, 9)).tolist():
        changed[place] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def cut_off(content: bytes, other: bytes, rng: Random) -> bytes:
    end = int(rng.integers(0, len(content)))
    return content[:end] if rng.random() < 0.5 else content[end:]


def add_bytes(content: bytes, other: bytes, rng: Random) -> bytes:
    place, more = int(rng.integers(0, len(content) + 1)), rng.bytes(int(rng.integers(1, 64)))
    return content[:place] + more + content[place:]


def splice_files(content: bytes, other: bytes, rng: Random) -> bytes:
    place = int(rng.integers(0, len(content)))
    return content[:place] + other[place:]


def exchange_entry(content: bytes, other: bytes, rng: Random) -> bytes:
    mine, theirs = entries_of(content), entries_of(other)
    name = [MANIFEST, DOCUMENT, ARRAYS][rng.integers(3)]
    return packed(mine | {name: theirs[name]}, sealed=bool(rng.integers(2)))


def rename_entry(content: bytes, other: bytes, rng: Random) -> bytes:
    entries = entries_of(content)
    name = [MANIFEST, DOCUMENT, ARRAYS][rng.integers(3)]
    names = ["../" + name, "/etc/" + name, name.upper(), " ", "a\\" + name, name + "\0x"]
    moved = {names[rng.integers(len(names))]: entries[name]}
    if rng.random() < 0.5:
        entries.pop(name)
    return packed(entries | moved)


def change_sizes(content: bytes, other: bytes, rng: Random) -> bytes:
    """Sizes, checksums, methods and flags in the headers of the zip that say something else."""
    changed = bytearray(content)
    signature = [b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"][rng.integers(3)]
    start = content.find(signature, int(rng.integers(0, len(content) // 2)))
    if start < 0:
        return flip_bits(content, other, rng)
    place = start + int(rng.integers(4, 22))
    value = [0, 1, 0xFFFF, 0xFFFFFFFF, int(rng.integers(2**32))][rng.integers(5)]
    changed[place : place + 4] = struct.pack("<I", value)
    return bytes(changed[: len(content)])


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every container of a document with a key in it."""
    found, pending = [], [value]
    while pending:
        inside = pending.pop()
        keys = inside.keys() if isinstance(inside, dict) else range(len(inside))
        for key in keys:
            found.append((inside, key))
            if isinstance(inside[key], (dict, list)):
                pending.append(inside[key])
    return found


def _change_value(document: Any, part: Any, rng: Random) -> None:
    places = _places(part)
    inside, key = places[rng.integers(len(places))]
    how = rng.integers(5)
    if how == 0 and isinstance(inside, dict):
        del inside[key]
    elif how == 1:
        from_where, other_key = places[rng.integers(len(places))]
        inside[key] = json.loads(json.dumps(from_where[other_key]))
    elif how == 2 and isinstance(inside[key], (int, float)) and not isinstance(inside[key], bool):
        inside[key] = inside[key] + [-1, 1, 7, 0.5][rng.integers(4)]
    elif how == 3 and isinstance(inside[key], list) and inside[key]:
        inside[key] = inside[key][: rng.integers(len(inside[key]))]
    else:
        inside[key] = json.loads(json.dumps(ODD_VALUES[rng.integers(len(ODD_VALUES))]))


def change_values(content: bytes, other: bytes, rng: Random) -> bytes:
    document = document_of(content)
    for _ in range(rng.integers(1, 3)):
        _change_value(document, document["objects"], rng)
    return with_document(content, document)


def change_headers(content: bytes, other: bytes, rng: Random) -> bytes:
    document = document_of(content)
    for _ in range(rng.integers(1, 3)):
        _change_value(document, document[["arrays", "pieces"][rng.integers(2)]], rng)
    return with_document(content, document)


def change_arrays(content: bytes, other: bytes, rng: Random) -> bytes:
    """Other bytes in an array, the same number of them."""
    entries = entries_of(content)
    blob = bytearray(entries[ARRAYS])
    for _ in range(rng.integers(1, 5)):
        place, n = int(rng.integers(len(blob))), int(rng.integers(1, 16))
        more = [b"\xff" * n, b"\0" * n, b"\x7f" * n, rng.bytes(n)][rng.integers(4)]
        blob[place : place + n] = more[: len(blob) - place]
    return packed(entries | {ARRAYS: bytes(blob)})


def change_manifest(content: bytes, other: bytes, rng: Random) -> bytes:
    entries = entries_of(content)
    manifest = json.loads(entries[MANIFEST])
    _change_value(manifest, manifest, rng)
    return packed(entries | {MANIFEST: json.dumps(manifest).encode()}, sealed=False)


def nest_deep(content: bytes, other: bytes, rng: Random) -> bytes:
    depth = int(rng.integers(100, 200_000))
    opened, closed = [(b"[", b"]"), (b'{"list":[', b"]}")][rng.integers(2)]
    text = entries_of(content)[DOCUMENT]
    deep = opened * depth + closed * depth
    place = text.index(b'"parts":{') + len(b'"parts":{')
    return packed(
        entries_of(content) | {DOCUMENT: text[:place] + b'"m":' + deep + b"," + text[place:]}
    )


def write_bomb(content: bytes, other: bytes, rng: Random) -> bytes:
    """Zeros that take a thousandth of their size."""
    entries = entries_of(content)
    name = [MANIFEST, DOCUMENT, ARRAYS][rng.integers(3)]
    return packed(entries | {name: entries[name] + b" " * (1 << int(rng.integers(10, 26)))})


MUTATIONS: dict[str, Callable[[bytes, bytes, Random], bytes]] = {
    "bits flipped": flip_bits,
    "cut off": cut_off,
    "bytes added": add_bytes,
    "files spliced": splice_files,
    "entries exchanged": exchange_entry,
    "entries renamed": rename_entry,
    "headers of the zip": change_sizes,
    "values, sealed": change_values,
    "headers of arrays, sealed": change_headers,
    "bytes of arrays, sealed": change_arrays,
    "manifest": change_manifest,
    "nested deep": nest_deep,
    "zip bomb": write_bomb,
}

OFTEN = ("values, sealed", "headers of arrays, sealed", "bytes of arrays, sealed")
"""Those that get past the checksum: half of all."""


def draw_mutation(rng: Random) -> str:
    """The name of a mutation."""
    names = OFTEN if rng.random() < 0.5 else tuple(MUTATIONS)
    return names[rng.integers(len(names))]
