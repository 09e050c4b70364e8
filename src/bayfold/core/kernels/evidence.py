"""From log-probabilities to weights of evidence, and sums of them."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel


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
        total, n_finite = 0.0, 0
        for g in range(n_groups):
            if np.isfinite(own[g]):
                total += own[g]
                n_finite += 1
        mean = total / max(n_finite, 1)
        for g in range(n_groups):
            evidence[e, g] = clip(own[g] - mean, most)


@kernel
def join_evidence(evidence, places, weights, joined):
    """Write for every row the sum of the evidence at its places, times the weights of the columns."""
    joined[:] = 0.0
    for i in range(len(places)):
        for j in range(len(weights)):
            own, weight = evidence[places[i, j]], weights[j]
            for s in range(len(own)):
                joined[i, s] += weight * own[s]


@kernel
def clip(number, most):
    """The number, or the bound that is nearest; zero for none."""
    if number != number:
        return 0.0
    return min(max(number, -most), most)
