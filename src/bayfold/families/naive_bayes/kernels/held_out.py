"""The log-loss of held-out rows under weights on columns, and its gradient."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.dot import add_products
from bayfold.core.kernels.exponential import exponentiate


@kernel
def weigh_held_out(evidence, places, group_of, row_weights, weights, intercept, gradient):
    """Return the log-loss of the rows; write its gradient (by columns, then by intercepts).

    The evidence of column j of row i is ``evidence[places[i, j]]``, one number per group: rows share it, so it is
    stored once per code and not once per row.
    """
    n_rows, n_columns = places.shape
    n_scores = evidence.shape[1]
    scores, scratch = np.empty(n_scores), np.empty((2, n_scores))
    products = np.zeros((n_columns, n_scores))
    gradient[:] = 0.0
    loss = 0.0
    for i in range(n_rows):
        add_evidence(evidence, places[i], weights, intercept, scores)
        loss += row_weights[i] * find_excess(scores, group_of[i], scratch)
        for s in range(n_scores):
            scores[s] *= row_weights[i]
            gradient[n_columns + s] += scores[s]
        for j in range(n_columns):
            add_products(scores, evidence[places[i, j]], products[j])
    for j in range(n_columns):
        gradient[j] = products[j].sum()
    return loss


@kernel
def add_evidence(evidence, places, weights, intercept, scores):
    """Write the scores of one row."""
    scores[:] = intercept
    for j in range(len(places)):
        own, weight = evidence[places[j]], weights[j]
        for s in range(len(scores)):
            scores[s] += weight * own[s]


@kernel
def weigh_odds(odds, group_of, row_weights, weights, intercept, gradient):
    """The same for two groups: ``odds[i, j]`` is the evidence of a cell for the second group.

    Rows are added up four at a time, because each sum waits for its last summand.
    """
    n_rows, n_columns = odds.shape
    gradient[:] = 0.0
    loss = 0.0
    scores = np.empty(4)
    for start in range(0, n_rows, 4):
        stop = min(start + 4, n_rows)
        if stop - start == 4:
            score_four(odds[start:stop], weights, intercept, scores)
        else:
            for i in range(start, stop):
                scores[i - start] = intercept
                for j in range(n_columns):
                    scores[i - start] += weights[j] * odds[i, j]
        for i in range(start, stop):
            away = scores[i - start] if group_of[i] == 0 else -scores[i - start]  # from the truth
            small = np.exp(-abs(away))
            loss += row_weights[i] * (max(away, 0.0) + np.log1p(small))
            wrong = 1.0 / (1.0 + small) if away > 0.0 else small / (1.0 + small)
            excess = row_weights[i] * (wrong if group_of[i] == 0 else -wrong)
            gradient[n_columns] += excess
            for j in range(n_columns):
                gradient[j] += excess * odds[i, j]
    return loss


@kernel
def score_four(odds, weights, intercept, scores):
    """The scores of four rows, side by side."""
    first = second = third = fourth = intercept
    for j in range(odds.shape[1]):
        weight = weights[j]
        first += weight * odds[0, j]
        second += weight * odds[1, j]
        third += weight * odds[2, j]
        fourth += weight * odds[3, j]
    scores[0], scores[1], scores[2], scores[3] = first, second, third, fourth


@kernel
def find_excess(scores, group, scratch):
    """Turn scores into probabilities less the truth; return minus the log-probability of the group."""
    top = scores[0]
    for s in range(1, len(scores)):
        top = scores[s] if scores[s] > top else top
    of_group = scores[group] - top
    for s in range(len(scores)):
        scratch[0, s] = scores[s] - top
    exponentiate(scratch[0], scores, scratch[1])
    first = second = 0.0
    for s in range(0, len(scores) - 1, 2):
        first += scores[s]
        second += scores[s + 1]
    total = first + second + (scores[-1] if len(scores) % 2 else 0.0)
    for s in range(len(scores)):
        scores[s] /= total
    scores[group] -= 1.0
    return np.log(total) - of_group
