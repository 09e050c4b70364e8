"""Edges of bins: equal widths, equal frequencies, least description length, and edges that make a share monotone."""

from __future__ import annotations

import numpy as np

from bayfold.core import kernels
from bayfold.core.schema import NumericColumn
from bayfold.core.schema.edges import find_quantile_cuts, find_width_cuts
from bayfold.errors import monotone_for_many

SPREAD_OF_ROUNDING = 1e-12
"""Of the mean square of weights: less is rounding."""


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


def merge_by_weight(weights: np.ndarray, rows: np.ndarray, n_bins: int) -> np.ndarray:
    """Merge fine bins where their weights differ least.

    Parameters
    ----------
    weights : ndarray of shape (n_fine_bins, n_shown)
        What is shown of each fine bin.
    rows : ndarray of shape (n_fine_bins,)
    n_bins : int
        At most; fewer where they differ in nothing.

    Returns
    -------
    merge : ndarray of int

    Notes
    -----
    Of all ways to cut, the one with the least variance within bins, weighted by rows (dynamic programming over the
    last cut, as in Fisher, 1958).

    Examples
    --------
    >>> merge_by_weight(np.array([[1.0], [1.1], [8.0], [8.1]]), np.array([5.0, 9.0, 1.0, 1.0]), 2)
    array([0, 0, 1, 1])
    """
    n_fine = len(rows)
    cost = _find_spread_within(weights, rows)
    least = cost[0, 1:].copy()
    nothing = SPREAD_OF_ROUNDING * (np.average(weights**2, axis=0, weights=rows).sum() * rows.sum())
    starts: list[np.ndarray] = []
    while least[-1] > nothing and len(starts) < n_bins - 1:
        before = (
            np.append(np.inf, least[:-1])[:, None] + cost[:-1, 1:]
        )  # by the start of the last bin
        starts.append(before.argmin(axis=0))
        least = before.min(axis=0)
    is_cut = np.zeros(n_fine, np.int64)
    end = n_fine - 1
    for first in reversed(starts):
        start = int(first[end])
        is_cut[start] = 1
        end = start - 1
    return np.cumsum(is_cut)


