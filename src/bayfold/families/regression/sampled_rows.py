"""Sampled rows, and what a row weighs where it is left out of its own evidence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core.counts import JointCounts, Statistics
from bayfold.core.counts.copies import find_units
from bayfold.core.counts.count_hashes import CountHashes
from bayfold.core.counts.fold_counts import Folds, count_folds
from bayfold.core.counts.folds import GivenUnits
from bayfold.core.counts.layout import count_block
from bayfold.core.counts.target_axis import TARGET
from bayfold.core.scoring.column_weights import WEIGHT_FOLDS

PLACE_DIGITS = 9
"""Of sums in units of the target's scale: beyond them lies rounding, which depends on the order of columns."""


@dataclass(frozen=True, eq=False)
class SampledRows:
    """Different rows; copies of a row count once and are left out together.

    Attributes
    ----------
    counts : JointCounts
        Of all rows, where copies count once.
    codes : list of ndarray
        Column by column.
    group_of : ndarray of int
        The target's cells.
    weights : ndarray
        Where copies count once.
    own : ndarray
        What is left out with each row.
    n_units : tuple of ndarray or None
        By column, code and cell: how many rows can be left out one by one; None where each row of weight 1 can.
    folds : Folds or None
        Where rows depend on each other, so that single ones cannot be left out.
    """

    counts: JointCounts
    codes: list[np.ndarray]
    group_of: np.ndarray
    weights: np.ndarray
    own: np.ndarray
    n_units: tuple[np.ndarray, ...] | None
    folds: Folds | None = None

    @classmethod
    def of(cls, statistics: Statistics) -> SampledRows:
        """The sampled rows of statistics grouped by the cells of a target."""
        counts = statistics.counts
        sample = statistics.sample
        assert counts.schema is not None
        block = sample.block()
        found = find_units(counts, block, sample.group_of, sample.weights)
        weights = found.share * sample.weights
        said = GivenUnits.of_dependent(sample)
        folds = None if said is None else count_folds(sample, counts)
        n_units = None
        own = np.minimum(weights, 1.0)
        if found.share < 1.0:
            own = weights / found.units
            # where rows are many the sample stands for all
            units = found.units * (counts.n_rows / float(sample.weights.sum()))
            ranges = counts.minimum, counts.maximum
            counted = count_block(
                block, counts.schema, counts.groups, sample.group_of, units, ranges
            )
            n_units = counted.tables
        effective = counts.scaled(found.share)
        codes = list(block.columns())
        return cls(effective, codes, sample.group_of, weights, own, n_units, folds)

    def count_target_in_folds(self, occupied: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """What lies in the occupied cells of the target inside and outside each fold, where there are folds."""
        folds = [] if self.folds is None else self.folds.folds
        tables = [(fold.inside(0), fold.outside.tables[0]) for fold in folds]
        return [(a.sum(axis=0)[occupied], b.sum(axis=0)[occupied]) for a, b in tables]

    def find_own_of_target(self) -> np.ndarray:
        """What one row weighs in each cell of the target."""
        totals = self.counts.tables[0].sum(axis=0)
        return find_own(totals, None if self.n_units is None else self.n_units[0].sum(axis=0))


def order_sampled_rows(statistics: Statistics, most: int) -> np.ndarray:
    """Some sampled rows, fold after fold, the same whatever the names, units and order of columns.

    Rows are dealt in turn by the mean targets of their codes, those with the same ones at random.
    """
    sample = statistics.sample.head(most)
    block = sample.block()
    row_hashes = CountHashes(statistics.counts, block, sample.group_of, sample.weights)
    at_random = row_hashes.draw_keys(block, sample.group_of)
    weight, first, _ = statistics.counts.moments[TARGET]
    means = first / np.where(weight > 0, weight, 1.0)
    place = np.zeros(sample.n_rows)
    for table, codes in zip(statistics.counts.tables, block.columns(), strict=True):
        place += ((table @ means) / np.maximum(table.sum(axis=1), 1e-300))[codes]
    in_turn = np.lexsort((at_random, means[sample.group_of], np.round(place, PLACE_DIGITS)))
    return np.concatenate([in_turn[k::WEIGHT_FOLDS] for k in range(WEIGHT_FOLDS)])


def find_own(counts: np.ndarray, n_units: np.ndarray | None) -> np.ndarray:
    """What one row weighs where so many of them have this weight together.

    >>> find_own(np.array([0.5, 3.0]), None), find_own(np.array([0.5, 3.0]), np.array([1.0, 2.0]))
    (array([0.5, 1. ]), array([0.5, 1.5]))
    """
    return np.minimum(counts, 1.0) if n_units is None else counts / np.maximum(n_units, 1.0)
