"""Shifted first and second moments per group, the statistics of a Gaussian."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.dot import add_numbers


@kernel
def measure_spread(values, weights):
    """The weighted mean of some numbers and their standard deviation about it.

    In units of the largest distance, whose square would overflow where the distance does not.
    """
    share, summands = weights / add_numbers(weights), np.empty(len(values))
    for i in range(len(values)):
        summands[i] = share[i] * values[i]
    mean, largest = add_numbers(summands), 0.0
    for i in range(len(values)):
        away = abs(values[i] - mean)
        largest = away if away > largest else largest
    unit = largest if largest > 0.0 else 1.0
    for i in range(len(values)):
        away = (values[i] - mean) / unit
        summands[i] = share[i] * away * away
    return mean, np.sqrt(add_numbers(summands)) * largest


@kernel
def sum_moments(values, columns, shift, scale, groups, weights, sums):
    """Add w, w d and w d^2 with ``d = (x - shift) / scale`` to ``sums[k, :, group]``; NaN adds nothing.

    Sums about a fixed shift can be added and subtracted, which a running mean and variance
    cannot; a shift near the mean keeps them accurate.
    """
    for i in range(values.shape[0]):
        group = groups[i]
        weight = weights[i]
        for k in range(columns.shape[0]):
            d = (values[i, columns[k]] - shift[k]) / scale[k]
            if d == d:
                sums[k, 0, group] += weight
                sums[k, 1, group] += weight * d
                sums[k, 2, group] += weight * d * d


@kernel
def sum_moments_fractional(values, columns, shift, scale, membership, sums):
    """The same where row i belongs to every group g in part, by ``membership[i, g]``."""
    for i in range(values.shape[0]):
        for k in range(columns.shape[0]):
            d = (values[i, columns[k]] - shift[k]) / scale[k]
            if d == d:
                for g in range(membership.shape[1]):
                    weight = membership[i, g]
                    sums[k, 0, g] += weight
                    sums[k, 1, g] += weight * d
                    sums[k, 2, g] += weight * d * d
