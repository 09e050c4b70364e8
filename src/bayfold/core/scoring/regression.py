"""The model of a numeric target: naive Bayes whose groups are the points of a grid over the target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core import kernels
from bayfold.core.scoring.distribution import triangle_means
from bayfold.core.scoring.levels import LevelCorrection, correct_mass
from bayfold.core.scoring.naive_bayes import NaiveBayesModel
from bayfold.core.scoring.quality import HeldOutScore


@dataclass(frozen=True, eq=False)
class RegressionModel:
    """``log p(y_g | x) = log_prior[g] + sum of terms``, up to a constant.

    Attributes
    ----------
    naive : NaiveBayesModel
        Terms as far as they are believed: the weights of the columns are multiplied in.
    grid : ndarray of shape (n_points,)
        Increasing values of the target.
    column_weights : ndarray of shape (n_columns,)
    bandwidths : ndarray of shape (n_columns, 2)
        Of each column and of the target beside it, in units of their ranges; NaN where there is none.
    held_out : HeldOutScore or None
        How well rows left out of their own evidence were predicted.
    correction : LevelCorrection or None
        So that intervals hold as many of these rows as they promise.
    """

    naive: NaiveBayesModel
    grid: np.ndarray
    column_weights: np.ndarray
    bandwidths: np.ndarray
    held_out: HeldOutScore | None = None
    correction: LevelCorrection | None = None

    def read_mass(self, scores: np.ndarray) -> np.ndarray:
        """Probability of each point of the grid, for rows with the given scores."""
        return correct_mass(self.correction, posterior(scores))

    def read_means(self, scores: np.ndarray) -> np.ndarray:
        """Means of rows with the given scores."""
        if self.correction is not None:
            return self.read_mass(scores) @ triangle_means(self.grid)
        means = np.empty(len(scores))
        kernels.read_means(scores, triangle_means(self.grid), means)
        return means


def posterior(scores: np.ndarray) -> np.ndarray:
    """Probability of each point from log scores that lack a constant per row."""
    mass = np.exp(scores - scores.max(axis=1, keepdims=True))
    return mass / mass.sum(axis=1, keepdims=True)


@dataclass(frozen=True, eq=False)
class TargetMoments:
    """Mean and variance of the target within each group of a model, and how the mass of the groups is corrected.

    Attributes
    ----------
    means, variances : ndarray of shape (n_groups,)
    correction : LevelCorrection or None
    """

    means: np.ndarray
    variances: np.ndarray
    correction: LevelCorrection | None = None

    def read(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of the distributions of rows with the given scores."""
        mass = correct_mass(self.correction, posterior(scores))
        mean = (mass * self.means).sum(axis=1)  # not @: rounding would depend on the number of rows
        return mean, (mass * ((self.means - mean[:, None]) ** 2 + self.variances)).sum(axis=1)
