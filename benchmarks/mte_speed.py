"""Speed of MTERegressor beside NaiveBayesRegressor: fit with 20 pieces, and prediction per row.

The models take turns, round by round; a ratio is taken within each round and the median reported.

    python -m benchmarks.mte_speed --output benchmarks/results/mte_speed.md
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bayfold import MTERegressor, NaiveBayesRegressor


def seconds(function: Callable[[], object]) -> float:
    """How long a call takes."""
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def main() -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    y = rng.normal(size=arguments.rows)
    X = y[:, None] + rng.normal(size=(arguments.rows, arguments.columns))
    models = {
        "MTERegressor(n_pieces=20, bandwidth_factor=1)": MTERegressor(
            n_pieces=20, bandwidth_factor=1.0, n_jobs=arguments.threads
        ),
        "NaiveBayesRegressor()": NaiveBayesRegressor(n_jobs=arguments.threads),
        "NaiveBayesRegressor(weights=None)": NaiveBayesRegressor(
            weights=None, n_jobs=arguments.threads
        ),
    }
    for model in models.values():  # compiles
        model.fit(X[:2000], y[:2000]).predict(X[:2000])
    fit = np.array(
        [
            [seconds(lambda m=m: m.fit(X, y)) for m in models.values()]
            for _ in range(arguments.rounds)
        ]
    )
    predict = np.array(
        [
            [seconds(lambda m=m: m.predict(X)) for m in models.values()]
            for _ in range(arguments.rounds)
        ]
    )
    lines = [
        "# Speed of MTERegressor",
        "",
        f"Written by `{' '.join(['python -m benchmarks.mte_speed', *sys.argv[1:]])}`: {arguments.rows} rows,",
        f"{arguments.columns} columns, {arguments.threads} thread(s), best of {arguments.rounds} rounds;",
        "ratios are medians over rounds.",
        "",
        "| model | fit, ms | fit / first | predict, microseconds per row | predict / first |",
        "|---|---:|---:|---:|---:|",
    ]
    for k, name in enumerate(models):
        ratio = [np.median(times[:, k] / times[:, 0]) for times in (fit, predict)]
        per_row = 1e6 * predict[:, k].min() / arguments.rows
        cells = f"{1e3 * fit[:, k].min():.0f} | {ratio[0]:.2f} | {per_row:.2f} | {ratio[1]:.2f}"
        lines.append(f"| {name} | {cells} |")
    report = "\n".join(lines) + "\n"
    print(report)
    if arguments.output:
        arguments.output.write_text(report)


if __name__ == "__main__":
    main()
