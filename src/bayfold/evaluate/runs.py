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
from sklearn.utils import check_consistent_length

from bayfold import errors
from bayfold.core.evidence import Records
from bayfold.core.frames.concat import take_rows


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
        rows = take_rows(self.X, train)
        fitted = clone(model)
        weights = {} if self.weight is None else {"sample_weight": self.weight[train]}
        start = time.perf_counter()
        fitted.fit(rows, self.target[train], **weights)
        duration = time.perf_counter() - start
        return fitted, take_rows(self.X, test), duration


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
    time_limit: float | None = None,
) -> Iterator[tuple[Run, Any]]:
    """What ``judge(model, held_out)`` finds for every model on every fold of every repeat.

    A model whose folds would take longer than the limit together, by those it has done, has no further ones.
    """
    n_repeats = len(fold_of)
    n_folds = int(fold_of.max()) + 1
    runs = [
        Run(k, r, f, fold_of[r] == f)
        for r in range(n_repeats)
        for f in range(n_folds)
        for k in range(len(models))
    ]
    estimators = list(models.values())
    seconds: list[list[float]] = [[] for _ in models]

    def may_run(k: int) -> bool:
        return time_limit is None or _project(seconds[k], n_repeats * n_folds) <= time_limit

    # runs are dispatched one by one: what is known by then decides
    found = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_judge_quietly)(judge, estimators[run.model], run)
        for run in runs
        if may_run(run.model)
    )
    said: set[tuple[type[Warning], str]] = set()
    with _progress(title, len(runs)) as advance:
        for run, answer, duration, caught_texts in found:
            seconds[run.model].append(duration)
            for category, text in caught_texts:
                if (category, text) not in said:
                    errors.warn(category(text))
            said.update(caught_texts)
            yield run, answer
            advance()


def _project(seconds: list[float], n_runs: int) -> float:
    """How long all runs take if they take what those that are done took."""
    return sum(seconds) / len(seconds) * n_runs if seconds else 0.0


def find_completed(
    models: Mapping[str, Any], seconds: np.ndarray, time_limit: float | None
) -> np.ndarray:
    """Positions of the models all of whose folds were run; says which others would have taken too long."""
    is_complete = ~np.isnan(seconds).any(axis=(1, 2))
    names = list(models)
    slow = [names[k] for k in np.flatnonzero(~is_complete)]
    if slow and time_limit is not None:
        errors.warn(errors.models_too_slow(slow, time_limit))
    if not is_complete.any():
        raise errors.no_model_in_time()
    return np.flatnonzero(is_complete)


def _judge_quietly(
    judge: Callable[[Any, np.ndarray], Any], model: Any, run: Run
) -> tuple[Run, Any, float, list[tuple[type[Warning], str]]]:
    """The answer, how long it took, and what was warned about: each fold would say it again.

    A category that a fold lacks is no news about the table, so that is left out.
    """
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = judge(model, run.held_out)
    duration = time.perf_counter() - start
    kept = [each for each in caught if not issubclass(each.category, errors.UnseenCategoryWarning)]
    return run, answer, duration, [(each.category, str(each.message)) for each in kept]


def check_parameters(
    models: Mapping[str, Any], time_limit: float | None = None, **counts: int
) -> None:
    """Refuse what is no dict of models, and impossible limits and numbers of folds and repeats."""
    if time_limit is not None:
        errors.check_number("time_limit", time_limit, 0.0)
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
