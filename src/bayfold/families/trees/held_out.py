"""Scores of sampled rows from trees, or votes of trees, that have not seen them: what their scale is fitted on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bayfold.core.counts import RowHashes
from bayfold.core.counts.count_hashes import CountHashes
from bayfold.core.counts.fold_counts import Folds, count_folds, count_folds_outside
from bayfold.core.counts.folds import GivenUnits
from bayfold.core.scoring.score_scale import ScoreScale, fit_score_scale
from bayfold.families.trees.binning import BinnedRows, Binning, RowBinner
from bayfold.families.trees.rows import LEFT_OUT_FOLDS, Prepared, collapse_rows

N_FOLDS = 3
"""Of the sample: each learner knows two thirds of it, and learning takes three times as long where the table is no
larger than the sample."""

Learn = Callable[[Prepared], Callable[[BinnedRows], np.ndarray]]
"""From rows to what scores other rows in the same bins."""


def find_score_scale(
    prepared: Prepared, learn: Learn, fine_splits: bool, prune: bool, factors: np.ndarray
) -> ScoreScale:
    """Learn without each fold, cuts of numeric columns included, and fit the scale on the rows of the folds.

    Parameters
    ----------
    prepared : Prepared
    learn : callable
    fine_splits, prune : bool
        As for ``prepare_rows``.
    factors : ndarray
        What the rows of each group are multiplied by.
    """
    sample = prepared.sample
    folds = count_folds(sample, prepared.counts, N_FOLDS)
    block = sample.block()
    parts = []
    for k in range(len(folds.folds)):
        is_inside = folds.in_fold[:, k] > 0
        if not is_inside.any() or not folds.weights_outside(k).any():
            continue
        outside = _prepare_outside(prepared, folds, k, fine_splits, prune, factors)
        binned = outside.binner.bin_block(block).take(np.flatnonzero(is_inside))
        weights = folds.in_fold[is_inside, k] * factors[sample.group_of[is_inside]]
        parts.append((learn(outside)(binned), sample.group_of[is_inside], weights))
    scores, group_of, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
    return fit_score_scale(scores, group_of, weights, prepared.data.n_groups, n_units=folds.n_units)


def _prepare_outside(
    prepared: Prepared, folds: Folds, k: int, fine_splits: bool, prune: bool, factors: np.ndarray
) -> Prepared:
    """The rows of the other folds, cut and coded by what they say alone."""
    sample = prepared.sample
    counts = folds.folds[k].outside
    in_rest = folds.weights_outside(k)
    rows = np.flatnonzero(in_rest > 0)
    again = count_folds_outside(folds, k, LEFT_OUT_FOLDS) if prune else None
    said = GivenUnits.of_dependent(sample)
    said = None if said is None else said.within(rows)
    leaves = Binning.mdl(counts, prune, again)
    binner = RowBinner(leaves, Binning(leaves.schema) if fine_splits else leaves)
    group_of = sample.group_of[rows]
    weights = in_rest[rows] * factors[group_of]
    binned = binner.bin_block(sample.block()).take(rows)
    data = collapse_rows(binned, group_of, weights, RowHashes(leaves.schema, sample.groups), said)
    # bootstrap samples are drawn by position: no name may decide them
    frequencies = CountHashes(prepared.counts, sample.block(), sample.group_of, sample.weights)
    data = data.sorted_by(frequencies)
    unit = float((prepared.unit_shares * prepared.data.weights).max())
    unit_shares = np.minimum(unit / np.maximum(data.weights, unit), 1.0)
    return replace(
        prepared,
        data=data,
        binner=binner,
        counts=counts,
        unit_shares=unit_shares,
        held_out=data.hold_out(frequencies.rank_groups()),
    )
