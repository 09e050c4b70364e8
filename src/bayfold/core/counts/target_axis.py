"""Where the target's cells and the points of the grid lie."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.schema import NumericColumn
from bayfold.core.schema.target import find_atoms, varies

TARGET = -1
"""The target's place among the moments of JointCounts: one before the first column."""

TARGET_RANK_SHARE = 0.3
"""How far places follow the ranks of the values rather than the values: a long tail must not squeeze the others."""

ATOM_VARIANCE = 1e-10
"""Of the square of a cell's mean: what rounding leaves of the variance of rows that have one value."""

TARGET_SPACING_SHARE = 0.25
"""The target's bandwidth is at least this share of the middle distance between its distinct values."""


@dataclass(frozen=True, eq=False)
class TargetAxis:
    """The occupied cells of the target on an axis from 0 to 1.

    Attributes
    ----------
    occupied : ndarray of bool
        Which of all cells hold a row.
    cell_of : ndarray of int
        Position of each cell among the occupied ones.
    values : ndarray
        Mean target of each occupied cell.
    weights : ndarray
        Weight of the rows in each.
    places : ndarray
        Where each lies on the axis.
    is_atom : ndarray of bool
        Which hold one value that many rows share.
    """

    occupied: np.ndarray
    cell_of: np.ndarray
    values: np.ndarray
    weights: np.ndarray
    places: np.ndarray
    is_atom: np.ndarray

    @property
    def least_width(self) -> float:
        """The smallest bandwidth that does not fall between the values of a target with few."""
        if len(self.places) < 2:
            return 0.0
        return TARGET_SPACING_SHARE * float(np.median(np.diff(self.places)))

    def make_grid(self, size: int, margin: float) -> np.ndarray:
        """Places of grid points: ``size`` from 0 to 1, and as many more on both sides as the margin takes."""
        step = 1.0 / (size - 1)
        beyond = int(np.ceil(margin / step))
        return np.arange(-beyond, size + beyond) * step

    def to_target(self, places: np.ndarray) -> np.ndarray:
        """The values of the target at places; beyond the ends, on by the target's range."""
        span = find_span(self.values[0], self.values[-1])
        if len(self.values) == 1:
            return self.values[0] + places * span
        beyond = np.minimum(places, 0.0) + np.maximum(places - 1.0, 0.0)
        return np.interp(places, self.places, self.values) + beyond * span


def find_target_axis(counts: JointCounts) -> TargetAxis:
    """The axis of the target that the counts are grouped by."""
    assert counts.schema is not None
    column_schema = counts.schema.target
    assert column_schema is not None
    weight = counts.moments[TARGET][0]
    occupied = weight > 0
    weights = weight[occupied]
    values, is_atom = find_cell_values(column_schema, counts.moments[TARGET])
    values = np.maximum.accumulate(values)  # rounding must not turn neighbours around
    cell_of = np.cumsum(occupied) - 1
    places = find_places(values, weights, TARGET_RANK_SHARE)
    return TargetAxis(occupied, cell_of, values, weights, places, is_atom)


def find_cell_values(
    column_schema: NumericColumn, moments: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Of the occupied cells of a target: their mean, exact where it is the only value, and whether it is an atom."""
    weight, first, second = moments
    occupied = weight > 0
    weights = weight[occupied]
    values = first[occupied] / weights
    square = values**2
    is_one = second[occupied] / weights - square <= ATOM_VARIANCE * square
    if column_schema.values is not None and len(column_schema.values) == len(occupied):
        return column_schema.values[occupied], is_one & find_atoms(weights)
    values = column_schema.shift + column_schema.scale * values
    atoms = np.empty(0) if column_schema.atoms is None else column_schema.atoms
    in_cell = np.searchsorted(column_schema.edges, atoms, side="right")
    known = occupied[in_cell]
    place = (np.cumsum(occupied) - 1)[in_cell[known]]
    values[place] = atoms[known]  # without the rounding of sums
    is_atom = np.zeros(len(values), bool)
    is_atom[place] = is_one[place]
    return values, is_atom


def find_span(low: float, high: float) -> float:
    """The range of the target; next to nothing for a target that never changes but by rounding."""
    return high - low if varies(low, high) else 1e-6 * max(abs(low), 1e-3)


def find_places(values: np.ndarray, weights: np.ndarray, rank_share: float) -> np.ndarray:
    """Increasing values on an axis from 0 to 1, between their own distances and those of their ranks.

    >>> find_places(np.array([0.0, 1.0, 10.0]), np.ones(3), 0.5)
    array([0. , 0.3, 1. ])
    """
    if len(values) < 2 or not values[-1] > values[0]:
        return np.zeros(len(values))
    rank = np.cumsum(weights) - weights / 2
    by_rank = (rank - rank[0]) / max(rank[-1] - rank[0], 1e-300)
    by_value = (values / 2 - values[0] / 2) / (values[-1] / 2 - values[0] / 2)
    return (1 - rank_share) * by_value + rank_share * by_rank


def moments_of_target(
    column_schema: NumericColumn, cells: np.ndarray, target: np.ndarray, weights: np.ndarray | None
) -> np.ndarray:
    """Sums of w, w d and w d^2 per cell with ``d = (y - shift) / scale``."""
    n = column_schema.n_bins
    d = (target - column_schema.shift) / column_schema.scale
    w = np.ones(len(d)) if weights is None else weights
    powers = (w, w * d, w * d * d)
    return np.stack([np.bincount(cells, power, minlength=n) for power in powers])
