"""Sizes of exported models, and what scoring a row takes in databases and in onnxruntime, one thread each.

    pip install -e ".[test]"
    python -m benchmarks.exports --output benchmarks/results/exports.md

The time of a statement over one row is what preparing it takes; the difference to many rows, divided by their number,
is the time per row. Processor time.
"""

from __future__ import annotations

import argparse
import sqlite3
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import onnxruntime
import pandas as pd

from bayfold import BoostedNaiveBayesClassifier, NaiveBayesClassifier, NaiveBayesRegressor

N_NUMERIC, N_NOMINAL, N_CATEGORIES = 12, 8, 10
MODELS = {
    "bins (mdl)": NaiveBayesClassifier(numeric="mdl", n_jobs=1),
    "normal densities": NaiveBayesClassifier(numeric="gaussian", n_jobs=1),
    "smooth (default)": NaiveBayesClassifier(n_jobs=1),
    "kernels": NaiveBayesClassifier(numeric="kernel", n_jobs=1),
    "boosted, with pairs": BoostedNaiveBayesClassifier(n_rounds=200, n_jobs=1),
    "regressor": NaiveBayesRegressor(n_jobs=1),
}


def draw_table(n_rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    """A mixed table of two classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n_rows)
    words = np.array([f"value {k}" for k in range(N_CATEGORIES)], object)
    numbers = {f"n{j}": rng.normal(size=n_rows) + 0.3 * (j % 4) * y for j in range(N_NUMERIC)}
    labels = {
        f"c{j}": words[(rng.integers(0, N_CATEGORIES, n_rows) + (j % 3) * y) % N_CATEGORIES]
        for j in range(N_NOMINAL)
    }
    return pd.DataFrame(numbers | labels).assign(id=np.arange(n_rows)), y


def time_rows(run: Callable[[int], Any], n_rows: int) -> tuple[float, float]:
    """Seconds to prepare, and microseconds per row."""
    took = []
    for n in (1, n_rows):
        start = time.process_time()
        run(n)
        took.append(time.process_time() - start)
    return took[0], 1e6 * (took[1] - took[0]) / n_rows


def measure_sql(model: Any, dialect: str, execute: Callable, n_rows: int) -> list[str]:
    sql = model.to_sql(dialect, keep=["id"])
    source = 'FROM "data" AS t'

    def run(n: int) -> None:
        execute(sql.replace(source, f'FROM (SELECT * FROM "data" LIMIT {n}) AS t')).fetchall()

    prepare, per_row = time_rows(run, n_rows)
    return [f"{len(sql) / 1e3:.0f}", f"{prepare:.2f}", f"{per_row:.1f}"]


def measure_onnx(model: Any, table: pd.DataFrame) -> list[str]:
    written = model.to_onnx().SerializeToString()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(written, options, ["CPUExecutionProvider"])
    cells = {c.name: table[c.name].to_numpy()[:, None] for c in session.get_inputs()}

    def run(n: int) -> None:
        session.run(None, {name: column[:n] for name, column in cells.items()})

    return [f"{len(written) / 1e3:.0f}", f"{time_rows(run, len(table))[1]:.1f}"]


def measure(n_rows: int) -> list[list[str]]:
    """A row of the result for each model."""
    table, y = draw_table(n_rows)
    X = table.drop(columns="id")
    duck, lite = duckdb.connect(), sqlite3.connect(":memory:")
    duck.execute("SET threads = 1")
    duck.register("frame", table)
    duck.execute("CREATE TABLE data AS SELECT * FROM frame")
    table.to_sql("data", lite, index=False)
    rows = []
    for name, model in MODELS.items():
        model.fit(X, y + 0.1 * table["n0"] if name == "regressor" else y)
        answer = getattr(model, "predict_proba", model.predict)
        answer(X[:10])
        _, python = time_rows(lambda n, answer=answer: answer(X[:n]), n_rows)
        in_duckdb = measure_sql(model, "duckdb", duck.execute, n_rows)
        in_sqlite = measure_sql(model, "sqlite", lite.execute, n_rows)
        json = f"{len(model.to_json()) / 1e3:.0f}"
        rows.append([name, f"{python:.1f}", *in_duckdb, *in_sqlite, json, *measure_onnx(model, X)])
        print(*rows[-1], flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--output", type=Path)
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    heads = ["model", "Python: µs per row"]
    for database in ("DuckDB", "SQLite"):
        heads += [f"{database}: kB", "prepare, s", "µs per row"]
    heads += ["JSON: kB", "ONNX: kB", "onnxruntime: µs per row"]
    lines = [heads, ["---"] * len(heads), *measure(chosen.rows)]
    command = f"python -m benchmarks.exports --rows {chosen.rows}"
    columns = f"{N_NUMERIC} numeric and {N_NOMINAL} nominal columns, two classes"
    text = f"# Exported models\n\nWritten by `{command}`: {columns}, one thread each.\n\n"
    text += "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
    print(text)
    if chosen.output is not None:
        chosen.output.write_text(text)


if __name__ == "__main__":
    main()
