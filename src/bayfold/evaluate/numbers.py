"""Repeated cross-validation of several regressors on the same folds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import KFold

from bayfold.base.options import TableLike, VectorLike
from bayfold.core.evidence import Records
from bayfold.core.frames import find_numbers, read_vector
from bayfold.core.frames.concat import hold_rows
from bayfold.evaluate.runs import (
    Trial,
    Validation,
    check_parameters,
    check_rows,
    draw_folds,
    find_completed,
    fold_columns,
    mean_by_fold,
    read_units,
    run_folds,
)


@dataclass(frozen=True, eq=False, repr=False)
class RegressorValidation(Validation):
    """What every regressor said of every row when the row was held out.

    Attributes
    ----------
    models : list of str
    truth : ndarray of shape (n_rows,)
    fold_of : ndarray of int of shape (n_repeats, n_rows)
        The fold in which a row was held out.
    predicted : ndarray of shape (n_models, n_repeats, n_rows)
    seconds : ndarray of shape (n_models, n_repeats, n_folds)
        Time of each fit.
    weight : ndarray of shape (n_rows,) or None
        Of the rows, in fits and in means.
    rows : ndarray of int or None
        Which rows were held out, where not all were: the other arrays are about these.
    """

    models: list[str]
    truth: np.ndarray
    fold_of: np.ndarray
    predicted: np.ndarray
    seconds: np.ndarray
    weight: np.ndarray | None = None
    rows: np.ndarray | None = None

    def _summarise(self) -> Records:
        return summarise_regressors(self)


def cross_validate_regressors(
    models: Mapping[str, BaseEstimator],
    X: TableLike,
    y: VectorLike,
    *,
    n_repeats: int = 10,
    n_folds: int = 3,
    random_state: int = 0,
    n_jobs: int | None = None,
    sample_weight: VectorLike | None = None,
    groups: VectorLike | None = None,
    time: VectorLike | None = None,
    time_limit: float | None = None,
    title: str = "cross-validation",
) -> RegressorValidation:
    """Fit every regressor on every fold of every repeat, with the same folds for all.

    Parameters
    ----------
    models : mapping of str to regressor
        Cloned for every fit.
    X : array-like or frame
    y : array-like
        Numbers; rows without one must be left out before.
    n_repeats, n_folds, random_state, n_jobs, sample_weight, groups, time, time_limit, title
        As in ``cross_validate``.

    Returns
    -------
    result : RegressorValidation
        For ``summarise_regressors`` and ``score_regressor_folds``.

    Examples
    --------
    >>> from sklearn.dummy import DummyRegressor
    >>> from bayfold import NaiveBayesRegressor
    >>> X = np.arange(60.0).reshape(30, 2)
    >>> models = {"naive Bayes": NaiveBayesRegressor(), "mean": DummyRegressor()}
    >>> result = cross_validate_regressors(models, X, X.sum(axis=1), n_repeats=1)
    >>> found = summarise_regressors(result)
    >>> bool(found["rmse"][0] < found["rmse"][1])
    True
    """
    counts = {"n_repeats": n_repeats, "n_folds": n_folds, "random_state": random_state}
    check_parameters(models, time_limit, **counts)
    truth = find_numbers(read_vector(y))
    weight = check_rows(X, np.isnan(truth), sample_weight)
    trial = Trial(hold_rows(X), truth, weight, read_units(groups, time, len(truth)))
    fold_of = draw_folds(KFold, truth, n_repeats, n_folds, random_state, trial.said)
    predicted = np.empty((len(models), *fold_of.shape))
    seconds = np.full((*predicted.shape[:2], int(fold_of.max()) + 1), np.nan)
    judge = _Judge(trial)
    for run, (answer, duration) in run_folds(models, fold_of, judge, n_jobs, title, time_limit):
        predicted[run.model, run.repeat, run.held_out] = answer
        seconds[run.model, run.repeat, run.fold] = duration
    kept = find_completed(models, seconds, fold_of, time_limit)
    rows = np.flatnonzero(fold_of[0] >= 0)
    return RegressorValidation(
        [list(models)[k] for k in kept],
        truth[rows],
        fold_of[:, rows],
        predicted[kept][:, :, rows],
        seconds[kept],
        None if weight is None else weight[rows],
        rows if len(rows) < len(truth) else None,
    )


@dataclass(frozen=True)
class _Judge:
    """A model fitted on the other rows, asked about those held out."""

    trial: Trial

    def __call__(self, model: Any, held_out: np.ndarray) -> tuple[np.ndarray, float]:
        """Predictions and seconds of the fit."""
        fitted, rows, duration = self.trial.fit(model, held_out)
        return fitted.predict(rows), duration


def score_regressor_folds(result: RegressorValidation) -> Records:
    """Records of model, repeat, fold, rmse, mae and seconds."""
    n_repeats, n_folds = result.seconds.shape[1:]
    off = result.predicted - result.truth
    squared, absolute = (
        mean_by_fold(values, result.fold_of, result.weight, n_folds)
        for values in (off**2, np.abs(off))
    )
    return Records(
        {
            **fold_columns(result.models, n_repeats, n_folds),
            "rmse": np.sqrt(squared).ravel(),
            "mae": absolute.ravel(),
            "seconds": result.seconds.ravel(),
        }
    )


def summarise_regressors(result: RegressorValidation) -> Records:
    """Records of model, rmse, mae, r2 and seconds of a fit.

    ``r2`` is the share of the target's variance that predictions of held-out rows explain.
    """
    off = result.predicted - result.truth
    squared = np.average(off**2, axis=2, weights=result.weight)
    absolute = np.average(np.abs(off), axis=2, weights=result.weight)
    centre = np.average(result.truth, weights=result.weight)
    variance = np.average((result.truth - centre) ** 2, weights=result.weight)
    explained = 1 - squared.mean(axis=1) / variance if variance else np.full(len(off), np.nan)
    return Records(
        {
            "model": np.array(result.models, object),
            "rmse": np.sqrt(squared).mean(axis=1),
            "mae": absolute.mean(axis=1),
            "r2": explained,
            "seconds": np.nanmean(result.seconds, axis=(1, 2)),
        }
    )
