"""Conformal correction of predictive distributions, from rows that were held out anyway.

How far from the middle of its predicted distribution did each held-out row lie? Central intervals are made so wide that
they hold as many of these rows as they promise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

from bayfold.core.scoring.distribution import Distribution
from bayfold.core.stored import Stored

CORRECTED_COVERAGES = np.array([0.1, 0.25, 0.5, 0.65, 0.8, 0.9, 0.95, 0.98, 0.99])
"""Of central intervals that are corrected exactly; others lie straight between these."""

ATOM_POINTS = 20
"""Places at which a row counts whose target is an atom: anywhere in the stretch of probability that the atom has."""

GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0
"""Multiples of it are spread evenly modulo one, however many there are."""

CORRECTION_PASSES = 3
"""A correction knows groups, not where in a group a target lies: what that leaves is corrected again. With four groups
(``MTERegressor``, normal errors in ``benchmarks.guarantees``, 1,500 rows) intervals of .9 hold .933 after one pass,
.908 after three."""

LARGEST_SHIFT = 5.0
"""Of log-odds: balance that takes more is given up."""

LEAST_KNOT_STEP = 1e-6
"""Between the knots of a correction: steeper than this nothing is told from rounding."""


@dataclass(frozen=True, eq=False)
class LevelCorrection(Stored):
    """The share of rows that really lie below what a model says a share of them lies below.

    Attributes
    ----------
    knots : ndarray
        Cumulated probabilities of the model, increasing from 0 to 1.
    levels : ndarray
        What they are corrected to, increasing from 0 to 1; straight between the knots.
    """

    knots: np.ndarray
    levels: np.ndarray

    @classmethod
    def of(
        cls, below: np.ndarray, up_to: np.ndarray, weights: np.ndarray
    ) -> LevelCorrection | None:
        """From held-out rows: the probabilities of less than their target and of at most that; None of too few rows.

        Parameters
        ----------
        below, up_to : ndarray of shape (n_rows,)
            They differ where the target is an atom.
        weights : ndarray of shape (n_rows,)
            Rows, or, where rows belong to units, units.

        Examples
        --------
        >>> level = (np.arange(199) + 1) / 200
        >>> narrow = LevelCorrection.of(level**2, level**2, np.ones(199))
        >>> bool(narrow.levels[-2] == 0.995), float(narrow.knots[-2].round(4))
        (True, 0.9999)
        """
        # in an order that no name decides, in which samples are
        first = np.lexsort((weights, up_to, below))
        below, up_to, weights = below[first], up_to[first], weights[first]
        # each row begins elsewhere: rows of one atom would all count at the same places
        begins = np.arange(len(below)) * GOLDEN % 1.0
        steps = (np.arange(ATOM_POINTS) + begins[:, None]) / ATOM_POINTS
        places = below[:, None] + (up_to - below)[:, None] * steps
        off = np.abs(2.0 * places.ravel() - 1.0)
        order = np.argsort(off, kind="stable")
        summed = np.cumsum(np.repeat(weights / ATOM_POINTS, ATOM_POINTS)[order])
        # one more row, whose distance may be anything: the rank that split conformal prediction takes
        wanted = CORRECTED_COVERAGES * (weights.sum() + 1.0)
        known = wanted <= weights.sum()
        found = np.interp(wanted[known], summed, off[order])
        keep = (np.diff(found, prepend=0.0) > LEAST_KNOT_STEP) & (found < 1.0 - LEAST_KNOT_STEP)
        if not keep.any():
            return None
        knots = np.concatenate([[0.0], found[keep], [1.0]])
        covered = np.concatenate([[0.0], CORRECTED_COVERAGES[known][keep], [1.0]])
        return cls(
            np.concatenate([(1.0 - knots[:0:-1]) / 2, (1.0 + knots) / 2]),
            np.concatenate([(1.0 - covered[:0:-1]) / 2, (1.0 + covered) / 2]),
        )

    @classmethod
    def of_mass(
        cls,
        make: Callable[[np.ndarray], Distribution],
        mass: np.ndarray,
        target: np.ndarray,
        weights: np.ndarray,
        of_all: tuple[float, float] | None = None,
    ) -> LevelCorrection | None:
        """From the probabilities of groups for held-out rows, what makes distributions of these, and their targets.

        Means are balanced: those of held-out rows are their targets in the mean. Where these rows are drawn from all,
        whose mean target and weight are given, means of all are, as far as the draw lets one know.
        """
        means = make(np.eye(mass.shape[1])).mean()
        unit = float(np.abs(means).max()) or 1.0
        means = means / unit
        share = weights / weights.sum()
        drawn = None
        if of_all is not None and weights.sum() < of_all[1]:
            drawn = of_all[0] / unit, weights.sum() / of_all[1]
        correction = None
        for _ in range(CORRECTION_PASSES):
            distribution = make(correct_mass(correction, mass))
            below = distribution.cdf(np.nextafter(target, -np.inf)[:, None])[:, 0]
            step = cls.of(below, distribution.cdf(target[:, None])[:, 0], weights)
            if step is None:
                break
            knots = step.knots
            if correction is not None:
                knots = np.interp(knots, correction.levels, correction.knots)
            correction = cls(knots, step.levels)
            means_of_rows = correct_mass(correction, mass) @ means
            excess = find_mean_excess(means_of_rows, target / unit, share, drawn)
            correction = correction.balance(mass, means, share, share @ means_of_rows - excess)
        return correction

    def balance(
        self, mass: np.ndarray, means: np.ndarray, share: np.ndarray, wanted: float
    ) -> LevelCorrection:
        """Shift the log-odds of all levels, so that rows have the wanted mean, where groups have these means."""
        cumulated = np.minimum(np.cumsum(mass, axis=1)[:, :-1], 1.0)
        above = np.clip(np.searchsorted(self.knots, cumulated, "right"), 1, len(self.knots) - 1)
        width = np.diff(self.knots)[above - 1]
        part = (cumulated - self.knots[above - 1]) / width
        # what the level at each knot takes from the mean
        steps = share[:, None] * np.diff(means)
        size = len(self.knots)
        taken = np.bincount(above.ravel(), (steps * part).ravel(), size)
        taken += np.bincount(above.ravel() - 1, (steps * (1.0 - part)).ravel(), size)
        log_odds = logit(self.levels)

        def find_off(shift: float) -> float:
            return float(means[-1] - taken @ expit(log_odds - shift)) - wanted

        ends = -LARGEST_SHIFT, LARGEST_SHIFT
        if not find_off(ends[0]) < 0.0 < find_off(ends[1]):
            return self
        return LevelCorrection(self.knots, expit(log_odds - brentq(find_off, *ends)))

    def apply(self, cumulated: np.ndarray) -> np.ndarray:
        """Cumulated probabilities, corrected."""
        return np.interp(cumulated, self.knots, self.levels)


def find_mean_excess(
    means: np.ndarray,
    target: np.ndarray,
    share: np.ndarray,
    drawn: tuple[float, float] | None = None,
) -> float:
    """How much larger predicted means are than targets, in the mean over rows.

    Of rows drawn from others, with the mean target of all and the share of all that was drawn: a regression estimate of
    the excess of all, less the part that the draw explains (James and Stein).

    >>> target, share = np.array([1.0, 2.0, 3.0]), np.full(3, 1 / 3)
    >>> [round(find_mean_excess(target + 1, target, share, d), 6) for d in (None, (4.0, 0.1))]
    [1.0, 1.0]
    """
    excess = float(share @ (means - target))
    if drawn is None:
        return excess
    mean, part = drawn
    off = target - share @ target
    spread = means - share @ means
    variance = share @ off**2
    slope = (share @ (off * spread)) / variance if variance > 0 else 0.0
    excess = float(share @ means + slope * (mean - share @ target)) - mean
    noise = max(1.0 - part, 0.0) * float(share**2 @ (spread - slope * off) ** 2)
    return excess * max(0.0, 1.0 - noise / excess**2) if excess else 0.0


def count_units(weights: np.ndarray, n_units: float) -> np.ndarray:
    """Weights of rows that add up to no more than the units they belong to.

    >>> count_units(np.ones(4), 2.0), count_units(np.ones(2), np.inf)
    (array([0.5, 0.5, 0.5, 0.5]), array([1., 1.]))
    """
    return weights * min(1.0, n_units / max(float(weights.sum()), 1e-300))


def correct_mass(correction: LevelCorrection | None, mass: np.ndarray) -> np.ndarray:
    """Probabilities of the groups of each row, from the smallest target to the largest, after a correction if any.

    >>> correct_mass(LevelCorrection(np.array([0.0, 0.4, 1.0]), np.array([0.0, 0.5, 1.0])), np.array([[0.4, 0.6]]))
    array([[0.5, 0.5]])
    """
    if correction is None:
        return mass
    inner = correction.apply(np.minimum(np.cumsum(mass, axis=1)[:, :-1], 1.0))
    return np.diff(inner, axis=1, prepend=0.0, append=1.0)
