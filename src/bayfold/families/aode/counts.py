"""PairCounts: weighted counts of (value of one column, value of another) x group."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np

from bayfold import errors
from bayfold.core.counts.joint import code_positions
from bayfold.core.counts.statistics import Statistics
from bayfold.core.counts.sums import SumOverSchema
from bayfold.core.kernels.encode import FIRST_BIN, NARROW_BINS
from bayfold.core.schema import ColumnSchema, NumericColumn, RowBlock, Schema
from bayfold.core.stored import Stored
from bayfold.families.aode import kernels
from bayfold.families.aode.kernels.pairs import NOWHERE

NUMERIC_BINS = 32
"""Fine bins of a number beyond this many share pair bins: a table of all pairs grows with the square."""

MOST_ENTRIES = 1 << 28
"""Of one table of pairs: two gigabytes."""


class PairLayout(Stored):
    """Where the values of the paired columns lie in a table of pairs. A function of the schema alone.

    Columns with two-byte codes have too many values to be paired.

    Attributes
    ----------
    columns : list of int
        The paired columns.
    starts : ndarray of int
        The position of each paired column's first value, and at the end their number.
    bin_of_code : list of ndarray
        The pair bin of each code of a paired column; -1 for missing and unseen.
    """

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.columns = [j for j, c in enumerate(schema.columns) if c.n_bins <= NARROW_BINS]
        self.bin_of_code = [_find_pair_bins(schema.columns[j]) for j in self.columns]
        sizes = [max(int(bins.max()) + 1, 1) for bins in self.bin_of_code]
        self.starts = np.cumsum([0, *sizes]).astype(np.int64)

    @property
    def n_values(self) -> int:
        """Values of all paired columns together."""
        return int(self.starts[-1])

    @cached_property
    def column_of(self) -> np.ndarray:
        """The place among the paired columns of the column that a position belongs to."""
        return np.repeat(np.arange(len(self.columns)), np.diff(self.starts))

    def check_size(self, n_groups: int) -> None:
        """Refuse tables of pairs that no memory would hold."""
        entries = self.n_values**2 * n_groups
        if entries > MOST_ENTRIES:
            raise errors.too_many_pairs(self.n_values, n_groups, 8 * entries / 2**30)

    def place(self, block: RowBlock, lookups: list[np.ndarray] | None = None) -> np.ndarray:
        """Positions of the cells of a block, by ``lookups`` from codes if given; -1 for cells that say nothing."""
        lookups = self.lookups if lookups is None else lookups
        positions = np.empty((block.n_rows, len(self.columns)), np.int32)
        for k, j in enumerate(self.columns):
            positions[:, k] = lookups[k][block.codes(j)]
        return positions

    @cached_property
    def lookups(self) -> list[np.ndarray]:
        """The position of each code of each paired column."""
        pairs = zip(self.bin_of_code, self.starts[:-1], strict=True)
        return [
            np.where(bins >= 0, bins + start, NOWHERE).astype(np.int32) for bins, start in pairs
        ]

    def sum_bins(self, k: int, table: np.ndarray) -> np.ndarray:
        """The counts of a paired column's codes, added up over its pair bins."""
        summed = np.zeros((self.starts[k + 1] - self.starts[k], table.shape[1]))
        np.add.at(summed, self.bin_of_code[k][FIRST_BIN:], table[FIRST_BIN:])
        return summed


def _find_pair_bins(column: ColumnSchema) -> np.ndarray:
    """Fine bins by their number: they are quantiles where there are so many that this matters."""
    bins = np.arange(column.n_bins)
    if isinstance(column, NumericColumn) and column.n_bins > NUMERIC_BINS:
        bins = bins * NUMERIC_BINS // column.n_bins
    return np.concatenate([np.full(FIRST_BIN, NOWHERE), bins])


@dataclass(frozen=True, eq=False)
class PairCounts(Stored, SumOverSchema):
    """Weighted counts of pairs of values x group, a monoid like the other statistics.

    Attributes
    ----------
    schema : Schema or None
        None for zero, which needs no schema.
    groups : ndarray
        Sorted labels of the groups.
    table : ndarray of shape (n_values, n_values, n_groups)
        Over the positions of a ``PairLayout``. Pairs in the order of the columns; the rest is zero.
    """

    schema: Schema | None = None
    groups: np.ndarray = field(default_factory=lambda: np.empty(0))
    table: np.ndarray = field(default_factory=lambda: np.empty((0, 0, 0)))

    @cached_property
    def layout(self) -> PairLayout:
        """Where values lie in the table."""
        assert self.schema is not None
        return PairLayout(self.schema)

    def _plus_aligned(
        self,
        other: PairCounts,
        schema: Schema,
        groups: np.ndarray,
        places: tuple[np.ndarray, np.ndarray],
    ) -> PairCounts:
        if schema is self.schema and schema is other.schema and groups is self.groups:
            return PairCounts(schema, groups, self.table + other.table)
        layout = PairLayout(schema)
        layout.check_size(len(groups))
        table = np.zeros((layout.n_values, layout.n_values, len(groups)))
        for part, place in zip((self, other), places, strict=True):
            # a column that has become too wide to be paired drops out, whatever the order of adding
            old, new = find_new_positions(part.layout, layout)
            # several values may end in one bin, so counts are added rather than assigned
            np.add.at(table, np.ix_(new, new, place), part.table[np.ix_(old, old)])
        return PairCounts(schema, groups, table)

    def scaled(self, factor: float) -> PairCounts:
        """The counts of rows whose weights are multiplied by a number."""
        return self if factor == 1.0 else PairCounts(self.schema, self.groups, self.table * factor)


def find_new_positions(old: PairLayout, new: PairLayout) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the values that are paired under both schemas, under the first and under the second."""
    here = [np.empty(0, np.int64)]
    there = [np.empty(0, np.int64)]
    for k, j in enumerate(new.columns):
        before = old.columns.index(j)
        codes = code_positions(old.schema, new.schema, j)[FIRST_BIN:]
        bins, first = np.unique(old.bin_of_code[before][FIRST_BIN:], return_index=True)
        here.append(old.starts[before] + bins)
        there.append(new.starts[k] + new.bin_of_code[k][codes[first]])
    return np.concatenate(here), np.concatenate(there)


def count_pairs_of_block(
    layout: PairLayout,
    block: RowBlock,
    group_of: np.ndarray,
    weights: np.ndarray,
    table: np.ndarray,
) -> None:
    """Add the rows of a block to a table of pairs."""
    kernels.count_pairs(layout.place(block), group_of, weights, table)


@dataclass(frozen=True, eq=False)
class PairStatistics(Statistics):
    """The statistics of the same rows with their pairs."""

    pairs: PairCounts = field(default_factory=PairCounts.zero)

    def _plus(self, other: Self) -> Self:
        return replace(super()._plus(other), pairs=self.pairs + other.pairs)
