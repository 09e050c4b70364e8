"""The log-loss of a bandwidth where groups are many and each has a handful of rows.

Smoothing is linear, and odds are linear in smoothed counts unless they are bounded: what all groups and all bins are
to be divided by are then sums over the rows, and smoothed counts are needed only where held-out rows lie. So the work
grows with the rows, and not with the number of groups times that of bins.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner
from bayfold.core.kernels.ranks import (
    LEAST_RATIO,
    LEAST_SMOOTHED,
    NARROWEST_KERNEL,
    find_last_node,
    make_half_kernel,
    smooth_bins,
)
from bayfold.families.naive_bayes.kernels.held_out import sum_logs

PAIRS_PER_GROUP = 500
"""Held-out cells times counts of their group, per group: of more, smoothing all groups takes less time."""


@inner
def list_groups(table):
    """The bins in which each group has rows, one group after the other; how many rows; where each group begins."""
    n_bins, n_groups = table.shape
    begin = np.zeros(n_groups + 1, np.int64)
    for b in range(n_bins):
        for g in range(n_groups):
            begin[g + 1] += table[b, g] > 0.0
    begin = np.cumsum(begin)
    bins = np.empty(begin[-1], np.int64)
    rows = np.empty(begin[-1])
    at = begin.copy()
    for b in range(n_bins):
        for g in range(n_groups):
            if table[b, g] > 0.0:
                bins[at[g]], rows[at[g]] = b, table[b, g]
                at[g] += 1
    return bins, rows, begin


@inner
def are_few(cells, groups, total, strength):
    """Whether to go by rows: no odds are bounded, and few counts of its group are near a held-out row."""
    n_groups = len(total)
    begin = groups[2]
    if strength <= LEAST_RATIO * total.max():
        return False
    n_pairs = 0
    for places in (cells[0], cells[1]):
        for place in places:
            g = place % n_groups
            n_pairs += begin[g + 1] - begin[g]
    return n_pairs <= PAIRS_PER_GROUP * n_groups


@inner
def sum_sparse_loss(held, groups, margins, width, strength, concentration, log_prior):
    """Minus the log-probability of the groups of the rows held out, as ``sum_column_loss`` of all ratios.

    Ratios are drawn towards one by ``concentration``, which is zero for widths above zero.
    """
    of_bins, cells, of_group = held
    n, rows_of_bin, rank, share, total = margins
    bins, rows, begin = groups
    n_groups = len(total)
    of_bin = smooth_one(rows_of_bin, rows_of_bin, rank, width, n)
    trust = of_bin / np.maximum(of_bin + concentration, LEAST_SMOOTHED)
    factor = trust * (n / np.maximum(of_bin, LEAST_SMOOTHED))
    added = trust * strength
    back = smooth_back(share * factor, rows_of_bin, rank, width, n)
    norm = share @ added + (share @ (1.0 - trust)) * total
    belief = np.empty(n_groups)
    means = np.zeros(len(rank))
    for g in range(n_groups):
        for i in range(begin[g], begin[g + 1]):
            norm[g] += rows[i] * back[bins[i]]
        norm[g] /= total[g]
        belief[g] = np.exp(log_prior[g]) / (norm[g] * total[g])
        for i in range(begin[g], begin[g + 1]):
            means[bins[i]] += belief[g] * rows[i]
    means = smooth_one(means, rows_of_bin, rank, width, n) * factor + added * belief.sum()
    means += (1.0 - trust) * (belief @ total)
    loss = sum_logs(of_bins, means)
    near = find_nodes_of_bins(rows_of_bin, rank, width, n)
    single, several, times = cells
    for i in range(len(single) + len(several)):
        is_single = i < len(single)
        cell = single[i] if is_single else several[i - len(single)]
        b = cell // n_groups
        g = cell % n_groups
        odds = (smooth_at(b, groups, g, near) * factor[b] + added[b]) / total[g] + 1.0 - trust[b]
        loss -= np.log(odds) * (1.0 if is_single else times[i - len(single)])
    for g in range(n_groups):
        if of_group[g] > 0.0:
            loss -= of_group[g] * (log_prior[g] - np.log(norm[g]))
    return loss


@inner
def smooth_one(counts, rows_of_bin, rank, width, n):
    """One series of counts, smoothed along the ranks of the bins; of a width of zero as ``copy_to_empty_bins`` does."""
    smoothed = counts.copy()
    if width > 0.0:
        smooth_bins(counts.reshape(-1, 1), rank, width * n**-0.2, smoothed.reshape(-1, 1))
        return smoothed
    below, above = find_neighbours(rows_of_bin)
    for b in range(len(counts)):
        if below[b] != b:
            smoothed[b] = counts[below[b]] if below[b] >= 0 else 0.0
            smoothed[b] += counts[above[b]] if above[b] >= 0 else 0.0
    return smoothed


@inner
def smooth_back(numbers, rows_of_bin, rank, width, n):
    """What each bin's count adds to the sum over bins of ``numbers`` times smoothed counts."""
    if width > 0.0:  # a bin is as near to another as the other to it
        return smooth_one(numbers, rows_of_bin, rank, width, n)
    found = numbers.copy()
    below, above = find_neighbours(rows_of_bin)
    for b in range(len(numbers)):
        if below[b] != b:
            if below[b] >= 0:
                found[below[b]] += numbers[b]
            if above[b] >= 0:
                found[above[b]] += numbers[b]
    return found


