"""The root of a tree judged by what its children gain: where two columns tell something only together.

A checkerboard, an exclusive-or: no split of one column gains anything, and the best is the luckiest. One table of
two columns knows what every root would lead to.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner
from bayfold.core.kernels.encode import MISSING
from bayfold.families.boosting.kernels.dealing import next_word
from bayfold.families.boosting.kernels.histograms import sum_histogram
from bayfold.families.boosting.kernels.inputs import BELOW, BYTE_CODES, EQUAL
from bayfold.families.boosting.kernels.splits import (
    BEYOND_ROUNDING,
    count_moving,
    expect_luck,
    is_empty,
    scan_nominal,
    scan_ordered,
)

LOOK_AHEAD_CELLS = 1 << 12
"""Cells of a table of two columns, at most: 64 x 64 are scanned about as fast as 5,000 rows are counted."""

ROWS_PER_CELL = 4
"""Rows that pay for a cell of the table, as far as bins may be merged (``BoostRules.pair_bins``)."""


@inner
def merge_codes(n_codes, is_ordered, n_bins, state, merge):
    """Number the codes of a column anew: neighbours as one where they are many, missing cells apart; returns how many.

    Where the first bin ends is drawn, so that other rounds cut elsewhere.
    """
    width = 1
    shift = np.int64(0)
    if is_ordered and n_codes > n_bins:
        width = -(-n_codes // n_bins)
        shift = np.int64(next_word(state) % np.uint64(width))
    merge[MISSING] = 0
    for code in range(1, n_codes):
        merge[code] = 1 + (code - 1 + shift) // width
    return merge[n_codes - 1] + 1


@inner
def fill_pair(codes, rows, words, n_rows, columns, merges, n_second, table):
    """Add the words of the drawn rows to the cells of a table of the first two columns."""
    n_words = words.shape[1]
    for r in range(n_rows):
        i = rows[r]
        a = merges[0, codes[i, columns[0]]]
        b = merges[1, codes[i, columns[1]]]
        at = (a * n_second + b) * n_words
        for k in range(n_words):
            table[at + k] += words[r, k]


@inner
def gain_below(histogram, n_words, n_codes, is_ordered, shares, ridge, total, left, best):
    """``G^2 / (H + ridge)`` of a side of the root, split as well as one column can; ``total`` becomes its sums."""
    n_scores = shares.shape[0]
    start = np.int64(0)  # for a literal numba would compile the functions below once more
    for k in range(len(total)):
        total[k] = 0.0
    sum_histogram(histogram, start, n_words, n_codes, total)
    best[0] = 0.0
    for s in range(n_scores):
        best[0] += total[s] * total[s] / (total[n_scores] * shares[s] + ridge)
    if is_ordered:
        scan_ordered(histogram, start, n_words, n_codes, total, shares, ridge, best, left)
    else:
        scan_nominal(histogram, start, n_words, n_codes, total, shares, ridge, best, left)
    return best[0]


@inner
def look_ahead(data, scratch, n_rows, pair_bins, ridge, noise, state, split):
    """Replace the root by the split of the first drawn column after which the second gains most, if it beats luck.

    All of luck is taken off, that of the root's splits and of both children's: so many trees are compared.
    """
    columns = scratch.columns
    n_words = scratch.words.shape[1]
    is_ordered = data.ordered[columns[0]]
    below_ordered = data.ordered[columns[1]]
    n_bins = max(pair_bins, np.int64(np.sqrt(n_rows / ROWS_PER_CELL)))
    merges = np.empty((2, BYTE_CODES), np.int64)
    n = merge_codes(data.n_codes[columns[0]], is_ordered, n_bins, state, merges[0])
    n_below = merge_codes(data.n_codes[columns[1]], below_ordered, n_bins, state, merges[1])
    if n * n_below > LOOK_AHEAD_CELLS:
        return
    size = n_below * n_words
    shares = scratch.shares
    n_scores = scratch.shares.shape[0]
    table = np.zeros(n * size, np.int64)
    whole = np.zeros(size, np.int64)
    fill_pair(data.codes, scratch.rows, scratch.words, n_rows, columns, merges, n_below, table)
    for k in range(n * size):
        whole[k % size] += table[k]
    total = np.zeros(2 * n_words)
    left = np.empty(2 * n_words)
    best = np.zeros(3)
    gain_below(whole, n_words, n_below, below_ordered, shares, ridge, total, left, best)
    n_moving = count_moving(total, shares, ridge)
    least = 2.0 * expect_luck(n_moving, n, is_ordered, noise) + 3.0 * n_scores * noise
    least += 4.0 * expect_luck(n_moving, n_below, below_ordered, noise)
    for s in range(n_scores):
        least += total[s] * total[s] / (total[n_scores] * shares[s] + ridge)
    side = np.zeros(size, np.int64)
    rest = np.empty(size, np.int64)
    for code in range(n - 1 if is_ordered else n):
        if is_empty(table, code * size, size):
            continue
        for k in range(size):
            side[k] = table[code * size + k] + (side[k] if is_ordered else 0)
            rest[k] = whole[k] - side[k]
        gain = gain_below(side, n_words, n_below, below_ordered, shares, ridge, total, left, best)
        gain += gain_below(rest, n_words, n_below, below_ordered, shares, ridge, total, left, best)
        if gain > BEYOND_ROUNDING * least:
            least = gain
            split[0] = columns[0]
            split[1] = BELOW if is_ordered else EQUAL
            split[2] = 0
            while split[2] < data.n_codes[columns[0]] and merges[0, split[2]] < code + is_ordered:
                split[2] += 1
