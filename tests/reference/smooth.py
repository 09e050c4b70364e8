"""Kernel sums by the formula, one pair of points at a time."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import logsumexp


def smooth_points(x, y, weights, at_x, at_y, left_out, width_x, width_y, shift):
    """Sums of shape (n_grid, n_nodes)."""
    sums = np.zeros((len(at_y), len(at_x)))
    for g, k in np.ndindex(sums.shape):
        for i in range(len(x)):
            if i != left_out[k]:
                zx, zy = (at_x[k] - x[i]) / width_x, (at_y[g] - y[i]) / width_y
                sums[g, k] += weights[i] * math.exp(shift[g] - zy * zy / 2) * math.exp(-zx * zx / 2)
    return sums


def score_joint_widths(x, y, weights, scored, widths_x, widths_y):
    """Leave-one-out log sums in logs throughout; a point of weight w is w points in one place."""
    scores = np.zeros((len(widths_x), len(widths_y)))
    for a, b in np.ndindex(scores.shape):
        for i in np.flatnonzero(scored):
            exponents = -(((x - x[i]) / widths_x[a]) ** 2 + ((y - y[i]) / widths_y[b]) ** 2) / 2
            counted = weights.copy()
            counted[i] = max(weights[i] - 1.0, 0.0)
            if counted.any():
                scores[a, b] += weights[i] * logsumexp(exponents, b=counted)
    return scores
