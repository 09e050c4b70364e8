"""What boosting is given: the loss, the rows, what the models begin with and what they see of the columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from scipy.special import expit, logit, softmax

from bayfold.core.counts import JointCounts
from bayfold.families.boosting.kernels.inputs import BYTE_CODES, LOG_LOSS, LOG_RATE, SQUARED
from bayfold.families.boosting.rounds.distinct_rows import DistinctRows
from bayfold.families.boosting.rounds.resolution import Coarsening, View

RIDGE_ROWS = 0.8
"""Rows of curvature that pull a step towards zero, by class (benchmarks/additive_notes.md)."""

LARGEST_STEP = 2.0
"""Most a leaf may add to a log-odds before the rate: pure leaves have no finite best step."""

LEAST_CHANCE = 1e-12
"""Of a group: what is impossible in floating point would stay so in all rounds."""

MEAN_RIDGE = 5.0
RATE_RIDGE = 5.0
"""Rows that pull the step of a number, and of the log of a rate or a spread, towards zero. Of a number, on 38 datasets
and three other deals of folds than the benchmark's: 3 had a relative RMSE of 56.23 %, 5 of 56.14, 8 of 56.20."""

ROUNDS_TO_DOUBLE = 200.0
"""Steps grow: where the loss still falls after so many rounds there is much to learn, and little to fear."""

MEAN_ROUNDS_TO_DOUBLE = 100.0
MEAN_LEAST_GAIN = 0.01
"""Of a number: where steps grow faster and rounds stop that gain less than one per cent, fits on 38 datasets took 28 %
less time for .06 % of relative RMSE (56.70 to 56.76). On many rows less than that is beyond chance, see
``cross_fit.find_least_gain``."""

MEAN_PAIR_BINS = 8
"""Of a number: tables of two columns of 64 bins took more than half of the time of a fit on a few hundred rows, for an
error that was higher by .03 %. Classes, with half as many bins, lost .001 of the log-loss by merging them."""

ROWS_PER_TREE = 1 << 17
MEAN_ROWS_PER_TREE = 1 << 15
"""Rows that one tree looks at, at most: so many place a cut well enough. Numbers say more than classes do: on 100,000
rows of four kinds (20 columns; sums, products, a table of 30 x 30) the mean relative RMSE was 39.5 with 35,000 and
with 61,000 rows a tree."""

MEAN_DEEP_ROWS = 20_000
"""On these 100,000 rows a third level from the first round saved a fifth of the rounds, for an error that was .2 %
lower; the bound is where ``resolution.MANY_ROWS`` found that rows pay for all bins."""


@dataclass(frozen=True)
class Loss:
    """A loss, and how far steps may go that lower it.

    Attributes
    ----------
    kind : int
        As the kernels know it.
    n_scores : int
        Scores of each row: one for a number and for two groups, otherwise one per group.
    ridge : float
        What is added to the curvature of a leaf.
    largest_step : float
        Most a leaf may add to a score before the rate.
    stretch : float
        What a step is multiplied by in the end.
    rounds_to_double : float
        Rounds after which steps are twice as long.
    least_gain : float
        Share of the loss that the last fifty rounds must have gained for more to be worth their time, where chance may
        gain as much.
    pair_bins : int
        Bins of a column, at least, where two are looked at together.
    rows_per_tree : int
        Rows that one tree looks at, at most.
    deep_rows : float
        Rows from which on trees have a third level from the first round.
    power : float
        Of a rate: the power of the mean that the variance grows with.
    """

    kind: int
    n_scores: int
    ridge: float
    largest_step: float = np.inf
    stretch: float = 1.0
    rounds_to_double: float = ROUNDS_TO_DOUBLE
    least_gain: float = 0.0
    pair_bins: int = BYTE_CODES
    rows_per_tree: int = ROWS_PER_TREE
    deep_rows: float = np.inf
    power: float = 0.0

    def from_scores(self, scores: np.ndarray) -> np.ndarray:
        """What the kernels hold of rows with these scores: probabilities of groups, or the scores themselves."""
        if self.kind != LOG_LOSS:
            return scores.copy()
        if scores.shape[1] == 1:
            return np.clip(expit(scores), LEAST_CHANCE, 1 - LEAST_CHANCE)
        return np.clip(softmax(scores, axis=1), LEAST_CHANCE, 1.0)

    def find_score(self, mean: float) -> float:
        """The score of rows of which a mean is known: of two groups, the share of the second."""
        if self.kind == LOG_LOSS:
            return float(logit(mean))
        return float(np.log(mean)) if self.kind == LOG_RATE else mean

    def find_move(self, mean: float, shift: np.ndarray) -> np.ndarray:
        """What is added to the score of rows where the mean is higher by so much."""
        if self.kind == LOG_LOSS:
            return logit(mean + shift) - logit(mean)
        return np.log1p(shift / mean) if self.kind == LOG_RATE else shift

    def to_scores(self, held: np.ndarray) -> np.ndarray:
        """Scores of rows from what the kernels hold of them."""
        if self.kind != LOG_LOSS:
            return held.copy()
        if held.shape[1] == 1:
            return logit(np.clip(held, LEAST_CHANCE, 1 - LEAST_CHANCE))
        return np.log(np.clip(held / held.sum(axis=1, keepdims=True), LEAST_CHANCE, 1.0))


