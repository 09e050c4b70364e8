"""Frank et al. (1998) to the letter: every prediction is a sum over all training rows, in logs."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

CONSTANTS = (0.4, 0.5, 0.6, 0.7, 0.8)


def choose_pair(x, y):
    """The constants with the smallest leave-one-out cross-entropy of the joint density."""
    n, best, chosen = len(x), -np.inf, None
    for cx in CONSTANTS:
        for cy in CONSTANTS:
            exponents = -n * (((x[:, None] - x) / cx) ** 2 / 2 + ((y[:, None] - y) / cy) ** 2 / 2)
            np.fill_diagonal(exponents, -np.inf)
            score = logsumexp(exponents, axis=1).sum() - n * np.log(cx * cy)
            if score > best + 1e-9 * abs(score):
                best, chosen = score, (cx, cy)
    return chosen


def choose_one(y):
    """The constant of a density of the target alone."""
    if len(y) == 1:
        return 0.8
    scores = []
    for c in CONSTANTS:
        exponents = -len(y) * ((y[:, None] - y) / c) ** 2 / 2
        np.fill_diagonal(exponents, -np.inf)
        scores.append(logsumexp(exponents, axis=1).sum() - len(y) * np.log(c))
    return CONSTANTS[int(np.argmax(scores))]


def log_kernel_density(at, y, width):
    exponents = -(((at[:, None] - y) / width) ** 2) / 2
    return logsumexp(exponents, axis=1) - np.log(len(y) * width * np.sqrt(2 * np.pi))


class ExactRegressor:
    """The paper's regressor on a list of columns: float arrays, or object arrays of labels with None for missing.

    With ``constants``, one for the target and a pair for each column, nothing is searched: the search compares all
    rows with all, which is too slow for many.
    """

    def __init__(self, grid_size=50, constants=None):
        self.grid_size, self.constants = grid_size, constants

    def fit(self, columns, y):
        self.low, self.span = y.min(), np.ptp(y) or 1.0
        self.y = (y - self.low) / self.span
        n = len(y)
        step = 1 / (self.grid_size - 1)
        beyond = int(np.ceil(6 * 0.8 / np.sqrt(n) / step))
        self.grid = np.arange(-beyond, self.grid_size + beyond) * step
        alone, *pairs = self.constants or [choose_one(self.y), *([None] * len(columns))]
        self.log_prior = log_kernel_density(self.grid, self.y, alone / np.sqrt(n))
        self.columns = [
            self._nominal(column) if column.dtype == object else self._numeric(column, pair)
            for column, pair in zip(columns, pairs, strict=True)
        ]
        return self

    def _numeric(self, column, pair):
        known = ~np.isnan(column)
        x, y = column[known], self.y[known]
        if len(x) == 0 or np.ptp(x) == 0:
            return lambda value: None
        low, span = x.min(), np.ptp(x)
        x = (x - low) / span
        cx, cy = pair or choose_pair(x, y)
        width_x, width_y = cx / np.sqrt(len(x)), cy / np.sqrt(len(x))
        along_y = -(((self.grid[:, None] - y) / width_y) ** 2) / 2
        log_marginal = logsumexp(along_y, axis=1)

        def log_likelihood(value):
            if np.isnan(value):
                return None
            along_x = -((((value - low) / span - x) / width_x) ** 2) / 2
            log_joint = logsumexp(along_y + along_x, axis=1)
            return log_joint - log_marginal - np.log(width_x * np.sqrt(2 * np.pi))

        return log_likelihood

    def _nominal(self, column):
        known = np.array([value is not None for value in column])
        labels = sorted(set(column[known]))
        if len(labels) < 2:
            return lambda value: None
        joint = {}
        for label in labels:
            y = self.y[column == label]
            density = log_kernel_density(self.grid, y, choose_one(y) / np.sqrt(len(y)))
            joint[label] = np.log(len(y) / known.sum()) + density
        total = logsumexp(list(joint.values()), axis=0)
        return lambda value: joint[value] - total if value in joint else None

    def log_posterior(self, columns):
        scores = np.tile(self.log_prior, (len(columns[0]), 1))
        for column, log_likelihood in zip(columns, self.columns, strict=True):
            for i, value in enumerate(column):
                evidence = log_likelihood(value)
                if evidence is not None and evidence.max() >= np.log(1e-6):
                    scores[i] += evidence
        return scores

    def predict(self, columns, statistic="mean"):
        scores = self.log_posterior(columns)
        mass = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
        values = self.low + self.span * self.grid
        if statistic == "mean":
            return mass @ values
        return values[(np.cumsum(mass, axis=1) > 0.5).argmax(axis=1)]
