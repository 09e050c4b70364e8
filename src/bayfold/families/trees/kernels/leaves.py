"""From counts to the evidence of many naive Bayes models at once, one per leaf of a tree."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.codes import FIRST_BIN
from bayfold.core.kernels.compiler import kernel


@kernel
def estimate_leaves(counts, starts, n_codes, is_used, m, all_rows, evidence, prior):
    """Write the weights of evidence of every leaf, and its prior to ``prior[l, 0]``.

    ``counts[l, starts[j] + code, g]`` is the weight of a leaf's rows. The probability of a value is
    ``(n_vg + m n_v / n) / (n_g + m)``, where n and n_g count all rows of the leaf if ``all_rows`` and
    otherwise those in which the cell is known; the prior is by Laplace's rule. ``is_used[l, j]`` marks columns that
    were split by on the way to the leaf: like missing cells and values that do not occur in it, they say nothing.
    """
    n_leaves, _, n_groups = counts.shape
    weights = np.empty(n_groups)
    of_group = np.empty(n_groups)
    for leaf in range(n_leaves):
        sum_codes(counts, leaf, 0, n_codes[0], of_group)
        for g in range(n_groups):
            weights[g] = np.log(of_group[g] + 1.0)
        write_contrast(weights, prior, leaf, 0)
        for j in range(len(starts)):
            if is_used[leaf, j]:
                continue
            start, stop = starts[j] + FIRST_BIN, starts[j] + n_codes[j]
            sum_codes(counts, leaf, start if not all_rows else starts[j], stop, of_group)
            estimate_column(counts, leaf, start, stop, of_group, m, weights, evidence)


@kernel
def sum_codes(counts, leaf, start, stop, of_group):
    """Weight of each group over a range of codes."""
    of_group[:] = 0.0
    for k in range(start, stop):
        for g in range(len(of_group)):
            of_group[g] += counts[leaf, k, g]


@kernel
def estimate_column(counts, leaf, start, stop, of_group, m, weights, evidence):
    """Evidence of the values of one column."""
    n_groups = len(of_group)
    total = 0.0
    for g in range(n_groups):
        total += of_group[g]
    for k in range(start, stop):
        of_value = 0.0
        for g in range(n_groups):
            of_value += counts[leaf, k, g]
        if of_value > 0.0:
            expected = m * of_value / total
            for g in range(n_groups):
                weights[g] = np.log((counts[leaf, k, g] + expected) / (of_group[g] + m))
            write_contrast(weights, evidence, leaf, k)


@kernel
def write_contrast(log_values, out, leaf, k):
    """Two groups: their difference; more: each less the mean over groups."""
    n_groups = len(log_values)
    if out.shape[2] == 1 and n_groups == 2:
        out[leaf, k, 0] = log_values[1] - log_values[0]
    else:
        mean = 0.0
        for g in range(n_groups):
            mean += log_values[g]
        mean /= n_groups
        for g in range(n_groups):
            out[leaf, k, g] = log_values[g] - mean