def _find_spread_within(weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """``[i, j]``: sum of squares about the mean of the fine bins from i to j - 1; infinite where there are none."""
    size = np.append(0.0, np.cumsum(rows))
    within = size - size[:, None]
    spread = np.zeros((len(size), len(size)))
    for weight in (weights - np.average(weights, axis=0, weights=rows)).T:
        total = np.append(0.0, np.cumsum(rows * weight))
        squares = np.append(0.0, np.cumsum(rows * weight**2))
        mean_part = (total - total[:, None]) ** 2 / np.where(within > 0, within, 1.0)
        spread += np.maximum(squares - squares[:, None] - mean_part, 0.0)
    return np.where(np.arange(len(size)) > np.arange(len(size))[:, None], spread, np.inf)


def merge_mdl(counts: np.ndarray) -> np.ndarray:
    """Merge fine bins by the minimum description length principle.

    Parameters
    ----------
    counts : ndarray of shape (n_fine_bins, n_groups)

    Returns
    -------
    merge : ndarray of int
        All zero where no cut is worth its description: the column gives no evidence.

    Notes
    -----
    Exact while every value has a fine bin of its own; otherwise cuts are sought among the (at most 253) fine edges.

    References
    ----------
    U. Fayyad, K. Irani (1993). Multi-interval discretization of continuous-valued attributes for
    classification learning. IJCAI, 1022-1027.

    Examples
    --------
    >>> merge_mdl(np.array([[9.0, 0.0], [9.0, 0.0], [0.0, 9.0], [0.0, 9.0]]))
    array([0, 0, 1, 1])
    """
    is_cut = np.zeros(len(counts), np.bool_)
    kernels.find_mdl_cuts(np.ascontiguousarray(counts, np.float64), is_cut)
    return np.cumsum(is_cut)


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
        # halves, because the range may overflow
        low = minimum / 2
        high = maximum / 2
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


def set_special_apart(merge: np.ndarray, n_special: int) -> np.ndarray:
    """The coarse bin of each fine bin and, behind these, one for each special code.

    >>> set_special_apart(np.array([0, 0, 1]), 2)
    array([0, 0, 1, 2, 3])
    """
    return np.append(merge, merge[-1] + 1 + np.arange(n_special)) if n_special else merge


INCREASING = "increasing"
DECREASING = "decreasing"
PEAK = "peak"
VALLEY = "valley"
AUTO = "auto"
DIRECTIONS = (INCREASING, DECREASING, PEAK, VALLEY, AUTO)


def merge_monotone(counts: np.ndarray, merge: np.ndarray, direction: str) -> np.ndarray:
    """Merge coarse bins further, so that the evidence is monotone in the column.

    Parameters
    ----------
    counts : ndarray of shape (n_fine_bins, 2)
    merge : ndarray of int
        The coarse bin of each fine bin.
    direction : {"increasing", "decreasing", "peak", "valley", "auto"}
        Of the share of the second group; ``"auto"`` rises or falls, whichever fits the counts better.

    Returns
    -------
    merge : ndarray of int

    Examples
    --------
    >>> counts = np.array([[8.0, 2.0], [4.0, 6.0], [5.0, 5.0], [1.0, 9.0]])
    >>> merge_monotone(counts, np.arange(4), "increasing")
    array([0, 1, 1, 2])
    """
    if counts.shape[1] != 2:
        raise monotone_for_many(counts.shape[1])
    coarse = np.zeros((int(merge[-1]) + 1, 2))
    np.add.at(coarse, merge, counts)
    ways = [INCREASING, DECREASING] if direction == AUTO else [direction]
    tried = [pooled for way in ways for pooled in _pool_all(coarse, way)]
    pooled = max(tried, key=lambda share: _log_likelihood(coarse, share))
    return np.append(0, np.cumsum(np.diff(pooled) != 0))[merge]


def find_wrong_neighbours(weights: np.ndarray, direction: str) -> np.ndarray:
    """Where neighbouring bins go the wrong way; a peak turns at its largest weight, a valley at its least.

    >>> find_wrong_neighbours(np.array([0.0, 2.0, 1.0, 3.0, 2.0]), "peak")
    array([1])
    """
    steps = np.diff(weights)
    up = direction in (INCREASING, PEAK)
    rising = np.full(len(steps), up)
    if direction in (PEAK, VALLEY):
        turn = weights.argmax() if up else weights.argmin()
        rising[turn:] = not up
    return np.flatnonzero(np.where(rising, steps, -steps) < 0)


def _pool_all(coarse: np.ndarray, direction: str) -> list[np.ndarray]:
    """The monotone shares in a direction; of a peak or a valley one for each place where it may turn."""
    if direction in (INCREASING, DECREASING):
        return [_pool(coarse, direction == INCREASING)]
    up = direction == PEAK
    return [
        np.append(_pool(coarse[:turn], up), _pool(coarse[turn:], not up))
        for turn in range(1, len(coarse) + 1)
    ]


def _pool(coarse: np.ndarray, rising: bool) -> np.ndarray:
    """The monotone share of the second group nearest to the counts, equal where bins are pooled."""
    from sklearn.isotonic import isotonic_regression  # slow to import, rarely wanted

    if not len(coarse):
        return np.empty(0)
    weight = coarse.sum(axis=1)
    share = np.where(weight > 0, coarse[:, 1] / np.maximum(weight, 1e-300), 0.0)
    # an empty bin must not decide anything: it weighs next to nothing
    return isotonic_regression(share, sample_weight=np.maximum(weight, 1e-9), increasing=rising)


def _log_likelihood(coarse: np.ndarray, share: np.ndarray) -> float:
    share = np.clip(share, 1e-12, 1 - 1e-12)
    return float((coarse[:, 1] * np.log(share) + coarse[:, 0] * np.log1p(-share)).sum())
