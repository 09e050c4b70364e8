"""Distributions that differ in location and spread on a scale of the target, and share their shape."""

from __future__ import annotations

import numpy as np

from bayfold.core import kernels
from bayfold.core.scoring.distribution import Distribution
from bayfold.core.scoring.target_scale import Side, TargetScale
from bayfold.core.stored import Stored

SHAPE_PARTS = 100
"""Parts of equal probability; the outermost are halved again and again as far as rows go."""

LEAST_LEVEL = 1e-15
"""Of the first and the last part, where the quantiles of level 0 and 1 are taken."""

TABLE_STEPS = 4096
"""Steps of the table that means are read off."""

LAGUERRE = np.polynomial.laguerre.laggauss(2)
"""Points and weights that have the mean and the variance of an exponential tail."""


class ErrorShape(Stored):
    """The distribution of errors in units of their spread: quantiles at some levels.

    The density is level between them, but falls off exponentially in the first and the last part, which keep their
    means: no error is impossible, and none that a log-score is taken of.

    Parameters
    ----------
    nodes : ndarray of shape (n_levels,)
        Strictly increasing; the first and the last are twice as far out as the mean of their parts.
    levels : ndarray of shape (n_levels,), optional
        Probabilities below the nodes, from 0 to 1; at equal steps by default.

    Attributes
    ----------
    points, shares : ndarray
        Errors and their probabilities that have the mean of each part, and in the tails the variance too.
    """

    def __init__(self, nodes: np.ndarray, levels: np.ndarray | None = None) -> None:
        self.nodes = nodes
        self.levels = np.linspace(0.0, 1.0, len(nodes)) if levels is None else levels
        middles = (nodes[1:] + nodes[:-1]) / 2
        parts = np.diff(self.levels)
        self._part = parts[0], parts[-1]
        self._reach = nodes[1] - middles[0], middles[-1] - nodes[-2]
        tail, weights = LAGUERRE
        lower = nodes[1] - self._reach[0] * tail[::-1]
        upper = nodes[-2] + self._reach[1] * tail
        self.points = np.concatenate([lower, middles[1:-1], upper])
        self.shares = np.concatenate([parts[0] * weights[::-1], parts[1:-1], parts[-1] * weights])

    def cdf(self, errors: np.ndarray) -> np.ndarray:
        """Probability of at most so large an error."""
        below, above = self._beyond(errors)
        inside = np.interp(errors, self.nodes[1:-1], self.levels[1:-1]) - self._part[0]
        return inside + self._part[0] * below + self._part[1] * (1.0 - above)

    def sf(self, errors: np.ndarray) -> np.ndarray:
        """Probability of a larger error, with all its digits where that of at most so large an error is next to one."""
        below, above = self._beyond(errors)
        inside = self.levels[-2] - np.interp(errors, self.nodes[1:-1], self.levels[1:-1])
        return inside + self._part[1] * above + self._part[0] * (1.0 - below)

    def find_mass(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Probability between two errors; in the last part from above, where one less next to nothing is one."""
        from_above = self.sf(low) - self.sf(high)
        return np.where(low >= self.nodes[-2], from_above, self.cdf(high) - self.cdf(low))

    def ppf(self, q: np.ndarray) -> np.ndarray:
        """Quantiles."""
        inside = np.interp(q, self.levels[1:-1], self.nodes[1:-1])
        lower, upper = (
            -np.log(np.clip(level / part, LEAST_LEVEL, 1.0))
            for level, part in zip((q, 1.0 - q), self._part, strict=True)
        )
        return inside - self._reach[0] * lower + self._reach[1] * upper

    def pdf(self, errors: np.ndarray) -> np.ndarray:
        """Density."""
        below, above = self._beyond(errors)
        part = np.searchsorted(self.nodes[1:-1], errors, side="right")
        widths = np.diff(self.nodes)
        widths[[0, -1]] = self._reach
        return (np.diff(self.levels) / widths)[part] * below * above

    def _beyond(self, errors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of the first and of the last part, the share that lies still further out; 1 for errors inside."""
        below = np.maximum(self.nodes[1] - errors, 0.0) / self._reach[0]
        above = np.maximum(errors - self.nodes[-2], 0.0) / self._reach[1]
        return np.exp(-below), np.exp(-above)


class LocatedDistribution(Distribution):
    """``P(y <= v) = shape.cdf((scale.to_place(v) - location) / spread)``.

    An atom has the probability of the stretch of the scale that it takes, and its density is that probability. The
    values of a discrete target have the probability of the cells around them; its density is that of the cells.

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
        values = self.scale.values
        mass = self.shape.shares
        if self.scale.is_discrete:
            count = np.arange(len(values))
            mass = self.shape.find_mass(self._bound(count), self._bound(count + 1))
        else:
            values = self.scale.to_target(self._place(self.shape.points))
        off = values / unit - (self.mean() / unit)[:, None]
        return (mass * off**2).sum(axis=1) * unit * unit

    def _cdf(self, y: np.ndarray) -> np.ndarray:
        if not self.scale.is_discrete:
            return self._find_level(y, "right")
        return self.shape.cdf(self._bound(np.searchsorted(self.scale.values, y, side="right")))

    def _find_level(self, y: np.ndarray, side: Side) -> np.ndarray:
        """Probability of at most y, or, from the left, of less."""
        return self.shape.cdf(self._errors(self.scale.to_place(y, side)))

    def _bound(self, count: np.ndarray) -> np.ndarray:
        """The error at which the first so many values of a discrete target end."""
        bounds = np.concatenate([[-np.inf], self.scale.cells[0], [np.inf]])
        return self._errors(bounds[count])

    def _ppf(self, q: np.ndarray) -> np.ndarray:
        return self.scale.to_target(self._place(self.shape.ppf(q)))

    def _pdf(self, y: np.ndarray) -> np.ndarray:
        if not self.scale.is_discrete:
            with np.errstate(over="ignore", invalid="ignore"):
                errors = self._errors(self.scale.to_place(y))
                slope = self.scale.find_slope(y) / self.spread[:, None]
                density = np.where(slope > 0, self.shape.pdf(errors) * slope, 0.0)
            mass = self._find_level(y, "right") - self._find_level(y, "left")
            return np.where(self.scale.is_atom(y), mass, density)
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
            shape = self._shape
            kernels.average_cells(
                location, spread, bounds, values, shape.nodes, shape.levels, means
            )
            return means
        kernels.average_quantiles(
            location,
            spread,
            self._shape.points,
            self._shape.shares,
            self.low,
            self.per_step,
            self.table,
            means,
        )
        return means
