"""Counts smoothed along the ranks of a column by a Gaussian kernel."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel
from bayfold.core.kernels.shrinkage import estimate_concentration, shrink_ratios

MOST_RANK_NODES = 257
"""Equally spaced ranks that counts are shared out to: more than the fine bins a column can have, so none is blurred."""

NODES_PER_SIGMA = 6.0
"""Wide kernels need fewer nodes: between nodes a sixth of its width apart a Gaussian is straight to 0.4 %."""

RANK_KERNEL_REACH = 4.0
"""Bandwidths after which a kernel ends."""

NARROWEST_KERNEL = 0.5
"""In distances of nodes: a narrower kernel would fall between them."""


CONVOLVED_TOGETHER = 512
"""Sums that a convolution works on together: four kilobytes, beside as much that it reads."""

LEAST_SMOOTHED = 1e-300
"""Keeps bins that no kernel reaches from dividing by zero."""

LEAST_RATIO = 1e-9
"""No group is ruled out where its kernels have ended: a Gaussian never quite does."""


@kernel
def estimate_rank_odds(tables, width, strength, odds):
    """Write the density of each group relative to all groups together, at every bin of every table.

    ``tables`` and ``odds`` have the shape (n_tables, n_bins, n_groups). Kernels have the bandwidth ``width n^(-1/5)``
    of the ranks; with a width of zero every bin stands for itself, and empty ones for those next to them. Every group
    takes ``strength`` pseudo-rows from all groups together, and its odds are scaled so that its probabilities add up to
    one. A group without rows is like all.
    """
    smoothed = np.empty(tables.shape[1:])
    for k in range(tables.shape[0]):
        margins = find_margins(tables[k], strength)
        smooth_to_odds(tables[k], margins, width, strength, smoothed, odds[k])


@inner
def find_margins(table, strength):
    """What all widths share: rows, rows of each bin, its middle rank and its share, and rows of each group.

    The last with ``strength`` pseudo-rows, shares with one that is spread over the bins.
    """
    n_bins, n_groups = table.shape
    of_bin = np.empty(n_bins)
    total = np.full(n_groups, strength)
    sum_bins(table, of_bin)
    sum_groups(table, total)
    rank = np.empty(n_bins)
    share = np.empty(n_bins)
    n = 0.0
    for b in range(n_bins):
        n += of_bin[b]
        rank[b] = n - 0.5 * of_bin[b]
    for b in range(n_bins):  # apart from the sum above, which waits for each last summand
        rank[b] /= n
        share[b] = (of_bin[b] + 1.0 / n_bins) / (n + 1.0)
    return n, of_bin, rank, share, total


@inner
def sum_groups(table, total):
    """Add the rows of each group; two groups, the most frequent case, without a loop over them."""
    n_bins, n_groups = table.shape
    if n_groups == 2:
        first = total[0]
        second = total[1]
        for b in range(n_bins):
            first += table[b, 0]
            second += table[b, 1]
        total[0] = first
        total[1] = second
    else:
        for b in range(n_bins):
            for g in range(n_groups):
                total[g] += table[b, g]


@inner
def smooth_to_odds(table, margins, width, strength, smoothed, odds):
    """The odds of one table; ``smoothed`` is room to work in."""
    own = estimate_concentration(table) if width == 0.0 else 0.0
    norm = smooth_to_ratios(table, margins, width, strength, own, smoothed, odds)
    for b in range(len(odds)):
        for g in range(len(norm)):
            odds[b, g] /= norm[g]


@inner
def smooth_to_ratios(table, margins, width, strength, concentration, smoothed, ratios):
    """The odds before they are scaled; return what each group's are to be divided by."""
    n, of_bin, rank, share, total = margins
    norm = np.full(table.shape[1], 1.0)
    if n > 0.0 and len(table) > 1:
        if width > 0.0:
            smooth_bins(table, rank, width * n**-0.2, smoothed)
        else:
            copy_to_empty_bins(table, of_bin, smoothed)
        find_ratios(smoothed, share, total, n, strength, ratios, norm)
        if width == 0.0:
            shrink_ratios(ratios, smoothed, concentration, share, norm)
    else:
        for b in range(table.shape[0]):
            for g in range(table.shape[1]):
                ratios[b, g] = 1.0
    return norm


@inner
def sum_bins(table, of_bin):
    """Sums over groups, four bins at a time, which do not wait for each other."""
    n_bins, n_groups = table.shape
    whole = n_bins - n_bins % 4
    for b in range(0, whole, 4):
        first = second = third = fourth = 0.0
        for g in range(n_groups):
            first += table[b, g]
            second += table[b + 1, g]
            third += table[b + 2, g]
            fourth += table[b + 3, g]
        of_bin[b] = first
        of_bin[b + 1] = second
        of_bin[b + 2] = third
        of_bin[b + 3] = fourth
    for b in range(whole, n_bins):
        of_bin[b] = 0.0
        for g in range(n_groups):
            of_bin[b] += table[b, g]


