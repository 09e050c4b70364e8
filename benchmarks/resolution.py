"""What fine structure costs and gains: tables whose truth is finer than a few bins, and ordinary domains.

LightGBM stands beside if it is installed. Domains need the folder named by BAYFOLD_DATA and are left out without it.

    python -m benchmarks.resolution --output benchmarks/results/resolution.md
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from bayfold import BoostedNaiveBayesClassifier
from benchmarks.domains import Domain
from benchmarks.report import describe_run, format_table, publish

DOMAINS = (
    "abalone3",
    "bupa",
    "credit-a",
    "glass",
    "hypothyroid-3163",
    "satimage",
    "sonar",
    "tic-tac-toe",
)
Drawn = tuple[np.ndarray, np.ndarray]


def draw_waves(n_rows: int, rng: np.random.Generator) -> Drawn:
    """25 periods of a sine in one of four columns; the best log-loss is about .21."""
    X = rng.random((n_rows, 4))
    p = 1 / (1 + np.exp(-6 * np.sin(2 * np.pi * 25 * X[:, 0])))
    return X, (rng.random(n_rows) < p).astype(int)


def draw_product(n_rows: int, rng: np.random.Generator) -> Drawn:
    """The sign of a product of two of four columns, without noise."""
    X = rng.normal(size=(n_rows, 4))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def draw_shifted_product(n_rows: int, rng: np.random.Generator) -> Drawn:
    """The same in units in which zero means nothing: LightGBM has an edge at zero whatever the data."""
    X, y = draw_product(n_rows, rng)
    return X + 1.3, y


def draw_board(n_rows: int, rng: np.random.Generator) -> Drawn:
    """A checkerboard of 8 x 8 in two of four columns with 2 % of the classes exchanged; the best is .098."""
    X = rng.random((n_rows, 4))
    field = np.floor(8 * X[:, :2]).astype(int).sum(axis=1) % 2
    return X, np.where(rng.random(n_rows) < 0.02, 1 - field, field)


TABLES: dict[str, Callable[[int, np.random.Generator], Drawn]] = {
    "25 waves": draw_waves,
    "sign(x0 x1)": draw_product,
    "the same, shifted": draw_shifted_product,
    "checkerboard 8 x 8": draw_board,
}


def make_models() -> dict[str, Callable[[], Any]]:
    """Models by name, each on one thread."""
    models: dict[str, Callable[[], Any]] = {
        "default": lambda: BoostedNaiveBayesClassifier(n_jobs=1),
        "max_bins=32": lambda: BoostedNaiveBayesClassifier(max_bins=32, n_jobs=1),
    }
    if find_spec("lightgbm") is not None:
        from lightgbm import LGBMClassifier

        models["LightGBM"] = lambda: LGBMClassifier(n_jobs=1, verbose=-1)
        models["LightGBM, 1,000 trees"] = lambda: LGBMClassifier(
            n_estimators=1000, n_jobs=1, verbose=-1
        )
    return models


def measure(model: Any, train: tuple[Any, Any], test: tuple[Any, np.ndarray]) -> list[float]:
    """Error in %, log-loss and CPU seconds of the fit; targets are numbers from 0."""
    started = time.process_time()
    model.fit(*train)
    seconds = time.process_time() - started
    X, y = test
    probability = np.zeros((len(y), max(int(y.max()), int(model.classes_.max())) + 1))
    probability[:, model.classes_] = model.predict_proba(X)
    truth = np.clip(probability[np.arange(len(y)), y], 1e-15, 1)
    return [100 * np.mean(probability.argmax(axis=1) != y), -np.log(truth).mean(), seconds]


def measure_tables(n_rows: int) -> str:
    """All made-up tables with so many rows to learn from."""
    rows = []
    for title, draw in TABLES.items():
        train, test = draw(n_rows, np.random.default_rng(0)), draw(20_000, np.random.default_rng(1))
        found = [measure(make(), train, test) for make in make_models().values()]
        rows.append([title, *(f"{loss:.4f} ({seconds:.1f} s)" for _, loss, seconds in found)])
    return format_table(["log-loss (CPU of the fit)", *make_models()], rows)


def measure_domains(repeats: int) -> str:
    """Ordinary domains by three folds; only models of this library, which take tables as they are."""
    models = {title: make for title, make in make_models().items() if "LightGBM" not in title}
    rows, means = [], []
    for name in DOMAINS:
        domain = Domain.load(name)
        splits = [split for repeat in range(repeats) for split in domain.splits(100 + repeat)]
        means.append([])
        for make in models.values():
            parts = [
                [(domain.arrow.take(part), domain.target[part]) for part in split]
                for split in splits
            ]
            means[-1].append(np.mean([measure(make(), *part) for part in parts], axis=0))
        rows.append([name, *(_show(found) for found in means[-1])])
    rows.append(["**mean**", *(_show(found) for found in np.mean(means, axis=0))])
    return format_table(["error in % / log-loss (CPU of a fit)", *models], rows)


def _show(found: np.ndarray) -> str:
    return f"{found[0]:.2f} / {found[1]:.4f} ({found[2]:.2f} s)"


def main() -> None:
    """Measure and print, or write to a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[5_000, 20_000, 100_000])
    parser.add_argument("--repeats", type=int, default=2, help="of 3-fold cross-validation")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    command = shlex.join(["python", "-m", "benchmarks.resolution", *sys.argv[1:]])
    parts = ["# Resolution of additive boosting", describe_run(command)]
    with threadpool_limits(1):
        BoostedNaiveBayesClassifier(n_rounds=3).fit(*draw_waves(500, np.random.default_rng(0)))
        for n_rows in arguments.rows:
            parts += [f"## Fine structure, {n_rows:,} rows", measure_tables(n_rows)]
        if "BAYFOLD_DATA" in os.environ:
            title = f"## Eight domains, {arguments.repeats} x 3-fold cross-validation"
            parts += [title, measure_domains(arguments.repeats)]
    publish("\n\n".join(parts) + "\n", arguments.output)


if __name__ == "__main__":
    main()
