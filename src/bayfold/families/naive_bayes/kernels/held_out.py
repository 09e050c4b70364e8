"""The log-loss of held-out rows under weights on columns, and its gradient."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.dot import add_numbers, add_products, find_highest
from bayfold.core.kernels.evidence import add_evidence
from bayfold.core.kernels.exponential import exponentiate
from bayfold.core.kernels.fused import multiply_add
from bayfold.core.kernels.odds import score_four

WEIGHED_TOGETHER = 16
"""Rows whose scores are exponentiated in one go, and stay in the first-level cache with the evidence they rest on."""

NUMBERS_TOGETHER = 1 << 17
"""Numbers of evidence they rest on at most, but for four rows: it is read twice, and of more groups and columns not
even the second-level cache would hold it in between."""

SCORES_IN_PARTS = 32
"""From so many scores on, a row's highest and their sum are found in parts which do not wait for each other."""


@kernel
def weigh_held_out(evidence, places, group_of, row_weights, weights, intercept, gradient):
    """Return the log-loss of the rows; write its gradient (by columns, then by intercepts).

    The evidence of column j of row i is ``evidence[places[i, j]]``, one number per group: rows share it, so it is
    stored once per code and not once per row.
    """
    n_rows, n_columns = places.shape
    n_scores = evidence.shape[1]
    together = min(max(NUMBERS_TOGETHER // max(n_columns * n_scores, 1), 4), WEIGHED_TOGETHER)
    block, scratch = np.empty((together, n_scores)), np.empty(2 * together * n_scores)
    losses, products = np.empty(together), np.zeros((n_columns, n_scores))
    gradient[:] = 0.0
    loss = 0.0
    for start in range(0, n_rows, together):
        stop = min(start + together, n_rows)
        excess = block[: stop - start]
        for i in range(start, stop):
            for s in range(n_scores):
                excess[i - start, s] = intercept[s]
            add_evidence(evidence, places[i], weights, excess[i - start])
        find_excess(excess, group_of[start:stop], scratch, losses)
        for i in range(start, stop):
            loss += row_weights[i] * losses[i - start]
            own = excess[i - start]
            for s in range(n_scores):
                own[s] *= row_weights[i]
                gradient[n_columns + s] += own[s]
        add_products_of_rows(evidence, places[start:stop], excess, products)
    for j in range(n_columns):
        gradient[j] = products[j].sum()
    return loss


@kernel
def add_products_of_rows(evidence, places, excess, products):
    """Add to ``products[j]`` the evidence of column j times the excess, row after row, four of them at a time."""
    n_rows, n_columns = places.shape
    whole = n_rows - n_rows % 4
    for i in range(0, whole, 4):
        of_a, of_b, of_c, of_d = excess[i], excess[i + 1], excess[i + 2], excess[i + 3]
        for j in range(n_columns):
            a, b = evidence[places[i, j]], evidence[places[i + 1, j]]
            c, d = evidence[places[i + 2, j]], evidence[places[i + 3, j]]
            sums = products[j]
            for s in range(len(sums)):
                half = multiply_add(of_b[s], b[s], multiply_add(of_a[s], a[s], sums[s]))
                sums[s] = multiply_add(of_d[s], d[s], multiply_add(of_c[s], c[s], half))
    for i in range(whole, n_rows):
        for j in range(n_columns):
            add_products(excess[i], evidence[places[i, j]], products[j])


@kernel
def weigh_odds(odds, group_of, row_weights, weights, intercept, gradient):
    """The same for two groups: ``odds[i, j]`` is the evidence of a cell for the second group.

    Rows are added up four at a time, because each sum waits for its last summand.
    """
    n_rows, n_columns = odds.shape
    gradient[:] = 0.0
    loss = 0.0
    scores, excess = np.empty(4), np.empty(4)
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
            excess[i - start] = row_weights[i] * (wrong if group_of[i] == 0 else -wrong)
            gradient[n_columns] += excess[i - start]
        add_slopes(odds[start:stop], excess, gradient)
    return loss


@kernel
def add_slopes(odds, excess, gradient):
    """Add to each column's slope the odds of at most four rows times their excess, one row after the other."""
    n_rows, n_columns = odds.shape
    if n_rows == 4:
        of_a, of_b, of_c, of_d = excess[0], excess[1], excess[2], excess[3]
        for j in range(n_columns):
            slope = gradient[j] + of_a * odds[0, j] + of_b * odds[1, j]
            gradient[j] = slope + of_c * odds[2, j] + of_d * odds[3, j]
    else:
        for i in range(n_rows):
            for j in range(n_columns):
                gradient[j] += excess[i] * odds[i, j]


@kernel
def find_excess(scores, group_of, scratch, losses):
    """Turn the scores of rows into probabilities less the truth; write minus the log-probabilities of the groups."""
    n_rows, n_scores = scores.shape
    size = n_rows * n_scores
    flat, below_top = scores.reshape(size), scratch[:size]
    for i in range(n_rows):
        own = scores[i]
        top = own[0]
        if n_scores >= SCORES_IN_PARTS:
            top = find_highest(own)
        else:
            for s in range(1, n_scores):
                top = own[s] if own[s] > top else top
        losses[i] = own[group_of[i]] - top
        for s in range(n_scores):
            below_top[i * n_scores + s] = own[s] - top
    exponentiate(below_top, flat, scratch[size : 2 * size])
    for i in range(n_rows):
        own = scores[i]
        total = 0.0
        if n_scores >= SCORES_IN_PARTS:
            total = add_numbers(own)
        else:
            for s in range(n_scores):
                total += own[s]
        share = 1.0 / total
        for s in range(n_scores):
            own[s] *= share
        own[group_of[i]] -= 1.0
        losses[i] = np.log(total) - losses[i]
