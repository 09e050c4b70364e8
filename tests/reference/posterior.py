"""Posterior means, and their squared error with a gradient by differences."""

from __future__ import annotations

import numpy as np
from scipy.special import log_softmax, softmax


def read_means(scores, values):
    """The expectation of ``values`` under each row's posterior."""
    return np.array([softmax(row) @ values for row in scores])


def judge_groups(scores, group_of, weights):
    """The weight of the rows that are wrong by argmax, and the log-loss by SciPy's softmax."""
    own = log_softmax(scores, axis=1)[np.arange(len(scores)), group_of]
    return weights[scores.argmax(axis=1) != group_of].sum(), -(weights * own).sum()


def score_squared_error(evidence, log_prior, column_weights, values, target, row_weights):
    """The loss alone: its gradient is checked by differences."""
    scores = log_prior + np.einsum("ijg,j->ig", evidence, column_weights)
    return float(row_weights @ (read_means(scores, values) - target) ** 2)


def average_quantiles(locations, spreads, nodes, shares, low, per_step, table):
    """Means of the table at the nodes of each row, interpolated by NumPy."""
    grid = low + np.arange(len(table)) / per_step
    means = []
    for location, spread in zip(locations, spreads, strict=True):
        places = location + spread * nodes
        inside = np.interp(places, grid, table)
        below, above = np.minimum(places - grid[0], 0), np.maximum(places - grid[-1], 0)
        slopes = np.diff(table) * per_step
        means.append(shares @ (inside + below * slopes[0] + above * slopes[-1]))
    return np.array(means)


def average_cells(locations, spreads, bounds, values, nodes, levels):
    """Means by the probability of each cell, from the distribution function of the shape."""

    def cdf(error):
        if error < nodes[1]:
            return levels[1] * np.exp(2.0 * (error - nodes[1]) / (nodes[1] - nodes[0]))
        if error > nodes[-2]:
            return 1.0 - (1.0 - levels[-2]) * np.exp(
                2.0 * (nodes[-2] - error) / (nodes[-1] - nodes[-2])
            )
        return np.interp(error, nodes, levels)

    means = []
    for location, spread in zip(locations, spreads, strict=True):
        below = [0.0, *(cdf((bound - location) / spread) for bound in bounds), 1.0]
        means.append(np.diff(below) @ values)
    return np.array(means)
