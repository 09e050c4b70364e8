"""Scores of sampled rows from trees, or votes of trees, that have not seen them: what their scale is fitted on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bayfold.core.counts import RowHashes
from bayfold.core.counts.fold_counts import Folds, count_folds, count_folds_outside
from bayfold.core.counts.folds import GivenUnits
from bayfold.core.scoring.derive import find_group_factors
from bayfold.core.scoring.score_scale import ScoreScale, fit_score_scale
from bayfold.families.trees.binning import BinnedRows, Binning, RowBinner
from bayfold.families.trees.growing import GrowingPart
from bayfold.families.trees.prepare import Coding, CodingPlan, Prepared
from bayfold.families.trees.rows import LEFT_OUT_FOLDS, collapse_rows

N_FOLDS = 3
"""Of the sample: each learner knows two thirds of it, and learning takes three times as long where the table is no
larger than the sample."""

Learn = Callable[[Prepared], Callable[[BinnedRows], np.ndarray]]
"""From rows to what scores other rows in the same bins."""


def find_score_scale(
    coding: Coding, learn: Learn, plan: CodingPlan, kind: type[GrowingPart] = GrowingPart
) -> ScoreScale:
    """Learn without each fold, cuts of numeric columns included, and fit the scale on the rows of the folds.

    Parameters
    ----------
    coding : Coding
        Of all rows.
    learn : callable
    plan, kind
        As for ``prepare_rows``.
    """
    factors = find_group_factors(coding.counts, plan.group_weights)
    folds = count_folds(coding.sample, coding.counts, N_FOLDS)
    sample = folds.sample
    coding = replace(coding, sample=sample)
    block = sample.block()
    parts = []
    for k in range(len(folds.folds)):
        is_inside = folds.in_fold[:, k] > 0
        if not is_inside.any() or not folds.weights_outside(k).any():
            continue
        outside = _prepare_outside(coding, folds, k, plan=plan, kind=kind)
        binned = outside.coding.binner.bin_block(block).take(np.flatnonzero(is_inside))
        weights = folds.in_fold[is_inside, k] * factors[sample.group_of[is_inside]]
        parts.append((learn(outside)(binned), sample.group_of[is_inside], weights))
    scores, group_of, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
    return fit_score_scale(scores, group_of, weights, coding.n_groups, n_units=folds.n_units)


def _prepare_outside(
    coding: Coding, folds: Folds, k: int, *, plan: CodingPlan, kind: type[GrowingPart]
) -> Prepared:
    """The rows of the other folds, cut and coded by what they say alone."""
    factors = find_group_factors(coding.counts, plan.group_weights)
    sample = coding.sample
    weights = folds.weights_outside(k) * factors[sample.group_of]
    counts = folds.folds[k].outside
    rows = np.flatnonzero(weights > 0)
    again = count_folds_outside(folds, k, LEFT_OUT_FOLDS) if plan.prune else None
    said = GivenUnits.of_dependent(sample)
    said = None if said is None else said.within(rows)
    leaves = Binning.mdl(counts, plan.prune, again)
    binner = RowBinner(leaves, Binning(leaves.schema) if plan.fine_splits else leaves)
    group_of = sample.group_of[rows]
    binned = binner.bin_block(sample.block()).take(rows)
    row_hashes = RowHashes(leaves.schema, sample.groups)
    data = collapse_rows(binned, group_of, weights[rows], row_hashes, said)
    # bootstrap samples are drawn by position: no name may decide them
    data = data.sorted_by(coding.find_count_hashes())
    outside = replace(coding, binner=binner, counts=counts, share=1.0)
    return Prepared.of(data, outside, kind)
