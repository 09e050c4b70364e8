"""Kernels of pairs of columns: counts, log-probabilities of one value given another, and scores of AODE.

A *position* numbers the values of all columns one behind the other; -1 is a cell that says nothing.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel

NOWHERE = -1
"""The position of a cell that says nothing."""


TURNED_TOGETHER = 64
"""Values that are turned over together: rows and columns of a tile stay in the second-level cache."""


@kernel
def update_other_half(pairs):
    """Write ``pairs[p, q]`` to ``pairs[q, p]`` for every p below q."""
    n_values, _, n_groups = pairs.shape
    for first in range(0, n_values, TURNED_TOGETHER):
        for second in range(first, n_values, TURNED_TOGETHER):
            for p in range(first, min(first + TURNED_TOGETHER, n_values)):
                for q in range(max(second, p + 1), min(second + TURNED_TOGETHER, n_values)):
                    for g in range(n_groups):
                        pairs[q, p, g] = pairs[p, q, g]


@kernel
def update_to_log_given(pairs, column_of, added, log_added, log_of_parent, log_naive):
    """Turn counts ``pairs[p, q, g]`` into log-probabilities of q given p and the group, in their place.

    ``added[q, g]`` are pseudo-rows, ``log_of_parent[p, column_of[q], g]`` is the log of all rows with theirs. Most
    values never meet: the logarithm of what they have is ``log_added``, taken once for each q. Where p and the group
    tell nothing of q's column, which happens only without smoothing, ``log_naive`` is left.
    """
    n_values, _, n_groups = pairs.shape
    for p in range(n_values):
        for q in range(n_values):
            of_parent = log_of_parent[p, column_of[q]]
            for g in range(n_groups):
                log_count = log_added[q, g]
                if pairs[p, q, g] > 0.0:
                    log_count = np.log(pairs[p, q, g] + added[q, g])
                found = log_count - of_parent[g]
                pairs[p, q, g] = found if found == found else log_naive[q, g]


@kernel
def count_pairs(positions, groups, weights, counts):
    """Add the weight of each row to ``counts[p, q, group]`` for the positions p, q of its pairs of cells.

    Only pairs in the order of the columns: the other half is the mirror image.
    """
    n_rows, n_columns = positions.shape
    known = np.empty(n_columns, np.int64)
    for i in range(n_rows):
        group = groups[i]
        weight = weights[i]
        n_known = 0
        for j in range(n_columns):
            known[n_known] = positions[i, j]
            n_known += positions[i, j] != NOWHERE
        for a in range(n_known):
            for b in range(a + 1, n_known):
                counts[known[a], known[b], group] += weight


@kernel
def score_one_dependence(positions, is_parent, log_joint, log_given, log_prior, log_naive, scores):
    """Add ``log mean over parents p of exp(log_joint[p] + sum of log_given[p, q])`` per group.

    The mean runs over the cells of a row that may be parents (``is_parent[p]``), the sum over its other cells.
    A row without a parent gets the naive ``log_prior + sum of log_naive[q]``.
    """
    n_rows, n_columns = positions.shape
    n_groups = scores.shape[1]
    known = np.empty(n_columns, np.int64)
    log_one = np.empty((n_columns, n_groups))
    for i in range(n_rows):
        n_known = 0
        n_parents = 0
        for j in range(n_columns):
            known[n_known] = positions[i, j]
            n_known += positions[i, j] != NOWHERE
        for a in range(n_known):
            p = known[a]
            if not is_parent[p]:
                continue
            for g in range(n_groups):
                log_one[n_parents, g] = log_joint[p, g]
            for b in range(n_known):
                q = known[b]
                if b != a:
                    for g in range(n_groups):
                        log_one[n_parents, g] += log_given[p, q, g]
            n_parents += 1
        for g in range(n_groups):
            if n_parents == 0:
                scores[i, g] += log_prior[g]
                for b in range(n_known):
                    scores[i, g] += log_naive[known[b], g]
            else:
                scores[i, g] += log_mean_exp(log_one, n_parents, g)


@inner
def log_mean_exp(log_values, n, g):
    """The log of the mean of exponentials of the first ``n`` entries of column ``g``."""
    top = -np.inf
    for a in range(n):
        top = max(top, log_values[a, g])
    if top == -np.inf:  # impossible with every parent
        return top
    total = 0.0
    for a in range(n):
        total += np.exp(log_values[a, g] - top)
    return top + np.log(total / n)
