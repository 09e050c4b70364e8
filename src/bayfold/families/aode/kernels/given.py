"""Counts of pairs to log-probabilities of one value given another."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel


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
