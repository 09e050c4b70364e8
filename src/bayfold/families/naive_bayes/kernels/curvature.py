"""How sharply the log-loss of held-out rows bends along each weight and each intercept."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.evidence import add_evidence
from bayfold.families.naive_bayes.kernels.held_out import find_excess


@kernel
def curve_held_out(evidence, places, group_of, row_weights, weights, intercept, curvature):
    """Write the second derivatives of what ``weigh_held_out`` returns, each by one parameter twice.

    Along a weight that is the variance of a cell's evidence by the probabilities of the groups.
    """
    n_rows, n_columns = places.shape
    n_scores = evidence.shape[1]
    scores = np.empty((1, n_scores))
    scratch = np.empty(2 * n_scores)
    loss = np.empty(1)
    p = scores[0]
    curvature[:] = 0.0
    for i in range(n_rows):
        p[:] = intercept
        add_evidence(evidence, places[i], weights, p)
        find_excess(scores, group_of[i : i + 1], scratch, loss)
        p[group_of[i]] += 1.0
        for s in range(n_scores):
            curvature[n_columns + s] += row_weights[i] * p[s] * (1.0 - p[s])
        for j in range(n_columns):
            curvature[j] += row_weights[i] * find_variance(p, evidence[places[i, j]])


@kernel
def find_variance(p, a):
    """Variance of numbers by their probabilities; two sums at a time, which do not wait for each other."""
    mean = square = mean_of_odd = square_of_odd = 0.0
    whole = len(a) - len(a) % 2
    for s in range(0, whole, 2):
        first = p[s] * a[s]
        second = p[s + 1] * a[s + 1]
        mean += first
        mean_of_odd += second
        square += first * a[s]
        square_of_odd += second * a[s + 1]
    for s in range(whole, len(a)):
        mean += p[s] * a[s]
        square += p[s] * a[s] * a[s]
    mean += mean_of_odd
    return max(square + square_of_odd - mean * mean, 0.0)


@kernel
def curve_odds(odds, row_weights, weights, intercept, curvature):
    """The same for two groups, of what ``weigh_odds`` returns."""
    n_rows, n_columns = odds.shape
    curvature[:] = 0.0
    for i in range(n_rows):
        score = intercept
        for j in range(n_columns):
            score += weights[j] * odds[i, j]
        small = np.exp(-abs(score))
        variance = row_weights[i] * small / ((1.0 + small) * (1.0 + small))
        curvature[n_columns] += variance
        for j in range(n_columns):
            curvature[j] += variance * odds[i, j] * odds[i, j]
