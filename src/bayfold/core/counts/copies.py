"""Copies of a row and honest repeats: in how many units a row is dealt to folds, and how many rows there really are.

Rows are held out to see what a model makes of rows it does not know. Equal rows come about in two ways. Where few
values make few possible rows, they are independent observations, and each may be held out on its own: all of them in
one fold would leave no row like them outside. Where a row of measurements stands there twice (a weight, a bootstrap, an
oversampled class, a join), its copy outside the fold gives the answer away.

The counts know how many equal rows to expect. If the columns were independent within a group, a row of group g would
occur

    e = n_g * product over columns j of p_j(code | g)

times. Columns that repeat each other make rows more frequent than that, so the same is asked of two halves of the
columns, each taken as one, ``e = n_g * p(first half | g) * p(second half | g)``, and the larger answer counts. (A row
of measurements is the only one with its half, so that its copies expect ``w^2 / n_g`` of themselves, which is little.)
Where rows differ by their exact numbers or texts, a number or text that
no other row has is no frequent one, however often its row was copied: it counts as one row's.
A row of weight w is dealt in u = e units, at least one and not more than it has copies, each of weight ``w / u``:
copies beyond those expected stay together. So a weight of 2 is still the row twice, whichever they are.

Copies add no information either. Where a number of rows is weighed against a penalty, a prior or a bandwidth, a row
counts as its units do, unless chance may well have made more of it: all weights are multiplied by the share of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayfold.core.counts.joint import JointCounts
from bayfold.core.schema import RowBlock

SHRINKAGE = 2.0
"""Distinct rows by which the shares within a group are drawn to those of all rows. The only row of a group would expect
itself otherwise, however many columns it has; a group of some rows is believed to know its own shares."""

FEWEST_UNITS = 20
"""A table of fewer distinct rows is dealt in so many units all the same: two for each of ten folds."""

CHANCE_ERRORS = 3.0
"""Standard errors by which equal rows may be more than expected and still all count. Without any, 400 honest rows of
81 equally likely ones were worth 350: the more frequent ones were cut, and the others not raised."""

COARSE = 5.0
"""Rows for each possible one, from which on all equal rows count: there are not enough different ones to go round,
however the columns depend on each other (exclusive-or of two columns was worth two thirds of its rows)."""


@dataclass(frozen=True, eq=False)
class RowUnits:
    """What distinct rows are worth.

    Attributes
    ----------
    units : ndarray of int64
        In how many parts each row may be held out.
    share : float
        Effective rows per weight: 1 where there are no copies.
    """

    units: np.ndarray
    share: float


def find_units(
    counts: JointCounts,
    block: RowBlock,
    group_of: np.ndarray,
    weights: np.ndarray,
    exact: Sequence[int] = (),
    likely: np.ndarray | None = None,
) -> RowUnits:
    """Tell copies from repeats.

    Parameters
    ----------
    counts : JointCounts
        Of all rows.
    block : RowBlock
        Distinct rows.
    group_of : ndarray of int
    weights : ndarray
        Summed weight of the equal rows.
    exact : sequence of int
        Numeric columns in which rows differ by their numbers, not by their bins alone.
    likely : ndarray, optional
        The probability, given its group, of whatever else tells a row apart, such as its exact target.
    """
    if (
        len(weights) == 0 or weights.max() < 2.0
    ):  # every row once: nothing to tell, and no room taken for it
        return RowUnits(np.ones(len(weights), np.int64), 1.0)
    copies = count_copies(weights)
    several = np.flatnonzero(copies > 1)
    rows = _Rows(counts, block, group_of, weights, exact)
    expected = np.ones(len(weights))
    expected[several] = np.maximum(rows.expect_by_columns(several), rows.expect_by_halves(several))
    if likely is not None:
        expected[several] *= likely[several]
    units = np.clip(np.floor(expected), 1, copies).astype(np.int64)
    if units.sum() < FEWEST_UNITS:
        more = -(-FEWEST_UNITS // len(units))
        units = np.maximum(units, np.minimum(copies, more))
    # what chance may well add to rows that are expected is no copy
    by_chance = (expected >= 1) & (copies <= expected + CHANCE_ERRORS * np.sqrt(expected))
    worth = np.where(by_chance | rows.is_coarse(), copies, units)
    return RowUnits(units, float(weights @ (worth / copies)) / float(weights.sum()))


def count_copies(weights: np.ndarray) -> np.ndarray:
    """How many equal rows a summed weight stands for.

    >>> count_copies(np.array([0.3, 1.0, 2.5]))
    array([1, 1, 2])
    """
    return np.maximum(np.floor(weights), 1.0).astype(np.int64)


class _Rows:
    """Distinct rows and how often they are to be expected."""

    def __init__(
        self,
        counts: JointCounts,
        block: RowBlock,
        group_of: np.ndarray,
        weights: np.ndarray,
        exact: Sequence[int] = (),
    ) -> None:
        self.counts, self.group_of, self.weights = counts, group_of, weights
        self.n_distinct = np.bincount(group_of, minlength=len(counts.groups))
        self.codes = [block.codes(j) for j in range(len(counts.tables))]
        self.tables, self.measured = list(counts.tables), set[int]()
        for j in exact:
            x = block.values[:, block.schema.numeric_position[j]]
            if self._are_measured(x):
                self._see_values(j, x)
        for j, words in zip(block.schema.text, block.words, strict=False):
            hashes = np.zeros(words.n_rows, np.uint64)
            words.hash_rows(0, hashes)
            self._see_values(j, hashes)

    def is_coarse(self) -> bool:
        """Whether there are many rows for each combination of codes and group that could be."""
        n_values = np.array([np.count_nonzero(table.sum(axis=1)) for table in self.tables])
        # a sum of logarithms: the product may overflow
        log_possible = np.log(np.maximum(n_values, 1)).sum() + np.log(len(self.n_distinct))
        return bool(np.log(self.counts.n_rows) >= np.log(COARSE) + log_possible)

    @staticmethod
    def _are_measured(x: np.ndarray) -> bool:
        """Whether most rows have a number of their own."""
        n_rows = np.unique(x, return_counts=True)[1]
        return bool((n_rows == 1).sum() > max(len(x) // 2, FEWEST_UNITS))

    def _see_values(self, j: int, x: np.ndarray) -> None:
        """Count a column number by number, or text by text."""
        distinct, place, n_rows = np.unique(x, return_inverse=True, return_counts=True)
        table = np.zeros((len(distinct), len(self.n_distinct)))
        np.add.at(table, (place, self.group_of), self._count_once(n_rows[place] == 1))
        self.codes[j], self.tables[j] = place, table
        self.measured.add(j)

    def _count_once(self, alone: np.ndarray) -> np.ndarray:
        """The weights, where those of some rows count for one row each."""
        return np.where(alone, np.minimum(self.weights, 1.0), self.weights)

    def expect_by_columns(self, rows: np.ndarray) -> np.ndarray:
        """How often some rows would occur if all columns were independent within a group."""
        group, totals = self.group_of[rows], np.maximum(self.counts.totals, 1e-300)
        log_expected = np.log(totals[group])
        for j, codes in enumerate(self.codes):
            table = self.tables[j]
            overall = table.sum(axis=1, keepdims=True) / self.counts.n_rows
            share = self._shrink(table / totals, overall, self.n_distinct)
            log_expected += np.log(share[codes[rows], group])
        return np.exp(log_expected)

    def expect_by_halves(self, rows: np.ndarray) -> np.ndarray:
        """How often they would occur if two halves of the columns were."""
        group = self.group_of[rows]
        expected = self.counts.totals[group]
        for half in self._split_columns():
            expected = expected * self._find_share(half)[rows]
        return expected

    def _split_columns(self) -> tuple[list[int], list[int]]:
        """Columns dealt in turn to two halves, those with the fewest equal cells first, wherever they stand."""
        tables = self.tables
        squares = [float(np.square(table.sum(axis=1)).sum()) for table in tables]
        within = [
            float(np.square(table).sum()) for table in tables
        ]  # tells columns of equal shares apart
        order = np.lexsort((within, squares)).tolist()
        return order[::2], order[1::2]

    def _find_share(self, columns: list[int]) -> np.ndarray:
        """The share of the rows of each row's group that are like it in some columns."""
        rng, keys = np.random.default_rng(0), np.zeros(len(self.weights), np.uint64)
        for j in columns:
            words = rng.integers(1 << 63, size=len(self.tables[j]), dtype=np.uint64)
            keys += words[self.codes[j]]
        _, like, n_like = np.unique(keys, return_inverse=True, return_counts=True)
        weights = self.weights
        if not self.measured.isdisjoint(columns):
            weights = self._count_once(n_like[like] == 1)
        n_groups = len(self.n_distinct)
        cell = like * n_groups + self.group_of
        place = np.unique(cell, return_inverse=True)[1]
        in_cell = np.bincount(place, weights)[place]
        of_group = np.bincount(self.group_of, self.weights, n_groups)[self.group_of]
        overall = np.bincount(like, weights)[like] / self.weights.sum()
        return self._shrink(in_cell / of_group, overall, self.n_distinct[self.group_of])

    @staticmethod
    def _shrink(within: np.ndarray, overall: np.ndarray, n_distinct: np.ndarray) -> np.ndarray:
        return (n_distinct * within + SHRINKAGE * overall) / (n_distinct + SHRINKAGE)
