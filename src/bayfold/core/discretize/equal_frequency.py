"""Bins that hold nearly the same number of rows."""

from __future__ import annotations

import numpy as np

from bayfold.core.schema.edges import find_quantile_cuts


def merge_equal_frequency(weights: np.ndarray, n_bins: int) -> np.ndarray:
    """Merge fine bins into at most ``n_bins`` of nearly equal weight.

    Parameters
    ----------
    weights : ndarray of shape (n_fine_bins,)
        Counts of all groups together.
    n_bins : int

    Returns
    -------
    merge : ndarray of int

    Examples
    --------
    >>> merge_equal_frequency(np.array([5.0, 1.0, 4.0, 5.0, 5.0]), 2)
    array([0, 0, 0, 1, 1])
    """
    if not weights.any():
        return np.zeros(len(weights), np.int64)
    merge = np.zeros(len(weights), np.int64)
    merge[find_quantile_cuts(weights, n_bins)] = 1
    return np.cumsum(merge)
