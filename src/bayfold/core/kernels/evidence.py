"""From log-probabilities to weights of evidence, and sums of them."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.dot import add_numbers
from bayfold.core.kernels.fused import multiply_add

GROUPS_FOR_EIGHT = 64
"""From so many groups on eight columns are read together: more than a cache line of each, and few are still near."""


@kernel
def centre_evidence(log_values, most, evidence):
    """Write the weights of evidence of log-probabilities with one column per group, none beyond ``most``.

    Two groups: the second less the first, one column. More: each less the mean of those that are finite. What is
    impossible in all groups says nothing.
    """
    n_entries, n_groups = log_values.shape
    for e in range(n_entries):
        own = log_values[e]
        if n_groups == 2:
            evidence[e, 0] = clip(own[1] - own[0], most)
            continue
        total, n_finite = add_numbers(own), n_groups
        if np.isfinite(total):  # as nearly always
            mean, to = total / n_groups, evidence[e]
            for g in range(n_groups):
                number = own[g] - mean
                number = most if number > most else number
                to[g] = -most if number < -most else number
            continue
        total, n_finite = 0.0, 0
        for g in range(n_groups):
            if np.isfinite(own[g]):
                total += own[g]
                n_finite += 1
        mean = total / max(n_finite, 1)
        for g in range(n_groups):
            evidence[e, g] = clip(own[g] - mean, most)


@kernel
def find_code_places(codes, rows, fold_of, columns, starts, n_codes, places):
    """Write to ``places[i, columns[k]]`` where the evidence of ``codes[rows[i], k]`` in the fold of row i lies.

    The tables of column k, one for each fold, begin at ``starts[k]``. Rows of no fold (-1) are left out.
    """
    for i in range(len(rows)):
        fold, own = fold_of[i], codes[rows[i]]
        if fold < 0:
            continue
        for k in range(len(columns)):
            places[i, columns[k]] = starts[k] + fold * n_codes[k] + own[k]


@kernel
def join_evidence(evidence, places, weights, joined):
    """Write for every row the sum of the evidence at its places, times the weights of the columns."""
    joined[:] = 0.0
    for i in range(len(places)):
        add_evidence(evidence, places[i], weights, joined[i])


@kernel
def add_evidence(evidence, places, weights, sums):
    """Add to ``sums`` the evidence at the places of one row, times the weights of the columns.

    Several columns at a time, in their order: sums of a few groups are soon made, and starting on them is what takes
    time; the evidence of many groups is far away, and that of eight columns is on its way together.
    """
    n_columns, n_scores = len(places), len(sums)
    by_eight = n_columns - n_columns % 8 if n_scores >= GROUPS_FOR_EIGHT else 0
    for j in range(0, by_eight, 8):
        a, b = evidence[places[j]], evidence[places[j + 1]]
        c, d = evidence[places[j + 2]], evidence[places[j + 3]]
        e, f = evidence[places[j + 4]], evidence[places[j + 5]]
        g, h = evidence[places[j + 6]], evidence[places[j + 7]]
        of_a, of_b, of_c, of_d = weights[j], weights[j + 1], weights[j + 2], weights[j + 3]
        of_e, of_f, of_g, of_h = weights[j + 4], weights[j + 5], weights[j + 6], weights[j + 7]
        for s in range(n_scores):
            half = multiply_add(of_b, b[s], multiply_add(of_a, a[s], sums[s]))
            half = multiply_add(of_d, d[s], multiply_add(of_c, c[s], half))
            half = multiply_add(of_f, f[s], multiply_add(of_e, e[s], half))
            sums[s] = multiply_add(of_h, h[s], multiply_add(of_g, g[s], half))
    whole = n_columns - n_columns % 4
    for j in range(by_eight, whole, 4):
        a, b = evidence[places[j]], evidence[places[j + 1]]
        c, d = evidence[places[j + 2]], evidence[places[j + 3]]
        of_a, of_b, of_c, of_d = weights[j], weights[j + 1], weights[j + 2], weights[j + 3]
        for s in range(n_scores):
            half = multiply_add(of_b, b[s], multiply_add(of_a, a[s], sums[s]))
            sums[s] = multiply_add(of_d, d[s], multiply_add(of_c, c[s], half))
    for j in range(whole, n_columns):
        own, weight = evidence[places[j]], weights[j]
        for s in range(n_scores):
            sums[s] = multiply_add(weight, own[s], sums[s])


@kernel
def clip(number, most):
    """The number, or the bound that is nearest; zero for none."""
    if number != number:
        return 0.0
    return min(max(number, -most), most)
