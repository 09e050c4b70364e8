"""How well the bandwidths of a column tell the groups of rows that are held out."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.ranks import estimate_rank_odds


@kernel
def score_rank_widths(inside, outside, log_prior, widths, strength, losses):
    """Add to ``losses[w]`` the log-loss of the rows inside each fold under the prior and this column alone.

    ``inside`` and ``outside`` are counts of the shape (n_folds, n_bins, n_groups); ``log_prior`` has the shape
    (n_folds, n_groups). Densities enter as odds, so no logarithm is taken but of what is scored.
    """
    odds = np.empty(outside.shape)
    for w in range(len(widths)):
        estimate_rank_odds(outside, widths[w], strength, odds)
        for k in range(outside.shape[0]):
            losses[w] += sum_column_loss(inside[k], odds[k], log_prior[k])


@kernel
def sum_column_loss(inside, odds, log_prior):
    """Minus the log-probability of the groups of the rows inside."""
    n_bins, n_groups = inside.shape
    prior = np.exp(log_prior)
    loss = 0.0
    for b in range(n_bins):
        here = inside[b].sum()
        if here <= 0.0:
            continue
        total = 0.0
        for g in range(n_groups):
            total += odds[b, g] * prior[g]
        loss += here * np.log(total)
        for g in range(n_groups):
            if inside[b, g] > 0.0:
                loss -= inside[b, g] * (np.log(odds[b, g]) + log_prior[g])
    return loss
