"""Where the tables of all columns lie in the flat arrays that the counting kernels fill."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayfold.core import kernels
from bayfold.core.counts.joint import JointCounts
from bayfold.core.long_arrays import count_by, cut_pieces
from bayfold.core.schema import RowBlock, Schema


class CodeLayout:
    """Tables of (code x group) one behind the other: one array for narrow codes, one for wide ones.

    Parameters
    ----------
    schema : Schema
    n_groups : int
    """

    def __init__(self, schema: Schema, n_groups: int) -> None:
        self.schema = schema
        self.n_groups = n_groups
        self.narrow_offsets, self.narrow_size = self._lay_out(schema.narrow)
        self.wide_offsets, self.wide_size = self._lay_out(schema.wide)

    def _lay_out(self, columns: np.ndarray) -> tuple[np.ndarray, int]:
        sizes = [self.schema.columns[j].n_codes * self.n_groups for j in columns]
        starts = np.cumsum([0, *sizes]).astype(np.int64)
        return starts[:-1], int(starts[-1])

    @property
    def size(self) -> int:
        """Entries of all tables together."""
        return self.narrow_size + self.wide_size

    def zeros(self) -> tuple[np.ndarray, np.ndarray]:
        """Empty counts: narrow, wide."""
        return np.zeros(self.narrow_size), np.zeros(self.wide_size)

    def count(
        self,
        block: RowBlock,
        group_of: np.ndarray,
        weights: np.ndarray,
        counts: tuple[np.ndarray, np.ndarray],
    ) -> None:
        """Add the rows of a block."""
        narrow, wide = counts
        n_groups = self.n_groups
        kernels.count_codes(block.narrow, group_of, weights, self.narrow_offsets, n_groups, narrow)
        if self.wide_size:
            kernels.count_codes(block.wide, group_of, weights, self.wide_offsets, n_groups, wide)

    def count_fractional(
        self,
        block: RowBlock,
        membership: np.ndarray,
        counts: tuple[np.ndarray, np.ndarray],
    ) -> None:
        """Add the rows of a block, each to every group by its membership."""
        kernels.count_fractional(block.narrow, membership, self.narrow_offsets, counts[0])
        if self.wide_size:
            kernels.count_fractional(block.wide, membership, self.wide_offsets, counts[1])

    def cut(self, counts: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, ...]:
        """One table per column."""
        offsets = self.narrow_offsets, self.wide_offsets
        tables = []
        for n_codes, (width, position) in zip(self.schema.n_codes, self.schema.places, strict=True):
            start = offsets[width][position]
            table = counts[width][start : start + n_codes * self.n_groups]
            tables.append(table.reshape(n_codes, self.n_groups))
        return tuple(tables)

    def join(self, tables: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """What ``cut`` has cut: the tables one behind the other, narrow and wide."""
        narrow, wide = (
            join_counts([tables[j] for j in columns]) if len(columns) else np.empty(0)
            for columns in (self.schema.narrow.tolist(), self.schema.wide.tolist())
        )
        return narrow.reshape(-1), wide.reshape(-1)


def join_counts(tables: Sequence[np.ndarray]) -> np.ndarray:
    """The rows of all tables; no copy where they lie one behind the other, as those of many groups take much memory.

    Examples
    --------
    >>> whole = np.arange(6.0)
    >>> joined = join_counts([whole[:4].reshape(2, 2), whole[4:].reshape(1, 2)])
    >>> joined.tolist(), np.shares_memory(joined, whole)
    ([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], True)
    """
    base = tables[0].base
    if base is None or sum(table.size for table in tables) != base.size:
        return np.concatenate(tables)
    place = _find_address(base)
    for table in tables:
        if _find_address(table) != place or not table.flags.c_contiguous:
            return np.concatenate(tables)
        place += table.nbytes
    return base.reshape(-1, tables[0].shape[1])


def _find_address(numbers: np.ndarray) -> int:
    """Where an array begins."""
    return int(numbers.__array_interface__["data"][0])


def count_block(
    block: RowBlock,
    schema: Schema,
    groups: np.ndarray,
    group_of: np.ndarray,
    weights: np.ndarray | None,
    ranges: tuple[np.ndarray, np.ndarray],
) -> JointCounts:
    """The counts of coded rows; ``ranges`` are the smallest and the largest values of the numeric columns.

    Rows may be many more than fit in memory. Without weights each is one.
    """
    layout = CodeLayout(schema, len(groups))
    flat = layout.zeros()
    for piece in cut_pieces(block.n_rows):
        g = group_of[piece]
        own = RowBlock.of_codes(schema, block.narrow[piece], block.wide[piece])
        w = np.ones(len(g)) if weights is None else weights[piece]
        layout.count(own, g, w, flat)
    totals = count_by(group_of, weights, len(groups))
    return JointCounts(schema, groups, layout.cut(flat), totals, *ranges)
