"""Predictive distributions: one per row, all answers about the target in one object."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from bayfold import errors

CRPS_LEVELS = (np.arange(200) + 0.5) / 200
"""Probabilities at whose quantiles the CRPS is added up: of a normal distribution to a thousandth."""


WIDE_LEVELS = np.array([0.01, 0.5, 0.99])
WIDE_SHARE = 1e-6
LEAST_WIDE = 1e-6
"""Of log-scores: quantiles that say how wide a row's distribution is, the share of the wide one mixed in, and its least
width as a share of the median."""


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
        errors.check_probabilities("q", points)
        return _squeeze(self._ppf(points), single)

    def std(self) -> np.ndarray:
        """Standard deviation of each row."""
        return np.sqrt(self.var())

    def median(self) -> np.ndarray:
        """Median of each row."""
        return self.ppf(0.5)

    def interval(self, coverage: float = 0.9) -> np.ndarray:
        """The central interval that holds the target with probability ``coverage``, of shape (n_rows, 2)."""
        errors.check_fraction("coverage", coverage)
        return self.ppf([(1 - coverage) / 2, (1 + coverage) / 2])

    def log_score(self, y: object) -> np.ndarray:
        """Log-density at the true target ``y``, one number per row; larger is better.

        A millionth of a Cauchy distribution as wide as the row's own is mixed in, so that no truth costs infinitely.
        Of an atom the density is its probability.
        """
        truth = self._truths(y)
        low, middle, high = self._ppf(np.tile(WIDE_LEVELS, (self.n_rows, 1))).T
        width = np.maximum(high / 2 - low / 2, LEAST_WIDE * np.maximum(np.abs(middle), 1e-300))
        with np.errstate(over="ignore"):
            off = (truth / 2 - middle / 2) / (width / 2)
            # in logs: squares of far truths and densities of tiny targets are no floats
            wide = np.log(WIDE_SHARE / np.pi) - np.log(width) - 2 * np.log(np.hypot(1.0, off))
        with np.errstate(divide="ignore"):
            own = np.log1p(-WIDE_SHARE) + np.log(self._pdf(truth[:, None])[:, 0])
        return np.logaddexp(own, wide)

    def crps(self, y: object) -> np.ndarray:
        """Continuous ranked probability score at the true target ``y``, one number per row; smaller is better.

        In the unit of the target: the mean distance of a draw from the truth, less half of that of two draws. Of a
        distribution that is one number it is the absolute error.
        """
        truth = self._truths(y)[:, None]
        off = truth - self._ppf(np.broadcast_to(CRPS_LEVELS, (self.n_rows, len(CRPS_LEVELS))))
        return 2 * np.maximum(CRPS_LEVELS * off, (CRPS_LEVELS - 1) * off).mean(axis=1)

    def sample(self, n_draws: int = 1, random_state: object = None) -> np.ndarray:
        """Draws from each row's distribution, of shape (n_rows, n_draws)."""
        errors.check_whole("n_draws", n_draws, 1)
        if isinstance(random_state, np.random.RandomState):
            return self._ppf(random_state.random_sample((self.n_rows, n_draws)))
        generator = np.random.default_rng(random_state)  # type: ignore[arg-type]
        return self._ppf(generator.random((self.n_rows, n_draws)))

    def _truths(self, y: object) -> np.ndarray:
        """One number for each row."""
        truth = np.asarray(y, np.float64)
        if truth.shape != (self.n_rows,):
            raise errors.not_one_per_row("y", self.n_rows, truth.shape)
        return truth

    def _points(self, given: object, name: str) -> tuple[np.ndarray, bool]:
        """The points as (n_rows, k), and whether one number was given."""
        points = np.asarray(given, np.float64)
        if points.ndim > 2 or (points.ndim == 2 and len(points) != self.n_rows):
            raise errors.bad_points(name, self.n_rows, points.shape)
        width = points.shape[-1] if points.ndim else 1
        return np.broadcast_to(points, (self.n_rows, width)), points.ndim == 0


def _squeeze(answers: np.ndarray, single: bool) -> np.ndarray:
    return answers[:, 0] if single else answers


