"""Tables out, some rows at a time: to one file of the format of its name, or to a folder of Parquet files."""

from __future__ import annotations

import codecs
import gzip
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np

from bayfold import errors
from bayfold.core.frames.files.formats import CsvDialect
from bayfold.core.frames.files.write_text import write_csv_text
from bayfold.core.frames.sources.chunk import Chunk

STREAMED = ("csv", "parquet", "arrow")
"""Formats that are written some rows at a time: ARFF names all categories at its top, a database is no stream."""

MARK = {b"bayfold": b"predict_source"}
"""In the footer of every part of a folder: what has it may be replaced. A file beside the parts would say the same, but
polars reads no folder that holds a file with another ending."""
_PART = re.compile(r"part-\d{5,}\.parquet")

ROWS_PER_FILE = 1 << 22
"""Rows of one part in a folder: some hundred megabytes, which every reader can take at once."""


def attach_answers(chunk: Chunk, keep: Mapping[str, str], answers: Mapping[str, np.ndarray]) -> Any:
    """Some columns of a chunk, under the names they are to have, and the answers for its rows beside them."""
    import pyarrow as pa

    data = chunk.data.select(list(keep.values())).rename_columns(list(keep))
    for name, values in answers.items():
        data = data.append_column(name, pa.array(values))
    return data


class Sink(Protocol):
    """Writes tables one below the other."""

    def write(self, table: Any) -> None:
        """Write the next rows."""

    def close(self) -> None:
        """Write what a format has at its end."""


class CsvSink:
    """Lines of text; the first has the names."""

    def __init__(self, file: IO[bytes], dialect: CsvDialect) -> None:
        self._file = file
        self._dialect = dialect
        # one encoder for all parts: a mark of the byte order stands at the beginning alone
        self._encoder = codecs.getincrementalencoder(dialect.encoding)()
        self._is_first = True

    def write(self, table: Any) -> None:
        """Write the next rows."""
        text = write_csv_text(table, self._dialect, with_names=self._is_first)
        self._is_first = False
        try:
            self._file.write(self._encoder.encode(text))
        except UnicodeEncodeError as error:
            raise errors.not_in_encoding(self._dialect.encoding, text[error.start]) from None

    def close(self) -> None:
        """Nothing stands at the end."""


class ArrowSink:
    """Record batches, or row groups of Parquet."""

    def __init__(self, open_writer: Callable[[Any], Any]) -> None:
        self._open = open_writer
        self._writer: Any = None

    def write(self, table: Any) -> None:
        """Write the next rows; the first settle the types."""
        if self._writer is None:
            self._writer = self._open(table.schema)
        self._writer.write_table(table, max(table.num_rows, 1))

    def close(self) -> None:
        """Write the footer."""
        if self._writer is not None:
            self._writer.close()


class FolderSink:
    """Parquet files of a few million rows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._part: ArrowSink | None = None
        self._n_parts = self._n_rows = 0
        path.mkdir()

    def write(self, table: Any) -> None:
        """Write the next rows, to a new file if the last is full."""
        if self._n_rows >= ROWS_PER_FILE:
            self.close()
        if self._part is None:
            part = self._path / f"part-{self._n_parts:05}.parquet"
            self._part = ArrowSink(partial(_open_part, part))
            self._n_rows = 0
            self._n_parts += 1
        self._part.write(table)
        self._n_rows += table.num_rows

    def close(self) -> None:
        """End the last file."""
        part = self._part
        self._part = None
        if part is not None:
            part.close()


def write_part(path: Path, table: Any) -> None:
    """A file of a folder, of rows that are all there."""
    with closing(ArrowSink(partial(_open_part, path))) as sink:
        sink.write(table)


def number_parts(folder: Path, names: Sequence[str]) -> None:
    """Give files the names of parts, in their order; any others go."""
    for number, name in enumerate(names):
        (folder / name).rename(folder / f"part-{number:05}.parquet")
    for path in folder.iterdir():
        if not _PART.fullmatch(path.name):
            path.unlink()


def find_foreign(folder: Path) -> str | None:
    """The first name in a folder that no ``FolderSink`` wrote."""
    return next((p.name for p in sorted(folder.iterdir()) if not _is_part(p)), None)


def _is_part(path: Path) -> bool:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not _PART.fullmatch(path.name) or path.is_symlink() or not path.is_file():
        return False
    try:
        metadata = pq.read_metadata(path).metadata or {}
    except (pa.ArrowException, OSError):
        return False
    return MARK.items() <= metadata.items()


def make_sink(file: IO[bytes], form: str, dialect: CsvDialect | None) -> Sink:
    """A writer of one of ``STREAMED`` formats."""
    if form == "csv":
        return CsvSink(file, dialect or CsvDialect())
    return ArrowSink(partial(_open_parquet if form == "parquet" else _open_arrow, file))


def _open_parquet(file: Any, schema: Any) -> Any:
    import pyarrow.parquet as pq

    return pq.ParquetWriter(file, schema)


def _open_part(path: Path, schema: Any) -> Any:
    return _open_parquet(path, schema.with_metadata({**(schema.metadata or {}), **MARK}))


def _open_arrow(file: Any, schema: Any) -> Any:
    import pyarrow as pa

    return pa.ipc.new_file(file, schema)


def open_output(path: Path, name: str) -> Any:
    """A file to be written, zipped if the name it will have ends so."""
    if name.lower().endswith(".gz"):
        return gzip.GzipFile(str(path), "wb", mtime=0)
    return path.open("wb")
