"""How all models are measured: three folds, the same for all, at most 2,000 rows of a dataset, one thread."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold, StratifiedKFold

import bayfold
from bayfold.datasets import list_datasets
from bayfold.evaluate.cross_validation import LEAST_PROBABILITY
from benchmarks.child import ONE_THREAD, ChildTooLongError, Job, run_job
from benchmarks.number_peers import PEERS as NUMBER_PEERS
from benchmarks.numbers import LEVELS, SAME_DATA, find_crps
from papers.defaults.peers import PEERS
from papers.shared.experiment import Experiment, Row, Unit
from papers.shared.tables import read_dataset

NAME = "defaults"
FOLDS = 3
FIRST_FOLD = "first fold"
"""All that a quick run measures of a dataset."""

MOST_ROWS = 2000
"""Of a dataset, drawn once: with all rows a few large tables would take nearly all of the time."""

LEAST_ROWS = 50
SAME = (
    *SAME_DATA,
    "zoo-noid",
    "anneal.ORIG",
    "colic.ORIG",
    "splice-3177",
    "hypothyroid-3163",
    "heart-cleveland-num",
)
"""Other versions of datasets that are here already."""

CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "NaiveBayesClassifier": lambda: bayfold.NaiveBayesClassifier(n_jobs=1),
    "BoostedNaiveBayesClassifier": lambda: bayfold.BoostedNaiveBayesClassifier(n_jobs=1),
    "AveragedOneDependenceClassifier": lambda: bayfold.AveragedOneDependenceClassifier(n_jobs=1),
    "NaiveBayesTreeClassifier": lambda: bayfold.NaiveBayesTreeClassifier(n_jobs=1),
    "AdaBoostNaiveBayesClassifier": lambda: bayfold.AdaBoostNaiveBayesClassifier(n_jobs=1),
    "ViaRegressionClassifier": lambda: bayfold.ViaRegressionClassifier(n_jobs=1),
    "ClassDecompositionClassifier": lambda: bayfold.ClassDecompositionClassifier(
        random_state=0, n_jobs=1
    ),
}
REGRESSORS: dict[str, Callable[[], Any]] = {
    "NaiveBayesRegressor": lambda: bayfold.NaiveBayesRegressor(n_jobs=1),
    "BoostedNaiveBayesRegressor": lambda: bayfold.BoostedNaiveBayesRegressor(n_jobs=1),
    "MTERegressor": lambda: bayfold.MTERegressor(n_jobs=1),
}
FAST = (
    "GaussianNB",
    "LogisticRegression",
    "LightGBM",
    "XGBoost",
    "RandomForest",
    "HistGradientBoosting",
    "Ridge",
)


SLOWEST = ("EBM", "NGBoost", "CatBoost")
"""Most of the time of a whole run is theirs: last, and stopped where a dataset takes too long."""

MOST_SECONDS = 60 * FOLDS
"""Of the processor, for the fits of a dataset: a minute each, on at most 1,333 rows, where the slowest model of the
library takes three seconds. Without a limit a run would not end: EBM may go on for 50,000 rounds where rows are few or
classes are told apart easily, and one round takes 3 to 210 ms on the datasets it needs longest for (2.5 minutes to
three hours a fit); CatBoost had not finished soybean after twenty-two minutes. A stopped pair counts as not finished:
it has no numbers, and the page lists it."""

SLOW = ("ClassDecompositionClassifier", "Khiops", *SLOWEST)
"""Not in a quick run."""


def read_some(name: str, task: str) -> tuple[pd.DataFrame, np.ndarray]:
    """A dataset, or so many of its rows; columns by number, as some libraries refuse names."""
    X, y = read_dataset(name, task)
    if len(y) > MOST_ROWS:
        kept = np.sort(np.random.default_rng(0).choice(len(y), MOST_ROWS, replace=False))
        X, y = X.iloc[kept].reset_index(drop=True), y[kept]
    return X.set_axis([f"c{k}" for k in range(X.shape[1])], axis=1), y


def find_names(task: str) -> list[str]:
    """Datasets of a task, the smaller first, each under one name; from the sizes of files, which need no reading."""
    sizes, names = {}, list_datasets(task)  # which says so if there is no folder
    folder = Path(os.environ["BAYFOLD_DATA"], task)
    for name in names:
        content = (folder / f"{name}.arff").read_bytes()
        n_rows = content.lower().partition(b"\n@data")[2].count(b"\n")
        if name not in SAME and n_rows >= LEAST_ROWS:
            sizes[name] = len(content) * min(1.0, MOST_ROWS / n_rows)
    return sorted(sizes, key=sizes.__getitem__)


def cpu_seconds() -> float:
    """Of this process and of those it waited for: some libraries are programs of their own."""
    return sum(os.times()[:4])


@cache
def warm_up(method: str, task: str) -> None:
    """Import and compile what a method uses, once in a process, before its time is taken."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"c0": rng.normal(size=90), "c1": pd.Categorical(rng.choice(["a", "b"], 90))})
    y = np.arange(90) % 3
    fold = np.arange(60), np.arange(60, 90)
    if task == "classification":
        judge_classes(method, X, y, 3, *fold)
    else:
        judge_numbers(method, X, y + rng.normal(size=90), *fold)


def average(judged: Iterator[Row], parameters: str) -> list[Row]:
    """The means of a dataset over its folds, or over the first alone: what is stored, and what is committed."""
    rows = list(islice(judged, 1 if parameters == FIRST_FOLD else FOLDS))
    means = {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}
    return [{**means, "folds": len(rows)}]


