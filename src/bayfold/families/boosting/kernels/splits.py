"""Splits of a node from histograms of gradients: a threshold on ordered codes, or one code against the rest.

The gain of a split is the sum over scores of ``G^2 / (H + ridge)`` of both sides less that of the node. Histograms
hold the gradient of each score and the curvature of all together; one score is taken to have the same share
of the curvature everywhere in the tree.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.codes import MISSING
from bayfold.core.kernels.compiler import kernel
from bayfold.families.boosting.kernels.histograms import unpack_words
from bayfold.families.boosting.kernels.inputs import BELOW_KNOWN, EQUAL, NO_SPLIT

BEYOND_ROUNDING = 1.0 + 1e-9  # rounding is no gain: of equal splits the first is taken


@kernel
def goes_left(code, kind, cut):
    """Whether a code is on the left side of a split."""
    if kind == EQUAL:
        return code == cut
    if kind == BELOW_KNOWN:
        return code < cut and code != MISSING
    return kind == NO_SPLIT or code < cut


@kernel
def find_gain(left, total, shares, ridge):
    """``G^2 / (H + ridge)`` of both sides, added up over scores, given the sums of the left side."""
    n_scores = shares.shape[0]
    gain = 0.0
    h, rest_h = left[n_scores], total[n_scores] - left[n_scores]
    for s in range(n_scores):
        g, rest = left[s], total[s] - left[s]
        below, above = h * shares[s] + ridge, rest_h * shares[s] + ridge
        # one division instead of two: it is what this loop waits for
        gain += (g * g * above + rest * rest * below) / (below * above)
    return gain


@kernel
def is_empty(histogram, at, n_words):
    """Whether all sums of a code are zero: no row has it, or none that could tell anything."""
    found = np.int64(0)
    for k in range(n_words):
        found |= histogram[at + k]
    return found == 0


@kernel
def scan_ordered(histogram, start, n_words, n_codes, total, shares, ridge, best, left):
    """Try every cut between codes, with missing cells on the left and, where there are any, on the right.

    ``best`` is (gain, kind, cut) and is improved in place.
    """
    kinds = 1 if is_empty(histogram, start + MISSING * n_words, n_words) else 2
    for kind in range(kinds):
        left[:] = 0.0
        for code in range(kind, n_codes - 1):
            at = start + code * n_words
            if is_empty(histogram, at, n_words):
                continue
            unpack_words(histogram, at, n_words, left)
            gain = find_gain(left, total, shares, ridge)
            if gain > BEYOND_ROUNDING * best[0]:
                best[0], best[1], best[2] = gain, kind, code + 1


@kernel
def scan_nominal(histogram, start, n_words, n_codes, total, shares, ridge, best, left):
    """Try every code against all others."""
    for code in range(n_codes):
        at = start + code * n_words
        if is_empty(histogram, at, n_words):
            continue
        left[:] = 0.0
        unpack_words(histogram, at, n_words, left)
        gain = find_gain(left, total, shares, ridge)
        if gain > BEYOND_ROUNDING * best[0]:
            best[0], best[1], best[2] = gain, EQUAL, code


@kernel
def find_split(histogram, n_words, places, columns, n_codes, ordered, shares, ridge, split):
    """The best split over the columns; ``split`` becomes (column, kind, cut), or (0, NO_SPLIT, 0) without one.

    ``places[k]`` is where the histogram of ``columns[k]`` begins. Sums and ``ridge`` are in the histogram's unit.
    """
    n_scores = shares.shape[0]
    total, left, best = np.zeros(2 * n_words), np.empty(2 * n_words), np.zeros(3)
    for code in range(n_codes[columns[0]]):
        unpack_words(histogram, places[0] + code * n_words, n_words, total)
    for s in range(n_scores):
        best[0] += total[s] * total[s] / (total[n_scores] * shares[s] + ridge)
    best[0] += (BEYOND_ROUNDING - 1.0) * ridge
    split[0], split[1], split[2] = 0, NO_SPLIT, 0
    for k in range(places.shape[0]):
        j, before = columns[k], best[0]
        if ordered[j]:
            scan_ordered(
                histogram, places[k], n_words, n_codes[j], total, shares, ridge, best, left
            )
        else:
            scan_nominal(
                histogram, places[k], n_words, n_codes[j], total, shares, ridge, best, left
            )
        if best[0] > before:
            split[0], split[1], split[2] = j, np.int64(best[1]), np.int64(best[2])
