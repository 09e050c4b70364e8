"""Sampled rows dealt to folds: what every fold holds, and the statistics of the rows outside it.

Counts without a fold are the total minus the fold's, and everything that depends on them, cuts
included, is derived again from them: keeping the cuts would leak the fold into its own evidence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core.counts import CodeLayout, JointCounts, RowSample
from bayfold.core.counts.folds import deal_copies
from bayfold.core.kernels.codes import FIRST_BIN
from bayfold.core.schema import NumericColumn, RowBlock, Schema

TEN_FOLD_ROWS = 5_000
"""Up to so many distinct rows there are ten folds, beyond them five: four fifths of the rows then tell as much."""


@dataclass(frozen=True)
class Fold:
    """One fold.

    Attributes
    ----------
    inside : tuple of ndarray
        Counts of the fold's own rows, one table per column.
    outside : JointCounts
        Statistics of the rows in the other folds.
    """

    inside: tuple[np.ndarray, ...]
    outside: JointCounts


@dataclass(frozen=True)
class Folds:
    """The folds of a sample.

    Attributes
    ----------
    sample : RowSample
    in_fold : ndarray of shape (n_rows, n_folds)
        The weight of each sampled row in each fold.
    folds : list of Fold
    centres : dict of int to ndarray
        For each numeric column a number for every code, NaN for MISSING and UNSEEN.
    """

    sample: RowSample
    in_fold: np.ndarray
    folds: list[Fold]
    centres: dict[int, np.ndarray]


def count_folds(sample: RowSample, counts: JointCounts) -> Folds:
    """Deal the sampled rows to folds by what is in them, and count each fold."""
    n_folds = 10 if sample.n_rows <= TEN_FOLD_ROWS else 5
    schema = sample.schema
    assert schema is not None
    layout = CodeLayout(schema, len(sample.groups))
    in_fold = deal_copies(sample.hashes, sample.weights, n_folds)
    centres = {j: find_centres(schema, counts, j) for j in schema.numeric.tolist()}
    flats = [_count_rows(layout, sample, in_fold[:, k]) for k in range(n_folds)]
    total = tuple(sum(flat[width] for flat in flats) for width in range(2))
    folds = []
    for flat in flats:
        tables = layout.cut((total[0] - flat[0], total[1] - flat[1]))
        outside = _counts_from_tables(schema, counts, tables, centres)
        folds.append(Fold(layout.cut(flat), outside))
    return Folds(sample, in_fold, folds, centres)


def find_centres(schema: Schema, counts: JointCounts, j: int) -> np.ndarray:
    """A number for every code of a numeric column: the middle of its fine bin, NaN for none."""
    described = schema.columns[j]
    assert isinstance(described, NumericColumn)
    position = schema.numeric_position[j]
    middle = described.centres(counts.minimum[position], counts.maximum[position])
    middle = np.where(
        np.isfinite(middle), middle, 0.0
    )  # where no cell is known, any number will do
    return np.concatenate([np.full(FIRST_BIN, np.nan), middle])


def _count_rows(
    layout: CodeLayout, sample: RowSample, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    rows = np.flatnonzero(weights > 0)
    block = RowBlock(np.empty((len(rows), 0)), sample.narrow[rows], sample.wide[rows])
    flat = layout.zeros()
    layout.count(block, sample.group_of[rows], weights[rows], flat)
    return flat


def _counts_from_tables(
    schema: Schema,
    counts: JointCounts,
    tables: tuple[np.ndarray, ...],
    centres: dict[int, np.ndarray],
) -> JointCounts:
    """Counts of some sampled rows; moments come from the middles of fine bins."""
    moments = {}
    for j in counts.moments:
        described = schema.columns[j]
        assert isinstance(described, NumericColumn)
        d = (centres[j][FIRST_BIN:] - described.shift) / described.scale
        known = tables[j][FIRST_BIN:]
        moments[j] = np.stack([known.sum(axis=0), d @ known, (d * d) @ known])
    totals = tables[0].sum(axis=0)
    ranges = counts.minimum, counts.maximum
    return JointCounts(schema, counts.groups, tables, totals, *ranges, moments)
