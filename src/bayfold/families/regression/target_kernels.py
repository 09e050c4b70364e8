"""Evidence about a numeric target: joint counts of bins and target cells, smoothed by Gaussian kernels.

A column speaks of the target by ``p(x | y) = sum_i Kx(x - x_i) Ky(y - y_i) / sum_i Ky(y - y_i)``. Counts of
(bin, cell) stand for the rows, so the sums are products of small matrices whatever the number of rows, and
a row is left out of its own evidence by subtracting what it added.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

LEAST_RATIO_TO_MARGINAL = 1e-9
"""Smallest density, in units of the column's range: a value nobody came near says little, not everything."""

TINY = 1e-290
"""Keeps an empty marginal from dividing by zero and is lost beside any real one."""

MULTIPLIERS = np.array([0.02, 0.03, 0.045, 0.07, 0.1, 0.15, 0.22, 0.33, 0.5, 0.75, 1.1])
"""Candidate widths in units of n^(-1/6) of the range, a factor of 1.5 apart."""

RATE = -1 / 6
"""Bandwidths shrink like n^(-1/6), at which the density of two variables comes out right in the end."""

PSEUDO_ROWS = 1.0
"""Rows spread like the whole column that are added to each place of the target for a nominal column."""

LEAST_WIDTH_IN_GAPS = 0.5
"""A column's bandwidth is at least this share of the middle distance of its bins. Below it rows that share a bin, at no
distance from each other, make ever smaller bandwidths look ever better."""

ROWS_FOR_ENDS = 300.0
"""With so many rows, half of the correction of kernels at the ends is applied."""

PAIRWISE = 400
"""Up to so many occupied places kernels are summed over pairs of places, beyond over a grid."""

MOST_BINS = 128
"""While a bandwidth is chosen: up to so many occupied cells in pairs, otherwise bins merged to so many."""


