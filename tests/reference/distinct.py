"""Distinct numbers and quantile cuts, as NumPy has them and as one would say them."""

from __future__ import annotations

import numpy as np


def count_distinct(values):
    """Distinct finite numbers and how often they occur."""
    distinct, counts = np.unique(values[np.isfinite(values)] + 0.0, return_counts=True)
    return distinct, counts.astype(float)


def cut_by_weight(weights, n_bins, tolerance):
    """For every quantile the nearest boundary between entries that have a weight."""
    occupied = np.flatnonzero(weights > 0)
    cumulated = np.cumsum(weights[occupied])
    total = cumulated[-1]
    cuts = set()
    for k in range(1, n_bins):
        distance = np.abs(cumulated - total * k / n_bins)
        cuts.add(int(np.flatnonzero(distance <= distance.min() + tolerance * total)[0]))
    return [occupied[cut] + 1 for cut in sorted(cuts) if cut < len(occupied) - 1]
