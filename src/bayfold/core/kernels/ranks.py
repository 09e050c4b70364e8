"""Counts smoothed along the ranks of a column by a Gaussian kernel."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel

MOST_RANK_NODES = 257
"""Equally spaced ranks that counts are shared out to: more than the fine bins a column can have, so none is blurred."""

NODES_PER_SIGMA = 6.0
"""Wide kernels need fewer nodes: between nodes a sixth of its width apart a Gaussian is straight to 0.4 %."""

RANK_KERNEL_REACH = 4.0
"""Bandwidths after which a kernel ends."""

NARROWEST_KERNEL = 0.5
"""In distances of nodes: a narrower kernel would fall between them."""


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
        n = tables[k].sum()
        if n > 0.0 and tables.shape[1] > 1:
            if width > 0.0:
                smooth_along_ranks(tables[k], width * n**-0.2, smoothed)
            else:
                copy_to_empty_bins(tables[k], smoothed)
            find_odds(tables[k], smoothed, n, strength, odds[k])
        else:
            odds[k] = 1.0


@kernel
def copy_to_empty_bins(table, smoothed):
    """The counts as they are; where there are none, those of the nearest bins on both sides that have some.

    A number between two others comes to lie in the bin of one of them. Held-out rows must be judged like that too: the
    bin of their own number is empty without them, and saying nothing there would hide how wrong the neighbours are.
    """
    n_bins = table.shape[0]
    smoothed[:] = table
    below = -1
    for b in range(n_bins):
        if table[b].sum() > 0.0:
            below = b
        elif below >= 0:
            smoothed[b] += table[below]
    above = -1
    for b in range(n_bins - 1, -1, -1):
        if table[b].sum() > 0.0:
            above = b
        elif above >= 0:
            smoothed[b] += table[above]


@kernel
def find_odds(table, smoothed, n, strength, odds):
    """The odds of one table from its smoothed counts."""
    n_bins, n_groups = table.shape
    total, norm = np.full(n_groups, strength), np.zeros(n_groups)
    for b in range(n_bins):
        total += table[b]
    for b in range(n_bins):
        pooled = max(smoothed[b].sum(), LEAST_SMOOTHED)
        share = (table[b].sum() + 1.0 / n_bins) / (n + 1.0)
        for g in range(n_groups):
            odds[b, g] = 1.0
            if total[g] > 0.0:
                ratio = (smoothed[b, g] * n / pooled + strength) / total[g]
                odds[b, g] = max(ratio, LEAST_RATIO)
            norm[g] += share * odds[b, g]
    for b in range(n_bins):
        for g in range(n_groups):
            odds[b, g] /= norm[g]


@kernel
def smooth_along_ranks(table, bandwidth, smoothed):
    """Write kernel sums around the middle rank of every bin into ``smoothed``, of the shape (n_bins, n_groups).

    Counts are shared out between the two nodes around their rank, convolved, and read off again. Bins without any
    count at all leave ``smoothed`` as it is: there are no ranks.
    """
    n_bins, n_groups = table.shape
    total = table.sum()
    if total <= 0.0:
        return
    last = find_last_node(bandwidth)
    sigma = max(bandwidth * last, NARROWEST_KERNEL)
    weights = make_half_kernel(sigma)
    reach = len(weights) - 1
    # zeros on both sides, so that the convolution has no ends
    mass = np.zeros((n_groups, last + 1 + 2 * reach))
    node, share = np.empty(n_bins, np.int64), np.empty(n_bins)
    below = 0.0
    for b in range(n_bins):
        here = table[b].sum()
        below += here
        place = (below - 0.5 * here) / total * last
        node[b] = min(np.int64(place), last - 1)
        share[b] = place - node[b]
        for g in range(n_groups):
            mass[g, reach + node[b]] += table[b, g] * (1.0 - share[b])
            mass[g, reach + node[b] + 1] += table[b, g] * share[b]
    found = np.empty(last + 1)
    for g in range(n_groups):
        convolve(mass[g], weights, found)
        for b in range(n_bins):
            smoothed[b, g] = (1.0 - share[b]) * found[node[b]] + share[b] * found[node[b] + 1]


@kernel
def find_last_node(bandwidth):
    """The number of the last node, which has rank one."""
    finest = MOST_RANK_NODES - 1
    if bandwidth * finest <= NODES_PER_SIGMA:
        return finest
    return max(np.int64(np.ceil(NODES_PER_SIGMA / bandwidth)), 1)


@kernel
def make_half_kernel(sigma):
    """Weights of a Gaussian kernel at distances 0, 1, 2, ...; both halves together sum to one."""
    reach = np.int64(RANK_KERNEL_REACH * sigma + 0.5)
    weights = np.exp(-0.5 / (sigma * sigma) * np.arange(reach + 1) ** 2)
    return weights / (2.0 * weights.sum() - weights[0])


@kernel
def convolve(padded, weights, found):
    """Symmetric convolution; distances in the outer loop let the inner one be vectorised, and no sum is reordered."""
    reach, n = len(weights) - 1, len(found)
    centre = padded[reach : reach + n]
    for i in range(n):
        found[i] = centre[i] * weights[0]
    for k in range(reach, 0, -1):
        below, above = padded[reach - k : reach - k + n], padded[reach + k : reach + k + n]
        weight = weights[k]
        for i in range(n):
            found[i] += (below[i] + above[i]) * weight
