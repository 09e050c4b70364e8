"""Repeated cross-validation of several classifiers on the same folds; bias and variance of their errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import StratifiedKFold

from bayfold.base.options import TableLike, VectorLike
from bayfold.core.evidence import Records
from bayfold.core.frames import find_groups, read_vector
from bayfold.core.frames.concat import hold_rows
from bayfold.evaluate.decisions import MEASURES, score_decisions
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

LEAST_PROBABILITY = 1e-15
"""What a class gets that did not occur in training, or that a model holds for impossible."""


@dataclass(frozen=True, eq=False, repr=False)
class CrossValidation(Validation):
    """What every model said of every row when the row was held out.

    Attributes
    ----------
    models : list of str
    classes : ndarray
    truth : ndarray of int of shape (n_rows,)
        Position of each row's class.
    fold_of : ndarray of int of shape (n_repeats, n_rows)
        The fold in which a row was held out.
    predicted : ndarray of int of shape (n_models, n_repeats, n_rows)
        Position of the class that ``predict`` gives, which need not be the most probable one.
    loss : ndarray of shape (n_models, n_repeats, n_rows)
        Minus the log-probability of the true class; NaN where a model has no ``predict_proba``.
    seconds : ndarray of shape (n_models, n_repeats, n_folds)
        Time of each fit.
    confidence : ndarray of shape (n_models, n_repeats, n_rows) or None
        Probability of the predicted class; NaN where a model has no ``predict_proba``.
    weight : ndarray of shape (n_rows,) or None
        Of the rows, in fits and in means.
    rows : ndarray of int or None
        Which rows were held out, where not all were: the other arrays are about these.
    measures : dict of str to ndarray of shape (n_models, n_repeats, n_folds)
        What ``score_decisions`` finds in each fold; NaN where a model has no ``predict_proba``.
    """

    models: list[str]
    classes: np.ndarray
    truth: np.ndarray
    fold_of: np.ndarray
    predicted: np.ndarray
    loss: np.ndarray
    seconds: np.ndarray
    confidence: np.ndarray | None = None
    weight: np.ndarray | None = None
    measures: Mapping[str, np.ndarray] = field(default_factory=dict)
    rows: np.ndarray | None = None

    def _summarise(self) -> Records:
        return summarise(self)


def cross_validate(
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
) -> CrossValidation:
    """Fit every model on every fold of every repeat, with the same stratified folds for all.

    Parameters
    ----------
    models : mapping of str to classifier
        Cloned for every fit.
    X : array-like or frame
    y : array-like
        Classes; rows without one must be left out before.
    n_repeats, n_folds : int, default=10 and 3
    random_state : int, default=0
        Repeat r is shuffled with ``random_state + r``.
    n_jobs : int, default=None
        Fits at a time, as in joblib; the result does not depend on it.
    sample_weight : array-like of shape (n_rows,), optional
        Frequencies of the rows. Given to every fit, and rows count so much in all scores.
    groups, time : array-like of shape (n_rows,), optional
        Rows of one group are held out together, and rows that are held out are later than those that are learnt from;
        given to every fit that takes them. The earliest third of the rows is never held out then.
    time_limit : float, optional
        Seconds that all fits of one model may take. One that would take longer, by its first fold, is left out, and a
        warning names it.
    title : str
        Of the progress bar, which is shown on a terminal only.

    Returns
    -------
    result : CrossValidation
        For ``summarise``, ``score_folds`` and ``find_bias_and_variance``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayfold import NaiveBayesClassifier, NaiveBayesTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> models = {"naive Bayes": NaiveBayesClassifier(), "tree": NaiveBayesTreeClassifier()}
    >>> result = cross_validate(models, X, y, n_repeats=2)
    >>> result.predicted.shape
    (2, 2, 150)
    """
    counts = {"n_repeats": n_repeats, "n_folds": n_folds, "random_state": random_state}
    check_parameters(models, time_limit, **counts)
    truth, classes = find_groups(read_vector(y))
    weight = check_rows(X, truth < 0, sample_weight)
    per_row = read_units(groups, time, len(truth))
    trial = Trial(hold_rows(X), classes[truth], weight, per_row)
    fold_of = draw_folds(StratifiedKFold, truth, n_repeats, n_folds, random_state, trial.said)
    n_folds = int(fold_of.max()) + 1
    shape = len(models), *fold_of.shape
    predicted = np.empty(shape, np.int64)
    loss = np.empty(shape)
    confidence = np.empty(shape)
    seconds = np.full((*shape[:2], n_folds), np.nan)
    measures = {name: np.full(seconds.shape, np.nan) for name in MEASURES}

    judge = _Judge(trial, classes)
    for run, answer in run_folds(models, fold_of, judge, n_jobs, title, time_limit):
        place = run.model, run.repeat, run.held_out
        predicted[place], loss[place], confidence[place], duration, scores = answer
        seconds[run.model, run.repeat, run.fold] = duration
        for name, value in scores.items():
            measures[name][run.model, run.repeat, run.fold] = value
    kept = find_completed(models, seconds, fold_of, time_limit)
    rows = np.flatnonzero(fold_of[0] >= 0)
    return CrossValidation(
        [list(models)[k] for k in kept],
        classes,
        truth[rows],
        fold_of[:, rows],
        predicted[kept][:, :, rows],
        loss[kept][:, :, rows],
        seconds[kept],
        confidence[kept][:, :, rows],
        None if weight is None else weight[rows],
        {name: values[kept] for name, values in measures.items()},
        rows if len(rows) < len(truth) else None,
    )


@dataclass(frozen=True)
class _Judge:
    """A model fitted on the other rows, judged on those held out; a class, so that workers can have it."""

    trial: Trial
    classes: np.ndarray

    def __call__(
        self, model: Any, held_out: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, float, dict[str, float]]:
        """Predicted class, loss of the true one, probability of the predicted one, seconds of the fit, measures."""
        fitted, rows, duration = self.trial.fit(model, held_out)
        best = np.searchsorted(self.classes, fitted.predict(rows))
        if not hasattr(fitted, "predict_proba"):
            unknown = np.full(len(best), np.nan)
            return best, unknown, unknown, duration, {}
        probability = np.zeros((len(best), len(self.classes)))
        place = np.searchsorted(self.classes, fitted.classes_)
        probability[:, place] = fitted.predict_proba(rows)
        truth = np.searchsorted(self.classes, self.trial.target[held_out])
        each = np.arange(len(best))
        loss = -np.log(np.maximum(probability[each, truth], LEAST_PROBABILITY))
        weight = None if self.trial.weight is None else self.trial.weight[held_out]
        scores = score_decisions(truth, probability, best, weight)
        return best, loss, probability[each, best], duration, scores


def score_folds(result: CrossValidation) -> Records:
    """Records of model, repeat, fold, error, log_loss, the measures of ``score_decisions`` and seconds."""
    _, n_repeats, n_folds = result.seconds.shape
    wrong = (result.predicted != result.truth).astype(np.float64)
    error, log_loss = (
        mean_by_fold(values, result.fold_of, result.weight, n_folds)
        for values in (wrong, result.loss)
    )
    return Records(
        {
            **fold_columns(result.models, n_repeats, n_folds),
            "error": error.ravel(),
            "log_loss": log_loss.ravel(),
            **{name: values.ravel() for name, values in result.measures.items()},
            "seconds": result.seconds.ravel(),
        }
    )


def summarise(result: CrossValidation) -> Records:
    """Records of model, error, error_sd (over repeats), log_loss, measures of ``score_decisions``, seconds of a fit."""
    wrong = (result.predicted != result.truth).astype(np.float64)
    error = np.average(wrong, axis=2, weights=result.weight)
    loss = np.average(result.loss, axis=2, weights=result.weight)
    return Records(
        {
            "model": np.array(result.models, object),
            "error": error.mean(axis=1),
            "error_sd": error.std(axis=1, ddof=1) if error.shape[1] > 1 else error[:, 0] * np.nan,
            "log_loss": loss.mean(axis=1),
            **{name: _mean_known(values) for name, values in result.measures.items()},
            "seconds": np.nanmean(result.seconds, axis=(1, 2)),
        }
    )


def _mean_known(values: np.ndarray) -> np.ndarray:
    """Means over the folds in which a measure is known; a fold may lack a class."""
    known = np.isfinite(values)
    count = known.sum(axis=(1, 2))
    total = np.where(known, values, 0.0).sum(axis=(1, 2))
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def find_bias_and_variance(result: CrossValidation) -> Records:
    """Records of model, error, bias and variance; bias plus variance is the error, exactly.

    With p(c) the share of the repeats that predict class c for a row, its bias is
    ``sum (1[c is true] - p(c))^2 / 2`` and its variance ``(1 - sum p(c)^2) / 2``. Noise cannot be told from bias
    without repeated rows, so it is inside the bias; no correction is made for the number of repeats.

    References
    ----------
    R. Kohavi, D. Wolpert (1996). Bias plus variance decomposition for zero-one loss functions. ICML, 275-283.
    """
    n_models, n_repeats, n_rows = result.predicted.shape
    bias = np.empty(n_models)
    variance = np.empty(n_models)
    for k in range(n_models):
        share = np.zeros((n_rows, len(result.classes)))
        for predicted in result.predicted[k]:
            share[np.arange(n_rows), predicted] += 1 / n_repeats
        squares = (share**2).sum(axis=1)
        of_truth = share[np.arange(n_rows), result.truth]
        bias[k] = np.mean(1 - 2 * of_truth + squares) / 2
        variance[k] = np.mean(1 - squares) / 2
    error = (result.predicted != result.truth).mean(axis=(1, 2))
    return Records(
        {
            "model": np.array(result.models, object),
            "error": error,
            "bias": bias,
            "variance": variance,
        }
    )
