"""Shifted first and second moments per group, the statistics of a Gaussian."""

from __future__ import annotations

from bayfold.core.kernels.compiler import kernel


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
