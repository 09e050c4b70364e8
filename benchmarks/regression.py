"""Speed of NaiveBayesRegressor against gradient boosting, and its distance from the exact method.

Run from the root of the repository: ``python -m benchmarks.regression --output benchmarks/results/regression.md``.
"""

from __future__ import annotations

import shlex
import statistics
import sys
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from sklearn.ensemble import HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

from bayfold import NaiveBayesRegressor
from bayfold.families.regression.frank1998_densities import choose_frank1998_width
from benchmarks.measure import best_time, growth_exponent, median_ratio, time_interleaved
from benchmarks.report import publish
from tests.reference.frank1998 import ExactRegressor

N_COLUMNS = 10
N_QUERIES = 100_000


def draw(n_rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Friedman's first function: five columns that matter, five that do not, some noise."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, N_COLUMNS))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return X, y + 10 * X[:, 3] + 5 * X[:, 4] + rng.normal(size=n_rows)


def compare_fits(sizes: list[int], repeats: int, n_threads: int | None) -> list[str]:
    """Rows of a table: seconds of both, interleaved, and the ratio within rounds."""
    lines = []
    for n_rows in sizes:
        X, y = draw(n_rows)
        actions: dict[str, Any] = {
            "bayfold": lambda X=X, y=y: NaiveBayesRegressor(n_jobs=n_threads).fit(X, y),
            "boosting": lambda X=X, y=y: HistGradientBoostingRegressor().fit(X, y),
        }
        actions["bayfold"]()  # compiles, once per machine
        with threadpool_limits(limits=n_threads):
            times = time_interleaved(actions, repeats)
        mine, theirs = statistics.median(times["bayfold"]), statistics.median(times["boosting"])
        ratio = median_ratio(times["bayfold"], times["boosting"])
        threads = "all" if n_threads is None else str(n_threads)
        lines.append(f"| {n_rows:,} | {threads} | {mine:.3f} | {theirs:.3f} | {ratio:.2f} |")
    return lines


def fit_table(sizes: list[int], repeats: int) -> str:
    """Time of fit against HistGradientBoostingRegressor as it comes."""
    head = "| rows | threads | bayfold, s | gradient boosting, s | ratio |\n|---:|---|---:|---:|---:|\n"
    lines = compare_fits(sizes, repeats, None) + compare_fits(sizes, repeats, 1)
    return head + "\n".join(lines)


def growth_line(sizes: list[int], repeats: int) -> str:
    """The exponent of the time of fit."""
    seconds = []
    for n_rows in sizes:
        X, y = draw(n_rows)
        seconds.append(best_time(lambda X=X, y=y: NaiveBayesRegressor(n_jobs=1).fit(X, y), repeats))
    shown = ", ".join(f"{n:,} rows {s:.3f} s" for n, s in zip(sizes, seconds, strict=True))
    return f"One thread: {shown}. Exponent {growth_exponent(sizes, seconds):.2f} (at most 1.15)."


def prediction_table(n_rows: int, repeats: int) -> str:
    """Microseconds per row of predictions, after training on many rows."""
    X, y = draw(n_rows)
    queries, _ = draw(N_QUERIES, seed=1)
    lines = [
        "| threads | bayfold, microseconds per row | gradient boosting | ratio |",
        "|---|---:|---:|---:|",
    ]
    for n_threads in (None, 1):
        model = NaiveBayesRegressor(n_jobs=n_threads).fit(X, y)
        peer = HistGradientBoostingRegressor().fit(X, y)
        actions = {
            "bayfold": lambda model=model: model.predict(queries),
            "boosting": lambda peer=peer: peer.predict(queries),
        }
        with threadpool_limits(limits=n_threads):
            times = time_interleaved(actions, repeats)
        mine, theirs = (min(times[name]) / N_QUERIES * 1e6 for name in actions)
        ratio = median_ratio(times["bayfold"], times["boosting"])
        threads = "all" if n_threads is None else "1"
        lines.append(f"| {threads} | {mine:.2f} | {theirs:.2f} | {ratio:.2f} |")
    return "\n".join(lines)


def deviation_table(sizes: list[int], n_queries: int) -> str:
    """How far tables are from the sum over all rows, as a share of the target's range."""
    lines = ["| rows | largest | 95 % | median |", "|---:|---:|---:|---:|"]
    for n_rows in sizes:
        X, y = draw(n_rows)
        queries, _ = draw(n_queries, seed=1)
        model = NaiveBayesRegressor(bandwidth="frank1998", calibration=None).fit(X, y)
        scaled = (y - y.min()) / np.ptp(y)
        alone = choose_frank1998_width(scaled, np.ones(n_rows)) * np.sqrt(n_rows)
        pairs = [tuple(pair) for pair in model.bandwidths_ * np.sqrt(n_rows)]
        exact = ExactRegressor(constants=[alone, *pairs]).fit(list(X.T), y)
        gaps = np.abs(model.predict(queries) - exact.predict(list(queries.T))) / np.ptp(y)
        cells = (gaps.max(), np.quantile(gaps, 0.95), np.median(gaps))
        lines.append(f"| {n_rows:,} | " + " | ".join(f"{value:.1e}" for value in cells) + " |")
    return "\n".join([*lines, "", "To be at most 5e-03."])


def main(
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes, few rounds.")] = False,
    output: Annotated[Path | None, typer.Option(help="Markdown file to write.")] = None,
) -> None:
    """Measure and print the tables as Markdown."""
    sizes = [10_000, 30_000] if quick else [100_000, 1_000_000]
    growth = [3_000, 10_000, 30_000] if quick else [10_000, 100_000, 1_000_000]
    repeats = 2 if quick else 5
    command = shlex.join(["python", "-m", "benchmarks.regression", *sys.argv[1:]])
    report = "\n\n".join(
        [
            "# NaiveBayesRegressor: speed, and distance from the exact method",
            f"Written by `{command}`. Friedman's function, {N_COLUMNS} columns; a ratio is the median of the ratios "
            "within interleaved rounds, the peer as it comes.",
            "## Fit",
            fit_table(sizes, repeats),
            growth_line(growth, repeats),
            f"## Prediction, trained on {sizes[0]:,} rows",
            prediction_table(sizes[0], repeats),
            '## `bandwidth="frank1998"`: tables against the sum over all rows, as shares of the target\'s range',
            deviation_table([1_000] if quick else [1_000, 10_000], 50 if quick else 200),
        ]
    )
    publish(report, output)


if __name__ == "__main__":
    typer.run(main)
