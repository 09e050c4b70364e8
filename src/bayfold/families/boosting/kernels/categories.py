"""Evidence of the categories of one column, counted on rows other than the row's own part of the table.

Each row belongs to a part, and what its category says to it is counted on the other parts alone, so no row is told its
own label. Counts are those of some neighbouring categories, from ``first`` on.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel


@kernel
def count_parts(codes, labels, weights, part_of, first, counts):
    """Add the weight of each row to ``counts[category, part, label]``."""
    for i in range(len(codes)):
        v = np.int64(codes[i]) - first
        if 0 <= v < counts.shape[0]:
            counts[v, part_of[i], labels[i]] += weights[i]


@kernel
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
    outside, nothing = np.empty(prior.shape[0]), np.zeros(2, np.int64)
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
    outside, evidence = np.empty(n_groups), np.zeros(counts.shape)
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
