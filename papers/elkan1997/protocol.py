"""How what Elkan (1997) says of boosted naive Bayes is measured: accuracy beside C4.5 and backpropagation, time,
memory, parts in parallel.

Numbers are cut into ten bins of equal width over the training range. The report's own tables are not to be had, so its
claims are tested, not its cells.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline

from bayfold import (
    AdaBoostNaiveBayesClassifier,
    BoostedNaiveBayesClassifier,
    NaiveBayesClassifier,
    NaiveBayesTreeClassifier,
)
from benchmarks.measure import peak_traced_bytes
from benchmarks.number_peers import make_matrix
from papers.shared.experiment import Experiment, Row, Unit, repeated_folds
from papers.shared.tables import read_dataset
from papers.shared.weka import C45, predict_folds

NAME = "elkan1997"
N_BINS = 10
NO_ROWS = 1e-6
"""Pseudo-rows of the m-estimate under boosting, which has to be above zero."""

ROUNDS = (3, 10, 30)
REPEATS, FOLDS = 3, 10
DATASETS = ("diabetes", "credit-g", "heart-statlog", "sonar", "ionosphere", "breast-w", "glass", "vehicle", "segment",
            "waveform-5000", "spambase", "wine")  # fmt: skip
"""Tables of numbers, or mostly so, on which bins matter."""

PLAIN, DEFAULT, BOOSTED = "ten bins", "bayfold default", "bayfold boosted"
TREE, NETWORK = "C4.5", "backpropagation"
PEER_REPEATS = 1
"""Of what is not the report's method: a network takes seconds a fold."""


def name_boosted(rounds: int) -> str:
    """The name of boosting with so many rounds."""
    return f"ten bins, {rounds} rounds"


def make_classifier() -> NaiveBayesClassifier:
    """Equations 1 and 2 on ten bins: shares of counts, with nothing added."""
    return NaiveBayesClassifier(
        numeric="equal_width",
        n_bins=N_BINS,
        bins=N_BINS,
        smoothing="none",
        missing="ignore",
        missing_target="drop",
        calibration=None,
        select=False,
        priors=None,
        class_weight=None,
        n_jobs=1,
    )


def make_boosted(rounds: int) -> AdaBoostNaiveBayesClassifier:
    """Its boosting: rounds end with a model without error, or no better than chance.

    Boosting adds ``m`` pseudo-rows to the counts; so few stand for none, and decide only where all classes have a
    zero.
    """
    base = NaiveBayesTreeClassifier(
        max_depth=0, pruning=None, calibration=None, m=NO_ROWS, denominator="known"
    )
    return AdaBoostNaiveBayesClassifier(
        method="m1",
        base=base,
        n_rounds=rounds,
        restarts=False,
        bins=N_BINS,
        calibration=None,
        class_weight=None,
        n_jobs=1,
    )


def make_network(X: pd.DataFrame) -> Any:
    """scikit-learn's multilayer perceptron as it comes, on scaled numbers and categories as columns of 0 and 1."""
    return make_pipeline(make_matrix(X), MLPClassifier(random_state=0))


def measure_accuracy(unit: Unit) -> list[Row]:
    """Errors in %."""
    X, y = read_dataset(unit.dataset, "classification")
    splits = list(StratifiedKFold(FOLDS, shuffle=True, random_state=unit.repeat).split(y, y))
    folds = [splits[k] for k in unit.folds]
    if unit.method == TREE:
        found = predict_folds(X, y, folds, C45)
    else:
        found = [predict_fold(unit.method, X, y, *fold) for fold in folds]
    pairs = zip(found, folds, strict=True)
    return [{"error": float(100 * np.mean(p.astype(str) != y[test]))} for p, (_, test) in pairs]


def predict_fold(
    method: str, X: pd.DataFrame, y: np.ndarray, train: np.ndarray, test: np.ndarray
) -> np.ndarray:
    """The classes of the rows held out."""
    others = {
        PLAIN: make_classifier,
        DEFAULT: lambda: NaiveBayesClassifier(n_jobs=1),
        BOOSTED: lambda: BoostedNaiveBayesClassifier(n_jobs=1),
        NETWORK: lambda: make_network(X),
    }
    make = others.get(method, lambda: make_boosted(int(method.split(",")[1].split()[0])))
    return make().fit(X.iloc[train], y[train]).predict(X.iloc[test])


def plan_accuracy(quick: bool) -> Iterator[Unit]:
    """All methods."""
    names = list(DATASETS[:6] if quick else DATASETS)
    methods = [PLAIN, *map(name_boosted, ROUNDS), DEFAULT]
    yield from repeated_folds(names, methods, REPEATS, FOLDS, quick)
    peers = [BOOSTED, NETWORK, TREE]
    yield from repeated_folds(names, peers, PEER_REPEATS, FOLDS, quick)


ACCURACY = Experiment(NAME, "accuracy", ("error",), plan_accuracy, measure_accuracy)

# time

