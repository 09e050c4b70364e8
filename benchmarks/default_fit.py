"""The fit of NaiveBayesClassifier with default settings, calibration included, beside GaussianNB.

python -m benchmarks.default_fit --output benchmarks/results/default_fit.md
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import median_ratio, time_interleaved
from benchmarks.models import GAUSSIAN, OURS, OURS_DEFAULT, OURS_SMOOTH, make_model


def main() -> None:
    """Measure and print, or write to a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=float, default=1e6)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, int(given.rows))
    X = rng.normal(size=(len(y), 20)) + 0.2 * y[:, None]
    command = f"python -m benchmarks.default_fit --rows {given.rows:.0f} --repeats {given.repeats}"
    lines = [
        f"# Fit with default settings\n\nWritten by `{command}`: {len(y):,} rows, 20 numbers.\n"
    ]
    lines += ["| threads | model | fit ms | GaussianNB takes |", "| --- | --- | ---: | ---: |"]
    for threads, n_jobs in (("default", None), ("one", 1)):
        lines += _compare(threads, n_jobs, X, y, given.repeats)
    text = "\n".join(lines) + "\n"
    print(text)
    if given.output:
        given.output.write_text(text)


def _compare(
    threads: str, n_jobs: int | None, X: np.ndarray, y: np.ndarray, repeats: int
) -> list[str]:
    def fit(name: str) -> Any:
        return lambda: make_model(name, n_jobs).fit(X, y)

    seconds = time_interleaved(
        {name: fit(name) for name in (OURS_DEFAULT, OURS_SMOOTH, OURS, GAUSSIAN)}, repeats
    )
    return [
        f"| {threads} | {name} | {1000 * np.median(seconds[name]):.0f} | "
        f"{median_ratio(seconds[GAUSSIAN], seconds[name]):.2f}x |"
        for name in seconds
    ]


if __name__ == "__main__":
    main()
