"""One fit of the growth benchmark; runs in a process of its own."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.naive_bayes import GaussianNB

import bayfold
from benchmarks.measure import peak_resident_bytes

WARM_UP_ROWS = 400
"""Enough for every step of a fit, so that compilation is not measured."""

ONCE = 5.0
"""CPU seconds after which a fit is not repeated."""

OFTEN, MOST_OFTEN = 0.5, 60
"""CPU seconds up to which, and times at most, a fit is repeated: the fastest of five fits of a millisecond hangs on how
warm the core's caches are."""

MODELS: dict[str, Callable[[], Any]] = {
    "default": lambda: bayfold.NaiveBayesClassifier(n_jobs=1),
    "plain": lambda: bayfold.NaiveBayesClassifier(n_jobs=1, calibration=None, numeric="smooth"),
    "boosted": lambda: bayfold.BoostedNaiveBayesClassifier(n_jobs=1),
    "GaussianNB": GaussianNB,
    "HistGradientBoosting": HistGradientBoostingClassifier,
    "regressor": lambda: bayfold.NaiveBayesRegressor(n_jobs=1),
    "MTE regressor": lambda: bayfold.MTERegressor(n_jobs=1),
    "imputer": lambda: bayfold.NaiveBayesImputer(n_jobs=1),
}
REGRESSORS = ("regressor", "MTE regressor")


def make_table(n_rows: int, n_columns: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal columns, some of which shift with the class."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n_rows)
    X = rng.normal(size=(n_rows, n_columns))
    X[:, : min(n_columns, 10)] += rng.normal(size=(n_classes, min(n_columns, 10)))[y]
    return X, y


def measure_fit(model: str, n_rows: int, n_columns: int, n_classes: int) -> dict[str, Any]:
    """CPU seconds of the fastest of some fits, and by how much resident memory rose at most."""
    warnings.simplefilter("ignore")
    X, y = make_table(n_rows, n_columns, n_classes)
    small = make_table(max(WARM_UP_ROWS, 3 * n_classes), min(n_columns, 20), n_classes)
    MODELS[model]().fit(*_for(model, *small))
    arguments = _for(model, X, y)
    resident = peak_resident_bytes(lambda: MODELS[model]().fit(*arguments))
    seconds = [_cpu_seconds(lambda: MODELS[model]().fit(*arguments))]
    while sum(seconds) < ONCE and (
        len(seconds) < 5 or (len(seconds) < MOST_OFTEN and sum(seconds) < OFTEN)
    ):
        seconds.append(_cpu_seconds(lambda: MODELS[model]().fit(*arguments)))
    megabytes = None if resident is None else resident / 1e6
    return {"seconds": min(seconds), "megabytes": megabytes}


def measure_batches(n_categories: int, n_batches: int) -> dict[str, Any]:
    """``partial_fit`` of one column in which new categories keep coming."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    names = np.array([f"c{k}" for k in range(n_categories)], object)
    batches = np.array_split(np.repeat(names, 2)[rng.permutation(2 * n_categories)], n_batches)
    targets = [rng.integers(0, 2, len(batch)) for batch in batches]

    def learn() -> None:
        model = bayfold.NaiveBayesClassifier(n_jobs=1)
        for batch, y in zip(batches, targets, strict=True):
            model.partial_fit(batch[:, None], y, classes=[0, 1])

    learn()
    return {"seconds": _cpu_seconds(learn), "megabytes": None}


def measure_decomposition(dataset: str) -> dict[str, Any]:
    """Class decomposition of the default classifier."""
    warnings.simplefilter("ignore")
    data = bayfold.datasets.load_dataset(dataset)
    base = bayfold.NaiveBayesClassifier(n_jobs=1)
    model = bayfold.ClassDecompositionClassifier(base, random_state=0, n_jobs=1)
    seconds = _cpu_seconds(lambda: model.fit(data.frame, data.target))
    return {"seconds": seconds, "megabytes": None}


def _for(model: str, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, ...]:
    if model in REGRESSORS:
        return X, X[:, 0] + y + np.sin(np.arange(len(y)))
    if model == "imputer":
        gaps = np.random.default_rng(1).random(X.shape) < 0.05
        return (np.where(gaps, np.nan, X + X[:, :1]),)
    return X, y


def _cpu_seconds(action: Callable[[], object]) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start
