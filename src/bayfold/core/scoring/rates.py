"""Predictive distributions of counts and of amounts, given their means: what is left is fitted on held-out rows.

Counts are negative binomial, or rounded gamma where they vary less than a Poisson distribution; amounts are generalised
gamma (gamma, Weibull and nearly lognormal among them). More zeros than these may be there. Whatever the shape, the mean
of each row is the one that was predicted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import betaln, expit, gammainc, gammaincinv, gammaln, xlog1py, xlogy
from scipy.stats import nbinom

from bayfold.core.scoring.distribution import Distribution

SHAPE_BOUND = 12.0
"""Of the logarithm of a parameter: e^-12 is a Poisson distribution, and no extra zeros, to six digits."""

SHAPE_ROWS = 1 << 14
"""Held-out rows that shapes are fitted on, at most: two to four parameters are known to a hundredth."""


N_WAVES = 64
"""Terms of a Fourier series, of which the rest is integrated: the variance of a count to four digits."""

LEAST_COUNT_CHANCE = 1e-12
"""Of a count, where a shape is fitted: below it differences of distribution functions are rounding."""


@dataclass(frozen=True)
class CountShape:
    """Zero with a probability of its own, otherwise negative binomial; or steadier than a Poisson distribution.

    Attributes
    ----------
    dispersion : float
        The variance of a count of mean m that is no extra zero is ``m + dispersion m^2``.
    extra_zeros : float
        Probability of a zero that the mean does not tell of.
    spread : float
        Below 1, counts are ``SteadyDistribution`` with this spread, and the others have no effect.
    """

    dispersion: float
    extra_zeros: float
    spread: float = 1.0

    def make(self, mean: np.ndarray, exposure: np.ndarray) -> Distribution:
        """The distributions of rows with these means."""
        if self.spread < 1.0:
            return SteadyDistribution(mean, self.spread)
        return CountDistribution(mean, self)

    @classmethod
    def fit(
        cls, y: np.ndarray, mean: np.ndarray, exposure: np.ndarray, weights: np.ndarray
    ) -> CountShape:
        """The likeliest shape of some rows."""

        def lose(free: np.ndarray) -> float:
            shape = cls(float(np.exp(free[0])), float(expit(free[1])))
            return -float(weights @ CountDistribution(mean, shape)._log_pdf(y[:, None])[:, 0])

        free = _minimise(lose, (-2.0, -2.0))
        found = cls(float(np.exp(free[0])), float(expit(free[1])))
        if weights @ (y - mean) ** 2 >= weights @ mean:
            return found

        def lose_steady(log_spread: float) -> float:
            chances = SteadyDistribution(mean, float(np.exp(log_spread)))._pdf(y[:, None])[:, 0]
            return -float(weights @ np.log(np.maximum(chances, LEAST_COUNT_CHANCE)))

        best = minimize_scalar(lose_steady, bounds=(-SHAPE_BOUND, 0.0), method="bounded")
        return replace(found, spread=float(np.exp(best.x))) if best.fun < lose(free) else found


class CountDistribution(Distribution):
    """Distributions of whole numbers from 0; their density is a probability.

    Parameters
    ----------
    mean : ndarray of shape (n_rows,)
    shape : CountShape
    """

    def __init__(self, mean: np.ndarray, shape: CountShape) -> None:
        self._mean = mean
        self._zeros = shape.extra_zeros
        self._size = 1.0 / shape.dispersion
        self._base = (mean / (1.0 - shape.extra_zeros))[:, None]
        self._failure = self._size / (self._size + self._base)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self._mean)

    def mean(self) -> np.ndarray:
        """Mean of each row."""
        return self._mean

    def var(self) -> np.ndarray:
        """Variance of each row."""
        base = self._base[:, 0]
        return self._mean * (1.0 + base / self._size + self._zeros * base)

    def _log_pdf(self, y: np.ndarray) -> np.ndarray:
        size = self._size
        k = np.maximum(np.floor(y), 0.0)
        # the binomial coefficient by a beta function: sizes are large where counts are nearly Poisson
        ways = -np.log(size + k) - betaln(size, k + 1.0)
        own = ways + xlogy(size, self._failure) + xlog1py(k, -self._failure)
        own += np.log1p(-self._zeros)
        log_zeros = np.log(np.maximum(self._zeros, 1e-300))
        return np.where(k == 0, np.logaddexp(own, log_zeros), own)

    def _pdf(self, y: np.ndarray) -> np.ndarray:
        return np.where((y >= 0) & (y == np.floor(y)), np.exp(self._log_pdf(y)), 0.0)

    def _cdf(self, y: np.ndarray) -> np.ndarray:
        own = nbinom.cdf(np.floor(y), self._size, self._failure)
        return np.where(y < 0, 0.0, self._zeros + (1.0 - self._zeros) * own)

    def _ppf(self, q: np.ndarray) -> np.ndarray:
        rest = np.clip((q - self._zeros) / (1.0 - self._zeros), 0.0, 1.0)
        return np.maximum(nbinom.ppf(rest, self._size, self._failure), 0.0)


class SteadyDistribution(Distribution):
    """Counts that vary less than a Poisson distribution: a gamma distribution, rounded up or down at random.

    The chance of the next whole number is the fraction beyond the last, so that rounding leaves the mean as it is.

    Parameters
    ----------
    mean : ndarray of shape (n_rows,)
    spread : float
        Variance of the gamma distribution divided by its mean.
    """

    def __init__(self, mean: np.ndarray, spread: float) -> None:
        self._mean = mean
        self._spread = spread
        self._form = (mean / spread)[:, None]

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self._mean)

    def mean(self) -> np.ndarray:
        """Mean of each row."""
        return self._mean

    def var(self) -> np.ndarray:
        """Variance of each row: of the gamma distribution, and of rounding, whose Fourier series is added up."""
        form = self._form[:, 0]
        rounding = np.full(self.n_rows, 1.0 / 6.0)
        for k in range(1, N_WAVES + 1):
            rounding -= self._wave(k) / (np.pi * k) ** 2
        rest = N_WAVES + 0.5
        rounding -= self._wave(rest) / (np.pi**2 * rest * (1.0 + form))
        return self._spread * self._mean + np.maximum(rounding, 0.0)

    def _wave(self, k: float) -> np.ndarray:
        """The mean of ``cos(2 pi k z)``."""
        return ((1.0 - 2j * np.pi * k * self._spread) ** -self._form[:, 0]).real

    def _reach(self, t: np.ndarray) -> np.ndarray:
        """The integral of the gamma distribution function up to t."""
        at = np.maximum(t, 0.0)
        below = at * gammainc(self._form, at / self._spread)
        return below - self._mean[:, None] * gammainc(self._form + 1.0, at / self._spread)

    def _pdf(self, y: np.ndarray) -> np.ndarray:
        bend = self._reach(y + 1) - 2 * self._reach(y) + self._reach(y - 1)
        return np.where((y >= 0) & (y == np.floor(y)), np.clip(bend, 0.0, 1.0), 0.0)

    def _cdf(self, y: np.ndarray) -> np.ndarray:
        k = np.floor(y)
        return np.where(y < 0, 0.0, np.clip(self._reach(k + 1) - self._reach(k), 0.0, 1.0))

    def _ppf(self, q: np.ndarray) -> np.ndarray:
        z = self._spread * gammaincinv(self._form, q)
        first = np.maximum(np.floor(z) - 1.0, 0.0)  # rounding moves by less than one
        with np.errstate(invalid="ignore"):  # at a probability of 1 all is infinite
            return first + sum((self._cdf(first + k) < q).astype(float) for k in range(3))


@dataclass(frozen=True)
class AmountShape:
    """Zero, if it may be, otherwise ``mean x V^(1/exponent)`` with V from a gamma distribution, scaled to its mean.

    Attributes
    ----------
    form : float
        Of the gamma distribution, for an exposure of 1.
    exponent : float
        1 for a gamma distribution; towards 0 (and a large form) the lognormal one.
    chances : tuple of float or None
        ``P(y > 0) = 1 - exp(-e^a exposure rate^b)``; None if y is never 0.
    """

    form: float
    exponent: float
    chances: tuple[float, float] | None = None

    def make(self, mean: np.ndarray, exposure: np.ndarray) -> AmountDistribution:
        """The distributions of rows with these means and exposures."""
        chance = np.ones_like(mean)
        if self.chances is not None:
            a, b = self.chances
            chance = -np.expm1(-np.exp(a + b * np.log(mean / exposure)) * exposure)
        return AmountDistribution(mean, chance, self.form * exposure, self.exponent)

    @classmethod
    def fit(
        cls, y: np.ndarray, mean: np.ndarray, exposure: np.ndarray, weights: np.ndarray
    ) -> AmountShape:
        """The likeliest shape of some rows."""
        is_zero = y == 0
        chances = None
        if is_zero.any():
            log_rate = np.log(mean / exposure)
            centre = float(weights @ log_rate / weights.sum())

            def miss(free: np.ndarray) -> float:
                hazard = (
                    np.exp(np.clip(free[0] + free[1] * (log_rate - centre), -50, 50)) * exposure
                )
                happens = np.log(np.maximum(-np.expm1(-hazard), 1e-300))
                return -float(weights @ np.where(is_zero, -hazard, happens))

            a, b = _minimise(miss, (0.0, 0.5))
            chances = float(a - b * centre), float(b)

        def lose(free: np.ndarray) -> float:
            shape = cls(float(np.exp(free[0])), float(np.exp(free[1])), chances)
            made = shape.make(mean, exposure)
            return -float(weights @ np.where(is_zero, 0.0, made._log_pdf(y[:, None])[:, 0]))

        form, exponent = np.exp(_minimise(lose, (0.0, 0.0))).tolist()
        return cls(form, exponent, chances)


class AmountDistribution(Distribution):
    """Distributions of amounts, which may be zero; the density at zero is its probability.

    Parameters
    ----------
    mean : ndarray of shape (n_rows,)
    chance : ndarray of shape (n_rows,)
        Probability of more than zero.
    form : ndarray of shape (n_rows,)
    exponent : float
        See ``AmountShape``.
    """

    def __init__(
        self, mean: np.ndarray, chance: np.ndarray, form: np.ndarray, exponent: float
    ) -> None:
        self._mean = mean
        self._chance = chance[:, None]
        self._form = form[:, None]
        self._exponent = exponent
        self._log_unit = self._log_moment(1) - np.log(mean / chance)[:, None]

    def _log_moment(self, k: int) -> np.ndarray:
        """The logarithm of the k-th moment of ``V^(1/exponent)``."""
        return gammaln(self._form + k / self._exponent) - gammaln(self._form)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self._mean)

    def mean(self) -> np.ndarray:
        """Mean of each row."""
        return self._mean

    def var(self) -> np.ndarray:
        """Variance of each row."""
        spread = np.exp(self._log_moment(2) - 2 * self._log_moment(1)) / self._chance
        return self._mean**2 * (spread[:, 0] - 1.0)

    def _raise(self, y: np.ndarray) -> np.ndarray:
        """The logarithm of V."""
        with np.errstate(divide="ignore"):
            return self._exponent * (np.log(np.maximum(y, 0.0)) + self._log_unit)

    def _log_pdf(self, y: np.ndarray) -> np.ndarray:
        log_v = self._raise(y)
        own = self._form * log_v - np.exp(np.minimum(log_v, 700.0)) - gammaln(self._form)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(self._chance * self._exponent) + own - np.log(y)

    def _pdf(self, y: np.ndarray) -> np.ndarray:
        density = np.where(y > 0, np.exp(self._log_pdf(np.where(y > 0, y, 1.0))), 0.0)
        return np.where(y == 0, 1.0 - self._chance, density)

    def _cdf(self, y: np.ndarray) -> np.ndarray:
        own = gammainc(self._form, np.exp(np.minimum(self._raise(y), 700.0)))
        return np.where(y < 0, 0.0, 1.0 - self._chance + self._chance * own)

    def _ppf(self, q: np.ndarray) -> np.ndarray:
        rest = np.clip((q - (1.0 - self._chance)) / self._chance, 0.0, 1.0)
        with np.errstate(divide="ignore"):
            log_v = np.log(gammaincinv(self._form, rest))
        return np.where(rest > 0, np.exp(log_v / self._exponent - self._log_unit), 0.0)


Shape = CountShape | AmountShape


def _minimise(loss: Callable[[np.ndarray], float], begin: tuple[float, float]) -> np.ndarray:
    """Where a smooth function of two free numbers is least."""
    bounds = [(-SHAPE_BOUND, SHAPE_BOUND)] * len(begin)
    return minimize(loss, np.array(begin), method="Nelder-Mead", bounds=bounds).x
