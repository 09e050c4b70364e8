"""How far each column is believed about a numeric target.

Naive Bayes counts evidence twice where columns depend on each other. One weight for all columns (a temperature), or
one weight per column drawn towards it, is fitted so that the squared error of rows left out of their own evidence
is smallest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from bayfold.core import kernels
from bayfold.core.scoring.distribution import triangle_means

WEIGHT_RIDGE = 1.0
"""Pull towards the temperature: a weight one away from it costs as much as a row one standard deviation off."""

LARGEST_WEIGHT = 2.0
"""A bound, so that a few rows cannot make one column count without limit."""

MAX_STEPS = 60
"""A bound on the search, which ends by its tolerance."""


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Rows left out of their own evidence.

    Attributes
    ----------
    evidence : ndarray of shape (n_rows, n_columns, n_grid)
    log_prior : ndarray of shape (n_rows, n_grid)
    target : ndarray of shape (n_rows,)
    weights : ndarray of shape (n_rows,)
    """

    evidence: np.ndarray
    log_prior: np.ndarray
    target: np.ndarray
    weights: np.ndarray


def fit_column_weights(left_out: LeftOut, grid: np.ndarray, temperature: bool) -> np.ndarray:
    """Weights of the columns, all equal for a temperature."""
    n_columns = left_out.evidence.shape[1]
    total = left_out.weights.sum()
    mean = (left_out.weights @ left_out.target) / total
    distance = left_out.target - mean
    # squares of very small or large targets would leave the floats; dividing by a power of two is exact
    unit = 2.0 ** np.frexp(np.abs(distance).max())[1]
    spread = np.sqrt(left_out.weights @ (distance / unit) ** 2 / total) * unit
    if not spread > 0:
        return np.ones(n_columns)
    values = (triangle_means(grid) - mean) / spread
    target = (left_out.target - mean) / spread
    together = left_out.evidence.sum(axis=1, keepdims=True)
    common = _minimise(left_out, together, values, target, np.array([0.5]), 0.0)
    weights = np.full(n_columns, common[0])
    if temperature or n_columns == 1:
        return weights
    return _minimise(left_out, left_out.evidence, values, target, weights, WEIGHT_RIDGE)


def _minimise(
    left_out: LeftOut,
    evidence: np.ndarray,
    values: np.ndarray,
    target: np.ndarray,
    begin: np.ndarray,
    ridge: float,
) -> np.ndarray:
    total = left_out.weights.sum()

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        gradient = np.empty(len(weights))
        error = kernels.score_squared_error(
            evidence, left_out.log_prior, weights, values, target, left_out.weights, gradient
        )
        pull = weights - begin
        value = error + ridge * (pull @ pull)
        return value / total, (gradient + 2 * ridge * pull) / total

    bounds = [(0.0, LARGEST_WEIGHT)] * len(begin)
    options = {"maxiter": MAX_STEPS}
    return minimize(loss, begin, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
