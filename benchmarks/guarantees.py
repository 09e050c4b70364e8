"""How often intervals and sets of classes hold the truth, and how wide they are beside MAPIE's on the same data.

Rows of made worlds are exchangeable. MAPIE is given the same estimators and the same rows: it fits five more models of
each (``CrossConformalRegressor``, ``CrossConformalClassifier``), bayfold none.

    python -m benchmarks.guarantees --output benchmarks/results/guarantees.md
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from mapie.classification import CrossConformalClassifier
from mapie.regression import CrossConformalRegressor
from rich.progress import track

from bayfold import (
    BoostedNaiveBayesClassifier,
    BoostedNaiveBayesRegressor,
    MTERegressor,
    NaiveBayesClassifier,
    NaiveBayesRegressor,
)
from benchmarks.report import publish

REGRESSORS = (NaiveBayesRegressor, MTERegressor, BoostedNaiveBayesRegressor)
CLASSIFIERS = (NaiveBayesClassifier, BoostedNaiveBayesClassifier)
COVERAGE = 0.9
TEST_ROWS = 4000
SAMPLED_ROWS = {"NaiveBayesRegressor": 2000, "MTERegressor": 5000}
"""The most rows that are held out."""


def draw_numbers(seed: int, n: int) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Name, columns and target of each world of numbers."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(n, 4)), rng.integers(0, 3, n)])
    signal = X[:, 0] + np.sin(2 * X[:, 1]) + 0.5 * X[:, 4]
    noise = rng.normal(size=n)
    yield "normal errors", X, signal + 0.5 * noise
    yield "errors that grow", X, signal + 0.3 * np.exp(X[:, 0]) * noise
    yield "lognormal", X, np.exp(signal / 2 + 0.4 * noise)
    yield "long tails", X, signal + 0.4 * rng.standard_t(3, size=n)
    copies = X[:, :1] + 0.1 * rng.normal(size=(n, 5))
    yield "five columns that say the same", copies, signal + 0.3 * noise
    yield "whole numbers", X, np.round(signal + noise)


def draw_classes(seed: int, n: int) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Name, columns and target of each world of classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    scores = X[:, :3] * 1.5 + rng.gumbel(size=(n, 3))
    yield "three classes", X, scores.argmax(axis=1)
    yield "two classes", X, (X[:, 0] * X[:, 1] + X[:, 2] + rng.logistic(size=n) > 0).astype(int)
    yield "a rare class", X, (X[:, 0] + rng.logistic(size=n) > 3.0).astype(int)


def compare_intervals(model: Any, X: np.ndarray, y: np.ndarray, n: int) -> list[float]:
    """Coverage and mean width of bayfold's and MAPIE's intervals, and the seconds of both."""
    began = time.process_time()
    own = model.fit(X[:n], y[:n]).predict_interval(X[n:], COVERAGE)
    middle = time.process_time()
    mapie = CrossConformalRegressor(model, confidence_level=COVERAGE, cv=5, random_state=0)
    theirs = mapie.fit_conformalize(X[:n], y[:n]).predict_interval(X[n:])[1][:, :, 0]
    ended = time.process_time()
    found = []
    for bounds in (own, theirs):
        holds = (bounds[:, 0] <= y[n:]) & (y[n:] <= bounds[:, 1])
        found += [holds.mean(), (bounds[:, 1] - bounds[:, 0]).mean()]
    return [*found, middle - began, ended - middle]


def compare_sets(model: Any, X: np.ndarray, y: np.ndarray, n: int) -> list[float]:
    """The same of sets, whose width is the number of classes in them."""
    began = time.process_time()
    own = model.fit(X[:n], y[:n]).predict_set(X[n:], COVERAGE)
    middle = time.process_time()
    mapie = CrossConformalClassifier(
        model, confidence_level=COVERAGE, conformity_score="lac", cv=5, random_state=0
    )
    theirs = mapie.fit_conformalize(X[:n], y[:n]).predict_set(X[n:])[1][:, :, 0]
    ended = time.process_time()
    found = []
    for sets in (own, theirs):
        found += [sets[np.arange(len(sets)), y[n:]].mean(), sets.sum(axis=1).mean()]
    return [*found, middle - began, ended - middle]


def describe(name: str, world: str, n: int, runs: np.ndarray) -> str:
    """One line of the table."""
    held_out = min(n, SAMPLED_ROWS.get(name, n))
    error = np.sqrt(COVERAGE * (1 - COVERAGE) * (1 / held_out + 1 / TEST_ROWS) / len(runs))
    own, width, theirs, their_width, seconds, their_seconds = runs.mean(axis=0)
    return (
        f"| {name} | {world} | {own:.1%} | {(own - COVERAGE) / error:+.1f} | {theirs:.1%} | "
        f"{width / their_width - 1:+.1%} | {their_seconds / seconds:.1f} |"
    )


def measure(n: int, n_repeats: int) -> tuple[list[str], list[float], list[float]]:
    """The lines of the table, and coverage and relative width of each continuous world."""
    found: dict[tuple[str, str], list[list[float]]] = {}
    for seed in track(range(n_repeats), f"{n} rows"):
        for world, X, y in draw_numbers(seed, n + TEST_ROWS):
            for kind in REGRESSORS:
                runs = found.setdefault((kind.__name__, world), [])
                runs.append(compare_intervals(kind(n_jobs=1), X, y, n))
        for world, X, y in draw_classes(seed, n + TEST_ROWS):
            for kind in CLASSIFIERS:
                runs = found.setdefault((kind.__name__, world), [])
                runs.append(compare_sets(kind(n_jobs=1), X, y, n))
    lines = []
    coverages = []
    widths = []
    for (name, world), given in sorted(found.items()):
        runs = np.array(given)
        lines.append(describe(name, world, n, runs))
        if world != "whole numbers":
            coverages.append(float(runs[:, 0].mean()))
            widths.append(float(runs[:, 1].mean() / runs[:, 3].mean()))
    return lines, coverages, widths


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=6)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    lines, coverages, widths = measure(given.rows, given.repeats)
    text = [
        "# Intervals and sets of classes beside MAPIE",
        "",
        f"Written by `python -m benchmarks.guarantees`: {given.rows:,} training rows, {TEST_ROWS:,} others,",
        f"{given.repeats} repeats, {COVERAGE:.0%} asked for. *Off* is the difference in standard errors of the rows",
        "held out and tested; *wider* is the mean width (or number of classes) beside MAPIE's; *times* is MAPIE's",
        "CPU time beside bayfold's.",
        "Intervals of whole numbers cannot hold less: their bounds are whole numbers.",
        "",
        "| model | world | bayfold | off | MAPIE | wider | times |",
        "|---|---|---:|---:|---:|---:|---:|",
        *lines,
        "",
        f"Mean coverage without whole numbers: {np.mean(coverages):.2%}. Mean width beside MAPIE's: "
        f"{np.mean(widths) - 1:+.1%}.",
    ]
    publish("\n".join(text) + "\n", given.output)


if __name__ == "__main__":
    main()
