"""Distributions that differ in location and spread on a scale of the target, and share their shape."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from bayfold.core import kernels
from bayfold.core.scoring.distribution import Distribution
from bayfold.core.scoring.target_scale import TargetScale
from bayfold.core.stored import Stored

SHAPE_PARTS = 100
"""Parts of equal probability: means are means of their middles."""

LEAST_LEVEL = 1e-15
"""Of the first and the last part, where the quantiles of level 0 and 1 are taken."""

TABLE_STEPS = 4096
"""Steps of the table that means are read off."""


class ErrorShape(Stored):
    """The distribution of errors in units of their spread: quantiles at equal steps of probability.

    The density is level between them, but falls off exponentially in the first and the last part, which keep their
    means: no error is impossible, and none that a log-score is taken of.

    Parameters
    ----------
    nodes : ndarray of shape (n_levels + 1,)
        Strictly increasing; the first and the last are twice as far out as the mean of their parts.
    """

    def __init__(self, nodes: np.ndarray) -> None:
        self.nodes = nodes
        self.levels = np.linspace(0.0, 1.0, len(nodes))
        self.middles = (nodes[1:] + nodes[:-1]) / 2
        self._part = self.levels[1]
        self._reach = nodes[1] - self.middles[0], self.middles[-1] - nodes[-2]

    def cdf(self, errors: np.ndarray) -> np.ndarray:
        """Probability of at most so large an error."""
        below, above = self._beyond(errors)
        inside = np.interp(errors, self.nodes[1:-1], self.levels[1:-1]) - self._part
        return inside + self._part * below + self._part * (1.0 - above)

    def sf(self, errors: np.ndarray) -> np.ndarray:
        """Probability of a larger error, with all its digits where that of at most so large an error is next to one."""
        below, above = self._beyond(errors)
        inside = self.levels[-2] - np.interp(errors, self.nodes[1:-1], self.levels[1:-1])
        return inside + self._part * above + self._part * (1.0 - below)

    def find_mass(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Probability between two errors; in the last part from above, where one less next to nothing is one."""
        from_above = self.sf(low) - self.sf(high)
        return np.where(low >= self.nodes[-2], from_above, self.cdf(high) - self.cdf(low))

    def ppf(self, q: np.ndarray) -> np.ndarray:
        """Quantiles."""
        return self.find_error(q, 1.0 - q)

    def find_error(self, below: np.ndarray, above: np.ndarray) -> np.ndarray:
        """The error with these probabilities below and above it, which add up to one but for rounding."""
        inside = np.interp(below, self.levels[1:-1], self.nodes[1:-1])
        lower, upper = (
            -np.log(np.clip(level / self._part, LEAST_LEVEL, 1.0)) for level in (below, above)
        )
        return inside - self._reach[0] * lower + self._reach[1] * upper

    def pdf(self, errors: np.ndarray) -> np.ndarray:
        """Density."""
        below, above = self._beyond(errors)
        part = np.searchsorted(self.nodes[1:-1], errors, side="right")
        heights = self._part / np.append(
            self._reach[0], np.append(np.diff(self.nodes[1:-1]), self._reach[1])
        )
        return heights[part] * below * above

    def _beyond(self, errors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of the first and of the last part, the share that lies still further out; 1 for errors inside."""
        below = np.maximum(self.nodes[1] - errors, 0.0) / self._reach[0]
        above = np.maximum(errors - self.nodes[-2], 0.0) / self._reach[1]
        return np.exp(-below), np.exp(-above)


class LocatedDistribution(Distribution):
    """``P(y <= v) = shape.cdf((scale.to_place(v) - location) / spread)``.

    Given that it is within the ends of the scale. The values of a discrete target have the probability of the cells
    around them; its density is that of the cells.

    Parameters
    ----------
    scale : TargetScale
    shape : ErrorShape
    location, spread : ndarray of shape (n_rows,)
        On the scale.
    """

    def __init__(
        self, scale: TargetScale, shape: ErrorShape, location: np.ndarray, spread: np.ndarray
    ) -> None:
        self.scale = scale
        self.shape = shape
        self.location = location
        self.spread = spread

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.location)

    @cached_property
    def _ends(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Probability of the shape below the lower end of the scale, between both ends, and above the upper one."""
        if self.scale.is_discrete:
            none = np.zeros((self.n_rows, 1))
            return none, none + 1.0, none
        _, places = self.scale.knots
        low, high = (self._errors(places[k]) for k in (0, -1))
        between = np.maximum(self.shape.find_mass(low, high), 1e-300)
        return self.shape.cdf(low), between, self.shape.sf(high)

    def _place(self, errors: np.ndarray) -> np.ndarray:
        return self.location[:, None] + self.spread[:, None] * errors

    def _errors(self, place: np.ndarray) -> np.ndarray:
        return (place - self.location[:, None]) / self.spread[:, None]

    def mean(self) -> np.ndarray:
        """Mean of each row."""
        return MeanReader(self.scale, self.shape).read(self.location, self.spread)

    def var(self) -> np.ndarray:
        """Variance of each row."""
        unit = max(abs(float(self.scale.values[0])), abs(float(self.scale.values[-1])), 1e-300)
        if self.scale.is_discrete:
            count = np.arange(len(self.scale.values))
            mass = self.shape.find_mass(self._bound(count), self._bound(count + 1))
            off = self.scale.values / unit - (self.mean() / unit)[:, None]
            return (mass * off**2).sum(axis=1) * unit * unit
        middles = np.broadcast_to(
            (np.arange(SHAPE_PARTS) + 0.5) / SHAPE_PARTS, (self.n_rows, SHAPE_PARTS)
        )
        off = self._ppf(middles) / unit - (self.mean() / unit)[:, None]
        return (off**2).mean(axis=1) * unit * unit

    def _cdf(self, y: np.ndarray) -> np.ndarray:
        if not self.scale.is_discrete:
            below, between, _ = self._ends
            inside = (self.shape.cdf(self._errors(self.scale.to_place(y))) - below) / between
            return np.where(y >= self.scale.knots[0][-1], 1.0, np.clip(inside, 0.0, 1.0))
        return self.shape.cdf(self._bound(np.searchsorted(self.scale.values, y, side="right")))

    def _bound(self, count: np.ndarray) -> np.ndarray:
        """The error at which the first so many values of a discrete target end."""
        bounds = np.concatenate([[-np.inf], self.scale.cells[0], [np.inf]])
        return self._errors(bounds[count])

    def _ppf(self, q: np.ndarray) -> np.ndarray:
        below, between, above = self._ends
        errors = self.shape.find_error(below + q * between, above + (1.0 - q) * between)
        return self.scale.to_target(self._place(errors))

    def _pdf(self, y: np.ndarray) -> np.ndarray:
        if not self.scale.is_discrete:
            errors = self._errors(self.scale.to_place(y))
            with np.errstate(over="ignore"):
                slope = self.scale.find_slope(y) / (self.spread[:, None] * self._ends[1])
                return self.shape.pdf(errors) * slope
        bounds = self.scale.cells[1]
        cell = np.searchsorted(bounds, y, side="right") - 1
        inside = (cell >= 0) & (cell < len(bounds) - 1)
        cell = np.clip(cell, 0, len(bounds) - 2)
        mass = self.shape.find_mass(self._bound(cell), self._bound(cell + 1))
        return np.where(inside, mass / np.diff(bounds)[cell], 0.0)


class MeanReader:
    """Means of distributions of one scale and shape.

    Parameters
    ----------
    scale : TargetScale
    shape : ErrorShape

    Attributes
    ----------
    low, per_step, table : float, float, ndarray
        Targets at equal steps of the scale: ``table[k]`` at ``low + k / per_step``. Means of a discrete target are
        sums over its cells instead.
    """

    def __init__(self, scale: TargetScale, shape: ErrorShape) -> None:
        _, places = scale.knots
        self.low = float(places[0])
        self.per_step = TABLE_STEPS / float(places[-1] - places[0])
        self.table = scale.to_target(np.linspace(places[0], places[-1], TABLE_STEPS + 1))
        self._scale = scale
        self._shape = shape

    def read(self, location: np.ndarray, spread: np.ndarray) -> np.ndarray:
        """The mean of each row."""
        means = np.empty(len(location))
        if self._scale.is_discrete:
            bounds = self._scale.cells[0]
            values = self._scale.values
            kernels.average_cells(location, spread, bounds, values, self._shape.nodes, means)
            return means
        kernels.average_quantiles(
            location,
            spread,
            self._shape.middles,
            self.low,
            self.per_step,
            self.table,
            means,
        )
        return means
