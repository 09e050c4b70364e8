"""Some rows of a source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

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