def make_log_loss(n_groups: int) -> Loss:
    """The log-loss of groups. Of two groups one score moves, twice as far: they move apart."""
    n_scores = 1 if n_groups == 2 else n_groups
    return Loss(
        LOG_LOSS, n_scores, find_ridge(n_groups), LARGEST_STEP, 2.0 if n_scores == 1 else 1.0
    )


def make_squared_loss() -> Loss:
    """The squared error of a number."""
    return Loss(
        SQUARED,
        1,
        MEAN_RIDGE,
        rounds_to_double=MEAN_ROUNDS_TO_DOUBLE,
        least_gain=MEAN_LEAST_GAIN,
        pair_bins=MEAN_PAIR_BINS,
        rows_per_tree=MEAN_ROWS_PER_TREE,
        deep_rows=MEAN_DEEP_ROWS,
    )


def make_rate_loss(power: float) -> Loss:
    """The deviance of a rate: Poisson (1), gamma (2), which is also that of the size of an error, or Tweedie."""
    return Loss(LOG_RATE, 1, RATE_RIDGE, LARGEST_STEP, power=power)


def find_ridge(n_groups: int) -> float:
    """What is added to the curvature of a leaf: that of so many rows to which all groups are equally likely.

    A row is shared among the scores of all groups, so the more groups, the less curvature each score has.

    >>> find_ridge(2), find_ridge(20)
    (0.2, 0.038)
    """
    return RIDGE_ROWS / n_groups * (1 - 1 / n_groups)


class ModelStart(Protocol):
    """What models began with, as far as it is part of the model."""

    @property
    def scores(self) -> np.ndarray:
        """Of a row that nothing is known of, of shape (n_scores,)."""

    @property
    def used(self) -> list[int]:
        """Positions of the columns of many categories that say something."""

    def scaled(self, factor: float) -> Any:
        """The start with what columns say times a factor; ``linear`` is a field of it."""

    def tables(self, counts: JointCounts) -> dict[int, np.ndarray]:
        """What columns add, by their position among the narrow and then the wide codes."""

    def restored(self, columns: np.ndarray, codes: dict[int, np.ndarray]) -> ModelStart:
        """The same where columns, and the codes of some, go back to where they stood: see ``ContentOrder``."""


class Beginning(Protocol):
    """What the models begin with."""

    @property
    def start(self) -> ModelStart:
        """What of it is part of the model."""

    def begin(self, fold: int) -> np.ndarray:
        """What the model that leaves out a fold holds of all rows, of shape (n_rows, n_scores): see ``Loss``."""


@dataclass(frozen=True, eq=False)
class Task:
    """Rows to boost on, and what is to be learnt of them.

    Attributes
    ----------
    rows : DistinctRows
    n_codes : ndarray of int
        Codes of each column.
    ordered : ndarray of bool
        Whether a column is cut at thresholds.
    loss : Loss
    n_drawn : int
        Columns that each tree may choose from.
    coarsening : Coarsening or None
        What the first rounds see of the columns; None for all.
    allowed : ndarray of uint8
        Which two columns may be on one path; empty if all may.
    views : sequence of View
        What each model sees of the columns in all rounds; empty if all see all of them.
    """

    rows: DistinctRows
    n_codes: np.ndarray
    ordered: np.ndarray
    loss: Loss
    n_drawn: int
    coarsening: Coarsening | None = None
    views: Sequence[View] = ()
    allowed: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.uint8))
