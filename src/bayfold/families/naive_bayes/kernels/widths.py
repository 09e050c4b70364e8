"""How well the bandwidths of a column tell the groups of rows that are held out."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel
from bayfold.core.kernels.dot import dot
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.kernels.ranks import find_margins, smooth_to_ratios
from bayfold.core.kernels.shrinkage import estimate_concentration
from bayfold.families.naive_bayes.kernels.held_out import list_held_out, sum_logs
from bayfold.families.naive_bayes.kernels.sparse_widths import (
    are_few,
    list_groups,
    sum_sparse_loss,
)


@kernel
def score_rank_widths(inside, outside, log_prior, widths, strength, losses):
    """Add to ``losses[w]`` the log-loss of the rows inside each fold under the prior and this column alone.

    ``inside`` and ``outside`` are counts of the shape (n_folds, n_codes, n_groups), of which those of bins are looked
    at; ``log_prior`` has the shape (n_folds, n_groups). Densities enter as odds, so no logarithm is taken but of what
    is scored.
    """
    n_bins = outside.shape[1] - FIRST_BIN
    n_groups = outside.shape[2]
    smoothed = np.empty((n_bins, n_groups))
    ratios = np.empty((n_bins, n_groups))
    own = estimate_concentration(outside[0][FIRST_BIN:])  # all folds share nearly all rows
    for k in range(outside.shape[0]):
        held = list_held_out(inside[k][FIRST_BIN:])
        rest = outside[k][FIRST_BIN:]
        margins = find_margins(rest, strength)
        for w in range(len(widths)):
            norm = smooth_to_ratios(rest, margins, widths[w], strength, own, smoothed, ratios)
            losses[w] += sum_column_loss(held, ratios, norm, log_prior[k])


@kernel
def score_widths_of_many(inside, outside, log_prior, widths, strength, losses):
    """The same of many groups, by rows where these are few: a kernel apart, which takes three times as long to compile.

    With fewer than some hundred, each has so many rows that nothing is gained by going from row to row.
    """
    n_folds = outside.shape[0]
    n_bins = outside.shape[1] - FIRST_BIN
    n_groups = outside.shape[2]
    smoothed = np.empty((n_bins, n_groups))
    ratios = np.empty((n_bins, n_groups))
    own = estimate_concentration(outside[0][FIRST_BIN:])  # all folds share nearly all rows
    for k in range(n_folds):
        held = list_held_out(inside[k][FIRST_BIN:])
        rest = outside[k][FIRST_BIN:]
        margins = find_margins(rest, strength)
        if n_bins > 1 and margins[0] > 0.0:
            groups = list_groups(rest)
            if are_few(held[1], groups, margins[-1], strength):
                for w in range(len(widths)):
                    rows = held, groups, margins
                    drawn = own if widths[w] == 0.0 else 0.0
                    losses[w] += sum_sparse_loss(*rows, widths[w], strength, drawn, log_prior[k])
                continue
        for w in range(len(widths)):
            norm = smooth_to_ratios(rest, margins, widths[w], strength, own, smoothed, ratios)
            losses[w] += sum_column_loss(held, ratios, norm, log_prior[k])


@inner
def sum_column_loss(held, ratios, norm, log_prior):
    """Minus the log-probability of the groups of the rows held out; odds are ``ratios / norm``."""
    bins, cells, of_group = held
    n_bins, n_groups = ratios.shape
    prior = np.empty(n_groups)
    means = np.empty(n_bins)
    for g in range(n_groups):
        prior[g] = np.exp(log_prior[g]) / norm[g]
    if n_groups == 2:
        first = prior[0]
        second = prior[1]
        for b in range(n_bins):
            means[b] = ratios[b, 0] * first + ratios[b, 1] * second
    else:
        for b in bins[0]:
            means[b] = dot(ratios[b], prior)
        for b in bins[1]:
            means[b] = dot(ratios[b], prior)
    loss = sum_logs(bins, means) - sum_logs(cells, ratios.reshape(ratios.size))
    for g in range(n_groups):
        if of_group[g] > 0.0:
            loss -= of_group[g] * (log_prior[g] - np.log(norm[g]))
    return loss
