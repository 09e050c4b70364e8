"""Bins of equal width over the range of the training values (Elkan 1997, with 10 bins)."""

from __future__ import annotations

import numpy as np

from bayfold.core.schema import NumericColumn
from bayfold.core.schema.edges import find_width_cuts


def merge_equal_width(
    column: NumericColumn, minimum: float, maximum: float, n_bins: int
) -> np.ndarray:
    """Merge fine bins into ``n_bins`` of equal width between ``minimum`` and ``maximum``.

    Exact while each value has its own bin, or when the schema was inferred for an equal-width
    model; otherwise the nearest fine edge stands in for each cut.

    Examples
    --------
    >>> column = NumericColumn("x", np.array([1.5, 2.5, 6.5]), np.array([1.0, 2.0, 3.0, 10.0]))
    >>> merge_equal_width(column, 1.0, 10.0, 3)
    array([0, 0, 0, 1])
    """
    if not maximum > minimum or column.n_bins == 1:
        return np.zeros(column.n_bins, np.int64)
    if column.values is not None:
        cuts = find_width_cuts(column.values, minimum, maximum, n_bins)
    elif column.width_edges is not None and column.width_bins == n_bins:
        cuts = np.searchsorted(column.edges, column.width_edges) + 1
    else:
        low, high = minimum / 2, maximum / 2  # halves, because the range may overflow
        goals = 2 * (low + (high - low) * (np.arange(1, n_bins) / n_bins))
        cuts = np.unique(find_nearest(column.edges, goals)) + 1
    merge = np.zeros(column.n_bins, np.int64)
    merge[cuts] = 1
    return np.cumsum(merge)


def find_nearest(edges: np.ndarray, goals: np.ndarray) -> np.ndarray:
    """The position of the edge nearest to each goal.

    >>> find_nearest(np.array([0.0, 1.0, 5.0]), np.array([0.9, 4.0]))
    array([1, 2])
    """
    above = np.minimum(np.searchsorted(edges, goals), len(edges) - 1)
    below = np.maximum(above - 1, 0)
    return np.where(goals - edges[below] <= edges[above] - goals, below, above)
