"""Predictive distributions: one per row, all answers about the target in one object."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from bayfold.errors import bad_parameter


class Distribution(ABC):
    """Distributions of the target, one for each of ``n_rows`` rows.

    Points and probabilities are given as one number (the same for all rows), as k numbers (again the same for all
    rows) or as an array of shape (n_rows, k) with numbers of each row's own. Answers have the shape (n_rows,) for one
    number and (n_rows, k) otherwise.
    """

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """How many rows there are."""

    @abstractmethod
    def mean(self) -> np.ndarray:
        """Mean of each row."""

    @abstractmethod
    def var(self) -> np.ndarray:
        """Variance of each row."""

    @abstractmethod
    def _pdf(self, y: np.ndarray) -> np.ndarray:
        """Density at points of shape (n_rows, k)."""

    @abstractmethod
    def _cdf(self, y: np.ndarray) -> np.ndarray:
        """Probability of at most y, at points of shape (n_rows, k)."""

    @abstractmethod
    def _ppf(self, q: np.ndarray) -> np.ndarray:
        """Quantiles of probabilities of shape (n_rows, k)."""

    def pdf(self, y: object) -> np.ndarray:
        """Density of the target at ``y``."""
        points, single = self._points(y, "y")
        return _squeeze(self._pdf(points), single)

    def cdf(self, y: object) -> np.ndarray:
        """Probability that the target is at most ``y``."""
        points, single = self._points(y, "y")
        return _squeeze(self._cdf(points), single)

    def ppf(self, q: object) -> np.ndarray:
        """The smallest value that the target exceeds with a probability of at most ``1 - q``."""
        points, single = self._points(q, "q")
        if not ((points >= 0) & (points <= 1)).all():
            raise bad_parameter("q", "probabilities from 0 to 1", q)
        return _squeeze(self._ppf(points), single)

    def std(self) -> np.ndarray:
        """Standard deviation of each row."""
        return np.sqrt(self.var())

    def median(self) -> np.ndarray:
        """Median of each row."""
        return self.ppf(0.5)

    def interval(self, coverage: float = 0.9) -> np.ndarray:
        """The central interval that holds the target with probability ``coverage``, of shape (n_rows, 2)."""
        check_coverage(coverage)
        return self.ppf([(1 - coverage) / 2, (1 + coverage) / 2])

    def log_score(self, y: object) -> np.ndarray:
        """Log-density at the true target ``y``, one number per row; larger is better."""
        truth = np.asarray(y, np.float64)
        if truth.shape != (self.n_rows,):
            raise bad_parameter("y", f"of shape ({self.n_rows},), one per row", truth.shape)
        with np.errstate(divide="ignore"):
            return np.log(self._pdf(truth[:, None])[:, 0])

    def sample(self, n_draws: int = 1, random_state: object = None) -> np.ndarray:
        """Draws from each row's distribution, of shape (n_rows, n_draws)."""
        if isinstance(n_draws, bool) or not isinstance(n_draws, (int, np.integer)) or n_draws < 1:
            raise bad_parameter("n_draws", "a whole number from 1", n_draws)
        if isinstance(random_state, np.random.RandomState):
            return self._ppf(random_state.random_sample((self.n_rows, n_draws)))
        generator = np.random.default_rng(random_state)  # type: ignore[arg-type]
        return self._ppf(generator.random((self.n_rows, n_draws)))

    def _points(self, given: object, name: str) -> tuple[np.ndarray, bool]:
        """The points as (n_rows, k), and whether one number was given."""
        points = np.asarray(given, np.float64)
        if points.ndim > 2 or (points.ndim == 2 and len(points) != self.n_rows):
            condition = f"a number, a list of numbers, or of shape ({self.n_rows}, k)"
            raise bad_parameter(name, condition, points.shape)
        width = points.shape[-1] if points.ndim else 1
        return np.broadcast_to(points, (self.n_rows, width)), points.ndim == 0


