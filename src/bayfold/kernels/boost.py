"""Boosting by shallow trees on codes: some rounds of one model, all in one call.

Rows lie fold by fold. A model learns from all rows but those of its own fold, whose loss it reports after
every round. One tree serves all scores: S = 1 for two groups (the log-odds of the second), otherwise one per group.
"""

from __future__ import annotations

import numpy as np

from bayfold.kernels.compiler import kernel
from bayfold.kernels.tree_histograms import (
    fill_histograms,
    find_unit,
    pack_gradients,
    place_histograms,
)
from bayfold.kernels.tree_splits import find_split, goes_left


@kernel
def next_word(state):
    """The next word of a splitmix64 generator: small, and the same in every thread."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def draw_rows(n_rows, fold, share, most, state, rows):
    """Rows outside ``fold`` (start, stop), each with probability ``share``; returns how many.

    If that would be more than ``most``, a run of so many rows from a random place instead: rows come shuffled.
    """
    n_outside = n_rows - (fold[1] - fold[0])
    if share * n_outside > most:
        first = np.int64(next_word(state) % np.uint64(n_outside))
        for k in range(most):
            i = first + k if first + k < n_outside else first + k - n_outside
            rows[k] = i if i < fold[0] else i + fold[1] - fold[0]
        return most
    limit = np.uint64(share * 65536)
    n_drawn, word = 0, np.uint64(0)
    for k in range(n_outside):
        word = next_word(state) if k % 4 == 0 else word >> np.uint64(16)
        rows[n_drawn] = k if k < fold[0] else k + fold[1] - fold[0]
        # overwritten by the next row unless drawn: no branch to mispredict
        n_drawn += np.int64((word & np.uint64(65535)) < limit)
    return n_drawn


@kernel
def draw_columns(state, columns, n_drawn):
    """Shuffle ``columns`` so far that its first entries are a random draw."""
    n_columns = columns.shape[0]
    for k in range(n_drawn):
        other = k + np.int64(next_word(state) % np.uint64(n_columns - k))
        columns[k], columns[other] = columns[other], columns[k]


@kernel
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


@kernel
def pick_side(codes, rows, n_rows, split, left_wanted, picked):
    """Positions of the rows on one side of a split; returns how many."""
    right = np.empty(256, np.uint8)
    for code in range(256):
        right[code] = 0 if goes_left(code, split[1], split[2]) else 1
    unwanted = np.uint8(1 if left_wanted else 0)
    n_picked = 0
    for r in range(n_rows):
        picked[n_picked] = r
        n_picked += np.int64(right[codes[rows[r], split[0]]] != unwanted)
    return n_picked


@kernel
def find_sides(splits, right):
    """``right[node, code]``: 1 where a code goes right at a node."""
    for node in range(3):
        for code in range(256):
            right[node, code] = 0 if goes_left(code, splits[node, 1], splits[node, 2]) else 1


@kernel
def sum_leaves(codes, labels, weights, p, rows, n_rows, splits, right, sums):
    """Per leaf and score: sums of w p and w p^2, and the weight of the rows whose label it is."""
    n_scores = p.shape[1]
    sums[:] = 0.0
    root, first, second = splits[0, 0], splits[1, 0], splits[2, 0]
    for r in range(n_rows):
        i = rows[r]
        side = right[0, codes[i, root]]
        leaf = np.int64(2 * side + right[1 + side, codes[i, second if side else first]])
        w = weights[i]
        for s in range(n_scores):
            wq = w * p[i, s]
            sums[leaf, 0, s] += wq
            sums[leaf, 1, s] += wq * p[i, s]
        if n_scores > 1:
            sums[leaf, 2, labels[i]] += w
        else:
            sums[leaf, 2, 0] += w * labels[i]


@kernel
def find_steps(sums, steps, values):
    """Shrunken Newton steps. Of two groups one score moves, twice as far: they move apart."""
    n_scores = values.shape[1]
    for leaf in range(sums.shape[0]):
        for s in range(n_scores):
            g, h = sums[leaf, 2, s] - sums[leaf, 0, s], sums[leaf, 0, s] - sums[leaf, 1, s]
            step = steps[0] * g / (h + steps[1])
            step = min(max(step, -steps[2]), steps[2])
            values[leaf, s] = 2.0 * step if n_scores == 1 else step


@kernel
def move_rows(codes, splits, right, values, p):
    """Multiply the odds of every row by the exponential of its leaf's values; several scores are left to normalise."""
    n_rows, n_scores = p.shape
    factors = np.exp(values)
    root, first, second = splits[0, 0], splits[1, 0], splits[2, 0]
    for i in range(n_rows):
        side = right[0, codes[i, root]]
        leaf = np.int64(2 * side + right[1 + side, codes[i, second if side else first]])
        if n_scores == 1:
            q = p[i, 0] * factors[leaf, 0]
            p[i, 0] = q / (1.0 - p[i, 0] + q)
        else:
            for s in range(n_scores):
                p[i, s] *= factors[leaf, s]