ROWS = (10_000, 30_000, 100_000, 300_000, 1_000_000)
COLUMNS = (5, 10, 20, 40, 80)
FIXED_ROWS, FIXED_COLUMNS = 100_000, 20
TIMES = 3
"""Fits of which the fastest counts."""

SCALING_MODELS = {
    "naive Bayes": make_classifier,
    "boosted, 10 rounds": lambda: AdaBoostNaiveBayesClassifier(
        method="real", n_rounds=10, n_jobs=1
    ),
}
"""Confidence-rated boosting makes all its rounds: AdaBoost.M1 stops early where naive Bayes is right already."""


def make_rows(n_rows: int, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers whose means differ a little between two classes."""
    rng = np.random.default_rng(n_columns)
    y = rng.integers(0, 2, n_rows)
    return rng.normal(size=(n_rows, n_columns)) + 0.2 * y[:, None], y


def measure_time(unit: Unit) -> list[Row]:
    """CPU seconds of a fit; a fold is a size."""
    found = []
    for k in unit.folds:
        by_rows = unit.dataset == "rows"
        n_rows, n_columns = (ROWS[k], FIXED_COLUMNS) if by_rows else (FIXED_ROWS, COLUMNS[k])
        X, y = make_rows(n_rows, n_columns)
        SCALING_MODELS[unit.method]().fit(X[:1000], y[:1000])  # compiles
        seconds = []
        for _ in range(TIMES):
            start = time.process_time()
            SCALING_MODELS[unit.method]().fit(X, y)
            seconds.append(time.process_time() - start)
        found.append({"rows": n_rows, "columns": n_columns, "seconds": min(seconds)})
    return found


def plan_time(quick: bool) -> Iterator[Unit]:
    """Sizes from small to large."""
    for method in SCALING_MODELS:
        for what in ("rows", "columns"):
            yield Unit(what, method, 0, tuple(range(3 if quick else 5)))


TIME = Experiment(NAME, "time", ("rows", "columns", "seconds"), plan_time, measure_time)

# memory and parts

BATCH = 20_000
BATCHES = (5, 10, 20, 40)


def make_batches(n_batches: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Batches of rows, one at a time."""
    for k in range(n_batches):
        rng = np.random.default_rng(k)
        y = rng.integers(0, 2, BATCH)
        yield rng.normal(size=(BATCH, FIXED_COLUMNS)) + 0.2 * y[:, None], y


def measure_memory(unit: Unit) -> list[Row]:
    """Peak memory of learning from a stream, in MB, beside what all rows would take."""
    found = []
    for k in unit.folds:

        def learn(n_batches: int = BATCHES[k]) -> None:
            model = SCALING_MODELS["naive Bayes"]()
            for X, y in make_batches(n_batches):
                model.partial_fit(X, y, classes=[0, 1])

        peak = peak_traced_bytes(learn) / 1e6
        rows = BATCH * BATCHES[k]
        found.append({"rows": rows, "peak": peak, "table": 8e-6 * rows * FIXED_COLUMNS})
    return found


def plan_memory(quick: bool) -> Iterator[Unit]:
    """Longer and longer streams."""
    yield Unit("stream", "naive Bayes", 0, tuple(range(2 if quick else len(BATCHES))))


MEMORY = Experiment(NAME, "memory", ("rows", "peak", "table"), plan_memory, measure_memory)


def measure_parts(unit: Unit) -> list[Row]:
    """Wall seconds of a fit by 1 and 2 workers, and whether the models are the same."""
    X, y = make_rows(ROWS[unit.folds[0]], FIXED_COLUMNS)
    base = SCALING_MODELS["naive Bayes"]
    seconds = {1: [], 2: []}
    answers = {}
    for workers in (1, 2, 1, 2, 1, 2, 1, 2):
        model = base().set_params(n_jobs=workers)
        start = time.perf_counter()
        model.fit(X, y)
        seconds[workers].append(time.perf_counter() - start)
        answers[workers] = model.predict_proba(X[:1000])
    half = len(X) // 2
    first = base().fit(X[:half], y[:half])
    of_schema = {"schema": first.schema_, "bins": None}
    both = first + base().set_params(**of_schema).fit(X[half:], y[half:])
    whole = base().set_params(**of_schema).fit(X, y)
    gap = float(np.abs(both.predict_proba(X[:1000]) - whole.predict_proba(X[:1000])).max())
    same = float(np.abs(answers[1] - answers[2]).max())
    row = {"rows": len(X), "one": min(seconds[1]), "two": min(seconds[2])}
    return [row | {"workers_differ_by": same, "sum_differs_by": gap}]


def plan_parts(quick: bool) -> Iterator[Unit]:
    """One size."""
    yield Unit("rows", "naive Bayes", 0, (2 if quick else 4,))


FIELDS = ("rows", "one", "two", "workers_differ_by", "sum_differs_by")
PARTS = Experiment(NAME, "parts", FIELDS, plan_parts, measure_parts)