def check_coverage(coverage: object) -> None:
    """Refuse what is no probability strictly between 0 and 1."""
    number = isinstance(coverage, (int, float, np.integer, np.floating))
    if not number or isinstance(coverage, bool) or not 0 < coverage < 1:  # type: ignore[operator]
        raise bad_parameter("coverage", "a probability above 0 and below 1", coverage)


def _squeeze(answers: np.ndarray, single: bool) -> np.ndarray:
    return answers[:, 0] if single else answers


class GridDistribution(Distribution):
    """Densities that are linear between equally spaced points, and zero beyond the outermost.

    Parameters
    ----------
    low, step : float
        The points are ``low + step * k``.
    mass : ndarray of shape (n_rows, n_points)
        Probability of each point, spread over its two neighbouring intervals like a triangle; rows add up to one.

    Examples
    --------
    >>> distribution = GridDistribution(0.0, 1.0, np.array([[0.25, 0.5, 0.25]]))
    >>> distribution.mean(), distribution.ppf(0.5), distribution.cdf([0.0, 1.0, 3.0])
    (array([1.]), array([1.]), array([[0.125, 0.5  , 1.   ]]))
    """

    def __init__(self, low: float, step: float, mass: np.ndarray) -> None:
        self.low, self.step, self.mass = low, step, mass
        # a point without mass on either side, where the density comes down to zero
        self._height = np.pad(mass, ((0, 0), (1, 1)))
        inner = np.cumsum((self._height[:, 1:] + self._height[:, :-1]) / 2, axis=1)
        self._cumulated = np.pad(inner / inner[:, -1:], ((0, 0), (1, 0)))

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.mass)

    @property
    def grid(self) -> np.ndarray:
        """The points between which the density is linear."""
        return self.low + self.step * np.arange(self.mass.shape[1])

    def mean(self) -> np.ndarray:
        """Mean of each row."""
        return self.low + self.step * (self.mass @ np.arange(self.mass.shape[1]))

    def var(self) -> np.ndarray:
        """Variance of each row."""
        place = np.arange(self.mass.shape[1])
        centred = place - (self.mass @ place)[:, None]
        # a triangle over two steps has a variance of a sixth of a step squared
        return self.step**2 * ((self.mass * centred**2).sum(axis=1) + 1 / 6)

    def _place(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The point below y among the padded ones, and how far y is above it, in steps."""
        last = self._height.shape[1] - 2
        t = np.clip((y - self.low) / self.step + 1, 0, last + 1)
        below = np.minimum(t.astype(np.int64), last)
        return below, t - below

    def _pdf(self, y: np.ndarray) -> np.ndarray:
        below, t = self._place(y)
        left = np.take_along_axis(self._height, below, axis=1)
        right = np.take_along_axis(self._height, below + 1, axis=1)
        return (left + t * (right - left)) / self.step

    def _cdf(self, y: np.ndarray) -> np.ndarray:
        below, t = self._place(y)
        left = np.take_along_axis(self._height, below, axis=1)
        right = np.take_along_axis(self._height, below + 1, axis=1)
        start = np.take_along_axis(self._cumulated, below, axis=1)
        return np.minimum(start + left * t + (right - left) * t * t / 2, 1.0)

    def _ppf(self, q: np.ndarray) -> np.ndarray:
        below = np.empty(q.shape, np.int64)
        for row in range(self.n_rows):
            below[row] = np.searchsorted(self._cumulated[row], q[row], side="left") - 1
        below = np.clip(below, 0, self._height.shape[1] - 2)
        left = np.take_along_axis(self._height, below, axis=1)
        slope = np.take_along_axis(self._height, below + 1, axis=1) - left
        wanted = np.maximum(q - np.take_along_axis(self._cumulated, below, axis=1), 0.0)
        # the root of left t + slope t^2 / 2 = wanted, in the form that loses no digits where slope is small
        root = np.sqrt(np.maximum(left * left + 2 * slope * wanted, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(wanted > 0, 2 * wanted / (left + root), 0.0)
        return self.low + self.step * (below - 1 + np.clip(np.nan_to_num(t), 0.0, 1.0))
