"""Random draws of rows and columns from a generator whose state is one word."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.families.boosting.kernels.inputs import ROWS_MOVED_AT_ONCE


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

    If that would be more than ``most``, blocks of neighbours instead that are so many together: rows come shuffled. One
    long run of neighbours would do worse, by 5 % of the squared error of products of columns on 100,000 rows: runs that
    happen to overlap learn the same noise. ``rows`` needs room for one more than there are.
    """
    gap = fold[1] - fold[0]
    n_outside = n_rows - gap
    if share * n_outside > most:
        return draw_blocks(n_outside, fold, most, state, rows)
    limit = np.uint64(share * 65536)
    n_drawn, word = np.int64(0), np.uint64(0)
    for k in range(n_outside):
        word = next_word(state) if k % 4 == 0 else word >> np.uint64(16)  # four draws a word
        rows[n_drawn] = k if k < fold[0] else k + gap
        # overwritten by the next row unless drawn: no branch to mispredict
        n_drawn += np.int64((word & np.uint64(65535)) < limit)
    return n_drawn


@kernel
def draw_blocks(n_outside, fold, most, state, rows):
    """Rows outside ``fold`` in blocks, each set of so many blocks as likely as any other; returns how many rows."""
    size, n_drawn = min(ROWS_MOVED_AT_ONCE, most), 0
    n_blocks, n_wanted = -(-n_outside // size), most // size
    for block in range(n_blocks):
        if np.int64(next_word(state) % np.uint64(n_blocks - block)) < n_wanted:
            n_wanted -= 1
            for k in range(block * size, min((block + 1) * size, n_outside)):
                rows[n_drawn] = k if k < fold[0] else k + fold[1] - fold[0]
                n_drawn += 1
    return n_drawn


@kernel
def draw_columns(state, columns, n_drawn):
    """Shuffle ``columns`` so far that its first entries are a random draw."""
    n_columns = columns.shape[0]
    for k in range(n_drawn):
        other = k + np.int64(next_word(state) % np.uint64(n_columns - k))
        columns[k], columns[other] = columns[other], columns[k]
