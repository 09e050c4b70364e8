"""Repeated cross-validation of several classifiers on the same folds."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import Progress
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import _safe_indexing, check_consistent_length

from bayfold import errors
from bayfold.core.evidence import Records
from bayfold.core.frames import find_groups, read_vector

LEAST_PROBABILITY = 1e-15
"""What a class gets that did not occur in training, or that a model holds for impossible."""


@dataclass(frozen=True, eq=False)
class CrossValidation:
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
    """

    models: list[str]
    classes: np.ndarray
    truth: np.ndarray
    fold_of: np.ndarray
    predicted: np.ndarray
    loss: np.ndarray
    seconds: np.ndarray

    @property
    def n_folds(self) -> int:
        """Folds of each repeat."""
        return self.seconds.shape[2]


@dataclass(frozen=True)
class _Task:
    """One fit: a model, a repeat and a fold."""

    model: int
    repeat: int
    fold: int


def cross_validate(
    models: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    n_repeats: int = 10,
    n_folds: int = 3,
    random_state: int = 0,
    n_jobs: int | None = None,
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
    _check_parameters(models, n_repeats=n_repeats, n_folds=n_folds, random_state=random_state)
    truth, classes = find_groups(read_vector(y))
    check_consistent_length(X, truth)
    if (truth < 0).any():
        raise errors.missing_targets_refused(int((truth < 0).sum()))
    target = classes[truth]
    fold_of = draw_stratified_folds(truth, n_repeats, n_folds, random_state)
    shape = len(models), n_repeats, len(truth)
    predicted, loss = np.empty(shape, np.int64), np.empty(shape)
    seconds = np.empty((len(models), n_repeats, n_folds))
    tasks = [
        _Task(k, r, f) for r in range(n_repeats) for f in range(n_folds) for k in range(len(models))
    ]
    estimators = list(models.values())
    run = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_fit_and_predict)(
            estimators[task.model], X, target, fold_of[task.repeat] == task.fold, classes
        )
        for task in tasks
    )
    with _progress(title, len(tasks)) as advance:
        for task, (best, cost, duration) in zip(tasks, run, strict=True):
            held_out = fold_of[task.repeat] == task.fold
            predicted[task.model, task.repeat, held_out] = best
            loss[task.model, task.repeat, held_out] = cost
            seconds[task.model, task.repeat, task.fold] = duration
            advance()
    return CrossValidation(list(models), classes, truth, fold_of, predicted, loss, seconds)


def _check_parameters(models: Mapping[str, Any], **counts: int) -> None:
    if not isinstance(models, Mapping) or not models:
        raise errors.not_models_by_name(models)
    least = {"n_repeats": 1, "n_folds": 2, "random_state": 0}
    for name, value in counts.items():
        errors.check_whole(name, value, least[name])


def draw_stratified_folds(
    truth: np.ndarray, n_repeats: int, n_folds: int, random_state: int
) -> np.ndarray:
    """The fold of every row in every repeat, stratified by class."""
    fold_of = np.empty((n_repeats, len(truth)), np.int64)
    for r in range(n_repeats):
        splits = StratifiedKFold(n_folds, shuffle=True, random_state=random_state + r)
        for fold, (_, held_out) in enumerate(splits.split(truth, truth)):
            fold_of[r, held_out] = fold
    return fold_of


def _fit_and_predict(
    model: Any, X: Any, target: np.ndarray, held_out: np.ndarray, classes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """Predicted class, loss of the true one, and seconds of the fit."""
    train, test = np.flatnonzero(~held_out), np.flatnonzero(held_out)
    rows = _safe_indexing(X, train)
    fitted = clone(model)
    start = time.perf_counter()
    fitted.fit(rows, target[train])
    duration = time.perf_counter() - start
    others = _safe_indexing(X, test)
    best = np.searchsorted(classes, fitted.predict(others))
    if not hasattr(fitted, "predict_proba"):
        return best, np.full(len(test), np.nan), duration
    found = fitted.predict_proba(others)
    place = np.searchsorted(classes, fitted.classes_)
    probability = np.zeros((len(test), len(classes)))
    probability[:, place] = found
    of_truth = probability[np.arange(len(test)), np.searchsorted(classes, target[test])]
    return best, -np.log(np.maximum(of_truth, LEAST_PROBABILITY)), duration


@contextmanager
def _progress(title: str, total: int) -> Iterator[Any]:
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task(title, total=total)
        yield lambda: progress.advance(bar)


def score_folds(result: CrossValidation) -> Records:
    """Records of model, repeat, fold, error, log_loss and seconds."""
    n_models, n_repeats, n_folds = result.seconds.shape
    wrong = (result.predicted != result.truth).astype(np.float64)
    error, log_loss = np.empty(result.seconds.shape), np.empty(result.seconds.shape)
    for r in range(n_repeats):
        size = np.bincount(result.fold_of[r], minlength=n_folds)
        for k in range(n_models):
            for values, out in ((wrong, error), (result.loss, log_loss)):
                out[k, r] = np.bincount(result.fold_of[r], values[k, r], minlength=n_folds) / size
    return Records(
        {
            "model": np.repeat(np.array(result.models, object), n_repeats * n_folds),
            "repeat": np.tile(np.repeat(np.arange(n_repeats), n_folds), n_models),
            "fold": np.tile(np.arange(n_folds), n_models * n_repeats),
            "error": error.ravel(),
            "log_loss": log_loss.ravel(),
            "seconds": result.seconds.ravel(),
        }
    )


def summarise(result: CrossValidation) -> Records:
    """Records of model, error, error_sd (over repeats), log_loss and seconds of a fit."""
    error = (result.predicted != result.truth).mean(axis=2)
    return Records(
        {
            "model": np.array(result.models, object),
            "error": error.mean(axis=1),
            "error_sd": error.std(axis=1, ddof=1) if error.shape[1] > 1 else error[:, 0] * np.nan,
            "log_loss": result.loss.mean(axis=(1, 2)),
            "seconds": result.seconds.mean(axis=(1, 2)),
        }
    )
