"""Random draws of rows and columns from a generator whose state is one word."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel


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
    ``rows`` needs room for one more than there are.
    """
    gap = fold[1] - fold[0]
    n_outside = n_rows - gap
    if share * n_outside > most:
        first = np.int64(next_word(state) % np.uint64(n_outside))
        for k in range(most):
            i = first + k if first + k < n_outside else first + k - n_outside
            rows[k] = i if i < fold[0] else i + gap
        return most
    limit = np.uint64(share * 65536)
    n_drawn, word = np.int64(0), np.uint64(0)
    for k in range(n_outside):
        word = next_word(state) if k % 4 == 0 else word >> np.uint64(16)  # four draws a word
        rows[n_drawn] = k if k < fold[0] else k + gap
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
