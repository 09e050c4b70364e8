"""Rows left out of their own evidence."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel
from bayfold.core.kernels.dot import dot

LEAST_RATIO_TO_MARGINAL = 1e-9
"""Smallest density, in units of the column's range: a value nobody came near says little, not everything."""

LARGEST_PRODUCT = 1e100
"""Products of densities are taken up to here: one more factor neither overflows nor vanishes."""

EMPTY_MARGINAL = 1e-290
"""Keeps an empty marginal from dividing by zero and is lost beside any real one."""


CROWDED = 6
"""From one place in so many on the whole product is taken; a guess at where both cost the same."""


@inner
def bounded_ratio(joint, marginal):
    """Density from sums that rounding may have left below zero."""
    return max(joint, 0.0) / (max(marginal, 0.0) + EMPTY_MARGINAL) + LEAST_RATIO_TO_MARGINAL


@inner
def log_ratio(joint, marginal):
    """Log-density from sums."""
    return np.log(bounded_ratio(joint, marginal))


@kernel
def fill_log_ratios(joint, marginal, table):
    """Write the log-density of every bin at every grid point."""
    n_bins, n_grid = joint.shape
    for b in range(n_bins):
        for g in range(n_grid):
            table[b, g] = log_ratio(joint[b, g], marginal[g])


@kernel
def score_bins_left_out(
    by_bin, near, marginal, heights, bins, cells, weights, own, added, pseudo_rows
):
    """Log-likelihood of the bins of rows given their target cells, each from all rows but one of its own place.

    In place i there are ``weights[i]`` rows, of bin ``bins[i]`` and cell ``cells[i]``, and one weighs ``own[i]``. The
    joint sums are ``by_bin @ near``, of which only the places with a row are needed.
    """
    # where most places have a row, the whole product is faster than its elements one by one
    is_crowded = len(bins) * CROWDED > by_bin.shape[0] * near.shape[0]
    whole = np.dot(by_bin, np.ascontiguousarray(near.T)) if is_crowded else np.empty((0, 0))
    score = 0.0
    product = 1.0
    for i in range(bins.shape[0]):
        if is_crowded:
            near_by = whole[bins[i], cells[i]]
        else:
            near_by = dot(by_bin[bins[i]], near[cells[i]])
        itself = own[i]
        joint = near_by - heights[bins[i]] * itself + added[bins[i]]
        ratio = bounded_ratio(joint, marginal[cells[i]] - itself + pseudo_rows)
        if weights[i] != 1.0:
            score += weights[i] * np.log(ratio)
            continue
        # of single rows, the log of a product: logs cost more than all else
        product *= ratio
        if not 1.0 / LARGEST_PRODUCT < product < LARGEST_PRODUCT:
            score += np.log(product)
            product = 1.0
    return score + np.log(product)


@kernel
def add_left_out(joint, marginal, along_grid, heights, bins, cells, own_weights, evidence):
    """Add ``log p(bin | grid point)`` of rows, each from all rows but itself, less the highest of the row.

    A row of weight one in cell c adds ``along_grid[c]`` to the marginal sums, and ``heights[b]`` times that to the
    joint ones of its bin b. Nothing is added where the bin is negative.
    """
    n_grid = marginal.shape[0]
    log_p = np.empty(n_grid)
    for i in range(bins.shape[0]):
        if bins[i] < 0:
            continue
        itself = own_weights[i]
        of_bin = joint[bins[i]]
        row = evidence[i]
        own = along_grid[cells[i]]
        height = heights[bins[i]]
        for g in range(n_grid):
            added = own[g] * itself
            log_p[g] = log_ratio(of_bin[g] - height * added, marginal[g] - added)
        top = log_p.max()
        for g in range(n_grid):
            row[g] += log_p[g] - top