def measure_apart(name: str, unit: Unit) -> list[Row]:
    """In a process of its own, which ends where it takes too long; the row then has no numbers, and no folds."""
    function = f"papers.defaults.protocol:{name}_here"
    arguments = {"dataset": unit.dataset, "method": unit.method, "parameters": unit.parameters}
    title = f"{unit.method} on {unit.dataset}"
    try:
        return run_job(Job(title, function, arguments, ONE_THREAD, cpu_timeout=MOST_SECONDS))
    except ChildTooLongError:
        experiment = CLASSES if name == "classes" else NUMBERS
        return [{**dict.fromkeys(experiment.fields, np.nan), "folds": 0}]


def measure_classes(unit: Unit) -> list[Row]:
    """Error and log-loss, with CPU seconds of a fit."""
    if unit.method in SLOWEST:
        return measure_apart("classes", unit)
    return classes_here(unit.dataset, unit.method, unit.parameters)


def classes_here(dataset: str, method: str, parameters: str) -> list[Row]:
    """All folds in this process."""
    warm_up(method, "classification")
    X, y = read_some(dataset, "classification")
    classes, y = np.unique(y, return_inverse=True)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(y, y)
    judged = (judge_classes(method, X, y, len(classes), *fold) for fold in folds)
    return average(judged, parameters)


def judge_classes(
    method: str, X: pd.DataFrame, y: np.ndarray, n_classes: int, train: np.ndarray, test: np.ndarray
) -> Row:
    """One fold."""
    seen, of_train = np.unique(y[train], return_inverse=True)
    rows, new = X.iloc[train].reset_index(drop=True), X.iloc[test].reset_index(drop=True)
    start = cpu_seconds()
    if method in CLASSIFIERS:
        model = CLASSIFIERS[method]().fit(rows, of_train)
        seconds = cpu_seconds() - start
        best, found = model.predict(new), model.predict_proba(new)
    else:
        predict = PEERS[method](rows, of_train)
        seconds = cpu_seconds() - start
        found = np.asarray(predict(new))
        best = found.argmax(axis=1)
    probability = np.zeros((len(test), n_classes))
    probability[:, seen] = found
    of_truth = probability[np.arange(len(test)), y[test]]
    return {
        "error": float(100 * np.mean(seen[best] != y[test])),
        "log_loss": float(-np.log(np.maximum(of_truth, LEAST_PROBABILITY)).mean()),
        "seconds": seconds,
    }


def measure_numbers(unit: Unit) -> list[Row]:
    """RMSE and CRPS in % of a model that knows no column, with CPU seconds of a fit."""
    if unit.method in SLOWEST:
        return measure_apart("numbers", unit)
    return numbers_here(unit.dataset, unit.method, unit.parameters)


def numbers_here(dataset: str, method: str, parameters: str) -> list[Row]:
    """All folds in this process."""
    warm_up(method, "regression")
    X, y = read_some(dataset, "regression")
    folds = KFold(FOLDS, shuffle=True, random_state=0).split(y)
    judged = (judge_numbers(method, X, y, *fold) for fold in folds)
    return average(judged, parameters)


def judge_numbers(
    method: str, X: pd.DataFrame, y: np.ndarray, train: np.ndarray, test: np.ndarray
) -> Row:
    """One fold."""
    rows, new = X.iloc[train].reset_index(drop=True), X.iloc[test].reset_index(drop=True)
    start = cpu_seconds()
    if method in REGRESSORS:
        model = REGRESSORS[method]().fit(rows, y[train])
        quantiles = model.predict_quantiles
    else:
        model = NUMBER_PEERS[method](rows, y[train])
        quantiles = model.quantiles
    seconds = cpu_seconds() - start
    off, known = y[test] - np.asarray(model.predict(new), float), y[test] - y[train].mean()
    rmse = float(100 * np.sqrt(np.mean(off**2) / np.mean(known**2)))
    crps = judge_quantiles(quantiles, new, y, train, test)
    return {"rmse": rmse, "crps": crps, "seconds": seconds}


def judge_quantiles(
    quantiles: Any, new: pd.DataFrame, y: np.ndarray, train: np.ndarray, test: np.ndarray
) -> float:
    """The CRPS in % of that of the training targets; none where a model has no distribution."""
    if quantiles is None:
        return np.nan
    own = find_crps(np.asarray(quantiles(new, LEVELS)), y[test]).mean()
    base = np.tile(np.quantile(y[train], LEVELS), (len(test), 1))
    return float(100 * own / find_crps(base, y[test]).mean())


def plan_task(task: str, ours: list[str], peers: list[str], quick: bool) -> Iterator[Unit]:
    """Fast methods on all datasets before slow ones, the library's before peers; the smaller datasets first."""
    fast = [*ours[:2], *(name for name in peers if name in FAST)]
    slow = [name for name in peers if name not in (*fast, *SLOWEST)]
    last = [name for name in peers if name in SLOWEST]
    names = find_names(task)
    for methods in (fast, ours[2:], slow, last):
        for name in names[:4] if quick else names:
            for method in methods:
                if not (quick and method in SLOW):
                    yield Unit(name, method, 0, (0,), FIRST_FOLD if quick else "")


def plan_classes(quick: bool) -> Iterator[Unit]:
    """All classifiers."""
    return plan_task("classification", list(CLASSIFIERS), list(PEERS), quick)


def plan_numbers(quick: bool) -> Iterator[Unit]:
    """All regressors."""
    peers = [name for name in NUMBER_PEERS if name != "NGBoost, 200 rounds"]  # not its default
    return plan_task("regression", list(REGRESSORS), peers, quick)


CLASSES = Experiment(
    NAME,
    "classification",
    ("error", "log_loss", "seconds", "folds"),
    plan_classes,
    measure_classes,
)
NUMBERS = Experiment(
    NAME,
    "regression",
    ("rmse", "crps", "seconds", "folds"),
    plan_numbers,
    measure_numbers,
)
