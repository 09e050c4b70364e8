"""Tables of gradients and of curvature over one-byte codes, as whole numbers, of rows that stay where they are.

Whole numbers add up to the same sum in any order, so no partition of the rows decides a split. A row is drawn by its
key, and left out by its fold: neither depends on where it stands.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel
from bayfold.families.boosting.kernels.inputs import DESCEND, LOG_LOSS, LOG_RATE
from bayfold.families.boosting.kernels.numbers import find_number_loss, find_pull
from bayfold.families.boosting.kernels.routes import goes_right
from bayfold.families.boosting.kernels.splits import find_split


@inner
def is_drawn(key, salt, limit):
    """Whether a row is in a draw: the finalizer of splitmix64, of the key beside the salt, below a limit."""
    z = key ^ salt
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31)) < limit


@inner
def find_place(codes, i, tree, places):
    """The place of the table that a row belongs to, -1 for none: that of its node, as far down as ``places`` ask."""
    node = np.int64(0)
    while places[node] == DESCEND:
        node = 2 * node + 1 + goes_right(np.int64(codes[i, tree[node, 0]]), tree[node])
    return places[node]


@inner
def find_row_pulls(loss, data, i, held, pulls):
    """Write the gradient and the curvature of each score of a row; returns the summed squares of the gradients."""
    n_scores = held.shape[1]
    if loss != LOG_LOSS:
        pulls[0, 0], pulls[0, 1] = find_pull(loss, data, i, held[i, 0])
        return pulls[0, 0] ** 2
    total = 1.0
    if n_scores > 1:
        total = 0.0
        for s in range(n_scores):
            total += held[i, s]
    squares = 0.0
    for s in range(n_scores):
        q = held[i, s] / total
        is_own = data.labels[i] == (s if n_scores > 1 else 1)
        pulls[s, 0] = (1.0 if is_own else 0.0) - q
        pulls[s, 1] = q * (1.0 - q)
        squares += pulls[s, 0] ** 2
    return squares


@kernel
def count_pulls(
    data,
    loss,
    keys,
    fold_of,
    factors,
    draw,
    held,
    tree,
    places,
    columns,
    units,
    tables,
    squares,
):
    """Add the pulls of the drawn rows to the entries of their codes: ``tables[place, k, code, score, 0 or 1]``.

    ``factors`` multiply the pulls of each label; ``draw`` is the fold that is left out, a salt and the limit of keys.
    A node's place is where its table stands, -1 where nobody wants it, ``DESCEND`` where its children are wanted.
    ``columns[place, k]`` are those that are counted. Weights are whole numbers of 64 bits; pulls become so by
    ``units``: of gradients, of curvature, and of squares, which are added to ``squares``.
    """
    n_scores = held.shape[1]
    pulls = np.empty((n_scores, 2))
    whole = np.empty((n_scores, 2), np.int64)
    for i in range(len(keys)):
        if fold_of[i] == draw[0] or not is_drawn(keys[i], draw[1], draw[2]):
            continue
        place = find_place(data.codes, i, tree, places)
        if place < 0:
            continue
        found = find_row_pulls(loss, data, i, held, pulls)
        factor = factors[data.labels[i]]
        weight = np.int64(data.weights[i])
        squares[0] += weight * np.int64(np.rint(units[2] * factor * found))
        for s in range(n_scores):
            for k in range(2):
                whole[s, k] = weight * np.int64(np.rint(units[k] * factor * pulls[s, k]))
        for k in range(columns.shape[1]):
            code = data.codes[i, columns[place, k]]
            for s in range(n_scores):
                tables[place, k, code, s, 0] += whole[s, 0]
                tables[place, k, code, s, 1] += whole[s, 1]


@kernel
def sum_left_out(data, loss, fold_of, factors, fold, held, unit, sums):
    """Add the loss of the rows of a fold, and what they count for, as whole numbers, to ``sums``."""
    n_scores = held.shape[1]
    for i in range(len(fold_of)):
        if fold_of[i] != fold:
            continue
        information = 1.0
        if loss != LOG_LOSS:
            found = find_number_loss(loss, data, i, held[i, 0])
            information = data.exposures[i] if loss == LOG_RATE else 1.0
        elif n_scores == 1:
            found = -np.log(max(held[i, 0] if data.labels[i] == 1 else 1.0 - held[i, 0], 1e-15))
        else:
            total = 0.0
            for s in range(n_scores):
                total += held[i, s]
            found = -np.log(max(held[i, data.labels[i]] / total, 1e-15))
        scale = unit * factors[data.labels[i]]
        weight = np.int64(data.weights[i])
        sums[0] += weight * np.int64(np.rint(scale * found))
        sums[1] += weight * np.int64(np.rint(scale * information))


@kernel
def find_packed_split(words, n_words, columns, data, shares, ridge, noise, split):
    """Write the best split over the columns, whose histograms stand one after the other: see ``find_split``."""
    n = len(columns)
    places = np.empty(n, np.int64)
    for k in range(n):
        places[k] = k * (len(words) // n)
    find_split(
        words, n_words, places, columns, data.n_codes, data.ordered, shares, ridge, noise, split
    )
