"""Naive Bayes with the m-estimate, one probability at a time."""

from __future__ import annotations

import math

import numpy as np

FIRST_BIN = 2


def estimate_leaves(counts, starts, n_codes, is_used, m, all_rows):
    """Evidence and prior of every leaf."""
    n_leaves, total_codes, n_groups = counts.shape
    n_scores = 1 if n_groups == 2 else n_groups
    evidence = np.zeros((n_leaves, total_codes, n_scores))
    prior = np.zeros((n_leaves, 1, n_scores))
    for leaf in range(n_leaves):
        n_rows = [math.fsum(counts[leaf, k, g] for k in range(n_codes[0])) for g in range(n_groups)]
        prior[leaf, 0] = contrast([math.log(n + 1) for n in n_rows])
        for j, start in enumerate(starts):
            bins = range(start + FIRST_BIN, start + n_codes[j])
            known = [math.fsum(counts[leaf, k, g] for k in bins) for g in range(n_groups)]
            n_g = n_rows if all_rows else known
            for k in bins:
                n_v = math.fsum(counts[leaf, k])
                if is_used[leaf, j] or n_v == 0:
                    continue
                log_p = [
                    math.log((counts[leaf, k, g] + m * n_v / sum(n_g)) / (n_g[g] + m))
                    for g in range(n_groups)
                ]
                evidence[leaf, k] = contrast(log_p)
    return evidence, prior


def contrast(log_values):
    """The difference of two, or each less the mean."""
    if len(log_values) == 2:
        return [log_values[1] - log_values[0]]
    mean = math.fsum(log_values) / len(log_values)
    return [value - mean for value in log_values]
