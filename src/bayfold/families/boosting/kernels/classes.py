"""The log-loss of groups: what boosting asks of a loss, for probabilities of every row.

One probability for two groups (that of the second), otherwise one per group.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner
from bayfold.families.boosting.kernels.routes import LEAF, N_LEAVES


@inner
def normalise_rows(p, rows, n_rows):
    """Make the given rows add up to one."""
    n_scores = p.shape[1]
    for r in range(n_rows):
        i = rows[r]
        total = 0.0
        for s in range(n_scores):
            total += p[i, s]
        scale = 1.0 / total
        for s in range(n_scores):
            p[i, s] *= scale


@inner
def find_class_shares(p, labels, rows, n_rows, shares):
    """The share of each score in the curvature, from some of the rows; returns the squared gradients by the curvature.

    If the model were right they would be one. Rows that it has learnt by heart have smaller gradients.
    """
    n_scores = p.shape[1]
    for s in range(n_scores):
        shares[s] = 1e-12
    squares = 0.0
    for r in range(n_rows):
        for s in range(n_scores):
            q = p[rows[r], s]
            is_own = labels[rows[r]] == (s if n_scores > 1 else 1)
            shares[s] += q * (1.0 - q)
            squares += (1.0 - q) ** 2 if is_own else q * q
    curvature = 0.0
    for s in range(n_scores):
        curvature += shares[s]
    for s in range(n_scores):
        shares[s] /= curvature
    return min(squares / curvature, 1.0)


@inner
def pack_class_gradients(p, labels, weights, rows, n_rows, unit, words):
    """Words of the given rows: the gradient of each score, then the curvature of all together."""
    n_scores = p.shape[1]
    lanes = np.zeros(2 * words.shape[1], np.int64)
    for r in range(n_rows):
        i = rows[r]
        scale = unit * weights[i]
        if n_scores == 1:
            q = p[i, 0]
            words[r, 0] = (np.int64(np.rint(scale * (labels[i] - q))) << 32) + np.int64(
                np.rint(scale * q * (1.0 - q))
            )
            continue
        squares = 0.0
        for s in range(n_scores):
            q = p[i, s]
            squares += q * q
            lanes[s] = -np.int64(np.rint(scale * q))
        lanes[labels[i]] += np.int64(np.rint(scale))
        lanes[n_scores] = np.int64(np.rint(scale * (1.0 - squares)))
        for k in range(words.shape[1]):
            words[r, k] = (lanes[2 * k] << 32) + lanes[2 * k + 1]


@inner
def sum_class_leaves(data, p, scratch, n_rows, tree):
    """Per leaf and score: the sum of gradients and the curvature.

    Added up are w p, w p^2, and the weight of the rows whose label it is.
    """
    codes = data.codes
    n_scores = p.shape[1]
    rows = scratch.rows
    sums = scratch.sums
    at_root = scratch.at_root
    at_child = scratch.at_child
    for leaf in range(N_LEAVES):
        for s in range(n_scores):
            for k in range(3):
                sums[leaf, k, s] = 0.0
    root = tree[0, 0]
    first = tree[1, 0]
    second = tree[2, 0]
    for r in range(n_rows):
        i = rows[r]
        x = at_root[codes[i, root]]
        side = x >> 2
        leaf = LEAF[x, at_child[side, codes[i, second if side else first]]]
        w = data.weights[i]
        for s in range(n_scores):
            wq = w * p[i, s]
            sums[leaf, 0, s] += wq
            sums[leaf, 1, s] += wq * p[i, s]
        if n_scores > 1:
            sums[leaf, 2, data.labels[i]] += w
        else:
            sums[leaf, 2, 0] += w * data.labels[i]
    for leaf in range(N_LEAVES):
        for s in range(n_scores):
            own = sums[leaf, 2, s]
            expected = sums[leaf, 0, s]
            sums[leaf, 0, s] = own - expected
            sums[leaf, 1, s] = expected - sums[leaf, 1, s]


@inner
def move_odds(codes, tree, at_root, at_child, values, p):
    """Multiply the odds of every row by the exponential of its leaf's values.

    Exponentials are taken once per leaf. Several scores are left to be normalised when a row is read again.
    """
    n_rows, n_scores = p.shape
    factors = np.empty((N_LEAVES, n_scores))
    for leaf in range(N_LEAVES):
        for s in range(n_scores):
            factors[leaf, s] = np.exp(values[leaf, s])
    root = tree[0, 0]
    first = tree[1, 0]
    second = tree[2, 0]
    for i in range(n_rows):
        x = at_root[codes[i, root]]
        side = x >> 2
        leaf = LEAF[x, at_child[side, codes[i, second if side else first]]]
        if n_scores == 1:
            q = p[i, 0] * factors[leaf, 0]
            p[i, 0] = q / (1.0 - p[i, 0] + q)
        else:
            for s in range(n_scores):
                p[i, s] *= factors[leaf, s]


@inner
def sum_log_loss(p, labels, weights, fold):
    """Log-loss of the rows of a fold, summed; they are normalised on the way."""
    loss = 0.0
    n_scores = p.shape[1]
    for i in range(fold[0], fold[1]):
        if n_scores == 1:
            q = p[i, 0] if labels[i] == 1 else 1.0 - p[i, 0]
        else:
            total = 0.0
            for s in range(n_scores):
                total += p[i, s]
            for s in range(n_scores):
                p[i, s] /= total
            q = p[i, labels[i]]
        loss -= weights[i] * np.log(max(q, 1e-15))
    return loss