class GridDistribution(Distribution):
    """Densities that are linear between the points of a grid, and zero beyond it.

    A point between two others at the same place is an atom: its triangle has no width. An atom at an end of the grid
    needs one other, and nothing lies beyond it. The density of an atom is its probability.

    Parameters
    ----------
    grid : ndarray of shape (n_points,)
        Increasing but for atoms; two points at least.
    mass : ndarray of shape (n_rows, n_points)
        Probability of each point, spread like a triangle over the interval between its neighbours; rows add up to
        one. The outermost triangles are as wide beyond the grid as within.

    Examples
    --------
    >>> distribution = GridDistribution(np.arange(3.0), np.array([[0.25, 0.5, 0.25]]))
    >>> distribution.mean(), distribution.ppf(0.5), distribution.cdf([0.0, 1.0, 3.0])
    (array([1.]), array([1.]), array([[0.125, 0.5  , 1.   ]]))
    """

    def __init__(self, grid: np.ndarray, mass: np.ndarray) -> None:
        self.grid = grid
        self.mass = mass
        self._ends = pad_grid(grid)
        self._width = np.diff(self._ends)
        # densities per step, from a point to the next: targets of any size have such of ordinary size
        on_left, on_right = split_triangles(grid)
        self._begin = np.pad(2 * mass * on_right, ((0, 0), (1, 0)))
        self._end = np.pad(2 * mass * on_left, ((0, 0), (0, 1)))
        inner = np.cumsum((self._begin + self._end) / 2, axis=1)
        self._cumulated = np.pad(inner / inner[:, -1:], ((0, 0), (1, 0)))

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.mass)

    def mean(self) -> np.ndarray:
        """Mean of each row."""
        return self.mass @ triangle_means(self.grid)

    def var(self) -> np.ndarray:
        """Variance of each row."""
        between = triangle_means(self.grid) - self.mean()[:, None]
        return (self.mass * (between**2 + triangle_variances(self.grid))).sum(axis=1)

    def _place(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The point below y, and which share of the way to the next one y is above it."""
        inside = np.clip(y, self._ends[0], self._ends[-1])
        below = np.searchsorted(self._ends, inside, side="right") - 1
        below = np.minimum(below, len(self._ends) - 2)
        width = self._width[below]
        share = (inside - self._ends[below]) / np.where(width > 0, width, 1.0)
        return below, np.where(width > 0, share, 1.0)

    def _at(self, below: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Density per step at a point, how much it rises to the next, and the probability up to there."""
        left, right, start = (
            np.take_along_axis(array, below, axis=1)
            for array in (self._begin, self._end, self._cumulated)
        )
        return left, right - left, start

    def _pdf(self, y: np.ndarray) -> np.ndarray:
        below, share = self._place(y)
        left, rise, _ = self._at(below)
        width = self._width[below]
        density = np.maximum(left + rise * share, 0.0) / np.where(width > 0, width, np.inf)
        density = np.where((y < self._ends[0]) | (y > self._ends[-1]), 0.0, density)
        first = np.searchsorted(self._ends, y, side="left")
        last = np.searchsorted(self._ends, y, side="right") - 1
        if not (last - first > 1).any():
            return density
        first, last = (np.clip(k, 0, len(self._ends) - 1) for k in (first, last))
        mass = np.take_along_axis(self._cumulated, last, axis=1)
        mass = mass - np.take_along_axis(self._cumulated, first, axis=1)
        return np.where(last - first > 1, mass, density)

    def _cdf(self, y: np.ndarray) -> np.ndarray:
        below, share = self._place(y)
        left, rise, start = self._at(below)
        found = np.minimum(start + (left + rise * share / 2) * share, 1.0)
        found = np.where(y < self._ends[0], 0.0, found)
        return np.where(y >= self._ends[-1], 1.0, found)

    def _count_below(self, q: np.ndarray) -> np.ndarray:
        """How many points have a cumulated probability below q: a loop over whichever is shorter."""
        counts = np.empty(q.shape, np.int64)
        if q.shape[1] <= self.n_rows:
            for k in range(q.shape[1]):
                counts[:, k] = (self._cumulated < q[:, k : k + 1]).sum(axis=1)
        else:
            for row in range(self.n_rows):
                counts[row] = np.searchsorted(self._cumulated[row], q[row], side="left")
        return counts

    def _ppf(self, q: np.ndarray) -> np.ndarray:
        below = np.clip(self._count_below(q) - 1, 0, len(self._ends) - 2)
        left, rise, start = self._at(below)
        wanted = np.maximum(q - start, 0.0)
        # the root of left s + rise s^2 / 2 = wanted, in the form that loses no digits where the rise is small
        root = np.sqrt(np.maximum(left * left + 2 * rise * wanted, 0.0))
        nothing = left + root <= 0  # nothing is wanted, or so little that its square underflows
        share = np.where(nothing, 0.0, 2 * wanted / np.where(nothing, 1.0, left + root))
        return self._ends[below] + np.clip(share, 0.0, 1.0) * self._width[below]


def pad_grid(grid: np.ndarray) -> np.ndarray:
    """The grid with one more point on either side, as far out as the next one is within."""
    return np.concatenate([[2 * grid[0] - grid[1]], grid, [2 * grid[-1] - grid[-2]]])


def split_triangles(grid: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shares of each triangle on the left and on the right of its point; of an atom one half each.

    >>> split_triangles(np.array([0.0, 1.0, 4.0]))
    (array([0.5 , 0.25, 0.5 ]), array([0.5 , 0.75, 0.5 ]))
    """
    widths = np.diff(pad_grid(grid))
    spans = widths[1:] + widths[:-1]
    left = np.where(spans > 0, widths[:-1] / np.where(spans > 0, spans, 1.0), 0.5)
    return left, 1.0 - left


def triangle_means(grid: np.ndarray) -> np.ndarray:
    """Mean of the triangle over each point: the point itself where points are equally spaced."""
    ends = pad_grid(grid)
    return (ends[:-2] + ends[1:-1] + ends[2:]) / 3


def triangle_variances(grid: np.ndarray) -> np.ndarray:
    """Variance of the triangle over each point."""
    ends = pad_grid(grid)
    a = ends[:-2]
    b = ends[1:-1]
    c = ends[2:]
    return ((a - b) ** 2 + (b - c) ** 2 + (c - a) ** 2) / 36
