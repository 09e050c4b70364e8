"""Speed of MTERegressor beside NaiveBayesRegressor: fit with 20 pieces, and prediction per row.

The models take turns, round by round; a ratio is taken within each round and the median reported.

    python -m benchmarks.mte_speed --output benchmarks/results/mte_speed.md
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

import numpy as np

from bayfold import MTERegressor, NaiveBayesRegressor
from benchmarks.measure import median_ratio, time_interleaved
from benchmarks.report import publish


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
        "NaiveBayesRegressor(calibration=None)": NaiveBayesRegressor(
            calibration=None, n_jobs=arguments.threads
        ),
    }
    for model in models.values():  # compiles
        model.fit(X[:2000], y[:2000]).predict(X[:2000])
    repeats = arguments.rounds
    fits = time_interleaved({t: partial(m.fit, X, y) for t, m in models.items()}, repeats)
    predictions = time_interleaved({t: partial(m.predict, X) for t, m in models.items()}, repeats)
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
    first = next(iter(models))
    for name in models:
        fit, predict = (median_ratio(t[name], t[first]) for t in (fits, predictions))
        per_row = 1e6 * min(predictions[name]) / arguments.rows
        cells = f"{1e3 * min(fits[name]):.0f} | {fit:.2f} | {per_row:.2f} | {predict:.2f}"
        lines.append(f"| {name} | {cells} |")
    publish("\n".join(lines), arguments.output)


if __name__ == "__main__":
    main()