@kernel
def sum_loss(p, labels, weights, fold):
    """Log-loss of the rows of a fold, summed; the rows are normalised."""
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


@kernel
def find_shares(p, rows, n_rows, shares):
    """The share of each score in the curvature, from some of the rows."""
    shares[:] = 1e-12
    for r in range(n_rows):
        for s in range(p.shape[1]):
            shares[s] += p[rows[r], s] * (1.0 - p[rows[r], s])
    shares /= shares.sum()


@kernel
def boost_rounds(
    codes, labels, weights, fold, n_codes, ordered, draws, steps, state, p, splits, values, losses
):
    """Run ``len(splits)`` rounds of one model and write its trees and its losses outside the training rows.

    ``draws`` is (share of rows, most rows, columns per tree); ``steps`` is (rate, ridge, largest step).
    """
    n_rows, n_columns = codes.shape
    n_scores = p.shape[1]
    n_words = (n_scores + 2) // 2
    n_drawn, most = np.int64(draws[2]), np.int64(draws[1])
    rows = np.empty(n_rows + 1, np.int64)
    words = np.empty((n_rows, n_words), np.int64)
    everything = np.arange(n_rows)
    picked = np.empty(n_rows + 1, np.int64)
    columns = np.arange(n_columns)
    places = np.empty(n_drawn, np.int64)
    node, side = (
        np.empty(n_codes.max() * n_drawn * n_words, np.int64),
        np.empty(n_codes.max() * n_drawn * n_words, np.int64),
    )
    shares = np.empty(n_scores)
    sums = np.empty((4, 3, n_scores))
    right = np.empty((3, 256), np.uint8)
    unit = find_unit(weights.sum())
    ridge = unit * steps[1]
    for t in range(len(splits)):
        tree = splits[t]
        m = draw_rows(n_rows, fold, draws[0], most, state, rows)
        if n_scores > 1:
            normalise_rows(p, rows, m)
        pack_gradients(p, labels, weights, rows, m, unit, words)
        find_shares(p, rows, min(m, 1000), shares)
        draw_columns(state, columns, n_drawn)
        size = place_histograms(columns, n_codes, n_words, places)
        node[:size] = 0
        side[:size] = 0
        fill_histograms(codes, rows, words, everything, m, columns, places, node)
        find_split(node, n_words, places, columns, n_codes, ordered, shares, ridge, tree[0])
        n_left = pick_side(codes, rows, m, tree[0], True, picked)
        smaller = 1
        if 2 * n_left > m:
            smaller = 2
            n_left = pick_side(codes, rows, m, tree[0], False, picked)
        fill_histograms(codes, rows, words, picked, n_left, columns, places, side)
        for k in range(size):
            node[k] -= side[k]
        find_split(side, n_words, places, columns, n_codes, ordered, shares, ridge, tree[smaller])
        find_split(
            node, n_words, places, columns, n_codes, ordered, shares, ridge, tree[3 - smaller]
        )
        find_sides(tree, right)
        sum_leaves(codes, labels, weights, p, rows, m, tree, right, sums)
        find_steps(sums, steps, values[t])
        move_rows(codes, tree, right, values[t], p)
        losses[t] = sum_loss(p, labels, weights, fold)
