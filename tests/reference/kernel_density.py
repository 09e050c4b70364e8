"""Kernel densities by their definition: one Gaussian on every value, summed at every point."""

from __future__ import annotations

import numpy as np
from scipy.stats import norm


def kernel_density(values, weights, bandwidth, points):
    """Density at the points, normalised between the first and the last by the trapezoid rule."""
    density = np.zeros(len(points))
    for value, weight in zip(values, weights, strict=True):
        density += weight * norm.pdf(points, value, bandwidth)
    return density / np.trapezoid(density, points)


def smooth_along_ranks(table, bandwidth):
    """Kernel sums of every group around the middle rank of every bin."""
    of_bin = table.sum(axis=1)
    middle = (np.cumsum(of_bin) - of_bin / 2) / of_bin.sum()
    smoothed = np.zeros(table.shape)
    for b, at in enumerate(middle):
        for other, counts in zip(middle, table, strict=True):
            smoothed[b] += counts * norm.pdf(at, other, bandwidth)
    return smoothed
