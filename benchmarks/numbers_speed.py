"""Time of the boosted regressor beside HistGradientBoosting, one thread, in processor seconds of the same run.

python -m benchmarks.numbers_speed --output benchmarks/results/numbers_speed.md
"""

from __future__ import annotations

import argparse
import shlex
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

from bayfold import BoostedNaiveBayesRegressor
from benchmarks.report import describe_run, format_table, publish

PREDICTED_ROWS = 100_000


def make_rows(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Twenty columns; the target has a slope, a curve, a product of two columns, and noise that depends on a fifth."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 20))
    signal = X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3]
    return X, signal + 0.5 * rng.normal(size=n_rows) * np.exp(0.3 * X[:, 4])


def time_model(model: object, X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Processor seconds of a fit, and of predicting many rows."""
    rows = make_rows(PREDICTED_ROWS)[0]
    begin = time.process_time()
    model.fit(X, y)  # type: ignore[attr-defined]
    fit = time.process_time() - begin
    model.predict(rows[:1000])  # type: ignore[attr-defined]
    begin = time.process_time()
    model.predict(rows)  # type: ignore[attr-defined]
    return fit, time.process_time() - begin


def main() -> None:
    """Measure and print, or write to a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=[2_000, 100_000, 1_000_000])
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    time_model(BoostedNaiveBayesRegressor(n_jobs=1, n_rounds=20), *make_rows(500))  # compiles
    lines = []
    for n_rows in arguments.sizes:
        X, y = make_rows(n_rows)
        with threadpool_limits(1):
            ours = time_model(BoostedNaiveBayesRegressor(n_jobs=1), X, y)
            peer = time_model(HistGradientBoostingRegressor(random_state=0), X, y)
        figures = (*ours, *peer, ours[0] / peer[0], peer[1] / ours[1])
        lines.append([f"{n_rows:,}", *(f"{figure:.2f}" for figure in figures)])
    header = ["rows", "fit, s", f"predict {PREDICTED_ROWS:,}, s", "peer's fit", "peer's predict"]
    header += ["fit / peer's", "peer's predict / predict"]
    command = shlex.join(["python", "-m", "benchmarks.numbers_speed", *sys.argv[1:]])
    title = (
        "# BoostedNaiveBayesRegressor beside HistGradientBoostingRegressor, 20 columns, one thread"
    )
    publish(
        "\n\n".join([title, describe_run(command), format_table(header, lines)]), arguments.output
    )


if __name__ == "__main__":
    main()
