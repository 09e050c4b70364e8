"""Loss on new rows when rows are copied, as a multiple of the loss from the distinct rows.

Copies come from weights, bootstrap samples, oversampling and joins. A model that holds rows out must not find their
copies among the others: every figure should be 1, and anything above 1.03 is a fault. With weights of 1, 2 and 4 at
random and with a bootstrap rows differ in weight, which alone costs a little. Below, tables of few distinct rows, where
equal rows are honest: log-loss on new rows beside the best that can be had.

    python -m benchmarks.copies --output benchmarks/results/copies.md
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

from bayfold import (
    AdaBoostNaiveBayesClassifier,
    AveragedOneDependenceClassifier,
    BoostedNaiveBayesClassifier,
    ClassDecompositionClassifier,
    MTERegressor,
    NaiveBayesClassifier,
    NaiveBayesMixture,
    NaiveBayesRegressor,
    NaiveBayesTreeClassifier,
)
from benchmarks.report import format_table, publish

N_ROWS, N_NEW, N_SEEDS = 300, 2000, 12

CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "NaiveBayesClassifier": NaiveBayesClassifier,
    "NaiveBayesClassifier(select=True)": lambda: NaiveBayesClassifier(select=True),
    "AveragedOneDependenceClassifier": AveragedOneDependenceClassifier,
    "BoostedNaiveBayesClassifier": lambda: BoostedNaiveBayesClassifier(random_state=0),
    "BoostedNaiveBayesClassifier(interactions=1)": lambda: BoostedNaiveBayesClassifier(
        interactions=1, random_state=0
    ),
    "NaiveBayesTreeClassifier": NaiveBayesTreeClassifier,
    "AdaBoostNaiveBayesClassifier": AdaBoostNaiveBayesClassifier,
    "ClassDecompositionClassifier": lambda: ClassDecompositionClassifier(random_state=0),
}
REGRESSORS: dict[str, Callable[[], Any]] = {
    "NaiveBayesRegressor": NaiveBayesRegressor,
    "MTERegressor": MTERegressor,
}
MIXTURES: dict[str, Callable[[], Any]] = {
    "NaiveBayesMixture": lambda: NaiveBayesMixture(n_components="cv", random_state=0),
}
COPIES = ("weight 2", "weight 4", "tenfold", "weights 1, 2, 4", "bootstrap")


def draw_rows(kind: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Training rows and then new ones: x0 + x1 * x2 + noise, or three clusters."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_ROWS + N_NEW, 10))
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=len(X))
    if kind == "mixture":
        X = X[:, :5] + 2.0 * rng.integers(0, 3, (len(X), 1)) * np.array([1.0, -1.0, 0.5, 0.0, 1.0])
    return X, (y > 0).astype(int) if kind == "classifier" else y


def find_loss(model: Any, kind: str, X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> float:
    """Log-loss, root mean squared error, or mean negative log-likelihood of the new rows."""
    kept, w = np.flatnonzero(weights), weights[weights > 0].astype(float)
    new, truth = X[N_ROWS:], y[N_ROWS:]
    if kind == "mixture":
        return -float(model.fit(X[kept], sample_weight=w).score(new))
    model.fit(X[kept], y[kept], sample_weight=w)
    if kind == "regressor":
        return float(np.sqrt(np.mean((model.predict(new) - truth) ** 2)))
    p = model.predict_proba(new)[np.arange(len(new)), truth]
    return -float(np.log(np.maximum(p, 1e-15)).mean())


def measure(make: Callable[[], Any], kind: str) -> list[float]:
    """Mean loss from distinct rows, then the ratios."""
    losses: list[list[tuple[float, float]]] = []
    for seed in range(N_SEEDS):
        X, y = draw_rows(kind, seed)
        rng, ones = np.random.default_rng(100 + seed), np.ones(N_ROWS, np.int64)
        drawn = np.bincount(rng.integers(0, N_ROWS, N_ROWS), minlength=N_ROWS)
        mixed = rng.choice([1, 2, 4], N_ROWS)
        once = find_loss(make(), kind, X, y, ones)
        distinct = find_loss(make(), kind, X, y, (drawn > 0).astype(np.int64))
        copied = [find_loss(make(), kind, X, y, w) for w in (2 * ones, 4 * ones, 10 * ones, mixed)]
        pairs = [(loss, once) for loss in copied]
        losses.append([*pairs, (find_loss(make(), kind, X, y, drawn), distinct)])
    with_copies, without = np.mean(losses, axis=0).T
    return [float(without[0]), *(with_copies / without).tolist()]


def draw_coarse(name: str, n_rows: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Rows of binary columns, their classes, and the true probability of class 1."""
    X = rng.integers(0, 2, (n_rows, 3))
    if name == "exclusive or":
        X = X[:, :2]
        p = np.where(X[:, 0] ^ X[:, 1], 0.9, 0.1)
    elif name == "ten that repeat one":
        X = np.where(rng.random((n_rows, 10)) < 0.02, 1 - X[:, :1], X[:, :1])
        p = np.where(X.mean(axis=1) > 0.5, 0.7, 0.3)
    else:
        p = 1 / (1 + np.exp(1 - X @ np.array([2.0, 1.0, -1.0])))
    return X.astype(str), (rng.random(n_rows) < p).astype(int), p


COARSE = {"exclusive or": 1000, "three binary columns": 10_000, "ten that repeat one": 400}


def measure_coarse(name: str) -> list[float]:
    """The best log-loss on new rows, then that of each classifier."""
    rng = np.random.default_rng(0)
    X, y, _ = draw_coarse(name, COARSE[name], rng)
    new, truth, p = draw_coarse(name, 5000, rng)
    found = [-float(np.log(np.where(truth == 1, p, 1 - p)).mean())]
    for make in CLASSIFIERS.values():
        q = make().fit(X, y).predict_proba(new)[np.arange(len(new)), truth]
        found.append(-float(np.log(np.maximum(q, 1e-15)).mean()))
    return found


def write_report() -> str:
    """Both tables."""
    kinds = (("classifier", CLASSIFIERS), ("regressor", REGRESSORS), ("mixture", MIXTURES))
    cases = [(name, make, kind) for kind, models in kinds for name, make in models.items()]
    rows = []
    for name, make, kind in track(cases, disable=not sys.stderr.isatty()):
        loss, *ratios = measure(make, kind)
        rows.append([name, f"{loss:.3f}", *(f"{ratio:.3f}" for ratio in ratios)])
    coarse = [[name, *(f"{x:.3f}" for x in measure_coarse(name))] for name in COARSE]
    return "\n".join(
        [
            "# Copies of rows",
            "",
            f"Written by `{' '.join(['python -m benchmarks.copies', *sys.argv[1:]])}`.",
            f"{N_SEEDS} tables of {N_ROWS} rows x 10 columns, x0 + x1 * x2 + noise (mixtures: three clusters):",
            "loss on new rows (log-loss, root mean squared error, negative log-likelihood), and its multiples.",
            "",
            format_table(["estimator", "distinct", *COPIES], rows),
            "",
            "Tables of few distinct rows, in which equal rows are honest: log-loss on new rows.",
            "",
            format_table(["table", "best", *CLASSIFIERS], coarse),
        ]
    )


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    publish(write_report(), arguments.output)


if __name__ == "__main__":
    main()
