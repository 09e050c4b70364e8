"""Predictive distributions on held-out rows: do intervals hold as many rows as they promise?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import KFold

from bayfold.base.options import TableLike, VectorLike
from bayfold.core.evidence import Records
from bayfold.core.frames import find_numbers, read_vector
from bayfold.core.frames.concat import hold_rows
from bayfold.evaluate.runs import Trial, check_parameters, draw_folds, read_units, run_folds

COVERAGES = (0.5, 0.8, 0.9, 0.95)
"""Coverages that people ask for."""
LEAST_LOG_DENSITY = -745.0
"""The logarithm of the smallest float: what a row gets where the density is zero."""


@dataclass(frozen=True, eq=False)
class DistributionValidation:
    """What a model's distributions said of every row when the row was held out.

    Attributes
    ----------
    rank : ndarray of shape (n_rows,)
        Probability that the model gave to values up to the true one; spread evenly between 0 and 1 if it is right.
    log_density : ndarray of shape (n_rows,)
        At the true value; larger is better.
    quantiles : ndarray of shape (n_rows, 2 * n_levels)
        The lower ends of the central intervals, then their upper ends.
    levels : tuple of float
        Coverages of the intervals.
    weight : ndarray of shape (n_rows,) or None
    """

    rank: np.ndarray
    log_density: np.ndarray
    quantiles: np.ndarray
    levels: tuple[float, ...]
    weight: np.ndarray | None = None


def cross_validate_distributions(
    model: BaseEstimator,
    X: TableLike,
    y: VectorLike,
    *,
    n_folds: int = 5,
    levels: Sequence[float] = COVERAGES,
    random_state: int = 0,
    sample_weight: VectorLike | None = None,
    groups: VectorLike | None = None,
    time: VectorLike | None = None,
) -> DistributionValidation:
    """Fit a regressor on every fold and ask its ``predict_distribution`` about the rows held out.

    Parameters
    ----------
    model : regressor
        With ``predict_distribution``; cloned for every fit.
    X : array-like or frame
    y : array-like
        Numbers; rows without one must be left out before.
    n_folds : int, default=5
    levels : sequence of float
        Coverages of the intervals, between 0 and 1.
    random_state : int, default=0
    sample_weight : array-like, optional
    groups, time : array-like of shape (n_rows,), optional
        As in ``cross_validate``; only rows that were held out are in the result.

    Returns
    -------
    result : DistributionValidation
        For ``find_coverage``.

    Examples
    --------
    >>> from bayfold import NaiveBayesRegressor
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> result = cross_validate_distributions(NaiveBayesRegressor(), X, X.sum(axis=1))
    >>> find_coverage(result).names
    ['promised', 'observed', 'width']
    """
    check_parameters({"model": model}, n_folds=n_folds, random_state=random_state)
    truth = find_numbers(read_vector(y))
    weight = None if sample_weight is None else np.asarray(sample_weight, np.float64)
    ends = np.array([(1 - level) / 2 for level in levels] + [(1 + level) / 2 for level in levels])
    trial = Trial(hold_rows(X), truth, weight, read_units(groups, time, len(truth)))
    fold_of = draw_folds(KFold, truth, 1, n_folds, random_state, trial.said)
    rank = np.empty(len(truth))
    log_density = np.empty(len(truth))
    quantiles = np.empty((len(truth), len(ends)))
    judge = _Judge(trial, ends)
    for run, answer in run_folds({"model": model}, fold_of, judge, None, "distributions"):
        rank[run.held_out], log_density[run.held_out], quantiles[run.held_out] = answer
    rows = np.flatnonzero(fold_of[0] >= 0)
    weight = None if weight is None else weight[rows]
    return DistributionValidation(
        rank[rows], log_density[rows], quantiles[rows], tuple(levels), weight
    )


@dataclass(frozen=True)
class _Judge:
    """A model fitted on the other rows, asked for the distributions of those held out."""

    trial: Trial
    ends: np.ndarray

    def __call__(
        self, model: Any, held_out: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Ranks of the true values, log-densities at them, and the ends of the intervals."""
        fitted, rows, _ = self.trial.fit(model, held_out)
        truth = self.trial.target[held_out]
        found = fitted.predict_distribution(rows)
        log_density = np.maximum(found.log_score(truth), LEAST_LOG_DENSITY)
        return found.cdf(truth[:, None])[:, 0], log_density, found.ppf(self.ends)


def find_coverage(result: DistributionValidation) -> Records:
    """Records of promised coverage, observed share of held-out rows within, and mean width of the intervals."""
    n_levels = len(result.levels)
    low = result.quantiles[:, :n_levels]
    high = result.quantiles[:, n_levels:]
    levels = np.array(result.levels)
    # by rank: what a rounded end of an interval makes of a value beside it is no question
    within = np.abs(result.rank[:, None] - 0.5) <= levels / 2
    return Records(
        {
            "promised": levels,
            "observed": np.average(within, axis=0, weights=result.weight),
            "width": np.average(high - low, axis=0, weights=result.weight),
        }
    )