@inner
def find_neighbours(rows_of_bin):
    """The nearest bins on both sides that hold rows, or -1; of a bin that does, itself."""
    n_bins = len(rows_of_bin)
    below = np.empty(n_bins, np.int64)
    above = np.empty(n_bins, np.int64)
    last = -1
    for b in range(n_bins):
        last = b if rows_of_bin[b] > 0.0 else last
        below[b] = last
    last = -1
    for b in range(n_bins - 1, -1, -1):
        last = b if rows_of_bin[b] > 0.0 else last
        above[b] = last
    return below, above


@inner
def find_nodes_of_bins(rows_of_bin, rank, width, n):
    """The node below each bin, how far it is from there, and the kernel; for a width of zero the neighbours."""
    if width > 0.0:
        bandwidth = width * n**-0.2
        last = find_last_node(bandwidth)
        weights = make_half_kernel(max(bandwidth * last, NARROWEST_KERNEL))
        node = np.empty(len(rank), np.int64)
        share = np.empty(len(rank))
        for b in range(len(rank)):
            node[b] = min(np.int64(rank[b] * last), last - 1)
            share[b] = rank[b] * last - node[b]
        # beyond its reach a kernel is zero, as far as two nodes can be apart
        reached = np.zeros(last + 2)
        for k in range(min(len(weights), last + 2)):
            reached[k] = weights[k]
        return node, node, share, reached
    below, above = find_neighbours(rows_of_bin)
    return below, above, np.empty(0), np.empty(0)


@inner
def smooth_at(b, groups, g, kernel_of):
    """The smoothed count of a group in one bin."""
    bins, rows, begin = groups
    first, second, share, weights = kernel_of
    smoothed = 0.0
    for i in range(begin[g], begin[g + 1]):
        other = bins[i]
        if len(weights) == 0:
            near = first[b] == other or second[b] == other
            smoothed += rows[i] if near else 0.0
            continue
        apart = first[b] - first[other]
        # between the two nodes of the one and the two of the other
        both = (1.0 - share[b]) * (1.0 - share[other]) + share[b] * share[other]
        mixed = both * weights[abs(apart)]
        mixed += (1.0 - share[b]) * share[other] * weights[abs(apart - 1)]
        mixed += share[b] * (1.0 - share[other]) * weights[abs(apart + 1)]
        smoothed += rows[i] * mixed
    return smoothed
