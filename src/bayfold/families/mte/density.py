"""A density that is a mixture of truncated exponentials on each of a few intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayfold import errors
from bayfold.base.options import RandomState
from bayfold.families.mte.curves import DOMAIN_MARGIN, Curves, fit_mixtures
from bayfold.families.mte.exponentials import (
    RATES,
    evaluate_basis,
    integrate_basis,
    solve_increasing,
)

METHODS = ("ls", "ml")

INTERVAL_KEYS = {"low", "high", "a0", "a", "b"}

POINTS_PER_INTERVAL = 33
"""At which a density is looked at: the fastest function that is fitted changes by a quarter from one to the next."""

NEGLIGIBLE = 1e-9
"""Share of the largest value within which one below zero is rounding."""


@dataclass(frozen=True, eq=False)
class MTEDensity:
    """A mixture of truncated exponentials: ``a_0 + sum_i a_i exp(b_i x)`` on each of a few intervals, zero beyond them.

    Integrals, moments and the distribution function are exact; quantiles are found to 1e-12 of an interval.

    Attributes
    ----------
    edges : ndarray of shape (n_intervals + 1,)
        Where the intervals begin and end.
    coefficients : ndarray of shape (n_intervals, n_basis)
        Of 1 and ``exp(r t)`` for every rate r, where t runs from 0 to 1 within the interval; the density is their sum
        divided by the width of the interval.
    rates : ndarray of shape (n_intervals, n_basis - 1) or None
        None: 1, -1, 3, -3, 8 and -8 in every interval, as ``fit`` has them. ``from_intervals`` takes any others.

    References
    ----------
    .. [1] S. Moral, R. Rumí, A. Salmerón (2001). Mixtures of truncated exponentials in hybrid Bayesian networks.
       ECSQARU, LNAI 2143, 156-167. https://doi.org/10.1007/3-540-44652-4_15

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> density = MTEDensity.fit(rng.normal(size=1000))
    >>> bool(abs(density.mean()) < 0.1), round(float(density.cdf(0.0)), 1)
    (True, 0.5)
    >>> round(density.moment(0), 6), round(float(density.cdf(density.ppf(0.9))), 6)
    (1.0, 0.9)
    """

    edges: np.ndarray
    coefficients: np.ndarray
    rates: np.ndarray | None = None

    @classmethod
    def fit(
        cls,
        x: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        max_intervals: int = 6,
        bandwidth_factor: float = 1.0,
        method: str = "ls",
    ) -> MTEDensity:
        """Fit a density to numbers.

        Parameters
        ----------
        x : array-like of shape (n,)
            NaN is left out.
        weights : array-like of shape (n,), optional
            Frequencies.
        max_intervals : int, default=6
        bandwidth_factor : float, default=1.0
            Of the kernel density that is fitted, as a multiple of ``1.059 sd n^(-1/5)``.
        method : {"ls", "ml"}, default="ls"
            Least squares to a kernel density, or maximum likelihood.

        Returns
        -------
        density : MTEDensity
        """
        check_mte(max_intervals, bandwidth_factor, "method", method)
        values, counts = _read_values(x, weights)
        low, high = widen(values[0], values[-1])
        z = (values - low) / (high - low)
        mixture = fit_mixtures(
            Curves(z),
            counts[:, None],
            max_intervals=max_intervals,
            bandwidth_factor=bandwidth_factor,
            method=method,
        )
        return cls(low + (high - low) * mixture.cuts, mixture.coefficients[:, :, 0])

    @classmethod
    def from_intervals(cls, intervals: Sequence[Mapping[str, Any]]) -> MTEDensity:
        """A density as it is written in the papers, with whatever rates it has: what ``export`` gives.

        Parameters
        ----------
        intervals : list of dict
            Each with the keys low, high, a0, a, b and, unless it is 0, origin: the function is
            ``a0 + sum_i a[i] exp(b[i] (x - origin))`` from ``low`` to ``high``, where the next interval begins. It is
            divided by its integral, which printed coefficients seldom make exactly one.

        Returns
        -------
        density : MTEDensity

        Examples
        --------
        >>> density = MTEDensity.from_intervals([{"low": 0, "high": 1, "a0": 0, "a": [2.0], "b": [-2.0]}])
        >>> round(density.mean(), 4)
        0.3435
        """
        lows, highs, parts = _read_intervals(intervals)
        edges = np.append(lows, highs[-1])
        widths = np.diff(edges)
        n_rates = max(len(part["b"]) for part in parts)
        rates = np.ones((len(parts), n_rates))  # of no consequence where the coefficient is zero
        coefficients = np.zeros((len(parts), 1 + n_rates))
        for m, part in enumerate(parts):
            b = part["b"]
            with np.errstate(over="ignore", invalid="ignore"):
                at_low = part["a"] * np.exp(b * (lows[m] - part["origin"]))
            rates[m, : len(b)] = b * widths[m]
            coefficients[m, 0] = part["a0"] * widths[m]
            coefficients[m, 1 : 1 + len(b)] = at_low * widths[m]
        density = cls(edges, coefficients, rates)
        _check_legal(density)
        return cls(edges, coefficients / density.masses.sum(), rates)

    @property
    def widths(self) -> np.ndarray:
        """Widths of the intervals."""
        return np.diff(self.edges)

    @property
    def masses(self) -> np.ndarray:
        """Probability of each interval."""
        return self._integrate_whole(0)

    def pdf(self, x: ArrayLike) -> np.ndarray:
        """Density at ``x``; zero beyond the intervals."""
        x = np.asarray(x, np.float64)
        m, t = self._locate(x)
        inside = (x >= self.edges[0]) & (x <= self.edges[-1])
        value = (self.coefficients[m] * evaluate_basis(t, self._rates_in(m))).sum(axis=-1)
        return np.where(inside, np.maximum(value / self.widths[m], 0.0), 0.0)[()]

    def logpdf(self, x: ArrayLike) -> np.ndarray:
        """Log-density at ``x``."""
        with np.errstate(divide="ignore"):
            return np.log(self.pdf(x))

    def cdf(self, x: ArrayLike) -> np.ndarray:
        """Probability of at most ``x``."""
        x = np.clip(np.asarray(x, np.float64), self.edges[0], self.edges[-1])
        m, t = self._locate(x)
        below = np.concatenate([[0.0], np.cumsum(self.masses)])
        rates = self._rates_in(m)
        value = below[m] + (self.coefficients[m] * integrate_basis(t, 0, rates)).sum(axis=-1)
        return np.clip(value / below[-1], 0.0, 1.0)[()]

    def ppf(self, q: ArrayLike) -> np.ndarray:
        """The value that is not exceeded with probability ``q``."""
        q = errors.as_numbers("q", "probabilities from 0 to 1", q)
        errors.check_probabilities("q", q)
        below = np.concatenate([[0.0], np.cumsum(self.masses)])
        goal = q * below[-1]
        m = np.clip(np.searchsorted(below, goal, side="left") - 1, 0, len(self.widths) - 1)

        rates = self._rates_in(m)

        def mass_below(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            value = (self.coefficients[m] * integrate_basis(t, 0, rates)).sum(axis=-1)
            return value, (self.coefficients[m] * evaluate_basis(t, rates)).sum(axis=-1)

        t = solve_increasing(mass_below, goal - below[m], np.zeros(q.shape), np.ones(q.shape))
        return (self.edges[m] + np.clip(t, 0.0, 1.0) * self.widths[m])[()]

    def moment(self, power: int) -> float:
        """Mean of ``x^power`` for the powers 0, 1 and 2."""
        if power not in (0, 1, 2):
            raise errors.bad_power(power)
        local = [self._integrate_whole(q) for q in range(power + 1)]
        e = self.edges[:-1]
        w = self.widths
        expanded = {
            0: lambda: local[0],
            1: lambda: e * local[0] + w * local[1],
            2: lambda: e * e * local[0] + 2 * e * w * local[1] + w * w * local[2],
        }
        return float(expanded[power]().sum())

    def mean(self) -> float:
        """Mean."""
        return self.moment(1)

    def var(self) -> float:
        """Variance."""
        centred = replace(self, edges=self.edges - self.mean())  # keeps the digits
        return centred.moment(2) - centred.moment(1) ** 2

    def std(self) -> float:
        """Standard deviation."""
        return float(np.sqrt(self.var()))

    def sample(self, n_draws: int = 1, random_state: RandomState | None = None) -> np.ndarray:
        """Draws from the density, of shape (n_draws,)."""
        errors.check_whole("n_draws", n_draws)
        return self.ppf(np.random.default_rng(random_state).random(n_draws))

    def export(self, origin: float | str = 0.0) -> list[dict[str, Any]]:
        """The density as it is written in the papers, one dict per interval.

        Parameters
        ----------
        origin : float or "local", default=0.0
            The density is ``a0 + sum_i a[i] exp(b[i] (x - origin))`` from ``low`` to ``high``. 0 is the papers' form;
            where values are large beside the interval its coefficients overflow, and ``"local"``, the beginning of
            each interval, keeps them small.

        Returns
        -------
        intervals : list of dict
            With the keys low, high, origin, a0, a and b.
        """
        errors.check_number("origin", origin, -np.inf, words=["local"])
        intervals = []
        for m, (low, width) in enumerate(zip(self.edges[:-1], self.widths, strict=True)):
            where = low if origin == "local" else float(origin)
            b = self._rates_in(np.array(m)) / width
            with np.errstate(over="ignore", invalid="ignore"):
                a = self.coefficients[m, 1:] / width * np.exp(b * (where - low))
            intervals.append(
                {
                    "low": float(low),
                    "high": float(self.edges[m + 1]),
                    "origin": float(where),
                    "a0": float(self.coefficients[m, 0] / width),
                    "a": a.tolist(),
                    "b": b.tolist(),
                }
            )
        return intervals

    def _integrate_whole(self, power: int) -> np.ndarray:
        """Integral of ``t^power`` times the density of t over each interval."""
        whole = np.ones(len(self.widths))
        rates = self._rates_in(np.arange(len(whole)))
        return (self.coefficients * integrate_basis(whole, power, rates)).sum(axis=-1)

    def _rates_in(self, m: np.ndarray) -> np.ndarray:
        """The rates of these intervals."""
        return RATES if self.rates is None else self.rates[m]

    def _locate(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The interval of each point and where in it the point lies."""
        m = np.clip(np.searchsorted(self.edges, x, side="right") - 1, 0, len(self.widths) - 1)
        return m, np.clip((x - self.edges[m]) / self.widths[m], 0.0, 1.0)


