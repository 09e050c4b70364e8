"""How far the evidence is to be believed: weights on columns, fitted on rows the evidence has not seen.

Naive Bayes counts evidence twice where columns depend on each other, so its probabilities are too extreme. One
weight for all columns (a temperature) corrects the extremes; one weight per column also says which columns repeat
others. Both minimise the log-loss of held-out rows; the second is drawn towards the first by a ridge,
and a temperature is the limit of an infinite one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

from bayfold.counts import Statistics
from bayfold.learners.derive import Settings, derive_model, log_priors, weigh_groups
from bayfold.learners.out_of_fold import HeldOut, find_held_out_evidence
from bayfold.model import Calibration, NaiveBayesModel, centre_groups

RIDGE = 2.0
FEWEST_ROWS = 20


def derive_calibrated(
    statistics: Statistics, settings: Settings, calibration: str | None
) -> NaiveBayesModel:
    """The model of the statistics, its evidence weighted by ``calibration``.

    Parameters
    ----------
    statistics : Statistics
    settings : Settings
    calibration : {"temperature", "weights"} or None
    """
    model = derive_model(statistics.counts, settings)
    if calibration is None or model.n_groups < 2 or statistics.sample.n_rows < FEWEST_ROWS:
        return model
    held_out = find_held_out_evidence(statistics.sample, statistics.counts, settings)
    counts = weigh_groups(statistics.counts, settings.group_weights)
    factor = counts.totals / np.where(statistics.counts.totals > 0, statistics.counts.totals, 1.0)
    held_out = replace(held_out, weights=held_out.weights * factor[held_out.group_of])
    fitted = fit_weights(
        held_out, model.n_groups, ridge=None if calibration == "temperature" else RIDGE
    )
    # the intercept was fitted where classes have their shares of the training rows
    shift = centre_groups(model.log_prior) - centre_groups(log_priors(counts))
    intercept = fitted.intercept + np.nan_to_num(shift, neginf=-700.0, posinf=700.0)
    return replace(model, calibration=Calibration(fitted.weights, intercept))


def fit_weights(held_out: HeldOut, n_groups: int, ridge: float | None) -> Calibration:
    """Weights and intercept that minimise the log-loss of held-out rows.

    Parameters
    ----------
    held_out : HeldOut
    n_groups : int
    ridge : float or None
        Pull of the weights towards the common temperature; None for the temperature alone.
    """
    together = replace(held_out, evidence=held_out.evidence.sum(axis=1, keepdims=True))
    temperature = _minimise(together, n_groups, np.ones(1), 0.0)
    n_columns = held_out.evidence.shape[1]
    common = np.full(n_columns, temperature.weights[0])
    if ridge is None:
        return Calibration(common, temperature.intercept)
    return _minimise(held_out, n_groups, common, ridge, temperature.intercept)


def _minimise(
    held_out: HeldOut,
    n_groups: int,
    centre: np.ndarray,
    ridge: float,
    intercept: np.ndarray | None = None,
) -> Calibration:
    evidence, weights = held_out.evidence, held_out.weights
    n_rows, n_columns, n_scores = evidence.shape
    flat = np.ascontiguousarray(evidence.transpose(0, 2, 1)).reshape(n_rows * n_scores, n_columns)
    truth = np.zeros((n_rows, n_groups))
    truth[np.arange(n_rows), held_out.group_of] = 1.0
    total = weights.sum()

    def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        slope, start = parameters[:n_columns], parameters[n_columns:]
        scores = (flat @ slope).reshape(n_rows, n_scores) + start
        joint = np.concatenate([np.zeros((n_rows, 1)), scores], axis=1) if n_scores == 1 else scores
        log_p = log_softmax(joint, axis=1)
        excess = (np.exp(log_p) - truth) * weights[:, None]
        excess = excess[:, 1:] if n_scores == 1 else excess
        pull = slope - centre
        value = -(weights @ (log_p * truth).sum(axis=1)) + ridge * (pull @ pull)
        gradient = np.append(flat.T @ excess.ravel() + 2 * ridge * pull, excess.sum(axis=0))
        return value / total, gradient / total

    begin = np.append(centre, np.zeros(n_scores) if intercept is None else intercept)
    bounds = [(0.0, None)] * n_columns + [(None, None)] * n_scores
    best = minimize(loss, begin, jac=True, method="L-BFGS-B", bounds=bounds).x
    return Calibration(best[:n_columns], best[n_columns:])
