"""How far the evidence is to be believed: weights on columns, fitted on held-out rows.

Naive Bayes counts evidence twice where columns depend on each other, so its probabilities are too extreme. One
weight for all columns (a temperature) corrects the extremes; one weight per column also says which columns repeat
others. Both minimise the log-loss of held-out rows; the second is drawn towards the first by a ridge,
and a temperature is the limit of an infinite one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayfold.core.counts import Statistics
from bayfold.core.counts.fold_counts import Folds, count_folds
from bayfold.core.counts.identifiers import find_identifiers
from bayfold.core.discretize import AUTO, PEAK, VALLEY
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.scoring import Calibration, NaiveBayesModel, centre_groups
from bayfold.core.scoring.conformal import ConformalScores
from bayfold.core.scoring.derive import (
    Settings,
    derive_model,
    find_trend,
    log_priors,
    weigh_groups,
)
from bayfold.core.scoring.errors import CountErrors
from bayfold.core.scoring.held_out import HeldOut, find_held_out_evidence
from bayfold.core.scoring.monotone import MonotoneRule
from bayfold.core.scoring.quality import judge_scores
from bayfold.core.scoring.texts import choose_texts
from bayfold.families.naive_bayes.choose import choose_directions, choose_methods, select_columns
from bayfold.families.naive_bayes.weights import estimate_weights

RIDGE = 4.0
"""Pull of the weights towards the common temperature, in nats per squared unit."""

ROWS_FOR_THREADS = 10_000
"""From so many sampled rows on threads for columns save more time than it takes to start them, and a search that fits
many models to fewer has better use for them."""

GROUPS_FOR_THREADS = 8
"""With fewer groups and no text, most of what a column takes is Python's, which threads do one after the other: on
20 columns and two groups what calibration adds to a fit took 26 ms in two threads and 17 ms in one."""

HOW_HELD_OUT = (
    "training rows by models without their fold, a little optimistic: weights were fitted to them"
)

FEWEST_ROWS = 20
"""With fewer effective rows a fold of ten holds one or two: nothing can be fitted to them. Rows that few values make
alike count each, so a table of a handful of combinations is calibrated as well."""


def derive_monotone(
    statistics: Statistics,
    settings: Settings,
    calibration: str | None,
    select: bool = False,
    n_threads: int = 1,
) -> NaiveBayesModel:
    """The same with the rule that its tables follow, and what held-out rows say that costs in the same bins."""
    model = derive_calibrated(statistics, settings, calibration, select, n_threads)
    if not settings.monotone:
        return model
    found = tuple(j for j, direction in settings.monotone.items() if direction == AUTO)
    directions = dict(settings.monotone)
    turns = {}
    for j, direction in sorted(directions.items()):
        column = model.schema.columns[j]
        weights = model.terms[j].tabulate(None)[FIRST_BIN : column.first_special]  # type: ignore[union-attr]
        odds = weights[:, 1] - weights[:, 0]
        if direction == AUTO:
            directions[j] = find_trend(odds)
        elif direction in (PEAK, VALLEY):
            turns[j] = int(odds.argmax() if direction == PEAK else odds.argmin())
    methods = {j: model.methods[j] for j in directions}
    same_bins = replace(settings, methods={**settings.methods, **methods}, monotone={})
    free = derive_calibrated(statistics, same_bins, calibration, select, n_threads)
    losses = [
        float("nan")
        if each.calibration is None or each.calibration.held_out is None
        else each.calibration.held_out.model["log_loss"]
        for each in (model, free)
    ]
    return replace(model, monotone=MonotoneRule(directions, turns, found, "log_loss", *losses))


def derive_calibrated(
    statistics: Statistics,
    settings: Settings,
    calibration: str | None,
    select: bool = False,
    n_threads: int = 1,
) -> NaiveBayesModel:
    """The model of the statistics: densities chosen where they are ``"auto"``, evidence weighted by ``calibration``.

    Parameters
    ----------
    statistics : Statistics
    settings : Settings
    calibration : {"temperature", "weights"} or None
    select : bool
        Whether to drop columns without which held-out rows are predicted as well; with ``calibration="weights"``.
    n_threads : int
        For the columns of tables of which many rows are held out.
    """
    sample = statistics.sample
    schema = statistics.schema
    assert schema is not None
    folds = None
    chooses = AUTO in settings.monotone.values()
    chooses |= any(settings.methods[j] == "auto" for j in schema.numeric.tolist())
    if calibration is not None or chooses:
        folds = hold_out_rows(statistics)
    takes_long = len(schema.text) > 0 or len(sample.groups) >= GROUPS_FOR_THREADS
    if sample.n_rows < ROWS_FOR_THREADS or not takes_long:
        n_threads = 1
    settings = choose_methods(folds, settings, n_threads)
    settings = choose_directions(folds, settings)
    if schema.text:
        settings = choose_texts(statistics, settings, None if calibration is None else folds)
    if calibration is None or folds is None:
        return derive_model(statistics.counts, settings)  # as it is written, copies and all
    # copies are no further rows, neither inside folds nor here
    effective = statistics.counts.scaled(folds.share)
    model = derive_model(effective, settings)
    held_out = find_held_out_evidence(folds, settings, n_threads)
    counts = weigh_groups(effective, settings.group_weights)
    factor = counts.totals / np.where(effective.totals > 0, effective.totals, 1.0)
    held_out = replace(held_out, weights=held_out.weights * factor[held_out.group_of])
    log_prior = centre_groups(log_priors(counts))
    ridge = None if calibration == "temperature" else RIDGE

    def fit(evidence: HeldOut) -> Calibration:
        return estimate_weights(evidence, log_prior, ridge)

    tested = np.flatnonzero(~find_identifiers(effective))  # others are never seen again
    evidence = held_out.take_columns(tested)
    fitted = select_columns(evidence, fit) if select else fit(evidence)
    # the intercept was fitted where classes have their shares of the training rows
    shift = centre_groups(model.log_prior) - log_prior
    shift = np.nan_to_num(shift, neginf=-700.0, posinf=700.0)
    fitted = judge_calibration(evidence, fitted, folds.n_units, shift)
    believed = fitted.spread(tested, len(effective.tables))
    errors = CountErrors(settings.smoothing.kind, settings.smoothing.strength, folds.share)
    return replace(model, calibration=believed, errors=errors)


def hold_out_rows(statistics: Statistics, n_folds: int | None = None) -> Folds | None:
    """The sampled rows dealt to folds; None where there is nothing to be told apart, or too little to learn from."""
    if len(statistics.groups) < 2 or statistics.counts.n_rows < FEWEST_ROWS:
        return None
    folds = count_folds(statistics.sample, statistics.counts, n_folds)
    return folds if statistics.counts.n_rows * folds.share >= FEWEST_ROWS else None


def judge_calibration(
    held_out: HeldOut, fitted: Calibration, n_units: float, shift: np.ndarray | float = 0.0
) -> Calibration:
    """The same with how well it predicts the rows it was fitted to, and scores for sets of classes.

    Parameters
    ----------
    held_out : HeldOut
    fitted : Calibration
    n_units : float
        How many rows, or units of rows, were held out on their own.
    shift : ndarray of shape (n_scores,)
        Added to the intercept in the end, where priors were given: classes are then as frequent as these say.
    """
    scores = held_out.add_up(fitted.weights)
    scores += fitted.intercept
    group_of = held_out.group_of
    weights = held_out.weights
    score = judge_scores(scores, group_of, weights, HOW_HELD_OUT)
    shift = np.broadcast_to(shift, fitted.intercept.shape)
    odds = np.append(0.0, shift) if len(shift) == 1 else shift
    shifted = weights * np.exp(odds - odds.max())[group_of]
    n_counted = min(n_units, len(group_of))
    return replace(
        fitted,
        intercept=fitted.intercept + shift,
        held_out=score,
        conformal=ConformalScores.of(scores + shift, group_of, shifted, n_counted),
    )
