"""Boosting by shallow trees on codes: some rounds of one model, all in one call.

Rows lie fold by fold. A model learns from all rows but those of its own fold, whose loss it reports after
every round. One tree serves all scores: S = 1 for two groups (the log-odds of the second), otherwise one per group.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.families.boosting.kernels.draws import draw_columns, draw_rows
from bayfold.families.boosting.kernels.histograms import (
    fill_histograms,
    find_unit,
    pack_gradients,
    place_histograms,
)
from bayfold.families.boosting.kernels.inputs import BYTE_CODES, NO_SPLIT
from bayfold.families.boosting.kernels.routes import (
    LEAF,
    N_LEAVES,
    find_root_sides,
    find_routes,
)
from bayfold.families.boosting.kernels.splits import find_split

SHARE_ROWS = 1000  # rows from which the scores' shares of the curvature are taken


class Scratch(NamedTuple):
    """Arrays that all rounds use."""

    rows: Any
    words: Any
    everything: Any
    picked: Any
    columns: Any
    places: Any
    node: Any
    side: Any
    quarters: Any
    shares: Any
    sums: Any
    at_root: Any
    at_child: Any


@kernel
def make_scratch(data, rules, fold, n_scores):
    """Room for what a round draws, counts and sums."""
    n_columns = data.codes.shape[1]
    n_words = (n_scores + 2) // 2
    n_sums = data.n_codes.max() * rules.n_drawn * n_words
    n_room = len(data.labels) - (fold[1] - fold[0])
    if rules.row_share * n_room > rules.most_rows:  # so many are drawn, by the same rule
        n_room = rules.most_rows
    return Scratch(
        np.empty(n_room + 1, np.int64),
        np.empty((n_room, n_words), np.int64),
        np.arange(n_room),
        np.empty(n_room + 1, np.int64),
        np.arange(n_columns),
        np.empty(rules.n_drawn, np.int64),
        np.empty(n_sums, np.int64),
        np.empty(n_sums, np.int64),
        np.empty(8 * data.n_codes.max() * n_words, np.int64),
        np.empty(n_scores),
        np.empty((N_LEAVES, 3, n_scores)),
        np.empty(BYTE_CODES, np.uint8),
        np.empty((2, BYTE_CODES), np.uint8),
    )


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
def find_shares(p, labels, rows, n_rows, shares):
    """The share of each score in the curvature, from some of the rows; returns the squared gradients by the curvature.

    If the model were right they would be one. Rows that it has learnt by heart have smaller gradients.
    """
    n_scores = p.shape[1]
    shares[:] = 1e-12
    squares = 0.0
    for r in range(n_rows):
        for s in range(n_scores):
            q = p[rows[r], s]
            is_own = labels[rows[r]] == (s if n_scores > 1 else 1)
            shares[s] += q * (1.0 - q)
            squares += (1.0 - q) ** 2 if is_own else q * q
    curvature = shares.sum()
    shares /= curvature
    return min(squares / curvature, 1.0)


@kernel
def pick_side(codes, rows, n_rows, column, at_root, wanted, picked):
    """Positions of the rows on the wanted side (0 left, 1 right) of the root; returns how many."""
    n_picked = np.int64(0)
    for r in range(n_rows):
        picked[n_picked] = r
        n_picked += np.int64(at_root[codes[rows[r], column]] >> 2 == wanted)
    return n_picked


@kernel
def split_within(data, scratch, n_words, ridge, noise, tree):
    """Split the children of the root on its own column again: its histogram knows both sides."""
    node, side, n_codes = scratch.node, scratch.side, data.n_codes
    tree[1:3] = tree[0]
    if tree[0, 1] == NO_SPLIT:
        return
    column, place, start = tree[0, :1].copy(), np.zeros(1, np.int64), 0
    for k in range(scratch.places.shape[0]):
        if scratch.columns[k] == column[0]:
            start = scratch.places[k]
    for child in range(2):
        for k in range(n_codes[column[0]] * n_words):
            inside = scratch.at_root[k // n_words] >> 2 == child
            side[k] = node[start + k] if inside else 0
        find_split(
            side,
            n_words,
            place,
            column,
            n_codes,
            data.ordered,
            scratch.shares,
            ridge,
            noise,
            tree[1 + child],
        )


@kernel
def split_sides(data, scratch, n_rows, size, n_words, ridge, noise, tree):
    """Split the children of the root on any drawn column: count the smaller side, the other is the rest."""
    node, side, columns, places = scratch.node, scratch.side, scratch.columns, scratch.places
    rows, picked, root = scratch.rows, scratch.picked, tree[0, 0]
    smaller = 0
    n_picked = pick_side(data.codes, rows, n_rows, root, scratch.at_root, 0, picked)
    if 2 * n_picked > n_rows:
        smaller = 1
        n_picked = pick_side(data.codes, rows, n_rows, root, scratch.at_root, 1, picked)
    side[:size] = 0
    fill_histograms(data.codes, rows, scratch.words, picked, n_picked, columns, places, side)
    for k in range(size):
        node[k] -= side[k]
    shares, n_codes, ordered = scratch.shares, data.n_codes, data.ordered
    find_split(
        side, n_words, places, columns, n_codes, ordered, shares, ridge, noise, tree[1 + smaller]
    )
    find_split(
        node, n_words, places, columns, n_codes, ordered, shares, ridge, noise, tree[2 - smaller]
    )


@kernel
def fill_quarters(data, scratch, n_rows, tree, stride):
    """Histograms of the four quarters that two levels make, each of the root's column and of its child's."""
    codes, rows, words, histogram = data.codes, scratch.rows, scratch.words, scratch.quarters
    n_words = words.shape[1]
    histogram[: 8 * stride] = 0
    root = tree[0, 0]
    for r in range(n_rows):
        i = rows[r]
        code = codes[i, root]
        side = np.int64(scratch.at_root[code] >> 2)
        below = codes[i, tree[1 + side, 0]]
        quarter = 2 * side + np.int64(scratch.at_child[side, below] >> 2)
        first = 2 * quarter * stride + np.int64(code) * n_words
        second = (2 * quarter + 1) * stride + np.int64(below) * n_words
        for k in range(n_words):
            histogram[first + k] += words[r, k]
            histogram[second + k] += words[r, k]


@kernel
def split_quarters(data, scratch, n_rows, n_words, ridge, noise, tree):
    """Split the four quarters again, each on one of the two columns that made it."""
    stride = data.n_codes.max() * n_words
    fill_quarters(data, scratch, n_rows, tree, stride)
    columns, places = np.empty(2, np.int64), np.empty(2, np.int64)
    for quarter in range(4):
        n_columns, above = 0, (tree[0], tree[1 + quarter // 2])
        for k in range(2):
            asked = above[k][1] != NO_SPLIT
            if asked and not (n_columns == 1 and columns[0] == above[k][0]):
                columns[n_columns], places[n_columns] = above[k][0], (2 * quarter + k) * stride
                n_columns += 1
        if n_columns > 0:
            find_split(
                scratch.quarters,
                n_words,
                places[:n_columns],
                columns[:n_columns],
                data.n_codes,
                data.ordered,
                scratch.shares,
                ridge,
                noise,
                tree[3 + quarter],
            )


@kernel
def grow_tree(data, rules, scratch, n_rows, p, unit, state, tree):
    """Splits from the drawn rows: of the root, of both its children and, where asked for, of theirs."""
    tree[:] = 0
    tree[:, 1] = NO_SPLIT
    n_words = scratch.words.shape[1]
    columns, places, ridge = scratch.columns, scratch.places, unit * rules.ridge
    pack_gradients(p, data.labels, data.weights, scratch.rows, n_rows, unit, scratch.words)
    n_some = min(n_rows, SHARE_ROWS)
    noise = unit * find_shares(p, data.labels, scratch.rows, n_some, scratch.shares)
    draw_columns(state, columns, rules.n_drawn)
    size = place_histograms(columns, data.n_codes, n_words, places)
    scratch.node[:size] = 0
    fill_histograms(
        data.codes,
        scratch.rows,
        scratch.words,
        scratch.everything,
        n_rows,
        columns,
        places,
        scratch.node,
    )
    find_split(
        scratch.node,
        n_words,
        places,
        columns,
        data.n_codes,
        data.ordered,
        scratch.shares,
        ridge,
        noise,
        tree[0],
    )
    n_codes = data.n_codes.max()
    find_root_sides(tree[0], n_codes, scratch.at_root)
    if rules.two_columns:
        split_sides(data, scratch, n_rows, size, n_words, ridge, noise, tree)
    else:
        split_within(data, scratch, n_words, ridge, noise, tree)
    find_routes(tree, n_codes, scratch.at_root, scratch.at_child)
    if rules.third_level:
        split_quarters(data, scratch, n_rows, n_words, ridge, noise, tree)
        find_routes(tree, n_codes, scratch.at_root, scratch.at_child)


@kernel
def sum_leaves(data, p, scratch, n_rows, tree):
    """Per leaf and score: sums of w p and w p^2, and the weight of the rows whose label it is."""
    codes, n_scores, rows, sums = data.codes, p.shape[1], scratch.rows, scratch.sums
    at_root, at_child = scratch.at_root, scratch.at_child
    sums[:] = 0.0
    root, first, second = tree[0, 0], tree[1, 0], tree[2, 0]
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


@kernel
def find_steps(sums, rules, values):
    """Shrunken Newton steps. Of two groups one score moves, twice as far: they move apart."""
    n_scores = values.shape[1]
    for leaf in range(sums.shape[0]):
        for s in range(n_scores):
            g, h = sums[leaf, 2, s] - sums[leaf, 0, s], sums[leaf, 0, s] - sums[leaf, 1, s]
            step = rules.rate * g / (h + rules.ridge)
            step = min(max(step, -rules.largest_step), rules.largest_step)
            values[leaf, s] = 2.0 * step if n_scores == 1 else step


@kernel
def move_rows(codes, tree, at_root, at_child, values, p):
    """Multiply the odds of every row by the exponential of its leaf's values.

    Exponentials are taken once per leaf. Several scores are left to be normalised when a row is read again.
    """
    n_rows, n_scores = p.shape
    factors = np.exp(values)
    root, first, second = tree[0, 0], tree[1, 0], tree[2, 0]
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


@kernel
def sum_loss(p, labels, weights, fold):
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


@kernel
def boost_rounds(data, rules, fold, state, p, splits, values, losses):
    """Run ``len(splits)`` rounds of one model: write its trees, and its losses on the rows of ``fold``.

    ``p`` holds the probabilities of all rows and is moved along.
    """
    scratch = make_scratch(data, rules, fold, p.shape[1])
    unit = find_unit(data.weights.sum())
    n_rows = len(data.labels)
    for t in range(len(splits)):
        n_drawn = draw_rows(n_rows, fold, rules.row_share, rules.most_rows, state, scratch.rows)
        if p.shape[1] > 1:
            normalise_rows(p, scratch.rows, n_drawn)
        grow_tree(data, rules, scratch, n_drawn, p, unit, state, splits[t])
        sum_leaves(data, p, scratch, n_drawn, splits[t])
        find_steps(scratch.sums, rules, values[t])
        move_rows(data.codes, splits[t], scratch.at_root, scratch.at_child, values[t], p)
        losses[t] = sum_loss(p, data.labels, data.weights, fold)
