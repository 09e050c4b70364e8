"""One fit per model, repeat and fold: the loop that cross-validation of classes and of numbers share."""

from __future__ import annotations

import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import Progress
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import has_fit_parameter

from bayfold import errors
from bayfold.base.per_row import PerRow
from bayfold.core.counts.folds import Deal, GivenUnits
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
    """The rows of a cross-validation: a table, its target, weights if rows differ in them, and groups and times.

    Attributes
    ----------
    X : array-like or frame
    target : ndarray
    weight : ndarray or None
    per_row : mapping of str to ndarray
        ``groups``, as hashes, and ``time`` as numbers, where these were given.
    """

    X: Any
    target: np.ndarray
    weight: np.ndarray | None = None
    per_row: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def said(self) -> GivenUnits | None:
        """What was said of rows that depend on each other."""
        if not self.per_row:
            return None
        return GivenUnits(self.per_row.get("groups"), self.per_row.get("time"))

    def fit(self, model: Any, held_out: np.ndarray) -> tuple[Any, Any, float]:
        """A clone fitted to the other rows, the table of those held out, and the seconds of the fit."""
        train = np.flatnonzero(self._find_rest(held_out))
        test = np.flatnonzero(held_out)
        rows = take_rows(self.X, train)
        fitted = clone(model)
        given = {} if self.weight is None else {"sample_weight": self.weight[train]}
        taken = {name: v for name, v in self.per_row.items() if has_fit_parameter(model, name)}
        # of one group or time that is left nothing can be held out
        given |= {name: v[train] for name, v in taken.items() if np.ptp(v[train])}
        start = time.perf_counter()
        fitted.fit(rows, self.target[train], **given)
        duration = time.perf_counter() - start
        return fitted, take_rows(self.X, test), duration

    def _find_rest(self, held_out: np.ndarray) -> np.ndarray:
        """The rows that are learnt from: those of no group that is held out, and earlier."""
        rest = ~held_out
        groups = self.per_row.get("groups")
        times = self.per_row.get("time")
        if groups is not None:
            rest &= ~np.isin(groups, groups[held_out])
        return rest if times is None else rest & (times < times[held_out].min())


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
    said: GivenUnits | None = None,
) -> np.ndarray:
    """The fold of every row in every repeat; repeat r is shuffled with ``random_state + r``.

    With groups, whole groups are dealt. With times the earliest rows are in no fold, -1, and without groups there is
    one repeat, as nothing is drawn.
    """
    if said is not None:
        n_repeats = n_repeats if said.time is None else 1 if said.units is None else n_repeats
        classes = target if splitter is StratifiedKFold else np.zeros(len(target), np.int64)
        seeds = [random_state + r for r in range(n_repeats)]
        return np.stack([_deal_units(said, classes, n_folds, seed) for seed in seeds])
    fold_of = np.empty((n_repeats, len(target)), np.int64)
    for r in range(n_repeats):
        splits = splitter(n_folds, shuffle=True, random_state=random_state + r)
        for fold, (_, held_out) in enumerate(splits.split(target, target)):
            fold_of[r, held_out] = fold
    return fold_of


def _deal_units(
    said: GivenUnits, classes: np.ndarray, n_folds: int, random_state: int
) -> np.ndarray:
    """The fold of each row, -1 for none: groups are dealt by the class of most of their rows."""
    rng = np.random.default_rng(random_state)
    keys = rng.integers(1 << 63, size=len(classes), dtype=np.uint64)
    deal = Deal(keys, classes, np.arange(int(classes.max()) + 1), n_folds)
    inside, _ = said.hold_out(deal, np.ones(len(classes)))
    inside = inside[:, inside.any(axis=0)]
    return np.where(inside.any(axis=1), inside.argmax(axis=1), -1)


def read_units(groups: Any, time: Any, n_rows: int) -> dict[str, np.ndarray]:
    """The groups, as hashes, and the times of rows, checked."""
    return PerRow(groups=groups, time=time).read_extras(n_rows)


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
        if (fold_of[r] == f).any()
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
    models: Mapping[str, Any], seconds: np.ndarray, fold_of: np.ndarray, time_limit: float | None
) -> np.ndarray:
    """Positions of the models all of whose folds were run; says which others would have taken too long."""
    n_runs = sum(len(np.unique(folds[folds >= 0])) for folds in fold_of)
    is_complete = np.isfinite(seconds).sum(axis=(1, 2)) == n_runs
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
        total = np.where(total > 0, total, np.nan)
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
