"""How far the evidence of one-dependence estimators is to be believed: one factor, fitted out of fold.

Pairs without a fold are counted from the sampled rows of the other folds, and bins, smoothing and parents are
derived again from them, as for naive Bayes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayfold.counts import (
    CodeLayout,
    JointCounts,
    PairCounts,
    PairLayout,
    PairStatistics,
    RowSample,
    count_pairs,
)
from bayfold.learners.calibrate import FEWEST_ROWS, fit_weights
from bayfold.learners.one_dependence import PairSettings, derive_one_dependence
from bayfold.learners.out_of_fold import HeldOut
from bayfold.model import OneDependenceModel, OneDependenceScorer
from bayfold.schema import RowBlock

MOST_EVIDENCE = 300.0
"""A row's evidence is clipped here: without smoothing it may be infinite."""


def calibrate_one_dependence(
    model: OneDependenceModel, statistics: PairStatistics, settings: PairSettings
) -> OneDependenceModel:
    """The model with a temperature, fitted on sampled rows scored by models that have not seen them."""
    n_groups = len(statistics.groups)
    if n_groups < 2 or statistics.sample.n_rows < FEWEST_ROWS:
        return model
    held_out = find_held_out_scores(statistics.sample, statistics.counts, settings)
    return replace(model, calibration=fit_weights(held_out, n_groups, ridge=None))


def find_held_out_scores(
    sample: RowSample, counts: JointCounts, settings: PairSettings, n_folds: int = 5
) -> HeldOut:
    """Evidence of every sampled row, all columns together, from a model of the rows in the other folds."""
    fold_of = (sample.hashes % np.uint64(n_folds)).astype(np.int64)
    evidence = np.zeros((sample.n_rows, 1, 1 if len(sample.groups) == 2 else len(sample.groups)))
    for fold in range(n_folds):
        inside = np.flatnonzero(fold_of == fold)
        without, pairs = count_rows(sample, np.flatnonzero(fold_of != fold), counts)
        if not without.totals.all() or not len(inside):  # a group only in this fold: nothing to say
            continue
        scorer = OneDependenceScorer(derive_one_dependence(without, pairs, settings))
        scores = np.nan_to_num(scorer.score(_block(sample, inside)) - scorer.start)
        evidence[inside, 0] = np.clip(scores, -MOST_EVIDENCE, MOST_EVIDENCE)
    return HeldOut(evidence, sample.group_of, sample.weights)


def count_rows(
    sample: RowSample, rows: np.ndarray, counts: JointCounts
) -> tuple[JointCounts, PairCounts]:
    """Counts of some sampled rows, single and in pairs."""
    schema, groups = sample.schema, sample.groups
    assert schema is not None
    block, group_of, weights = _block(sample, rows), sample.group_of[rows], sample.weights[rows]
    layout, pair_layout = CodeLayout(schema, len(groups)), PairLayout(schema)
    flat = layout.zeros()
    layout.count(block, group_of, weights, flat)
    table = np.zeros((pair_layout.n_values, pair_layout.n_values, len(groups)))
    count_pairs(pair_layout, block, group_of, weights, table)
    totals = np.bincount(group_of, weights, len(groups))
    ranges = counts.minimum, counts.maximum
    single = JointCounts(schema, groups, layout.cut(flat), totals, *ranges)
    return single, PairCounts(schema, groups, table)


def _block(sample: RowSample, rows: np.ndarray) -> RowBlock:
    return RowBlock(np.empty((len(rows), 0)), sample.narrow[rows], sample.wide[rows])
