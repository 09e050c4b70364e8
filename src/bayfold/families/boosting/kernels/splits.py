"""Evidence of the categories of one column, counted on rows other than the row's own part of the table.

Each row belongs to a part, and what its category says to it is counted on the other parts alone, so no row is told its
own label. Counts are those of some neighbouring categories, from ``first`` on.
Splits of a node from histograms of gradients: a threshold on ordered codes, or one code against the rest.

The gain of a split is the sum over scores of ``G^2 / (H + ridge)`` of both sides less that of the node. Histograms
hold the gradient of each score and the curvature of all together; one score is taken to have the same share
of the curvature everywhere in the tree.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel
from bayfold.core.kernels.encode import MISSING
from bayfold.families.boosting.kernels.histograms import sum_histogram, unpack_word, unpack_words
from bayfold.families.boosting.kernels.inputs import BELOW, BELOW_KNOWN, EQUAL, NO_SPLIT


@kernel
def count_parts(codes, labels, weights, part_of, first, counts):
    """Add the weight of each row to ``counts[category, part, label]``."""
    for i in range(len(codes)):
        v = np.int64(codes[i]) - first
        if 0 <= v < counts.shape[0]:
            counts[v, part_of[i], labels[i]] += weights[i]


@inner
def count_outside(counts, left_out, part, outside):
    """The weight by label in all parts but ``part`` and the run ``left_out`` (start, stop); returns their sum."""
    total = 0.0
    for c in range(outside.shape[0]):
        outside[c] = 0.0
        for k in range(counts.shape[0]):
            if k != part and not left_out[0] <= k < left_out[1]:
                outside[c] += counts[k, c]
        total += outside[c]
    return total


@kernel
def sum_category_gains(counts, prior, strengths, gains):
    """Add up over all rows by how much less the category surprises than the prior does, and its square.

    ``gains[0, k]`` and ``gains[1, k]`` are the sums with so many rows of the prior as ``strengths[k]``.
    """
    outside = np.empty(prior.shape[0])
    nothing = np.zeros(2, np.int64)
    for v in range(counts.shape[0]):
        for part in range(counts.shape[1]):
            if counts[v, part].sum() == 0.0:
                continue
            total = count_outside(counts[v], nothing, part, outside)
            for c in range(prior.shape[0]):
                if counts[v, part, c] > 0.0:
                    for k in range(strengths.shape[0]):
                        m = strengths[k]
                        p = (outside[c] + m * prior[c]) / (total + m)
                        gain = np.log(p / prior[c])
                        gains[0, k] += counts[v, part, c] * gain
                        gains[1, k] += counts[v, part, c] * gain * gain


@kernel
def add_category_evidence(codes, part_of, first, counts, left_out, prior, strength, scores):
    """Add to the scores of every row what its category says: log-odds of two groups, otherwise a log-ratio per group.

    Counted outside its own part and outside the run of parts ``left_out`` (start, stop).
    """
    n_values, n_parts, n_groups = counts.shape
    outside = np.empty(n_groups)
    evidence = np.zeros(counts.shape)
    for v in range(n_values):
        for part in range(n_parts):
            if counts[v, part].sum() == 0.0:
                continue
            total = count_outside(counts[v], left_out, part, outside)
            for c in range(n_groups):
                p = (outside[c] + strength * prior[c]) / (total + strength)
                evidence[v, part, c] = np.log(p / prior[c])
            if n_groups == 2:
                evidence[v, part, 0] = evidence[v, part, 1] - evidence[v, part, 0]
    for i in range(len(codes)):
        v = np.int64(codes[i]) - first
        if 0 <= v < n_values:
            for s in range(scores.shape[1]):
                scores[i, s] += evidence[v, part_of[i], s]


BEYOND_ROUNDING = 1.0 + 1e-9  # rounding is no gain: of equal splits the first is taken


@inner
def goes_left(code, kind, cut):
    """Whether a code is on the left side of a split."""
    if kind == EQUAL:
        return code == cut
    if kind == BELOW_KNOWN:
        return code < cut and code != MISSING
    return kind == NO_SPLIT or code < cut


@inner
def find_gain(left, total, shares, ridge):
    """``G^2 / (H + ridge)`` of both sides, added up over scores, given the sums of the left side."""
    n_scores = shares.shape[0]
    gain = 0.0
    h = left[n_scores]
    rest_h = total[n_scores] - left[n_scores]
    for s in range(n_scores):
        g = left[s]
        rest = total[s] - left[s]
        below = h * shares[s] + ridge
        above = rest_h * shares[s] + ridge
        # one division instead of two: it is what this loop waits for
        gain += (g * g * above + rest * rest * below) / (below * above)
    return gain


@inner
def is_empty(histogram, at, n_words):
    """Whether all sums of a code are zero: no row has it, or none that could tell anything."""
    found = np.int64(0)
    for k in range(n_words):
        found |= histogram[at + k]
    return found == 0


@inner
def scan_one_score(histogram, start, n_codes, kind, g_total, h_total, share, ridge, best_gain):
    """Cuts of one score that gain more: the gain of the best and its cut, or ``best_gain`` and 0.

    Its sums stay in one word, and only a better cut is worth a division. Codes without rows are not left out, for
    their cut gains what the last one did.
    """
    word = np.int64(0)
    least = BEYOND_ROUNDING * best_gain
    best_cut = 0
    place = np.uint64(start)  # unsigned, so that no index is asked whether it counts from the end
    for code in range(kind, n_codes - 1):
        word += histogram[place + np.uint64(code)]
        g, h = unpack_word(word)
        rest = g_total - g
        below = h * share + ridge
        above = (h_total - h) * share + ridge
        gain = g * g * above + rest * rest * below
        both = below * above
        if gain > least * both:
            best_gain = gain / both
            best_cut = code + 1
            least = BEYOND_ROUNDING * best_gain
    return best_gain, best_cut


@inner
def scan_ordered(histogram, start, n_words, n_codes, total, shares, ridge, best, left):
    """Try every cut between codes, with missing cells on the left and, where there are any, on the right.

    ``best`` is (gain, kind, cut) and is improved in place.
    """
    kinds = 1 if is_empty(histogram, start + MISSING * n_words, n_words) else 2
    for kind in range(kinds):
        if n_words == 1:
            gain, cut = scan_one_score(
                histogram, start, n_codes, kind, total[0], total[1], shares[0], ridge, best[0]
            )
            if cut > 0:
                best[0] = gain
                best[1] = kind
                best[2] = cut
            continue
        for k in range(len(left)):
            left[k] = 0.0
        for code in range(kind, n_codes - 1):
            at = start + code * n_words
            if is_empty(histogram, at, n_words):
                continue
            unpack_words(histogram, at, n_words, left)
            gain = find_gain(left, total, shares, ridge)
            if gain > BEYOND_ROUNDING * best[0]:
                best[0] = gain
                best[1] = kind
                best[2] = code + 1


@inner
def scan_nominal(histogram, start, n_words, n_codes, total, shares, ridge, best, left):
    """Try every code against all others."""
    for code in range(n_codes):
        at = start + code * n_words
        if is_empty(histogram, at, n_words):
            continue
        for k in range(len(left)):
            left[k] = 0.0
        unpack_words(histogram, at, n_words, left)
        gain = find_gain(left, total, shares, ridge)
        if gain > BEYOND_ROUNDING * best[0]:
            best[0] = gain
            best[1] = EQUAL
            best[2] = code


@inner
def count_moving(total, shares, ridge):
    """Scores that the ridge does not hold, in a half of the node."""
    n_scores = shares.shape[0]
    n_moving = 0.0
    for s in range(n_scores):
        h = 0.5 * total[n_scores] * shares[s]
        n_moving += h / (h + ridge)
    return n_moving


@inner
def expect_luck(n_moving, n_codes, is_ordered, noise):
    """What the best split of a column may owe to the number of its splits, in the histogram's unit.

    The largest of c squares of normal numbers, each the sum over S scores, exceeds one of them by about
    ``2 log c + 2 sqrt(S log c)``. Neighbouring cuts are nearly the same, so that an ordered column has the root of its
    codes. Half of that is taken off: all of it cost 5 % of the log-loss where groups are many (soybean, car), nothing
    lets a column of noise hide two that tell only together (benchmarks/additive_notes.md).
    """
    log_splits = np.log(
        max(n_codes - 3.0, 1.0)
    )  # codes for missing and unseen, and the last of the others
    if is_ordered:
        log_splits *= 0.5
    return noise * (log_splits + np.sqrt(n_moving * log_splits))


@inner
def find_split(histogram, n_words, places, columns, n_codes, ordered, shares, ridge, noise, split):
    """The best split over the columns; ``split`` becomes (column, kind, cut), or (0, NO_SPLIT, 0) without one.

    ``places[k]`` is where the histogram of ``columns[k]`` begins. Sums, ``ridge`` and ``noise``, the gain that a split
    at random is expected to have, are in the histogram's unit. Columns are compared by what they gain beyond luck.
    Returns what the split gains beyond all of luck, not half of it.
    """
    n_scores = shares.shape[0]
    total = np.zeros(2 * n_words)
    left = np.empty(2 * n_words)
    best = np.zeros(3)
    sum_histogram(histogram, places[0], n_words, n_codes[columns[0]], total)
    nothing = (BEYOND_ROUNDING - 1.0) * ridge
    for s in range(n_scores):
        nothing += total[s] * total[s] / (total[n_scores] * shares[s] + ridge)
    split[0] = 0
    split[1] = NO_SPLIT
    split[2] = 0
    beyond_luck = 0.0
    beyond_all = 0.0
    n_moving = count_moving(total, shares, ridge)
    g_total = total[0]
    h_total = total[1]
    share = shares[0]
    below = np.int64(BELOW)  # for a literal numba would compile the scan once more
    for k in range(places.shape[0]):
        j = columns[k]
        start = places[k]
        n = n_codes[columns[k]]
        luck = expect_luck(n_moving, n, ordered[j], noise)
        # nothing below what another column has found is looked at more closely
        least = nothing if split[1] == NO_SPLIT else max(nothing, beyond_luck + luck)
        best[0] = least
        if n_words == 1 and ordered[j] and histogram[start + MISSING] == 0:
            # the commonest case by far: no array is handed on but the histogram
            best[0], cut = scan_one_score(
                histogram, start, n, below, g_total, h_total, share, ridge, least
            )
            best[1] = BELOW
            best[2] = cut
        elif ordered[j]:
            scan_ordered(histogram, start, n_words, n, total, shares, ridge, best, left)
        else:
            scan_nominal(histogram, start, n_words, n, total, shares, ridge, best, left)
        if best[0] > least:
            beyond_luck = best[0] - luck
            beyond_all = beyond_luck - luck - nothing
            split[0] = j
            split[1] = np.int64(best[1])
            split[2] = np.int64(best[2])
    return beyond_all