@inner
def copy_to_empty_bins(table, of_bin, smoothed):
    """The counts as they are; where there are none, those of the nearest bins on both sides that have some.

    A number between two others comes to lie in the bin of one of them. Held-out rows must be judged like that too: the
    bin of their own number is empty without them, and saying nothing there would hide how wrong the neighbours are.
    """
    n_bins, n_groups = table.shape
    below = -1
    for b in range(n_bins):
        if of_bin[b] > 0.0:
            below = b
        for g in range(n_groups):
            smoothed[b, g] = table[b, g]
            if below >= 0 and below < b:
                smoothed[b, g] += table[below, g]
    above = -1
    for b in range(n_bins - 1, -1, -1):
        if of_bin[b] > 0.0:
            above = b
        elif above >= 0:
            for g in range(n_groups):
                smoothed[b, g] += table[above, g]


@inner
def find_ratios(smoothed, share, total, n, strength, ratios, norm):
    """The ratios of one table of ``n`` rows from its smoothed counts, and their means.

    Dividing takes several times as long as multiplying, so it is done once for a bin and once for a group.
    """
    n_bins, n_groups = smoothed.shape
    factor = np.empty(n_bins)
    inverse = np.empty(n_groups)
    sum_bins(smoothed, factor)
    for b in range(n_bins):
        factor[b] = n / max(factor[b], LEAST_SMOOTHED)
    for g in range(n_groups):
        inverse[g] = 1.0 / total[g] if total[g] > 0.0 else 0.0
    for g in range(n_groups):
        norm[g] = 0.0
    if n_groups == 2:
        find_two_ratios(smoothed, share, factor, inverse, strength, ratios, norm)
    else:
        for b in range(n_bins):
            for g in range(n_groups):
                ratio = (smoothed[b, g] * factor[b] + strength) * inverse[g]
                ratio = ratio if ratio > LEAST_RATIO else LEAST_RATIO
                ratios[b, g] = ratio
                norm[g] += share[b] * ratio
    for g in range(n_groups):
        if inverse[g] == 0.0:  # no rows: like all groups
            norm[g] = 0.0
            for b in range(n_bins):
                ratios[b, g] = 1.0
                norm[g] += share[b]


@inner
def find_two_ratios(smoothed, share, factor, inverse, strength, ratios, norm):
    """The same of two groups, of which a loop would take longer than what is done in it."""
    of_first = inverse[0]
    of_second = inverse[1]
    first = 0.0
    second = 0.0
    for b in range(len(factor)):
        ratio = (smoothed[b, 0] * factor[b] + strength) * of_first
        other = (smoothed[b, 1] * factor[b] + strength) * of_second
        ratio = ratio if ratio > LEAST_RATIO else LEAST_RATIO
        other = other if other > LEAST_RATIO else LEAST_RATIO
        ratios[b, 0] = ratio
        ratios[b, 1] = other
        first += share[b] * ratio
        second += share[b] * other
    norm[0] = first
    norm[1] = second


@kernel
def smooth_along_ranks(table, bandwidth, smoothed):
    """Write kernel sums around the middle rank of every bin into ``smoothed``, of the shape (n_bins, n_groups).

    Bins without any count at all leave ``smoothed`` as it is: there are no ranks.
    """
    n, _, rank, _, _ = find_margins(table, 0.0)
    if n > 0.0:
        smooth_bins(table, rank, bandwidth, smoothed)


@inner
def smooth_bins(table, rank, bandwidth, smoothed):
    """The same of bins whose middle ranks are known.

    Counts are shared out between the two nodes around their rank, convolved, and read off again. The groups of a node
    lie side by side, so that the convolution of all of them is one pass however few they are.
    """
    n_bins, n_groups = table.shape
    last = find_last_node(bandwidth)
    weights = make_half_kernel(max(bandwidth * last, NARROWEST_KERNEL))
    reach = len(weights) - 1
    # zeros on both sides, so that the convolution has no ends
    mass = np.zeros((last + 1 + 2 * reach) * n_groups)
    found = np.empty((last + 1) * n_groups)
    place = np.empty(n_bins, np.int64)
    share = np.empty(n_bins)
    for b in range(n_bins):
        at = 0.0  # of NaN too: no rank, whatever the counts are, leads out of the arrays
        if rank[b] > 0.0:
            at = min(rank[b], 1.0) * last
        node = min(np.int64(at), last - 1)
        share[b] = at - node
        place[b] = node * n_groups
    share_to_nodes(table, place, share, mass[reach * n_groups :])
    convolve(mass, n_groups, weights, found)
    read_off(found, place, share, smoothed)


