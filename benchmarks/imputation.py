"""Imputers compared: how near the filled cells are to the truth, and what a model makes of the filled table.

From each dataset 20 % of the attributes' cells are removed at random. Numbers: root mean squared error of the filled
cells in standard deviations of their column. Categories: the share of filled cells that are wrong. Downstream: the
relative error of ridge regression on the filled table, the imputer fitted on the training rows of five folds.

    python -m benchmarks.imputation --output benchmarks/results/imputation.md
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, SimpleImputer
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from bayfold import NaiveBayesImputer
from bayfold.datasets import load_dataset
from benchmarks.report import publish

DATASETS = (
    "bodyfat",
    "boston-452",
    "cloud-statlib",
    "autoMpg",
    "servo",
    "housing",
    "pbcc",
    "sleep",
)
SHARE, MAX_ROWS, SEEDS = 0.2, 1000, 3


def with_categories(numeric: Any) -> Any:
    """scikit-learn's way with mixed tables: numbers by one imputer, categories by their mode."""
    transformer = make_column_transformer(
        (numeric, make_column_selector(dtype_include="number")),
        (SimpleImputer(strategy="most_frequent"), make_column_selector(dtype_exclude="number")),
        verbose_feature_names_out=False,
    )
    return transformer.set_output(transform="pandas")


IMPUTERS: dict[str, Callable[[], Any]] = {
    "SimpleImputer": lambda: with_categories(SimpleImputer()),
    "IterativeImputer": lambda: with_categories(IterativeImputer(random_state=0)),
    "NaiveBayesImputer": lambda: NaiveBayesImputer(n_jobs=1),
    "NaiveBayesImputer, draws": lambda: NaiveBayesImputer(
        strategy="draw", random_state=0, n_jobs=1
    ),
}


def regression() -> Any:
    """Ridge regression on scaled numbers and one-hot codes."""
    labels = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = make_column_transformer(
        (StandardScaler(), make_column_selector(dtype_include="number")),
        (labels, make_column_selector(dtype_exclude="number")),
    )
    return make_pipeline(columns, RidgeCV(np.logspace(-2, 3, 11)))


def measure(name: str, method: str, seed: int) -> dict[str, float]:
    """Errors of filled cells, the downstream error, and CPU seconds to fit and fill."""
    dataset = load_dataset(name, task="regression")
    rng = np.random.default_rng(seed)
    rows = rng.permutation(np.flatnonzero(~np.isnan(dataset.target)))[:MAX_ROWS]
    full, target = dataset.frame.to_pandas().iloc[rows].reset_index(drop=True), dataset.target[rows]
    for column in full.columns[[not _is_number(full[c]) for c in full]]:
        full[column] = full[column].astype(object)
    gone = (rng.random(full.shape) < SHARE) & full.notna().to_numpy()
    table = full.mask(gone)
    started = time.process_time()
    filled = IMPUTERS[method]().fit_transform(table)
    seconds = time.process_time() - started
    numbers, labels = [], []
    for j, column in enumerate(full):
        truth, found = full[column][gone[:, j]], filled[column][gone[:, j]]
        if not len(truth):
            continue
        if _is_number(full[column]):
            spread = full[column].std() or 1.0
            numbers.append(np.sqrt(np.mean((found - truth) ** 2)) / spread)
        else:
            labels.append(np.mean(found.astype(str) != truth.astype(str)))
    errors = []
    for train, test in KFold(5, shuffle=True, random_state=0).split(target):
        model = make_pipeline(IMPUTERS[method](), regression())
        predicted = model.fit(table.iloc[train], target[train]).predict(table.iloc[test])
        plain = target[train].mean() - target[test]
        errors.append(np.sqrt(np.mean((predicted - target[test]) ** 2) / np.mean(plain**2)))
    return {
        "numbers": float(np.mean(numbers)) if numbers else np.nan,
        "categories": float(np.mean(labels)) if labels else np.nan,
        "downstream": float(np.mean(errors)),
        "seconds": seconds,
    }


def _is_number(column: Any) -> bool:
    return column.dtype.kind == "f"


def main() -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", nargs="*", default=list(DATASETS))
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    pairs = [(name, method) for name in arguments.datasets for method in IMPUTERS]
    rows = {}
    for name, method in track(pairs, disable=not sys.stderr.isatty()):
        runs = [measure(name, method, seed) for seed in range(arguments.seeds)]
        rows[name, method] = {key: float(np.mean([run[key] for run in runs])) for key in runs[0]}
    lines = [
        "# Imputers compared",
        "",
        f"Written by `{' '.join(['python -m benchmarks.imputation', *sys.argv[1:]])}`:",
        f"{SHARE:.0%} of the cells missing at random, at most {MAX_ROWS} rows, mean over {arguments.seeds} seeds.",
        "Numbers: error of filled cells in standard deviations of their column; categories: share of filled cells",
        "that are wrong; downstream: relative error of ridge regression on the filled table, out of fold; seconds:",
        "CPU time of one fit and fill.",
        "",
        "| data | imputer | numbers | categories | downstream | seconds |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for (name, method), row in rows.items():
        cells = ["" if np.isnan(row[k]) else f"{row[k]:.3f}" for k in row]
        lines.append(f"| {name} | {method} | {' | '.join(cells)} |")
    for method in IMPUTERS:
        mine = [row for (_, m), row in rows.items() if m == method]
        cells = [f"{np.nanmean([row[k] for row in mine]):.3f}" for k in mine[0]]
        lines.append(f"| **mean** | {method} | {' | '.join(cells)} |")
    report = "\n".join(lines) + "\n"
    publish(report, arguments.output)


if __name__ == "__main__":
    main()
