"""A table over the codes of two columns, or of three."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from bayfold.core import kernels
from bayfold.core.densities.terms.protocol import Packing, stack_tables
from bayfold.core.schema import RowBlock, Schema

N_CODES = 256
"""Of a byte: the kernel reads cells of two columns of one-byte codes."""


@dataclass(frozen=True, eq=False)
class PairTerm:
    """``log_table[merge_a[code of a], merge_b[code of b], group]``, of three columns with one index more.

    Attributes
    ----------
    columns : tuple of int
        Two columns or three, in increasing order. Of more than two, or where one has two-byte codes, the bins of all
        columns but the last have at most 256 cells, and so has the last one.
    merges : tuple of ndarray of int
        The coarse bin of each code; bin 0 gives no evidence.
    log_table : ndarray of shape (n_coarse_a, n_coarse_b, n_groups)
    counts : ndarray of the same shape
        Weight of the training rows; or of the same shape without the groups.
    """

    columns: tuple[int, ...]
    merges: tuple[np.ndarray, ...]
    log_table: np.ndarray
    counts: np.ndarray
    kind: str = field(default="pair", init=False)

    @property
    def shape(self) -> tuple[int, ...]:
        """Bins of each column."""
        return self.log_table.shape[:-1]

    @property
    def rows(self) -> np.ndarray:
        """Weight of the training rows in each cell."""
        return self.counts.sum(axis=-1) if self.counts.ndim > len(self.columns) else self.counts

    @property
    def known(self) -> tuple[slice, ...]:
        """The part of the table that gives evidence: all but bin 0 of each column."""
        return (slice(1, None),) * len(self.columns)

    def find_bins(self, block: RowBlock) -> tuple[np.ndarray, ...]:
        """The bin of each row, column by column: an index into the table."""
        return tuple(m[block.codes(j)] for j, m in zip(self.columns, self.merges, strict=True))

    def is_plain(self, schema: Schema) -> bool:
        """Whether it is of two columns of one-byte codes, which the kernel reads as they are."""
        return len(self.columns) == 2 and not set(self.columns) & set(schema.wide.tolist())

    @classmethod
    def pack(cls, terms: Sequence[PairTerm], packing: Packing) -> PackedPairs:
        """One flat table, and where each code leads within it."""
        place = {j: k for k, j in enumerate(packing.schema.narrow.tolist())}
        plain = [pair for pair in terms if pair.is_plain(packing.schema)]
        joined = [pair for pair in terms if not pair.is_plain(packing.schema)]
        positions = [[place[j] for j in pair.columns] for pair in plain]
        merges = [list(pair.merges) for pair in plain]
        for pair in joined:
            first = len(place) + sum(len(sides) for sides in positions[len(plain) :])
            positions.append([first, first + 1])
            merges.append([np.arange(n) for n in _join_shape(pair.shape)])
        tables = [
            packing.weigh(pair.log_table).reshape(*_join_shape(pair.shape), -1)
            for pair in [*plain, *joined]
        ]
        # scores that no pair moves would only fill the cache: a number's pairs speak of its location alone
        moves = np.any([table.any(axis=(0, 1)) for table in tables], axis=0)
        n_moved = int(np.flatnonzero(moves).max(initial=0)) + 1
        steps = np.zeros((len(tables), 2, N_CODES), np.int32)
        for k, (sides, table) in enumerate(zip(merges, tables, strict=True)):
            for side, width in ((0, table.shape[1]), (1, 1)):
                steps[k, side, : len(sides[side])] = sides[side] * (width * n_moved)
        offsets, entries = stack_tables([table[..., :n_moved] for table in tables])
        return PackedPairs(
            np.array(positions, np.int64), steps, offsets, entries, n_moved, tuple(joined)
        )


def _join_shape(shape: tuple[int, ...]) -> tuple[int, int]:
    """Cells of all columns but the last, and bins of that one."""
    return int(np.prod(shape[:-1])), shape[-1]


@dataclass(frozen=True, eq=False)
class PackedPairs:
    """Tables of several pairs of columns.

    Attributes
    ----------
    positions : ndarray of shape (n_pairs, 2)
        Of the columns among the narrow ones; behind them come two for each of ``joined``, the cell of all its columns
        but the last, and the bin of that one.
    steps : ndarray of shape (n_pairs, 2, 256)
        How far each code of either column leads into the pair's table.
    offsets, tables : ndarray
        Where each table begins, and all tables.
    n_moved : int
        Scores that the tables add to, the first ones.
    joined : tuple of PairTerm
        Those of three columns or of two-byte codes: the last of the tables.
    """

    positions: np.ndarray
    steps: np.ndarray
    offsets: np.ndarray
    tables: np.ndarray
    n_moved: int
    joined: tuple[PairTerm, ...] = ()

    def add_scores(self, block: RowBlock, scores: np.ndarray) -> None:
        """Add the entries of each row's pairs of codes."""
        codes = block.narrow
        if self.joined:
            n_narrow = codes.shape[1]
            codes = np.empty((len(codes), n_narrow + 2 * len(self.joined)), np.uint8)
            codes[:, :n_narrow] = block.narrow
            for k, pair in enumerate(self.joined):
                *first, last = pair.find_bins(block)
                cell = np.ravel_multi_index(tuple(first), pair.shape[:-1])
                codes[:, n_narrow + 2 * k] = cell
                codes[:, n_narrow + 2 * k + 1] = last
        places = self.positions, self.steps, self.offsets
        kernels.score_pairs(codes, *places, self.tables, self.n_moved, scores)
