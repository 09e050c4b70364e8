"""Read a file of any format, or standard input."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from pathlib import Path
from typing import Any

from bayfold import errors
from bayfold.core.frames.arrow import check_decodable, clean_arrow
from bayfold.core.frames.files import formats
from bayfold.core.frames.files.csv_file import read_csv
from bayfold.core.frames.files.duckdb_file import query_frame, read_duckdb
from bayfold.core.frames.files.infer_types import type_booleans
from bayfold.core.frames.files.table_file import TableFile, check_unrepeated
from bayfold.core.frames.output import make_frame
from bayfold.core.frames.sources.arff import content_lines, read_columns

START_BYTES = 1 << 14
"""Enough to pass the comments at the head of an ARFF file."""


def read_file(path: str, options: formats.ReadOptions | None = None) -> TableFile:
    """Read a table from a file, or from standard input if the path is ``"-"``.

    Parameters
    ----------
    path : str
    options : ReadOptions, optional

    Returns
    -------
    file : TableFile

    Raises
    ------
    bayfold.errors.UsageError
        If the file is not there or the options do not fit it.
    bayfold.errors.DatasetError
        If its content breaks a rule of its format; the message names the file and, if it has lines, the line.
    """
    options = options or formats.ReadOptions()
    formats.check_format(options.format)
    if path != "-" and _is_duckdb(path, options):
        return read_duckdb(path, options)
    data = _unzip(path, _read_bytes(path))
    found = options.format or formats.name_format(path) or formats.recognise(data[:START_BYTES])
    if options.table is not None:
        raise errors.only_for_duckdb(path, found)
    if found == "duckdb":
        raise errors.database_not_a_stream(path)
    file = read_csv(path, data, options) if found == "csv" else _read_other(path, data, found)
    return file if options.query is None else _ask(file, options.query)


def _is_duckdb(path: str, options: formats.ReadOptions) -> bool:
    named = options.format or formats.name_format(path)
    if named is not None:
        return named == "duckdb"
    return Path(path).is_file() and formats.recognise(_first_bytes(path)) == "duckdb"


def _first_bytes(path: str) -> bytes:
    with Path(path).open("rb") as file:
        return file.read(START_BYTES)


def _read_bytes(path: str) -> bytes:
    if path == "-":
        return sys.stdin.buffer.read()
    check_readable(path)
    return Path(path).read_bytes()


def check_readable(path: str) -> None:
    """Refuse what is not a file."""
    if not Path(path).exists():
        folder = Path(path).parent
        near = sorted(p.name for p in folder.iterdir()) if folder.is_dir() else []
        raise errors.file_not_found(path, near)
    if Path(path).is_dir():
        raise errors.folder_not_file(path)


def _unzip(path: str, data: bytes) -> bytes:
    if not data.startswith(formats.GZIP):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as reason:
        raise errors.unreadable_file(path, reason) from None


def _read_other(path: str, data: bytes, found: str) -> TableFile:
    import pyarrow as pa

    try:
        frame = _READERS[found](path, data)
        check_decodable(frame.schema)
    except errors.DatasetError:
        raise  # named already
    except (pa.ArrowException, OSError, ValueError) as reason:
        raise errors.unreadable_file(path, reason) from None
    check_unrepeated(path, None, frame.column_names)
    return TableFile(path, found, type_booleans(frame), frame)


def _read_parquet(path: str, data: bytes) -> Any:
    import pyarrow as pa
    from pyarrow import parquet

    return parquet.read_table(pa.BufferReader(data), page_checksum_verification=True)


def _read_arrow(path: str, data: bytes) -> Any:
    import pyarrow as pa

    source = pa.BufferReader(data)
    reader = pa.ipc.open_file if data.startswith(b"ARROW1") else pa.ipc.open_stream
    return clean_arrow(reader(source).read_all())


def _read_arff(path: str, data: bytes) -> Any:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")  # what files from before Unicode use
    lines = content_lines(io.StringIO(text, newline="\n"))
    return make_frame(read_columns(lines, Path(path)), "arrow")


_READERS = {"parquet": _read_parquet, "arrow": _read_arrow, "arff": _read_arff}


def _ask(file: TableFile, query: str) -> TableFile:
    """What a query makes of a file, which it knows as ``data``."""
    frame = query_frame(file.path, file.frame, query)
    return TableFile(file.path, file.format, frame, frame, file.dialect, None, file.notices)
