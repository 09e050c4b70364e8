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

ROWS_AT_A_TIME = 1 << 10  # what is worked out for them stays in the first-level cache


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
def find_class_pulls(p, labels, rows, n_rows, pulls):
    """Write the gradient and the curvature of each score of some rows, and then the squares of the gradients."""
    n_scores = p.shape[1]
    for r in range(n_rows):
        i = rows[r]
        total = 1.0
        if n_scores > 1:
            total = 0.0
            for s in range(n_scores):
                total += p[i, s]
        squares = 0.0
        for s in range(n_scores):
            q = p[i, s] / total
            is_own = labels[i] == (s if n_scores > 1 else 1)
            g = (1.0 if is_own else 0.0) - q
            pulls[r, 2 * s] = g
            pulls[r, 2 * s + 1] = q * (1.0 - q)
            squares += g * g
        pulls[r, 2 * n_scores] = squares


@inner
def find_pulls_of_numbers(loss, data, scores, rows, n_rows, pulls):
    """The same of a loss of numbers."""
    for r in range(n_rows):
        pulls[r, 0], pulls[r, 1] = find_pull(loss, data, rows[r], scores[rows[r], 0])
        pulls[r, 2] = pulls[r, 0] * pulls[r, 0]


@inner
def make_whole(labels, weights, factors, rows, n_rows, units, pulls, whole):
    """Write the pulls of some rows as whole numbers; returns the sum of the squares."""
    n_sums = whole.shape[1]
    total = np.int64(0)
    for r in range(n_rows):
        i = rows[r]
        factor = factors[labels[i]]
        weight = np.int64(weights[i])
        for s in range(n_sums):
            whole[r, s] = weight * np.int64(np.rint(units[s % 2] * factor * pulls[r, s]))
        total += weight * np.int64(np.rint(units[2] * factor * pulls[r, n_sums]))
    return total


@inner
def find_wanted(keys, fold_of, codes, draw, tree, places, start, rows, in_place):
    """Write which of some rows are drawn and wanted, and the places of their tables; returns how many."""
    n = np.int64(0)
    for i in range(start, min(start + ROWS_AT_A_TIME, len(keys))):
        place = find_place(codes, i, tree, places)
        rows[n] = i
        in_place[n] = place
        # overwritten by the next row unless wanted: no branch to mispredict
        is_wanted = is_drawn(keys[i], draw[1], draw[2]) & (place >= 0)
        n += np.int64(is_wanted & (np.uint64(fold_of[i]) != draw[0]))
    return n


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
    n_sums = 2 * n_scores
    rows = np.empty(ROWS_AT_A_TIME + 1, np.int64)
    in_place = np.empty(ROWS_AT_A_TIME + 1, np.int64)
    pulls = np.empty((ROWS_AT_A_TIME, n_sums + 1))
    whole = np.empty((ROWS_AT_A_TIME, n_sums), np.int64)
    total = np.int64(0)
    for start in range(0, len(keys), ROWS_AT_A_TIME):
        n = find_wanted(keys, fold_of, data.codes, draw, tree, places, start, rows, in_place)
        if loss == LOG_LOSS:
            find_class_pulls(held, data.labels, rows, n, pulls)
        else:
            find_pulls_of_numbers(loss, data, held, rows, n, pulls)
        total += make_whole(data.labels, data.weights, factors, rows, n, units, pulls, whole)
        add_rows(data.codes, rows, in_place, n, columns, whole, tables)
    squares[0] += total


@inner
def add_rows(codes, rows, in_place, n_rows, columns, whole, tables):
    """Add the whole numbers of some rows to the entries of their codes."""
    n_columns = columns.shape[1]
    n_sums = whole.shape[1]
    of_column = np.uint64(tables.shape[2] * n_sums)  # unsigned: no index may count from the end
    flat = tables.ravel()
    for r in range(n_rows):
        i = np.uint64(rows[r])
        place = in_place[r]
        at = np.uint64(place * n_columns) * of_column
        g = whole[r, 0]
        h = whole[r, 1]
        for k in range(n_columns):
            entry = at + np.uint64(codes[i, np.uint64(columns[place, k])]) * np.uint64(n_sums)
            flat[entry] += g
            flat[entry + np.uint64(1)] += h
            for s in range(2, n_sums):
                flat[entry + np.uint64(s)] += whole[r, s]
            at += of_column


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
