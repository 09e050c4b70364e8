"""Time and memory of the boosted regressor beside HistGradientBoosting, each in a process of its own.

python -m benchmarks.numbers_speed --output benchmarks/results/numbers_speed.md
"""

from __future__ import annotations

import argparse
import shlex
import statistics
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

from bayfold import BoostedNaiveBayesRegressor
from benchmarks.child import ONE_THREAD, Job, run_job
from benchmarks.measure import peak_resident_bytes
from benchmarks.report import describe_run, format_table, publish

PREDICTED_ROWS = 100_000
WARM_UP_ROWS = 30_000
"""More than are sampled for a schema, so that the warm-up compiles every step of a large fit."""

SHORT, REPEATS = 200_000, 3
"""Fits of fewer rows are repeated, both models in turn; medians are shown."""

OURS, PEER = "BoostedNaiveBayesRegressor", "HistGradientBoostingRegressor"

ABOUT = """Processor seconds, of all threads together, medians of several fits where they are short; a process for each
number of rows and threads. Memory is what a fit needs at most beside its input, as a share of it, in a process of its
own."""


def make_rows(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Twenty columns; the target has a slope, a curve, a product of two columns, and noise that depends on a fifth."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 20))
    signal = X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3]
    return X, signal + 0.5 * rng.normal(size=n_rows) * np.exp(0.3 * X[:, 4])


def make_model(title: str, n_threads: int) -> Any:
    """The peer takes its threads from the environment."""
    if title == OURS:
        return BoostedNaiveBayesRegressor(n_jobs=n_threads)
    return HistGradientBoostingRegressor(random_state=0)


def time_model(model: Any, X: np.ndarray, y: np.ndarray, rows: np.ndarray) -> tuple[float, float]:
    """Processor seconds of a fit, and of predicting some rows."""
    begin = time.process_time()
    model.fit(X, y)
    fit = time.process_time() - begin
    model.predict(rows[:1000])
    begin = time.process_time()
    model.predict(rows)
    return fit, time.process_time() - begin


def measure_times(n_rows: int, n_threads: int) -> dict[str, list[float]]:
    """Medians of both models, by title: fit, predict."""
    warnings.simplefilter("ignore")
    X, y = make_rows(n_rows)
    rows = make_rows(PREDICTED_ROWS)[0]
    small = make_rows(WARM_UP_ROWS)
    make_model(OURS, n_threads).set_params(n_rounds=20).fit(*small).predict(small[0])
    found: dict[str, list] = {OURS: [], PEER: []}
    for _ in range(REPEATS if n_rows < SHORT else 1):
        for title, times in found.items():
            times.append(time_model(make_model(title, n_threads), X, y, rows))
    return {
        title: [statistics.median(column) for column in zip(*times, strict=True)]
        for title, times in found.items()
    }


def measure_memory(title: str, n_rows: int) -> float | None:
    """What a fit needs beside its input, as a share of it."""
    warnings.simplefilter("ignore")
    make_model(title, 1).fit(*make_rows(WARM_UP_ROWS))
    X, y = make_rows(n_rows)
    peak = peak_resident_bytes(lambda: make_model(title, 1).fit(X, y))
    return None if peak is None else peak / X.nbytes


def tabulate_times(sizes: list[int], n_threads: int) -> str:
    """Times at several sizes."""
    environment = dict.fromkeys(ONE_THREAD, str(n_threads))
    lines = []
    for n_rows in sizes:
        arguments = {"n_rows": n_rows, "n_threads": n_threads}
        job = Job(
            f"{n_rows} rows", "benchmarks.numbers_speed:measure_times", arguments, environment
        )
        found = run_job(job)
        (fit, predict), (peer_fit, peer_predict) = found[OURS], found[PEER]
        figures = fit, predict, peer_fit, peer_predict, fit / peer_fit, peer_predict / predict
        lines.append([f"{n_rows:,}", *(f"{figure:.2f}" for figure in figures)])
    header = ["rows", "fit, s", f"predict {PREDICTED_ROWS:,}, s", "peer's fit", "peer's predict"]
    header += ["fit / peer's", "peer's predict / predict"]
    return format_table(header, lines)


def tabulate_memory(sizes: list[int]) -> str:
    """Memory at several sizes."""
    lines = []
    for n_rows in sizes:
        shares = [
            run_job(
                Job(
                    f"memory of {title}",
                    "benchmarks.numbers_speed:measure_memory",
                    {"title": title, "n_rows": n_rows},
                    ONE_THREAD,
                )
            )
            for title in (OURS, PEER)
        ]
        lines.append([f"{n_rows:,}", *("" if s is None else f"{s:.2f}" for s in shares)])
    return format_table(["rows", "memory / input", "peer's"], lines)


def main() -> None:
    """Measure and print, or write to a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=[2_000, 100_000, 1_000_000])
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    command = shlex.join(["python", "-m", "benchmarks.numbers_speed", *sys.argv[1:]])
    parts = [f"# {OURS} beside {PEER}, 20 columns", describe_run(command), ABOUT]
    for n_threads in arguments.threads:
        parts += [f"## Threads: {n_threads}", tabulate_times(arguments.sizes, n_threads)]
    parts += ["## Memory, one thread", tabulate_memory(arguments.sizes[-1:])]
    publish("\n\n".join(parts), arguments.output)


if __name__ == "__main__":
    main()
