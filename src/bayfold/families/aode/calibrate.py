"""How far the evidence of one-dependence estimators is to be believed: one factor, fitted out of fold.

Pairs without a fold are counted from the sampled rows of the other folds, and merged bins, smoothing and parents are
derived again from them, as for naive Bayes. Only the candidate edges have seen the fold.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayfold.core.counts import RowSample
from bayfold.core.counts.fold_counts import Folds, count_folds_outside
from bayfold.core.counts.folds import GivenUnits
from bayfold.core.counts.identifiers import find_unconfirmed
from bayfold.core.schema import RowBlock
from bayfold.core.scoring import centre_groups
from bayfold.core.scoring.derive import log_priors
from bayfold.core.scoring.errors import CountErrors
from bayfold.core.scoring.held_out import HeldOut
from bayfold.families.aode.counts import (
    PairCounts,
    PairLayout,
    PairStatistics,
    count_pairs_of_block,
)
from bayfold.families.aode.learner import PairSettings, derive_one_dependence
from bayfold.families.aode.model import OneDependenceModel, OneDependenceScorer
from bayfold.families.naive_bayes.calibrate import hold_out_rows, judge_calibration
from bayfold.families.naive_bayes.weights import estimate_weights

MOST_JOINT_EVIDENCE = 300.0
"""A row's evidence is clipped here: without smoothing it may be infinite."""


PAIR_FOLDS = 5
"""Four fifths of the rows tell as much about one factor as nine tenths, at half the cost."""


def derive_calibrated_one_dependence(
    statistics: PairStatistics, settings: PairSettings
) -> OneDependenceModel:
    """The model with a temperature, fitted on sampled rows scored by models that have not seen them."""
    counts = statistics.counts
    pairs = statistics.pairs
    folds = hold_out_rows(statistics, PAIR_FOLDS)
    if folds is None:
        return derive_one_dependence(counts, pairs, settings, find_unconfirmed(counts))
    # the rows that a parent must have are counted as they were given
    least = settings.min_parent_count * folds.share
    settings = replace(settings, min_parent_count=least)
    held_out = find_held_out_scores(folds, settings)
    of_rows = folds.group_factors[held_out.group_of]
    held_out = replace(held_out, weights=held_out.weights * of_rows)
    # copies are no further rows, neither inside folds nor here
    counts = counts.scaled(folds.share)
    pairs = pairs.scaled(folds.share)
    is_silent = find_unconfirmed(counts, folds if folds.are_dependent else None)
    model = derive_one_dependence(counts, pairs, settings, is_silent)
    log_prior = centre_groups(log_priors(counts))
    calibration = judge_calibration(
        held_out, estimate_weights(held_out, log_prior, ridge=None), folds.n_units
    )
    errors = model.naive.errors
    assert isinstance(errors, CountErrors)
    errors = replace(errors, share=folds.share)
    return replace(model, calibration=calibration, naive=replace(model.naive, errors=errors))


def derive_uncalibrated(statistics: PairStatistics, settings: PairSettings) -> OneDependenceModel:
    """The model as it is written. Columns of many values are silent where rows left out do not confirm them."""
    counts = statistics.counts
    folds = None
    if GivenUnits.of_dependent(statistics.sample) is not None:
        folds = hold_out_rows(statistics, PAIR_FOLDS)
    is_silent = find_unconfirmed(counts, folds)
    return derive_one_dependence(counts, statistics.pairs, settings, is_silent)


def find_held_out_scores(folds: Folds, settings: PairSettings) -> HeldOut:
    """Evidence of the sampled rows, all columns together, from models of the rows in the other folds.

    A row that stands for several equal ones may be in several folds and has then as many entries.
    """
    sample = folds.sample
    in_fold = folds.in_fold
    n_scores = 1 if len(sample.groups) == 2 else len(sample.groups)
    evidence = [np.empty((0, 1, n_scores))]
    entries = [np.empty((0, 2), np.int64)]
    # rows of a rare class, of which more are sampled, count as if they were not
    factors = folds.group_factors / folds.group_factors.max()
    pairs = _new_pairs(
        sample
    )  # one table for all folds: the memory of a new one costs more than filling it
    for k, fold in enumerate(folds.folds):
        inside = np.flatnonzero(in_fold[:, k] > 0)
        without = fold.outside
        if not len(inside) or not without.totals.any():
            continue
        update_pairs_of_rows(pairs, sample, folds.weights_outside(k) * factors[sample.group_of])
        again = count_folds_outside(folds, k, PAIR_FOLDS)
        is_silent = find_unconfirmed(without, again)
        model = derive_one_dependence(without, pairs, settings, is_silent, uses_up=True)
        scorer = OneDependenceScorer(model)
        found = _find_evidence(scorer, sample.block(inside), without.totals > 0)
        found[without.totals[sample.group_of[inside]] == 0] = 0.0  # nothing is known of their group
        evidence.append(found[:, None])
        entries.append(np.stack([inside, np.full(len(inside), k)], axis=1))
    row, fold_of = np.concatenate(entries).T
    cells = np.concatenate(evidence)
    return HeldOut.of_cells(cells, group_of=sample.group_of[row], weights=in_fold[row, fold_of])


def _find_evidence(
    scorer: OneDependenceScorer, block: RowBlock, is_present: np.ndarray
) -> np.ndarray:
    """Evidence of rows, none for a group that the model has not seen."""
    if len(is_present) == 2 and not is_present.all():
        return np.zeros((block.n_rows, scorer.n_scores))
    with np.errstate(invalid="ignore"):  # minus infinity for a group not seen
        evidence = scorer.score_joint(block) - scorer.model.log_prior
    centred = centre_groups(np.where(is_present, evidence, -np.inf))
    if len(is_present) > 2:
        centred[:, ~is_present] = 0.0
    return np.clip(np.nan_to_num(centred), -MOST_JOINT_EVIDENCE, MOST_JOINT_EVIDENCE)


def _new_pairs(sample: RowSample) -> PairCounts:
    """Counts of pairs with room for those of sampled rows."""
    assert sample.schema is not None
    n_values = PairLayout(sample.schema).n_values
    table = np.empty((n_values, n_values, len(sample.groups)))
    return PairCounts(sample.schema, sample.groups, table)


def update_pairs_of_rows(pairs: PairCounts, sample: RowSample, weights: np.ndarray) -> None:
    """Make counts of pairs those of the sampled rows with other weights."""
    rows = np.flatnonzero(weights > 0)
    pairs.table.fill(0.0)
    block = sample.block(rows)
    group_of = sample.group_of[rows]
    count_pairs_of_block(pairs.layout, block, group_of, weights[rows], pairs.table)
