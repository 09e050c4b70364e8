"""The log-loss of held-out rows under one weight on all their evidence, and what its slope and bend are made of."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.dot import add_numbers, dot, find_highest
from bayfold.core.kernels.exponential import exponentiate

EXPECTED_TOGETHER = 16
"""Rows whose scores are exponentiated in one go; one by one, the last groups of each row would take half the time."""


@kernel
def expect_evidence(evidence, group_of, row_weights, weight, intercept, roots, moments):
    """Return the log-loss of rows with ``intercept + weight * evidence[i]`` as scores of the groups.

    A row of ``roots`` becomes the mean of its evidence by the probabilities p of the groups, then p, all times the root
    of the row's weight; ``moments[k, g]`` the weighted sum over rows of ``p[g] * evidence[i, g] ** k``.
    """
    n_rows, n_groups = evidence.shape
    size = EXPECTED_TOGETHER * n_groups
    scores, p, scratch = np.empty(size), np.empty(size), np.empty(size)
    of_truth = np.empty(EXPECTED_TOGETHER)
    shares, products, squares = moments[0], moments[1], moments[2]
    moments[:] = 0.0
    loss = 0.0
    for start in range(0, n_rows, EXPECTED_TOGETHER):
        stop = min(start + EXPECTED_TOGETHER, n_rows)
        for i in range(start, stop):
            x, own = evidence[i], scores[(i - start) * n_groups : (i - start + 1) * n_groups]
            for g in range(n_groups):
                own[g] = intercept[g] + weight * x[g]
            highest = find_highest(own)
            of_truth[i - start] = own[group_of[i]] - highest
            for g in range(n_groups):
                own[g] -= highest
        size = (stop - start) * n_groups
        exponentiate(scores[:size], p[:size], scratch[:size])
        for i in range(start, stop):
            x, own = evidence[i], p[(i - start) * n_groups : (i - start + 1) * n_groups]
            total, root = add_numbers(own), np.sqrt(row_weights[i])
            loss += row_weights[i] * (np.log(total) - of_truth[i - start])
            roots[i, 0] = root * dot(own, x) / total
            share, root = row_weights[i] / total, root / total
            of_row = roots[i, 1:]
            for g in range(n_groups):
                of_row[g] = root * own[g]
                part = share * own[g]
                shares[g] += part
                products[g] += part * x[g]
                squares[g] += part * x[g] * x[g]
    return loss
