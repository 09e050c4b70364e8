"""Shifted first and second moments per group, the statistics of a Gaussian."""

from __future__ import annotations

from bayfold.kernels.compiler import kernel


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
