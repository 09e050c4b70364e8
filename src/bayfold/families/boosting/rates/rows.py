"""Totals as they are given, each with what it is a total of, and what they say of rates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

from bayfold import errors
from bayfold.core.counts import LabelledRows

POISSON = 1.0
"""The power of the mean that the variance of a count grows with."""


LOSSES = ("squared", "poisson", "gamma", "tweedie")


def check_totals(loss: str, rows: LabelledRows) -> None:
    """Refuse targets that a loss of rates has no likelihood for, and exposures of others."""
    assert rows.target is not None
    if loss == "squared":
        for name in {"exposure", "offset"} & rows.extras.keys():
            raise errors.needs_rate(name)
        return
    low = float(rows.target.min())
    if low < 0:
        raise errors.negative_totals(loss, low)
    if not rows.target.any():
        raise errors.only_zero_totals(loss)
    if loss == "gamma" and low == 0:
        raise errors.zero_amounts(int(np.count_nonzero(rows.target == 0)))
    broken = rows.target != np.floor(rows.target)
    if loss == "poisson" and broken.any():
        raise errors.broken_counts(float(rows.target[broken][0]))


@dataclass(frozen=True, eq=False)
class RateRows:
    """Totals of some rows, and what each is a total of.

    Attributes
    ----------
    totals : ndarray of shape (n_rows,)
        The target as it was given.
    exposures : ndarray of shape (n_rows,)
    factors : ndarray of shape (n_rows,)
        What the mean is known to be multiplied by.
    power : float
    """

    totals: np.ndarray
    exposures: np.ndarray
    factors: np.ndarray
    power: float

    @property
    def sizes(self) -> np.ndarray:
        """What a rate is multiplied by to be a mean."""
        return self.exposures * self.factors

    @property
    def firmness(self) -> np.ndarray:
        """How firmly each row speaks of the rate, beside others: a total of two years as two rows of one."""
        return self.exposures * self.factors ** (2.0 - self.power)

    def take(self, rows: np.ndarray) -> RateRows:
        """Some of the rows."""
        return RateRows(self.totals[rows], self.exposures[rows], self.factors[rows], self.power)

    def find_base(self, weights: np.ndarray) -> float:
        """The rate of all rows together."""
        firmness = weights * self.firmness
        return float(firmness @ (self.totals / self.sizes) / firmness.sum())

    def find_balance(self, rates: np.ndarray, weights: np.ndarray) -> float:
        """What rates are multiplied by so that they add up to the totals."""
        return float(weights @ self.totals) / float(weights @ (self.sizes * rates))

    def find_deviance(self, rates: np.ndarray, weights: np.ndarray) -> float:
        """The mean deviance of rows with these rates."""
        r = self.totals / self.sizes
        p = self.power
        if p == 1.0:
            off = xlogy(r, r / rates) - r + rates
        elif p == 2.0:
            off = r / rates - 1.0 - np.log(r / rates)
        else:
            off = r ** (2 - p) / ((1 - p) * (2 - p)) - r * rates ** (1 - p) / (1 - p)
            off += rates ** (2 - p) / (2 - p)
        return 2.0 * float((weights * self.firmness) @ off / weights.sum())