@inner
def share_to_nodes(table, place, share, mass):
    """Add the counts of each bin to the node at its place and to the next."""
    n_bins, n_groups = table.shape
    one, two = np.uint64(1), np.uint64(2)
    if n_groups == 2:
        for b in range(n_bins):
            at = np.uint64(place[b])
            above, below = share[b], 1.0 - share[b]
            mass[at] += table[b, 0] * below
            mass[at + one] += table[b, 1] * below
            mass[at + two] += table[b, 0] * above
            mass[at + two + one] += table[b, 1] * above
    else:
        for b in range(n_bins):
            above, below = share[b], 1.0 - share[b]
            own = mass[place[b] : place[b] + n_groups]
            next_one = mass[place[b] + n_groups : place[b] + 2 * n_groups]
            for g in range(n_groups):
                own[g] += table[b, g] * below
                next_one[g] += table[b, g] * above


@inner
def read_off(found, place, share, smoothed):
    """The way back: what each bin has of the node at its place and of the next."""
    n_bins, n_groups = smoothed.shape
    one, two = np.uint64(1), np.uint64(2)
    if n_groups == 2:
        for b in range(n_bins):
            at = np.uint64(place[b])
            above, below = share[b], 1.0 - share[b]
            smoothed[b, 0] = below * found[at] + above * found[at + two]
            smoothed[b, 1] = below * found[at + one] + above * found[at + two + one]
    else:
        for b in range(n_bins):
            above, below = share[b], 1.0 - share[b]
            own = found[place[b] : place[b] + n_groups]
            next_one = found[place[b] + n_groups : place[b] + 2 * n_groups]
            for g in range(n_groups):
                smoothed[b, g] = below * own[g] + above * next_one[g]


@inner
def find_last_node(bandwidth):
    """The number of the last node, which has rank one."""
    finest = MOST_RANK_NODES - 1
    if bandwidth * finest <= NODES_PER_SIGMA:
        return finest
    return max(np.int64(np.ceil(NODES_PER_SIGMA / bandwidth)), 1)


@inner
def make_half_kernel(sigma):
    """Weights of a Gaussian kernel at distances 0, 1, 2, ...; both halves together sum to one."""
    reach = np.int64(RANK_KERNEL_REACH * sigma + 0.5)
    weights = np.empty(reach + 1)
    total = 0.0
    for k in range(reach + 1):
        weights[k] = np.exp(-0.5 / (sigma * sigma) * (k * k))
        total += weights[k]
    whole = 2.0 * total - weights[0]
    for k in range(reach + 1):
        weights[k] /= whole
    return weights


@inner
def convolve(padded, step, weights, found):
    """Symmetric convolution of several series, of which each stands at every ``step``-th place.

    Distances in the outer loop let the inner one be vectorised, and no sum is reordered; some hundred sums at a time
    stay in the first-level cache, and four distances are added while a sum is at hand.
    """
    for start in range(0, len(found), CONVOLVED_TOGETHER):
        stop = min(start + CONVOLVED_TOGETHER, len(found))
        convolve_part(padded, step, weights, found, start, stop)


@inner
def convolve_part(padded, step, weights, found, start, stop):
    """The same of some sums that follow each other."""
    # unsigned, because indices that may be negative are tested one by one
    start = np.uint64(start)
    stop = np.uint64(stop)
    step = np.uint64(step)
    reach = np.uint64(len(weights) - 1)
    one = np.uint64(1)
    four = np.uint64(4)
    for i in range(start, stop):
        found[i] = padded[i + reach * step] * weights[0]
    k = reach
    while k >= four:
        add_four_distances(padded, step, weights, k, found, start, stop)
        k -= four
    while k >= one:
        below = (reach - k) * step
        above = (reach + k) * step
        weight = weights[k]
        for i in range(start, stop):
            found[i] += (padded[below + i] + padded[above + i]) * weight
        k -= one


@inner
def add_four_distances(padded, step, weights, k, found, start, stop):
    """Add what lies ``k`` to ``k - 3`` steps away on both sides, from the farthest to the nearest."""
    reach = np.uint64(len(weights) - 1)
    one = np.uint64(1)
    a = weights[k]
    b = weights[k - one]
    c = weights[k - one - one]
    d = weights[k - one - one - one]
    below_a = (reach - k) * step
    above_a = (reach + k) * step
    below_b = below_a + step
    above_b = above_a - step
    below_c = below_b + step
    above_c = above_b - step
    below_d = below_c + step
    above_d = above_c - step
    for i in range(start, stop):
        total = found[i] + (padded[below_a + i] + padded[above_a + i]) * a
        total += (padded[below_b + i] + padded[above_b + i]) * b
        total += (padded[below_c + i] + padded[above_c + i]) * c
        found[i] = total + (padded[below_d + i] + padded[above_d + i]) * d
