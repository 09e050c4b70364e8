"""How well the bandwidths of a column tell the groups of rows that are held out."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.ranks import find_margins, smooth_to_odds, sum_bins


@kernel
def score_rank_widths(inside, outside, log_prior, widths, strength, losses):
    """Add to ``losses[w]`` the log-loss of the rows inside each fold under the prior and this column alone.

    ``inside`` and ``outside`` are counts of the shape (n_folds, n_bins, n_groups); ``log_prior`` has the shape
    (n_folds, n_groups). Densities enter as odds, so no logarithm is taken but of what is scored.
    """
    n_folds, n_bins, n_groups = outside.shape
    inside_bin = np.empty(n_bins)
    smoothed, odds = np.empty((n_bins, n_groups)), np.empty((n_bins, n_groups))
    for k in range(n_folds):
        margins = find_margins(outside[k], strength)
        sum_bins(inside[k], inside_bin)
        for w in range(len(widths)):
            smooth_to_odds(outside[k], margins, widths[w], strength, smoothed, odds)
            losses[w] += sum_column_loss(inside[k], inside_bin, odds, log_prior[k])


@kernel
def sum_column_loss(inside, inside_bin, odds, log_prior):
    """Minus the log-probability of the groups of the rows inside."""
    n_bins, n_groups = inside.shape
    prior = np.exp(log_prior)
    loss = 0.0
    for b in range(n_bins):
        if inside_bin[b] <= 0.0:
            continue
        total = 0.0
        for g in range(n_groups):
            total += odds[b, g] * prior[g]
        loss += inside_bin[b] * np.log(total)
        for g in range(n_groups):
            if inside[b, g] > 0.0:
                loss -= inside[b, g] * (np.log(odds[b, g]) + log_prior[g])
    return loss
