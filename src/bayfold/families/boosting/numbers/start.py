"""A number of two values: its location is the log-odds of the larger one, found by log-loss like that of a class.

Squared errors of a number that is seldom other than zero hardly tell one in a hundred from one in a thousand.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.optimize import lsq_linear
from scipy.special import logit

from bayfold.core.counts import JointCounts
from bayfold.core.scoring.located import SHAPE_PARTS, ErrorShape
from bayfold.core.scoring.target_scale import TargetScale
from bayfold.families.boosting.rounds.distinct_rows import DistinctRows, deal_parts
from bayfold.families.boosting.rounds.task import Loss
from bayfold.families.boosting.starts.categories import (
    CLEAR_GAIN,
    STRENGTHS,
)
from bayfold.families.boosting.starts.tables import (
    LinearTables,
    PairTable,
    find_products,
    restore_codes,
)

MOST_ODDS = 30.0
"""Largest log-odds of a row: one in ten to the thirteenth."""

TAIL_WIDTH = 2.0
"""Of the first and the last part of the shape, which fall off by half their width: the tails of the logistic
distribution fall off by one."""


def make_odds_scale(values: np.ndarray) -> TargetScale:
    """The scale of log-odds, on which the smaller value lies below zero and the larger above."""
    return TargetScale(values, np.array([-MOST_ODDS, MOST_ODDS]), True)


def make_odds_shape() -> ErrorShape:
    """The logistic distribution: the larger value is as likely as its log-odds say.

    >>> make_odds_shape().sf(np.array([np.log(3.0), 0.0, -8.0])).round(4)
    array([0.25  , 0.5   , 0.9997])
    """
    inner = logit(np.arange(1, SHAPE_PARTS) / SHAPE_PARTS)
    return ErrorShape(np.concatenate([[inner[0] - TAIL_WIDTH], inner, [inner[-1] + TAIL_WIDTH]]))


def label_larger(rows: DistinctRows, places: np.ndarray) -> DistinctRows:
    """The rows with the larger of the two values as the second of two labels, and as the number one."""
    labels = np.searchsorted(places, rows.targets)
    return replace(rows, labels=labels, targets=labels.astype(np.float64))


@dataclass(frozen=True, eq=False)
class NumberStart:
    """What boosting of a number began with.

    Attributes
    ----------
    first : ndarray of shape (1,)
        The number before anything is known.
    known : dict of int to ndarray of shape (n_codes, 1)
        What the columns of many categories add, by their position among the narrow and then the wide codes.
    linear : LinearTables or None
        Slopes, and what curves and products add.
    """

    first: np.ndarray
    known: dict[int, np.ndarray] = field(default_factory=dict)
    linear: LinearTables | None = None

    @property
    def scores(self) -> np.ndarray:
        """Of a row that nothing is known of."""
        return self.first if self.linear is None else self.first + self.linear.intercept

    @property
    def pairs(self) -> tuple[PairTable, ...]:
        """What pairs of columns add."""
        return find_products(self.linear)

    @property
    def used(self) -> list[int]:
        """Positions of the columns of many categories that say something."""
        return list(self.known)

    def scaled(self, factor: float) -> NumberStart:
        """The start with what columns say times a factor."""
        return replace(self, known={k: factor * table for k, table in self.known.items()})

    def tables(self, counts: JointCounts) -> dict[int, np.ndarray]:
        """What columns add."""
        found = dict(enumerate(self.linear.tables)) if self.linear is not None else {}
        for k, table in self.known.items():
            found[k] = found.get(k, 0.0) + table
        return found

    def restored(self, columns: np.ndarray, codes: dict[int, np.ndarray]) -> NumberStart:
        """The same where columns, and the codes of some, go back to where they stood."""
        known = {
            int(columns[place]) if place < len(columns) else place: restore_codes(
                table, codes.get(place)
            )
            for place, table in self.known.items()
        }
        linear = self.linear and self.linear.restored(columns, codes)
        return replace(self, known=known, linear=linear)


class NumberBeginning:
    """The numbers that models begin with, each from the rows that it may know.

    Parameters
    ----------
    rows : DistinctRows
    columns : list of int
        Of many categories, by their position among the narrow and then the wide codes.
    n_codes : list of int
        Of these columns.
    loss : Loss
        Of one score: the number itself, the log of a rate, or the log-odds where the number is one or zero.
    """

    def __init__(
        self, rows: DistinctRows, columns: list[int], n_codes: list[int], loss: Loss
    ) -> None:
        self.rows = rows
        self.loss = loss
        self.mean = float(rows.information @ rows.targets / rows.information.sum())
        self.parts = deal_parts(rows)
        found = [_Means(self, k, n) for k, n in zip(columns, n_codes, strict=True)]
        self._used = [means for means in found if means.strength > 0]
        self._weigh()
        known = {means.position: self._add(means, means.table()) for means in self._used}
        self.start = NumberStart(np.array([loss.find_score(self.mean)]), known)

    def _add(self, means: _Means, shift: np.ndarray) -> np.ndarray:
        """What is added to the score where a column says that the mean is higher by so much.

        Columns share scores: two halves of the odds of a category are its odds, those of half of a share are not.
        """
        return means.factor * self.loss.find_move(self.mean, shift)

    def _weigh(self) -> None:
        """Columns that repeat each other share what they say, by the error of rows it was not counted on."""
        if len(self._used) < 2:
            return
        root = np.sqrt(self.rows.information)
        shifts = np.stack([means.tell() for means in self._used], axis=1)
        off = self.rows.targets - self.mean
        factors = lsq_linear(shifts * root[:, None], off * root, bounds=(0.0, 1.0)).x
        for means, factor in zip(self._used, factors, strict=True):
            means.factor = float(factor)

    def begin(self, fold: int) -> np.ndarray:
        """The numbers that the model that leaves out a fold begins with."""
        scores = np.full((self.rows.n_rows, 1), self.start.first[0])
        left_out = self.parts.of_fold(fold)
        for means in self._used:
            scores[:, 0] += self._add(means, means.tell(slice(*left_out)))
        return self.loss.from_scores(scores)


class _Means:
    """The means of the categories of one column, as far as they are believed."""

    def __init__(self, of: NumberBeginning, position: int, n_codes: int) -> None:
        self.position = position
        self.factor = 1.0
        rows = of.rows
        self.codes = rows.column(position).astype(np.int64)
        self.part_of = of.parts.part_of
        n_parts = of.parts.n_parts
        cell = self.codes * n_parts + self.part_of
        shape = (n_codes, n_parts)
        off = rows.information * (rows.targets - of.mean)
        self.sums = np.bincount(cell, off, n_codes * n_parts).reshape(shape)
        self.counts = np.bincount(cell, rows.information, n_codes * n_parts).reshape(shape)
        self.strength = self._examine(rows, rows.targets - of.mean)

    def _examine(self, rows: DistinctRows, off: np.ndarray) -> float:
        """How many rows of the mean a category is mixed with, by the error of left-out rows; 0 if it says nothing."""
        weights = rows.weights
        firmness = 1.0 if rows.exposures is None else rows.exposures
        best = 0.0
        found = 0.0
        for strength in STRENGTHS.tolist():
            self.strength = strength
            gains = firmness * (off**2 - (off - self.tell()) ** 2)
            gain = float(weights @ gains)
            noise = np.sqrt(float(weights @ gains**2))
            if gain > best and gain > CLEAR_GAIN * max(
                noise, float(weights @ (firmness * off**2) / weights.sum())
            ):
                best = gain
                found = strength
        return found

    def tell(self, left_out: slice = slice(0, 0)) -> np.ndarray:
        """What each row's category says, from the rows outside its part and outside some parts."""
        sums = self.sums.copy()
        counts = self.counts.copy()
        sums[:, left_out] = counts[:, left_out] = 0.0
        own = self.codes, self.part_of
        total = sums.sum(axis=1)[self.codes] - sums[own]
        weight = np.maximum(counts.sum(axis=1)[self.codes] - counts[own], 0.0)
        return total / (weight + self.strength)

    def table(self) -> np.ndarray:
        """What the categories say to new rows, of shape (n_codes, 1)."""
        weight = self.counts.sum(axis=1)
        return (self.sums.sum(axis=1) / (weight + self.strength))[:, None]
