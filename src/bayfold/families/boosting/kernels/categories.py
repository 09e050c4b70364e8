"""Evidence of the categories of one column, counted on rows other than the row's own part of the table.

Rows of a category lie together: ``order[starts[v] : starts[v + 1]]``. Each row belongs to a part, and what its
category says to it is counted on the other parts alone, so no row is told its own label.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel


@kernel
def count_category(order, starts, v, labels, weights, part_of, counts):
    """Write the weight of the rows of category v by part and label; return these rows."""
    members = order[starts[v] : starts[v + 1]]
    counts[:] = 0.0
    for i in members:
        counts[part_of[i], labels[i]] += weights[i]
    return members


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
def sum_category_gains(order, starts, labels, weights, part_of, n_parts, prior, strengths, gains):
    """Add up over all rows by how much less the category surprises than the prior does, and its square.

    ``gains[0, k]`` and ``gains[1, k]`` are the sums with so many rows of the prior as ``strengths[k]``.
    """
    counts, outside = np.empty((n_parts, prior.shape[0])), np.empty(prior.shape[0])
    nothing = np.zeros(2, np.int64)
    for v in range(starts.shape[0] - 1):
        count_category(order, starts, v, labels, weights, part_of, counts)
        for part in range(n_parts):
            if counts[part].sum() == 0.0:
                continue
            total = count_outside(counts, nothing, part, outside)
            for c in range(prior.shape[0]):
                if counts[part, c] > 0.0:
                    for k in range(strengths.shape[0]):
                        m = strengths[k]
                        p = (outside[c] + m * prior[c]) / (total + m)
                        gain = np.log(p / prior[c])
                        gains[0, k] += counts[part, c] * gain
                        gains[1, k] += counts[part, c] * gain * gain


@kernel
def add_category_evidence(
    order, starts, labels, weights, part_of, n_parts, left_out, prior, strength, scores
):
    """Add to the scores of every row what its category says: log-odds of two groups, otherwise a log-ratio per group.

    Counted outside its own part and outside the run of parts ``left_out`` (start, stop).
    """
    n_groups = prior.shape[0]
    counts, outside = np.empty((n_parts, n_groups)), np.empty(n_groups)
    evidence = np.zeros((n_parts, n_groups))
    for v in range(starts.shape[0] - 1):
        members = count_category(order, starts, v, labels, weights, part_of, counts)
        for part in range(n_parts):
            if counts[part].sum() == 0.0:
                continue
            total = count_outside(counts, left_out, part, outside)
            for c in range(n_groups):
                p = (outside[c] + strength * prior[c]) / (total + strength)
                evidence[part, c] = np.log(p / prior[c])
        for i in members:
            if n_groups == 2:
                scores[i, 0] += evidence[part_of[i], 1] - evidence[part_of[i], 0]
            else:
                for c in range(n_groups):
                    scores[i, c] += evidence[part_of[i], c]