def widen(low: float, high: float) -> tuple[float, float]:
    """The domain: the training range and a margin; around a single value, next to nothing."""
    span = float(high) - float(low)
    if not span > 0:
        span = max(abs(float(low)), 1e-3) * 1e-3
        return float(low) - span, float(high) + span
    return float(low) - DOMAIN_MARGIN * span, float(high) + DOMAIN_MARGIN * span


def check_mte(max_intervals: object, bandwidth_factor: object, name: str, method: object) -> None:
    """Refuse parameters of the fit that have no meaning."""
    errors.check_whole("max_intervals", max_intervals, 1, 50)
    errors.check_number("bandwidth_factor", bandwidth_factor, above=True)
    errors.check_choice(name, method, METHODS)


def _read_intervals(
    intervals: Sequence[Mapping[str, Any]],
) -> tuple[np.ndarray, np.ndarray, list[dict[str, Any]]]:
    """Where intervals begin and end, and their functions as arrays."""
    parts: list[dict[str, Any]] = []
    for interval in intervals:
        if not isinstance(interval, Mapping) or not set(interval) >= INTERVAL_KEYS:
            raise errors.bad_intervals("dicts with the keys low, high, a0, a and b", interval)
        part = {"origin": 0.0} | dict(interval)
        for name in INTERVAL_KEYS | {"origin"}:
            part[name] = errors.as_numbers(
                name, "a list of numbers" if name in "ab" else "a number", part[name]
            )
        if part["a"].shape != part["b"].shape or part["a"].ndim != 1:
            raise errors.bad_intervals("as many coefficients in a as rates in b", interval)
        if not all(np.isfinite(value).all() for value in part.values()) or (part["b"] == 0).any():
            raise errors.bad_intervals(
                "finite numbers, and rates other than 0 (a0 is the constant)", interval
            )
        parts.append(part)
    lows, highs = (np.array([float(part[name]) for part in parts]) for name in ("low", "high"))
    if not parts or (lows >= highs).any() or (lows[1:] != highs[:-1]).any():
        raise errors.bad_intervals(
            "at least one interval, each beginning where the one before ends", intervals
        )
    return lows, highs, parts