@dataclass(frozen=True, eq=False)
class SmoothedColumn:
    """Kernel sums of one column at every bin and every grid point of the target.

    Attributes
    ----------
    joint : ndarray of shape (n_bins, n_grid)
        Smoothed weight of the bin at the grid point.
    marginal : ndarray of shape (n_grid,)
        Smoothed weight of all known cells at the grid point.
    along_grid : ndarray of shape (n_cells, n_grid)
        What a row in a target cell adds to ``marginal``.
    heights : ndarray of shape (n_bins,)
        How many times that it adds to ``joint`` in its own bin.
    widths : tuple of float
        Bandwidths of the column (zero if nominal) and of the target.
    """

    joint: np.ndarray
    marginal: np.ndarray
    along_grid: np.ndarray
    heights: np.ndarray
    widths: tuple[float, float]

    def log_table(self) -> np.ndarray:
        """Log p(bin | grid point) of shape (n_bins, n_grid)."""
        return _log_ratio(self.joint, self.marginal)

    def log_without(self, bins: np.ndarray, cells: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """The rows of the table for some rows of the data, each from all rows but itself."""
        itself = self.along_grid[cells] * np.minimum(weights, 1.0)[:, None]
        rest = self.joint[bins] - self.heights[bins, None] * itself
        return _log_ratio(rest, self.marginal - itself)


def _log_ratio(joint: np.ndarray, marginal: np.ndarray) -> np.ndarray:
    whole = np.maximum(marginal, 0.0) + TINY
    return np.log(np.maximum(joint, 0.0) / whole + LEAST_RATIO_TO_MARGINAL)


def gaussian(at: np.ndarray, centres: np.ndarray, width: float) -> np.ndarray:
    """``exp(-(distance / width)^2 / 2)`` of shape (n_at, n_centres)."""
    z = (at[:, None] - centres) / width
    return np.exp(-0.5 * z * z)


def find_candidates(n_rows: float, least: float = 0.0) -> np.ndarray:
    """Bandwidths to choose from, in units of the range."""
    return np.maximum(MULTIPLIERS * max(n_rows, 2.0) ** RATE, least)


def middle_gap(places: np.ndarray) -> float:
    """The median distance between neighbours; 0 for a single place."""
    return float(np.median(np.diff(places))) if len(places) > 1 else 0.0


def smooth_numeric(
    places: np.ndarray,
    counts: np.ndarray,
    cells: np.ndarray,
    grid: np.ndarray,
    widths: tuple[float, float],
) -> SmoothedColumn:
    """Kernel sums of a numeric column.

    Parameters
    ----------
    places : ndarray of shape (n_bins,)
        Where the bins lie, in units of the column's range.
    counts : ndarray of shape (n_bins, n_cells)
    cells, grid : ndarray
        Where the target's cells and the grid points lie, in units of its range.
    widths : tuple of float
        Bandwidths of the column and of the target.
    """
    along_grid = gaussian(cells, grid, widths[1])
    heights = find_heights(places, widths[0], float(counts.sum()))
    joint = (gaussian(places, places, widths[0]) * heights) @ (counts @ along_grid)
    marginal = counts.sum(axis=0) @ along_grid
    return SmoothedColumn(joint, marginal, along_grid, heights, widths)


def find_heights(places: np.ndarray, width: float, n_rows: float) -> np.ndarray:
    """Height of the kernel of each place, so that for many rows it integrates to one between 0 and 1.

    Without this a kernel near an end would lose mass beyond it, and wide ones would look worse than they are. Of
    few rows the outermost may be far from the others, and must not count more than they do: the correction grows
    with the number of rows.
    """
    inside = ndtr((1.0 - places) / width) - ndtr(-places / width)
    believed = n_rows / (n_rows + ROWS_FOR_ENDS)
    return 1.0 / (width * np.sqrt(2 * np.pi) * np.maximum(inside, 0.1) ** believed)


def smooth_nominal(
    counts: np.ndarray, cells: np.ndarray, grid: np.ndarray, width: float
) -> SmoothedColumn:
    """Kernel sums of a nominal column; categories that do not occur get the share of a new one."""
    along_grid = gaussian(cells, grid, width)
    share = PSEUDO_ROWS * _shares(counts)[:, None]
    marginal = counts.sum(axis=0) @ along_grid + PSEUDO_ROWS
    heights = np.ones(len(counts))
    return SmoothedColumn(counts @ along_grid + share, marginal, along_grid, heights, (0.0, width))


def _shares(counts: np.ndarray) -> np.ndarray:
    of_bin = counts.sum(axis=1)
    return (of_bin + 1.0) / (of_bin.sum() + len(of_bin))


def choose_numeric_widths(
    places: np.ndarray, counts: np.ndarray, cells: np.ndarray, least: float
) -> tuple[float, float]:
    """Bandwidths with the largest leave-one-out log-likelihood of the column given the target.

    One bandwidth is chosen after the other until neither changes.
    """
    joint = _Pairs(places, counts, cells)
    candidates = find_candidates(counts.sum(), LEAST_WIDTH_IN_GAPS * middle_gap(joint.places))
    along_y = find_candidates(counts.sum(), least)
    best = len(candidates) // 2, len(candidates) // 2
    known: dict[tuple[int, int], float] = {}

    def score(a: int, b: int) -> float:
        if (a, b) not in known:
            known[a, b] = joint.score(float(candidates[a]), float(along_y[b]))
        return known[a, b]

    for _ in range(3):
        before = best
        best = best[0], max(range(len(along_y)), key=lambda b: score(best[0], b))
        best = max(range(len(candidates)), key=lambda a: score(a, best[1])), best[1]
        if best == before:
            break
    return float(candidates[best[0]]), float(along_y[best[1]])


class _Pairs:
    """Leave-one-out log-likelihoods of one column given the target, for pairs of bandwidths."""

    def __init__(self, places: np.ndarray, counts: np.ndarray, cells: np.ndarray) -> None:
        n_occupied = np.count_nonzero(counts)
        if n_occupied > PAIRWISE:
            places, counts = merge_places(places, counts)
            cells, turned = merge_places(cells, counts.T)
            counts = np.ascontiguousarray(turned.T)
        self.places, self.counts, self.cells = places, counts, cells
        self.bins, self.of_cell = np.nonzero(counts)
        self.weights = counts[self.bins, self.of_cell]
        self.itself = np.minimum(self.weights, 1.0)
        self.n_rows = float(self.weights.sum())
        self.in_pairs = n_occupied <= PAIRWISE
        self._along_x: dict[float, np.ndarray] = {}
        self._along_y: dict[float, np.ndarray] = {}

    def score(self, width_x: float, width_y: float) -> float:
        """The log-likelihood of the column's bins, each from all rows but one of its own."""
        along_x, along_y = self._from_x(width_x), self._from_y(width_y)
        if self.in_pairs:
            joint = np.einsum("ik,ik->i", along_x, along_y)
            marginal = along_y.sum(axis=1)
        else:
            joint = (along_x @ along_y)[self.bins, self.of_cell]
            marginal = (self.counts.sum(axis=0) @ along_y)[self.of_cell]
        heights = find_heights(self.places, width_x, self.n_rows)
        own = heights[self.bins] * self.itself
        return float(self.weights @ _log_ratio(joint - own, marginal - self.itself))

    def _from_x(self, width: float) -> np.ndarray:
        if width not in self._along_x:
            places = self.places[self.bins] if self.in_pairs else self.places
            heights = find_heights(places, width, self.n_rows)
            near = gaussian(places, places, width) * heights
            self._along_x[width] = near if self.in_pairs else near @ self.counts
        return self._along_x[width]

    def _from_y(self, width: float) -> np.ndarray:
        if width not in self._along_y:
            cells = self.cells[self.of_cell] if self.in_pairs else self.cells
            near = gaussian(cells, cells, width)
            self._along_y[width] = near * self.weights if self.in_pairs else near
        return self._along_y[width]


def merge_places(places: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """At most 128 bins: neighbours merged, each new one in the middle of its rows."""
    factor = -(-len(places) // MOST_BINS)
    if factor <= 1:
        return places, counts
    starts = np.arange(0, len(places), factor)
    weight = counts.sum(axis=1) + TINY
    centre = np.add.reduceat(places * weight, starts) / np.add.reduceat(weight, starts)
    return centre, np.add.reduceat(counts, starts, axis=0)


def choose_nominal_width(counts: np.ndarray, cells: np.ndarray, least: float) -> float:
    """The target's bandwidth with the largest leave-one-out log-likelihood of the categories given the target."""
    candidates = find_candidates(counts.sum(), least)
    bins, of_cell = np.nonzero(counts)
    weights = counts[bins, of_cell]
    itself = np.minimum(weights, 1.0)
    share = PSEUDO_ROWS * _shares(counts)
    scores = []
    for width in candidates:
        near = gaussian(cells, cells, width)
        joint = (counts @ near)[bins, of_cell] - itself + share[bins]
        marginal = (counts.sum(axis=0) @ near)[of_cell] - itself + PSEUDO_ROWS
        scores.append(weights @ np.log(joint / marginal))
    return float(candidates[int(np.argmax(scores))])


def choose_marginal_width(weights: np.ndarray, cells: np.ndarray, least: float) -> float:
    """The bandwidth with the largest leave-one-out log-likelihood of the target itself."""
    candidates = find_candidates(weights.sum(), least)
    scores = []
    for width in candidates:
        near = weights @ gaussian(cells, cells, width) - np.minimum(weights, 1.0)
        scores.append(weights @ np.log(np.maximum(near, 0.0) / width + 1e-12))
    return float(candidates[int(np.argmax(scores))])
