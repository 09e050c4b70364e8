"""How well the bandwidths of a column tell the groups of rows that are held out."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.codes import FIRST_BIN
from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.dot import dot
from bayfold.core.kernels.ranks import find_margins, smooth_to_ratios, sum_bins

MULTIPLIED_TOGETHER = 16
"""Ratios between 1e-9 and the number of rows: so many of them multiplied are far from the largest float."""


@kernel
def score_rank_widths(inside, outside, log_prior, widths, strength, losses):
    """Add to ``losses[w]`` the log-loss of the rows inside each fold under the prior and this column alone.

    ``inside`` and ``outside`` are counts of the shape (n_folds, n_codes, n_groups), of which those of bins are looked
    at; ``log_prior`` has the shape (n_folds, n_groups). Densities enter as odds, so no logarithm is taken but of what
    is scored.
    """
    n_folds, n_bins, n_groups = outside.shape[0], outside.shape[1] - FIRST_BIN, outside.shape[2]
    inside_bin = np.empty(n_bins)
    smoothed, ratios = np.empty((n_bins, n_groups)), np.empty((n_bins, n_groups))
    for k in range(n_folds):
        held, rest = inside[k][FIRST_BIN:], outside[k][FIRST_BIN:]
        margins = find_margins(rest, strength)
        sum_bins(held, inside_bin)
        for w in range(len(widths)):
            norm = smooth_to_ratios(rest, margins, widths[w], strength, smoothed, ratios)
            losses[w] += sum_column_loss(held, inside_bin, ratios, norm, log_prior[k])


@kernel
def sum_column_loss(inside, inside_bin, ratios, norm, log_prior):
    """Minus the log-probability of the groups of the rows inside; odds are ``ratios / norm``.

    Most cells and bins hold one row: their odds are multiplied, and the logarithm is taken of some at a time.
    """
    n_bins, n_groups = inside.shape
    prior, of_group = np.exp(log_prior) / norm, np.zeros(n_groups)
    loss, product, n_factors, of_bins, n_bins_in = 0.0, 1.0, 0, 1.0, 0
    for b in range(n_bins):
        if inside_bin[b] <= 0.0:
            continue
        if inside_bin[b] == 1.0:
            of_bins *= dot(ratios[b], prior)
            n_bins_in += 1
            if n_bins_in == MULTIPLIED_TOGETHER:
                loss += np.log(of_bins)
                of_bins, n_bins_in = 1.0, 0
        else:
            loss += inside_bin[b] * np.log(dot(ratios[b], prior))
        for g in range(n_groups):
            of_group[g] += inside[b, g]
            if inside[b, g] == 1.0:
                product *= ratios[b, g]
                n_factors += 1
                if n_factors == MULTIPLIED_TOGETHER:
                    loss -= np.log(product)
                    product, n_factors = 1.0, 0
            elif inside[b, g] > 0.0:
                loss -= inside[b, g] * np.log(ratios[b, g])
    for g in range(n_groups):
        if of_group[g] > 0.0:
            loss -= of_group[g] * (log_prior[g] - np.log(norm[g]))
    return loss + np.log(of_bins) - np.log(product)