def _check_legal(density: MTEDensity) -> None:
    """Refuse a function that is negative at one of the points looked at, or whose integral is no number above zero."""
    t = np.linspace(0.0, 1.0, POINTS_PER_INTERVAL)
    for m in range(len(density.widths)):
        with np.errstate(over="ignore", invalid="ignore"):
            values = evaluate_basis(t, density._rates_in(np.array(m))) @ density.coefficients[m]
        if not (np.isfinite(values).all() and values.min() >= -NEGLIGIBLE * values.max()):
            raise errors.bad_intervals(
                "functions that are finite and nowhere negative", density.export()[m]
            )
    if not density.masses.sum() > 0:
        raise errors.bad_intervals("a function above zero somewhere", density.export())


def _read_values(x: Any, weights: Any) -> tuple[np.ndarray, np.ndarray]:
    """Distinct values in increasing order with their summed weights."""
    values = errors.as_numbers("x", "a list of numbers", x)
    if values.ndim != 1:
        raise errors.not_a_list("x", values.shape)
    w = np.ones(len(values)) if weights is None else np.asarray(weights, np.float64)
    if w.shape != values.shape:
        raise errors.unequal_lengths("weights", len(w), len(values))
    wrong = ~(np.isfinite(w) & (w >= 0))
    if wrong.any():
        raise errors.negative_weights(float(w[wrong][0]))
    if np.isinf(values).any():
        raise errors.infinite_number("x", float(values[np.isinf(values)][0]))
    known = ~np.isnan(values) & (w > 0)
    if not known.any():
        if len(values) and not np.isnan(values).all():
            raise errors.all_weights_zero()
        raise errors.no_number("x", x)
    distinct, inverse = np.unique(values[known], return_inverse=True)
    return distinct, np.bincount(inverse, w[known])
