"""Random draws of rows and columns from a generator whose state is one word.
Rows dealt to folds, each group's in turn, and their columns and codes in another order.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel
from bayfold.families.boosting.kernels.inputs import ROWS_MOVED_AT_ONCE


@inner
def next_word(state):
    """The next word of a splitmix64 generator: small, and the same in every thread."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@inner
def draw_rows(n_rows, fold, share, most, state, rows):
    """Rows outside ``fold`` (start, stop), each with probability ``share``; returns how many.

    If that would be more than ``most``, blocks of neighbours instead that are so many together: rows come shuffled. One
    long run of neighbours would do worse, by 5 % of the squared error of products of columns on 100,000 rows: runs that
    happen to overlap learn the same noise. ``rows`` needs room for one more than there are.
    """
    gap = fold[1] - fold[0]
    n_outside = n_rows - gap
    if share * n_outside > most:
        return draw_blocks(n_outside, fold, most, state, rows)
    limit = np.uint64(share * 65536)
    n_drawn = np.int64(0)
    word = np.uint64(0)
    for k in range(n_outside):
        word = next_word(state) if k % 4 == 0 else word >> np.uint64(16)  # four draws a word
        rows[n_drawn] = k if k < fold[0] else k + gap
        # overwritten by the next row unless drawn: no branch to mispredict
        n_drawn += np.int64((word & np.uint64(65535)) < limit)
    return n_drawn


@inner
def draw_blocks(n_outside, fold, most, state, rows):
    """Rows outside ``fold`` in blocks, each set of so many blocks as likely as any other; returns how many rows."""
    size = min(ROWS_MOVED_AT_ONCE, most)
    n_drawn = 0
    n_blocks = -(-n_outside // size)
    n_wanted = most // size
    for block in range(n_blocks):
        if np.int64(next_word(state) % np.uint64(n_blocks - block)) < n_wanted:
            n_wanted -= 1
            for k in range(block * size, min((block + 1) * size, n_outside)):
                rows[n_drawn] = k if k < fold[0] else k + fold[1] - fold[0]
                n_drawn += 1
    return n_drawn


@inner
def draw_columns(state, columns, n_drawn):
    """Shuffle ``columns`` so far that its first entries are a random draw."""
    n_columns = columns.shape[0]
    for k in range(n_drawn):
        other = k + np.int64(next_word(state) % np.uint64(n_columns - k))
        columns[k], columns[other] = columns[other], columns[k]


@kernel
def count_turns(group_of, units, next_fold, n_entries):
    """Add up how many entries each fold gets of some rows: see ``deal_in_turn``."""
    n_folds = len(n_entries)
    one = np.int64(1)  # for a literal numba would compile ``pass_on`` once more
    for r in range(len(group_of)):
        fold = next_fold[group_of[r]]
        next_fold[group_of[r]] = pass_on(fold, units[r], n_folds)
        for _ in range(min(units[r], n_folds)):
            n_entries[fold] += 1
            fold = pass_on(fold, one, n_folds)


@kernel
def deal_in_turn(group_of, units, weights, next_fold, ends, row, place, in_fold):
    """Write the entries of some rows one after the other: the row of each, its place and its weight in its fold.

    A row of u units has u turns, one after the other, and goes to the fold whose turn it is: first to ``next_fold`` of
    its group, which moves on. Units that meet in a fold are one entry. The next entry of fold k stands at ``ends[k]``,
    which moves on. Returns how many entries there are.
    """
    n_folds = len(ends)
    one = np.int64(1)  # as above
    e = 0
    for r in range(len(group_of)):
        n = units[r]
        fold = next_fold[group_of[r]]
        next_fold[group_of[r]] = pass_on(fold, n, n_folds)
        each = n // n_folds
        left = n % n_folds
        for k in range(min(n, n_folds)):
            row[e] = r
            place[e] = ends[fold]
            in_fold[e] = weights[r]
            if n > 1:
                in_fold[e] = (each + (1 if k < left else 0)) * (weights[r] / n)
            ends[fold] += 1
            fold = pass_on(fold, one, n_folds)
            e += 1
    return e


@kernel
def arrange_codes(codes, columns, places, arranged):
    """Write to each column k of ``arranged`` the places ``places[k, code]`` of the codes in column ``columns[k]``."""
    for i in range(codes.shape[0]):
        for k in range(len(columns)):
            arranged[i, k] = places[k, codes[i, columns[k]]]


@inner
def pass_on(fold, n_turns, n_folds):
    """The fold whose turn it is after some turns; a division only where it must be, since it is slow."""
    fold += n_turns
    if fold < n_folds:
        return fold
    return fold - n_folds if fold < 2 * n_folds else fold % n_folds
