"""Sizes of model files and pickles of every estimator, and how long it takes to save and load them.

Tables of strings, numbers and missing cells (``benchmarks.data.make_mixed``): 500 rows and the first 12 columns, 10^6
rows and all 20. Numeric targets are the sum of the float columns and noise. Every model is fitted in a process of its
own.

    python -m benchmarks.file_sizes --output benchmarks/results/file_sizes.md
"""

from __future__ import annotations

import argparse
import io
import json
import pickle
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import bayfold
from benchmarks.child import ONE_THREAD, ChildFailedError, Job, run_job
from benchmarks.data import make_mixed
from benchmarks.report import describe_run, publish

CASES = ((500, 12), (1_000_000, 20))

MODELS: dict[str, dict[str, Any]] = {
    "NaiveBayesClassifier": {},
    "AveragedOneDependenceClassifier": {},
    "BoostedNaiveBayesClassifier": {"random_state": 0},
    "AdaBoostNaiveBayesClassifier": {"random_state": 0},
    "NaiveBayesTreeClassifier": {},
    "ClassDecompositionClassifier": {"n_clusters": 2, "random_state": 0},
    "ViaRegressionClassifier": {},
    "NaiveBayesRegressor": {},
    "MTERegressor": {},
    "NaiveBayesMixture": {"n_components": 5, "random_state": 0},
    "NaiveBayesImputer": {},
    "MDLDiscretizer": {},
}
"""Parameters other than the defaults: what makes draws repeatable, and spares a search for a number."""

PATIENCE = 900.0
"""Seconds after which a fit is given up."""


def measure(name: str, n_rows: int, n_columns: int) -> dict[str, float]:
    """Bytes and CPU seconds of one model."""
    warnings.simplefilter("ignore")
    model = fit(name, n_rows, n_columns)
    whole, small = io.BytesIO(), io.BytesIO()
    start = time.process_time()
    model.save(whole)
    saved = time.process_time()
    model.save(small, statistics=False)
    again = time.process_time()
    bayfold.load(io.BytesIO(whole.getvalue()))  # once, to import what it needs
    loaded = time.process_time()
    bayfold.load(io.BytesIO(whole.getvalue()))
    return {
        "file": len(whole.getvalue()),
        "small": len(small.getvalue()),
        "pickle": len(pickle.dumps(model)),
        "save": saved - start,
        "load": time.process_time() - loaded,
        "save small": again - saved,
    }


def fit(name: str, n_rows: int, n_columns: int) -> Any:
    """The model of a table of the size."""
    X, y = make_mixed(n_rows)
    numbers = X[[c for c in X if c.startswith("float")]]
    target = numbers.sum(axis=1).to_numpy() + np.random.default_rng(0).normal(size=n_rows)
    X = X.iloc[:, :n_columns]
    model = getattr(bayfold, name)(**MODELS[name])
    if name == "MDLDiscretizer":
        return model.fit(X[[c for c in X if c.startswith("float")]], y)
    if name in ("NaiveBayesMixture", "NaiveBayesImputer"):
        return model.fit(X)
    return model.fit(X, target if name.endswith("Regressor") else y)


def write_row(name: str, figures: dict[str, float] | str) -> str:
    """One row of the table."""
    if isinstance(figures, str):
        return f"| {name} | {figures} | | | | |"
    sizes = " | ".join(f"{figures[kind] / 1000:,.0f}" for kind in ("file", "small", "pickle"))
    times = " | ".join(f"{1000 * figures[kind]:,.0f}" for kind in ("save", "load"))
    mark = " (earlier)" if figures.get("is earlier") else ""
    return f"| {name}{mark} | {sizes} | {times} |"


def measure_once(job: Job, kept: Path | None) -> dict[str, float] | str:
    """The figures of a model; those kept of an earlier run that was broken off are marked as such."""
    known = json.loads(kept.read_text()) if kept is not None and kept.exists() else {}
    if job.title in known:
        known[job.title]["is earlier"] = 1.0
    else:
        try:
            known[job.title] = run_job(job)
        except ChildFailedError as error:
            return str(error)
        if kept is not None:
            kept.write_text(json.dumps(known))
    return known[job.title]


def write_table(n_rows: int, n_columns: int, kept: Path | None) -> str:
    """The table of one size."""
    lines = [
        "| model | file, kB | without statistics, kB | pickle, kB | save, ms | load, ms |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name in MODELS:
        arguments = {"name": name, "n_rows": n_rows, "n_columns": n_columns}
        title = f"{name}, {n_rows} rows"
        job = Job(title, "benchmarks.file_sizes:measure", arguments, ONE_THREAD, PATIENCE)
        lines.append(write_row(name, measure_once(job, kept)))
        print(lines[-1], file=sys.stderr, flush=True)
    return "\n".join(lines)


def main() -> None:
    """Measure and write the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=None)
    parser.add_argument("--quick", action="store_true", help="the small table alone")
    given = parser.parse_args()
    parts = [
        "# Sizes of model files",
        describe_run(f"python -m {__spec__.name} {' '.join(sys.argv[1:])}"),
    ]
    parts.append(
        "kB are 1,000 bytes; times are CPU time on one thread. Rows marked (earlier) were not measured by this run but "
        "by one that was broken off, perhaps of an earlier state of the code; delete the .partial.json to measure all."
    )
    kept = given.output.with_suffix(".partial.json") if given.output else None
    for n_rows, n_columns in CASES[: 1 if given.quick else None]:
        parts += [f"## {n_rows:,} x {n_columns}", write_table(n_rows, n_columns, kept)]
    publish("\n\n".join(parts), given.output)


if __name__ == "__main__":
    main()
