"""Conformal prediction from rows that were held out anyway: sets of classes that hold their level.

The score of a row is one minus the probability that its class had in a model without the row. A set holds every class
whose score is no larger than a quantile of these.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from bayfold.core.stored import Stored

MOST_CONFORMAL_SCORES = 400
"""Scores kept of each class, at most: of more each stands for several, the largest of them. Sets then hold at most
1/400 too many rows, and never too few for that reason."""

SCORE_ROUNDING = 1e-9
"""Of probabilities: rows that the model cannot tell from those held out are in sets with them."""


@dataclass(frozen=True, eq=False)
class ConformalScores(Stored):
    """Scores of rows by models that have not seen them, each one minus the probability of the row's own class.

    Attributes
    ----------
    group_of : ndarray of int
    scores : ndarray
        From small to large within each group.
    weights : ndarray
        Their sum is the number of rows, or, where rows belong to units, of units: the next row is one more of these.
    """

    group_of: np.ndarray
    scores: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(
        cls, scores: np.ndarray, group_of: np.ndarray, weights: np.ndarray, n_units: float
    ) -> ConformalScores:
        """From log-odds of the second of two groups, or one score per group.

        >>> odds = np.array([[0.0], [-1.0], [2.0]])
        >>> ConformalScores.of(odds, np.array([1, 0, 1]), np.ones(3), 3.0).scores.round(3)
        array([0.269, 0.119, 0.5  ])
        """
        if scores.shape[1] == 1:
            scores = np.concatenate([np.zeros_like(scores), scores], axis=1)
        misfit = 1.0 - softmax(scores, axis=1)[np.arange(len(group_of)), group_of]
        counted = weights > 0
        weights = weights * min(1.0, n_units / max(float(weights.sum()), 1e-300))
        parts = []
        for group in np.unique(group_of[counted]):
            own = np.flatnonzero(counted & (group_of == group))
            own = own[np.argsort(misfit[own], kind="stable")]
            kept, kept_weights = thin_sorted(misfit[own], weights[own])
            parts.append((np.full(len(kept), group, np.int64), kept, kept_weights))
        return cls(*(np.concatenate(some) for some in zip(*parts, strict=True)))

    def find_limits(self, coverage: float, n_groups: int, by_class: bool) -> np.ndarray:
        """The largest score that is in a set, for each group; infinite where too few rows were held out for that."""
        if not by_class:
            return np.full(n_groups, find_limit(self.scores, self.weights, coverage))
        own = [self.group_of == group for group in range(n_groups)]
        return np.array([find_limit(self.scores[i], self.weights[i], coverage) for i in own])


def thin_sorted(scores: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A few of many sorted scores, each the largest of those it stands for, and their weights."""
    if len(scores) <= MOST_CONFORMAL_SCORES:
        return scores, weights
    summed = np.cumsum(weights)
    wanted = summed[-1] * np.arange(1, MOST_CONFORMAL_SCORES + 1) / MOST_CONFORMAL_SCORES
    last = np.unique(np.minimum(np.searchsorted(summed, wanted), len(scores) - 1))
    return scores[last], np.diff(summed[last], prepend=0.0)


def find_limit(scores: np.ndarray, weights: np.ndarray, coverage: float) -> float:
    """The smallest score that this share of the rows and one more, whose score may be anything, do not exceed.

    >>> scores = np.arange(1.0, 20.0)
    >>> find_limit(scores, np.ones(19), 0.9), find_limit(scores[:8], np.ones(8), 0.9)
    (18.0, inf)
    """
    order = np.argsort(scores, kind="stable")
    summed = np.cumsum(weights[order])
    wanted = coverage * (weights.sum() + 1.0)
    first = int(np.searchsorted(summed, wanted - SCORE_ROUNDING))
    return float(scores[order[first]]) if first < len(scores) else np.inf
