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


def log_ratio(joint, marginal):
    """Log-density from sums that rounding may have left below zero, and never below 1e-9."""
    return math.log(max(joint, 0.0) / (max(marginal, 0.0) + 1e-290) + 1e-9)


def fill_log_ratios(joint, marginal):
    """The log-density of every bin at every grid point."""
    table = np.empty_like(joint)
    for b, g in np.ndindex(joint.shape):
        table[b, g] = log_ratio(joint[b, g], marginal[g])
    return table


def score_bins_left_out(
    by_bin, near, marginal, heights, bins, cells, weights, own, added, pseudo_rows
):
    """Log-likelihood of bins given cells, one row of each place left out of sums made whole."""
    joint, score = by_bin @ near.T, 0.0
    for b, c, w, itself in zip(bins, cells, weights, own, strict=True):
        without = joint[b, c] - heights[b] * itself + added[b]
        score += w * log_ratio(without, marginal[c] - itself + pseudo_rows)
    return score


def add_left_out(joint, marginal, along_grid, heights, bins, cells, own_weights, start):
    """``start`` plus the log-density of each row's bin without the row, with a maximum of zero."""
    evidence = start.copy()
    for i, (b, c, w) in enumerate(zip(bins, cells, own_weights, strict=True)):
        if b >= 0:
            own = along_grid[c] * w
            log_p = fill_log_ratios((joint[b] - heights[b] * own)[None], marginal - own)[0]
            evidence[i] += log_p - log_p.max()
    return evidence
