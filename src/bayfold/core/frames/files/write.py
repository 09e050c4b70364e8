"""Write a table to a file of any format, or to standard output. A file is there whole or not at all."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from bayfold import errors
from bayfold.core.frames.files import formats
from bayfold.core.frames.files.duckdb_file import write_duckdb
from bayfold.core.frames.files.write_text import write_arff, write_csv
from bayfold.core.output_files import write_atomically

WRITTEN_TABLE = "data"
"""The name of the table in a DuckDB file that is written."""


def find_output_format(path: str, asked: str | None, read: str) -> str:
    """The format to write: as asked for, as the name ends, or as it was read.

    >>> find_output_format("out.parquet", None, "csv"), find_output_format("-", None, "csv")
    ('parquet', 'csv')
    """
    formats.check_format(asked)
    if asked is None and formats.ending_without_format(path) and not _is_device(path):
        raise errors.unknown_output_ending(path, list(formats.ENDINGS))
    found = asked or formats.name_format(path) or read
    if found == "duckdb" and path == "-":
        if asked is None:  # a database cannot be piped: its rows can
            return "csv"
        raise errors.database_not_a_stream(path)
    return found


def _is_device(path: str) -> bool:
    """A pipe or a device may have any name."""
    return Path(path).exists() and not Path(path).is_file()


def write_file(path: str, frame: Any, form: str, dialect: formats.CsvDialect | None = None) -> None:
    """Write an Arrow table; the text formats take encoding, delimiter and decimal sign from ``dialect``."""
    if form == "duckdb":
        write_whole(path, lambda temporary: write_duckdb(temporary, frame, WRITTEN_TABLE))
        return
    dialect = choose_dialect(path, dialect)
    buffer = io.BytesIO()
    _WRITERS[form](buffer, frame, dialect)
    write_bytes(path, buffer.getvalue())


def choose_dialect(path: str, read: formats.CsvDialect | None) -> formats.CsvDialect:
    """How to write CSV: as it was read; but a name that ends in .tsv asks for tabs, whatever was read."""
    has_tabs = formats.without_gz(path).lower().endswith((".tsv", ".tab"))
    return formats.CsvDialect(delimiter="\t") if has_tabs else read or formats.CsvDialect()


def write_bytes(path: str, data: bytes) -> None:
    """Write bytes to a file, zipped if its name ends so, or to standard output."""
    if path == "-":
        stream = find_stdout()
        stream.write(data)
        stream.flush()
        return
    if path.lower().endswith(".gz"):
        data = gzip.compress(data, mtime=0)  # the same table is the same file, whenever written
    write_whole(path, lambda temporary: Path(temporary).write_bytes(data))


def find_stdout() -> BinaryIO:
    """Standard output that writes all it is given: where it has no buffer (PYTHONUNBUFFERED) it may write a part."""
    stream = sys.stdout.buffer
    return _add_buffer(stream) if isinstance(stream, io.RawIOBase) else stream


@cache
def _add_buffer(stream: io.RawIOBase) -> BinaryIO:
    return io.BufferedWriter(stream)  # kept: when it goes, it closes what it writes to


def write_whole(path: str, write: Callable[[str], object]) -> None:
    """Let ``write`` make a file beside the path, and move it there: nobody ever sees half of it."""
    if Path(path).is_dir():
        raise errors.folder_not_file(path)
    try:
        with write_atomically(path) as aside:
            write(str(aside))
    except BrokenPipeError:  # the reader of /dev/stdout has enough
        raise
    except OSError as reason:
        raise errors.output_not_writable(path, reason.strerror or reason) from None


def _write_parquet(buffer: io.BytesIO, frame: Any, dialect: formats.CsvDialect) -> None:
    from pyarrow import parquet

    parquet.write_table(frame, buffer)


def _write_arrow(buffer: io.BytesIO, frame: Any, dialect: formats.CsvDialect) -> None:
    import pyarrow as pa

    with pa.ipc.new_file(buffer, frame.schema) as writer:
        writer.write_table(frame)


_WRITERS = {
    "csv": write_csv,
    "arff": write_arff,
    "parquet": _write_parquet,
    "arrow": _write_arrow,
}
