"""C4.5's gain and gain ratio of every split of every node of a growing tree."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel
from bayfold.core.kernels.encode import FIRST_BIN

LEAST_OBJECTS = 2.0
"""C4.5's smallest branch: a multiway split needs two branches of this weight."""

MOST_OBJECTS = 25.0
"""The smallest side of a threshold need not be larger than this."""


@kernel
def weigh_splits(counts, starts, n_codes, is_ordered, is_open, least, gain, ratio, cut):
    """Write gain and gain ratio of splitting each node by each column; NaN where that is not allowed.

    ``counts[p, starts[j] + code, g]`` are the weights of a node's rows. Ordered columns are cut in two at the threshold
    with the largest gain, which goes to ``cut[p, j]``; the others have a branch for every code that occurs. With
    ``least`` above zero no branch may weigh less; otherwise C4.5's own rules hold. Missing cells scale the gain down by
    their share and are one more outcome in the split information, as in C4.5.
    """
    n_nodes, _, n_groups = counts.shape
    inside = np.empty(n_groups)
    below = np.empty(n_groups)
    for p in range(n_nodes):
        for j in range(len(starts)):
            gain[p, j] = np.nan
            ratio[p, j] = np.nan
            cut[p, j] = 0
            if not is_open[p, j]:
                continue
            first = starts[j] + FIRST_BIN
            stop = starts[j] + n_codes[j]
            silent = sum_range(counts, p, starts[j], first, inside)
            known = sum_range(counts, p, first, stop, inside)
            if known <= 0.0:
                continue
            whole = bits(inside)
            if is_ordered[j]:
                smallest = least
                if least <= 0.0:
                    smallest = min(max(0.1 * known / n_groups, LEAST_OBJECTS), MOST_OBJECTS)
                within, at = find_threshold(counts, p, first, stop, inside, below, smallest)
                if at < 0:
                    continue
                cut[p, j] = at - starts[j]
                left = sum_range(counts, p, first, at, below)
                of_outcomes = x_log_x(left) + x_log_x(known - left)
            else:
                within, of_outcomes, is_allowed = sum_branches(counts, p, first, stop, least)
                if not is_allowed:
                    continue
            total = known + silent
            gain[p, j] = (whole - within) / total
            split = (x_log_x(total) - of_outcomes - x_log_x(silent)) / total
            ratio[p, j] = gain[p, j] / split


@inner
def x_log_x(x):
    """``x log2 x``, zero at zero."""
    return x * np.log2(x) if x > 0.0 else 0.0


@inner
def sum_range(counts, p, start, stop, of_group):
    """Weights per group over a range of codes, and of all groups together."""
    of_group[:] = 0.0
    total = 0.0
    for k in range(start, stop):
        for g in range(len(of_group)):
            of_group[g] += counts[p, k, g]
            total += counts[p, k, g]
    return total


@inner
def bits(of_group):
    """Weight times entropy."""
    total = 0.0
    within = 0.0
    for g in range(len(of_group)):
        total += of_group[g]
        within += x_log_x(of_group[g])
    return x_log_x(total) - within


@inner
def sum_branches(counts, p, first, stop, least):
    """Bits within the branches, sum of w log w over them, and whether their weights are allowed."""
    within = 0.0
    of_outcomes = 0.0
    n_branches = 0
    n_large = 0
    is_allowed = True
    for k in range(first, stop):
        weight = 0.0
        inner = 0.0
        for g in range(counts.shape[2]):
            weight += counts[p, k, g]
            inner += x_log_x(counts[p, k, g])
        if weight > 0.0:
            n_branches += 1
            n_large += weight >= LEAST_OBJECTS
            is_allowed = is_allowed and weight >= least
            within += x_log_x(weight) - inner
            of_outcomes += x_log_x(weight)
    return within, of_outcomes, n_branches >= 2 and n_large >= 2 and is_allowed


@inner
def find_threshold(counts, p, first, stop, inside, below, smallest):
    """The code at which cutting leaves the fewest bits within the two sides, -1 if none is allowed."""
    n_groups = counts.shape[2]
    known = 0.0
    for g in range(n_groups):
        known += inside[g]
        below[g] = 0.0
    best = np.inf
    at = -1
    left = 0.0
    for k in range(first, stop - 1):
        weight = 0.0
        for g in range(n_groups):
            below[g] += counts[p, k, g]
            weight += counts[p, k, g]
        left += weight
        if weight <= 0.0 or left < smallest or known - left < smallest:
            continue  # behind an empty bin the same cut would be tried again
        within = x_log_x(left) + x_log_x(known - left)
        for g in range(n_groups):
            within -= x_log_x(below[g]) + x_log_x(inside[g] - below[g])
        if within < best:
            best = within
            at = k + 1
    return best, at
