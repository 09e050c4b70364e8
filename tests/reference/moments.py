"""Moments with exactly rounded sums."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np


def sum_moments(values, columns, shift, scale, groups, weights, n_groups):
    """Sums of w, w d and w d^2 per column and group over the rows where x is known."""
    sums = np.zeros((len(columns), 3, n_groups))
    for k, column in enumerate(columns):
        for g in range(n_groups):
            rows = [
                i
                for i in range(len(values))
                if groups[i] == g and not math.isnan(values[i, column])
            ]
            d = [(float(values[i, column]) - shift[k]) / scale[k] for i in rows]
            w = [float(weights[i]) for i in rows]
            for power in range(3):
                sums[k, power, g] = math.fsum(a * b**power for a, b in zip(w, d, strict=True))
    return sums


def sum_moments_fractional(values, columns, shift, scale, membership):
    """The same with a part of every row in every group."""
    parts = [
        sum_moments(values, columns, shift, scale, np.zeros(len(values), int), membership[:, g], 1)
        for g in range(membership.shape[1])
    ]
    return np.concatenate(parts, axis=2)


def measure_spread(values, weights):
    """The weighted mean and the standard deviation about it, from exact numbers."""
    weights = [Fraction(float(w)) for w in weights]
    values = [Fraction(float(x)) for x in values]
    mean = sum(w * x for w, x in zip(weights, values, strict=True)) / sum(weights)
    square = sum(w * (x - mean) ** 2 for w, x in zip(weights, values, strict=True)) / sum(weights)
    largest = max(abs(x - mean) for x in values)
    # the square itself may be no float
    spread = math.sqrt(square / largest**2) * float(largest) if largest else 0.0
    return float(mean), spread
