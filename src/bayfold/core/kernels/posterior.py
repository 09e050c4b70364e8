"""What is read off log-posteriors over a grid, and how it answers to weights on the evidence."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.dot import add_numbers, add_products, dot, find_highest
from bayfold.core.kernels.exponential import exponentiate

JUDGED_TOGETHER = 16
"""Rows whose scores are exponentiated in one go; one by one, the last groups of each would take half the time."""

NEGLIGIBLE_LOG_MASS = -40.0
"""Points this far below the highest in logs add nothing."""


@kernel
def read_means(scores, values, means):
    """Mean of ``values`` under the posterior proportional to ``exp(scores[i])``."""
    n_rows, n_points = scores.shape
    for i in range(n_rows):
        top = scores[i, 0]
        for g in range(1, n_points):
            top = scores[i, g] if scores[i, g] > top else top
        total, first = 0.0, 0.0
        for g in range(n_points):
            below = scores[i, g] - top
            if below > NEGLIGIBLE_LOG_MASS:
                mass = np.exp(below)
                total += mass
                first += mass * values[g]
        means[i] = first / total


@kernel
def judge_groups(scores, group_of, weights):
    """The weight of the rows whose first highest score is not that of their group, and the log-loss of all."""
    n_rows, n_scores = scores.shape
    size = JUDGED_TOGETHER * n_scores
    below, odds, scratch = np.empty(size), np.empty(size), np.empty(size)
    wrong, loss = 0.0, 0.0
    for start in range(0, n_rows, JUDGED_TOGETHER):
        stop = min(start + JUDGED_TOGETHER, n_rows)
        for i in range(start, stop):
            own, highest = scores[i], find_highest(scores[i])
            first = (i - start) * n_scores
            for s in range(n_scores):
                below[first + s] = own[s] - highest
            of_truth = own[group_of[i]] - highest
            loss -= weights[i] * of_truth
            is_first = of_truth == 0.0
            for s in range(group_of[i] if is_first else 0):
                is_first &= own[s] < highest
            wrong += 0.0 if is_first else weights[i]
        size = (stop - start) * n_scores
        exponentiate(below[:size], odds[:size], scratch[:size])
        for i in range(start, stop):
            first = (i - start) * n_scores
            loss += weights[i] * np.log(add_numbers(odds[first : first + n_scores]))
    return wrong, loss


@kernel
def score_squared_error(evidence, log_prior, column_weights, values, target, row_weights, gradient):
    """Weighted squared error of posterior means, and its gradient in the weights of the columns.

    The posterior of row i is proportional to ``exp(log_prior[i] + sum_j column_weights[j] evidence[i, j])``; the
    derivative of its mean by a weight is the posterior covariance of ``values`` and that column's evidence.
    """
    n_rows, n_columns, n_points = evidence.shape
    scores, mass, scratch = np.empty(n_points), np.empty(n_points), np.empty(n_points)
    products = np.zeros((n_columns, n_points))
    loss = 0.0
    for i in range(n_rows):
        for g in range(n_points):
            scores[g] = log_prior[i, g]
        for j in range(n_columns):
            weight = column_weights[j]
            for g in range(n_points):
                scores[g] += weight * evidence[i, j, g]
        top = scores[0]
        for g in range(1, n_points):
            top = scores[g] if scores[g] > top else top
        for g in range(n_points):
            scores[g] -= top
        exponentiate(scores, mass, scratch)
        total = 0.0
        for g in range(n_points):
            total += mass[g]
        mean = dot(mass, values) / total
        error = mean - target[i]
        loss += row_weights[i] * error * error
        slope = 2.0 * row_weights[i] * error / total
        for g in range(n_points):
            mass[g] *= slope * (values[g] - mean)
        for j in range(n_columns):
            add_products(mass, evidence[i, j], products[j])
    for j in range(n_columns):
        gradient[j] = products[j].sum()
    return loss
