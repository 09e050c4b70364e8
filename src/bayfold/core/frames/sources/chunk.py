"""The chunks that rows are read in, what a source of them is, and sources made of batches in memory.

Errors of a reader are said under the name of the file and the place in it.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from bayfold import errors
from bayfold.core.frames.arrow import read_checked
from bayfold.core.frames.sources.types import make_alike
from bayfold.core.frames.table import Table
from bayfold.core.frames.vectors import read_vector

PARTITION_CELLS = 1 << 22
"""Cells per partition, 32 megabytes as floats: adding up costs little beside it, and a handful fits anywhere."""


PARTITION_TEXT = 1 << 25
"""Bytes of strings per partition, as much as its numbers take: documents of a thousand bytes are no cells."""


def partition_rows(n_columns: int, text_bytes: float = 0.0) -> int:
    """Rows per partition: a power of two that depends on the number of columns, and on long strings, alone.

    Parameters
    ----------
    n_columns : int
    text_bytes : float
        Of the strings of a row, on average; zero where they are not known.

    Examples
    --------
    >>> partition_rows(15), partition_rows(1000), partition_rows(15, text_bytes=1000.0)
    (262144, 4096, 32768)
    """
    of_numbers = PARTITION_CELLS // max(n_columns, 1)
    rows = max(min(of_numbers, int(PARTITION_TEXT / max(text_bytes, 1.0))), 256)
    return int(1 << (rows.bit_length() - 1))


@dataclass(frozen=True, eq=False)
class Chunk:
    """Neighbouring rows, as Arrow holds them.

    Attributes
    ----------
    data : pyarrow.Table
    n_bytes : int
        What was read of the source to get them, as near as is known.
    """

    data: Any
    n_bytes: int = 0

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self.data.num_rows

    def table(self, names: Sequence[str]) -> Table:
        """Some columns as a table."""
        return read_checked(self.data.select(list(names)))

    def vector(self, name: str) -> np.ndarray:
        """One column as a target or as weights."""
        return read_vector(self.data.column(name))


def cut_chunks(chunks: Iterable[Chunk], n_rows: int) -> Iterator[Chunk]:
    """The same rows in chunks of ``n_rows``, and a last one of what is left.

    Where chunks end then depends on the rows alone, not on how files and their row groups were cut.
    """
    waiting: list[Chunk] = []
    n_waiting = 0
    for chunk in chunks:
        waiting.append(chunk)
        n_waiting += chunk.n_rows
        if n_waiting < n_rows:
            continue
        whole = _join(waiting)
        n_cut = n_waiting - n_waiting % n_rows
        cut = [_slice(whole, start, n_rows) for start in reversed(range(0, n_cut, n_rows))]
        n_waiting -= n_cut
        # nothing left is nothing kept: joined with no rows, the next chunk would be copied for nothing
        waiting = [_slice(whole, n_cut, n_waiting)] if n_waiting else []
        del whole, chunk  # who gets a chunk is the last to hold it
        while cut:
            yield cut.pop()
    if n_waiting:
        yield _join(waiting)


def release_memory() -> None:
    """Give back to the system what Arrow keeps for the next chunk, where no more is to come."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()


def _join(chunks: list[Chunk]) -> Chunk:
    import pyarrow as pa

    if len(chunks) == 1:
        return chunks[0]
    data = pa.concat_tables(make_alike([chunk.data for chunk in chunks]))
    # in one piece, columns are read without being copied again
    return Chunk(data.combine_chunks(), sum(chunk.n_bytes for chunk in chunks))


def _slice(chunk: Chunk, start: int, n_rows: int) -> Chunk:
    before, behind = (chunk.n_bytes * row // chunk.n_rows for row in (start, start + n_rows))
    return Chunk(chunk.data.slice(start, n_rows), behind - before)


class Source(Protocol):
    """Rows that can be read again and again, in the same order."""

    @property
    def names(self) -> list[str]:
        """The columns, in order."""

    @property
    def n_rows(self) -> int | None:
        """How many rows there are, where that is known without reading them."""

    @property
    def n_bytes(self) -> int | None:
        """How many bytes the whole source is read from, where that is known."""

    def chunks(
        self, columns: Sequence[str], skip: int = 0, plain: Sequence[str] = ()
    ) -> Iterator[Chunk]:
        """Some columns of all rows but the first ``skip``; those of ``plain`` in the types of the source."""

    def text_bytes(self, columns: Sequence[str]) -> float:
        """Bytes of the strings of some columns in a row, on average; zero where that is not known without reading."""

    def identity(self) -> Any:
        """What another source must be equal in to be taken for this one; plain enough for JSON."""

    def check_unchanged(self) -> None:
        """Raise if the source is seen to have changed since it was opened."""


def write_batches(batches: Iterable[Any]) -> Iterator[Any]:
    """Every record batch as a batch of one cell that holds it."""
    import pyarrow as pa

    for batch in batches:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        yield make_batch({"batch": [sink.getvalue().to_pybytes()]})


def read_batches(content: bytes) -> Iterator[Any]:
    """The batches of a cell."""
    import pyarrow as pa

    with pa.ipc.open_stream(pa.py_buffer(content)) as reader:
        yield from reader


def name_columns(batches: Iterable[Any], names: Sequence[str]) -> Iterator[Any]:
    """The batches with other names of their columns."""
    return (batch.rename_columns(list(names)) for batch in batches)


def make_batch(columns: Mapping[str, Sequence[Any]]) -> Any:
    """A record batch of bytes, text and whole numbers."""
    import pyarrow as pa

    return pa.record_batch({name: pa.array(list(cells)) for name, cells in columns.items()})


def list_rows(batches: Iterable[Any]) -> list[dict[str, Any]]:
    """The rows of record batches."""
    return [row for batch in batches for row in batch.to_pylist()]


@contextmanager
def name_place(path: str, place: str = "") -> Iterator[None]:
    """Whatever goes wrong inside is said of this place of this file."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, EOFError, zlib.error, ValueError) as error:
        if isinstance(error, (errors.SourceError, errors.DatasetError)):
            raise  # named already
        line = re.search(r"Row #(\d+): ", str(error))
        if line:
            place = f"line {line[1]}"
        raise errors.bad_file(path, place, error) from error
