"""Counts smoothed along the ranks of a column by a Gaussian kernel."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel

N_RANK_NODES = 257
"""Equally spaced ranks that counts are shared out to: more than the fine bins a column can have, so none is blurred."""

RANK_KERNEL_REACH = 4.0
"""Bandwidths after which a kernel ends."""

NARROWEST_KERNEL = 0.5
"""In distances of nodes: a narrower kernel would fall between them."""


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
    sigma = max(bandwidth * (N_RANK_NODES - 1), NARROWEST_KERNEL)
    weights = make_half_kernel(sigma)
    reach = len(weights) - 1
    # zeros on both sides, so that the convolution has no ends
    mass = np.zeros((n_groups, N_RANK_NODES + 2 * reach))
    node, share = np.empty(n_bins, np.int64), np.empty(n_bins)
    below = 0.0
    for b in range(n_bins):
        here = table[b].sum()
        below += here
        place = (below - 0.5 * here) / total * (N_RANK_NODES - 1)
        node[b] = min(np.int64(place), N_RANK_NODES - 2)
        share[b] = place - node[b]
        for g in range(n_groups):
            mass[g, reach + node[b]] += table[b, g] * (1.0 - share[b])
            mass[g, reach + node[b] + 1] += table[b, g] * share[b]
    found = np.empty(N_RANK_NODES)
    for g in range(n_groups):
        convolve(mass[g], weights, found)
        for b in range(n_bins):
            smoothed[b, g] = (1.0 - share[b]) * found[node[b]] + share[b] * found[node[b] + 1]


@kernel
def make_half_kernel(sigma):
    """Weights of a Gaussian kernel at distances 0, 1, 2, ...; both halves together sum to one."""
    reach = np.int64(RANK_KERNEL_REACH * sigma + 0.5)
    weights = np.exp(-0.5 / (sigma * sigma) * np.arange(reach + 1) ** 2)
    return weights / (2.0 * weights.sum() - weights[0])


@kernel
def convolve(padded, weights, found):
    """Symmetric convolution; distances in the outer loop let the inner one be vectorised, and no sum is reordered."""
    reach = len(weights) - 1
    n = len(found)
    for i in range(n):
        found[i] = padded[reach + i] * weights[0]
    for k in range(reach, 0, -1):
        weight = weights[k]
        for i in range(n):
            found[i] += (padded[reach + i - k] + padded[reach + i + k]) * weight
