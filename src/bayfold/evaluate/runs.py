"""One fit per model, repeat and fold: the loop that cross-validation of classes and of numbers share."""

from __future__ import annotations

import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import Progress
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import _safe_indexing, check_consistent_length

from bayfold import errors
from bayfold.core.evidence import Records


class Validation(ABC):
    """What every model said of every row when the row was held out."""

    fold_of: np.ndarray
    seconds: np.ndarray

    @property
    def n_folds(self) -> int:
        """Folds of each repeat."""
        return self.seconds.shape[2]

    @abstractmethod
    def _summarise(self) -> Records:
        """A record for each model."""

    def __repr__(self) -> str:
        """Its summary: a line for each model."""
        n_repeats, n_rows = self.fold_of.shape
        title = f"{type(self).__name__}: {n_rows:,} rows, {self.n_folds} folds, {n_repeats} repeats"
        return f"{title}\n{self._summarise()!r}"

    def _repr_html_(self) -> str:
        return self._summarise()._repr_html_()


@dataclass(frozen=True)
class Run:
    """One fit: a model, a repeat and a fold, and which rows it did not see."""

    model: int
    repeat: int
    fold: int
    held_out: np.ndarray


@dataclass(frozen=True)
class Trial:
    """The rows of a cross-validation: a table, its target, and weights if rows differ in them."""

    X: Any
    target: np.ndarray
    weight: np.ndarray | None = None

    def fit(self, model: Any, held_out: np.ndarray) -> tuple[Any, Any, float]:
        """A clone fitted to the other rows, the table of those held out, and the seconds of the fit."""
        train = np.flatnonzero(~held_out)
        test = np.flatnonzero(held_out)
        rows = _safe_indexing(self.X, train)
        fitted = clone(model)
        weights = {} if self.weight is None else {"sample_weight": self.weight[train]}
        start = time.perf_counter()
        fitted.fit(rows, self.target[train], **weights)
        duration = time.perf_counter() - start
        return fitted, _safe_indexing(self.X, test), duration


def check_rows(X: Any, is_missing: np.ndarray, sample_weight: Any) -> np.ndarray | None:
    """Refuse rows without a target; returns the weights of the rows."""
    check_consistent_length(X, is_missing, sample_weight)
    if is_missing.any():
        raise errors.missing_targets_refused(int(is_missing.sum()))
    return None if sample_weight is None else np.asarray(sample_weight, np.float64)


def draw_folds(
    splitter: type[KFold] | type[StratifiedKFold],
    target: np.ndarray,
    n_repeats: int,
    n_folds: int,
    random_state: int,
) -> np.ndarray:
    """The fold of every row in every repeat; repeat r is shuffled with ``random_state + r``."""
    fold_of = np.empty((n_repeats, len(target)), np.int64)
    for r in range(n_repeats):
        splits = splitter(n_folds, shuffle=True, random_state=random_state + r)
        for fold, (_, held_out) in enumerate(splits.split(target, target)):
            fold_of[r, held_out] = fold
    return fold_of


def run_folds(
    models: Mapping[str, Any],
    fold_of: np.ndarray,
    judge: Callable[[Any, np.ndarray], Any],
    n_jobs: int | None,
    title: str,
) -> Iterator[tuple[Run, Any]]:
    """What ``judge(model, held_out)`` finds for every model on every fold of every repeat."""
    n_repeats = len(fold_of)
    n_folds = int(fold_of.max()) + 1
    runs = [
        Run(k, r, f, fold_of[r] == f)
        for r in range(n_repeats)
        for f in range(n_folds)
        for k in range(len(models))
    ]
    estimators = list(models.values())
    found = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_judge_quietly)(judge, estimators[run.model], run.held_out) for run in runs
    )
    said: set[tuple[type[Warning], str]] = set()
    with _progress(title, len(runs)) as advance:
        for run, (answer, caught_texts) in zip(runs, found, strict=True):
            for category, text in caught_texts:
                if (category, text) not in said:
                    errors.warn(category(text))
            said.update(caught_texts)
            yield run, answer
            advance()


def _judge_quietly(
    judge: Callable[[Any, np.ndarray], Any], model: Any, held_out: np.ndarray
) -> tuple[Any, list[tuple[type[Warning], str]]]:
    """The answer, and what was warned about: each fold would say it again.

    A category that a fold lacks is no news about the table, so that is left out.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = judge(model, held_out)
    kept = [each for each in caught if not issubclass(each.category, errors.UnseenCategoryWarning)]
    return answer, [(each.category, str(each.message)) for each in kept]


def check_parameters(models: Mapping[str, Any], **counts: int) -> None:
    """Refuse what is no dict of models, and impossible numbers of folds and repeats."""
    if not isinstance(models, Mapping) or not models:
        raise errors.not_models_by_name(models)
    least = {"n_repeats": 1, "n_folds": 2, "random_state": 0}
    for name, value in counts.items():
        errors.check_whole(name, value, least[name])


@contextmanager
def _progress(title: str, total: int) -> Iterator[Any]:
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task(title, total=total)
        yield lambda: progress.advance(bar)


def mean_by_fold(
    values: np.ndarray, fold_of: np.ndarray, weight: np.ndarray | None, n_folds: int
) -> np.ndarray:
    """Weighted means of (model, repeat, row) values within each fold, of shape (model, repeat, fold)."""
    weights = np.ones(fold_of.shape[1]) if weight is None else weight
    out = np.empty((*values.shape[:2], n_folds))
    for r, folds in enumerate(fold_of):
        total = np.bincount(folds, weights, minlength=n_folds)
        for k in range(len(values)):
            out[k, r] = np.bincount(folds, values[k, r] * weights, minlength=n_folds) / total
    return out


def fold_columns(models: list[str], n_repeats: int, n_folds: int) -> dict[str, np.ndarray]:
    """The columns model, repeat and fold of records of folds."""
    return {
        "model": np.repeat(np.array(models, object), n_repeats * n_folds),
        "repeat": np.tile(np.repeat(np.arange(n_repeats), n_folds), len(models)),
        "fold": np.tile(np.arange(n_folds), len(models) * n_repeats),
    }
