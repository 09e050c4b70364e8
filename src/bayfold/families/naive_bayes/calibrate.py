"""How far the evidence is to be believed: weights on columns, fitted on held-out rows.

Naive Bayes counts evidence twice where columns depend on each other, so its probabilities are too extreme. One
weight for all columns (a temperature) corrects the extremes; one weight per column also says which columns repeat
others. Both minimise the log-loss of held-out rows; the second is drawn towards the first by a ridge,
and a temperature is the limit of an infinite one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import minimize

from bayfold.core.counts import Statistics
from bayfold.core.counts.fold_counts import count_folds
from bayfold.core.counts.identifiers import find_identifiers
from bayfold.core.engine.blas import on_one_thread
from bayfold.core.scoring import Calibration, NaiveBayesModel, centre_groups
from bayfold.core.scoring.derive import Settings, derive_model, log_priors, weigh_groups
from bayfold.core.scoring.held_out import HeldOut, find_held_out_evidence
from bayfold.core.scoring.quality import judge_scores
from bayfold.families.naive_bayes import kernels
from bayfold.families.naive_bayes.choose import choose_methods
from bayfold.families.naive_bayes.select import select_columns

RIDGE = 4.0
"""Pull of the weights towards the common temperature, in nats per squared unit."""

TEMPERATURE_PULL = 5.0
"""Pull of the temperature towards one: few rows that are told apart without a mistake would make it infinite."""

INTERCEPT_PULL = 0.2
"""Pull of the intercept towards the log prior, for groups of a handful of rows."""

FLAT = 1e-7
"""The search ends when a step lowers the mean log-loss by no more, in shares of it: the fifth digit does not matter."""

ROWS_FOR_THREADS = 10_000
"""From so many sampled rows on threads for columns save more time than it takes to start them, and a search that fits
many models to fewer has better use for them."""

HOW_HELD_OUT = (
    "training rows by models without their fold, a little optimistic: weights were fitted to them"
)

FEWEST_ROWS = 20
"""With fewer distinct rows a fold of ten holds one or two: nothing can be fitted to them."""


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
        Whether to drop columns that held-out rows do not miss; with ``calibration="weights"``.
    n_threads : int
        For the columns of tables of which many rows are held out.
    """
    sample = statistics.sample
    able = len(sample.groups) >= 2 and sample.n_rows >= FEWEST_ROWS
    numeric = () if statistics.schema is None else statistics.schema.numeric.tolist()
    folds = None
    if able and (calibration is not None or any(settings.methods[j] == "auto" for j in numeric)):
        folds = count_folds(sample, statistics.counts)
    n_threads = n_threads if sample.n_rows >= ROWS_FOR_THREADS else 1
    settings = choose_methods(folds, settings, n_threads)
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

    def fit(evidence: HeldOut) -> tuple[Calibration, float]:
        found = fit_weights(evidence, log_prior, ridge)
        return found, find_loss(evidence, found)[0]

    tested = np.flatnonzero(~find_identifiers(effective))  # others are never seen again
    evidence = held_out.take_columns(tested)
    fitted = judge_calibration(
        evidence, select_columns(evidence, fit) if select else fit(evidence)[0]
    )
    fitted = fitted.spread(tested, len(effective.tables))
    # the intercept was fitted where classes have their shares of the training rows
    shift = centre_groups(model.log_prior) - log_prior
    intercept = fitted.intercept + np.nan_to_num(shift, neginf=-700.0, posinf=700.0)
    return replace(model, calibration=replace(fitted, intercept=intercept))


def judge_calibration(held_out: HeldOut, fitted: Calibration) -> Calibration:
    """The same with how well it predicts the rows it was fitted to."""
    scores = fitted.intercept + held_out.add_up(fitted.weights)
    score = judge_scores(scores, held_out.group_of, held_out.weights, HOW_HELD_OUT)
    return replace(fitted, held_out=score)


def fit_weights(held_out: HeldOut, log_prior: np.ndarray, ridge: float | None) -> Calibration:
    """Weights and intercept that minimise the log-loss of held-out rows.

    Parameters
    ----------
    held_out : HeldOut
    log_prior : ndarray of shape (n_scores,)
        Where the intercept is drawn to: the centred log prior.
    ridge : float or None
        Pull of the weights towards the common temperature; None for the temperature alone.
    """
    prior = np.nan_to_num(log_prior, neginf=-700.0, posinf=700.0)
    one = Calibration(np.ones(1), prior)
    temperature = _minimise(held_out.join_columns(), one, TEMPERATURE_PULL, prior)
    common = np.full(held_out.places.shape[1], temperature.weights[0])
    begin = Calibration(common, temperature.intercept)
    return begin if ridge is None else _minimise(held_out, begin, ridge, prior)


def _minimise(
    held_out: HeldOut, begin: Calibration, ridge: float, prior: np.ndarray
) -> Calibration:
    """The weights near those of ``begin``, none negative, with which held-out rows are least surprising."""
    n_columns = len(begin.weights)
    total = held_out.weights.sum()

    def objective(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        weights, intercept = parameters[:n_columns], parameters[n_columns:]
        value, slope = find_loss(held_out, Calibration(weights, intercept))
        pull, apart = weights - begin.weights, intercept - prior
        value += ridge * (pull @ pull) + INTERCEPT_PULL * (apart @ apart)
        slope += np.append(2 * ridge * pull, 2 * INTERCEPT_PULL * apart)
        return value / total, slope / total

    bounds = [(0.0, None)] * n_columns + [(None, None)] * len(prior)
    start = np.append(begin.weights, begin.intercept)
    with on_one_thread():
        settings = {"jac": True, "method": "L-BFGS-B", "bounds": bounds}
        best = minimize(objective, start, options={"ftol": FLAT}, **settings).x
    return Calibration(best[:n_columns], best[n_columns:])


def find_loss(held_out: HeldOut, found: Calibration) -> tuple[float, np.ndarray]:
    """Log-loss of held-out rows, and its gradient by weights and intercept."""
    gradient = np.empty(len(found.weights) + len(found.intercept))
    rows, weights = (held_out.group_of, held_out.weights), found.weights
    if len(found.intercept) == 1:
        loss = kernels.weigh_odds(held_out.odds, *rows, weights, found.intercept[0], gradient)
    else:
        cells = held_out.evidence, held_out.places
        loss = kernels.weigh_held_out(*cells, *rows, weights, found.intercept, gradient)
    return float(loss), gradient
