"""Coverage of predictive intervals over many datasets, and errors on the spiral.

Coverage needs the datasets in the folder named by BAYFOLD_DATA.

    python -m benchmarks.regression_quality --output benchmarks/results/regression_quality.md
"""

from __future__ import annotations

import argparse
import shlex
import sys
import warnings
from pathlib import Path

import numpy as np
from rich.progress import track
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.model_selection import KFold

from bayfold import NaiveBayesRegressor
from bayfold.datasets import list_datasets, load_dataset, make_spiral
from bayfold.errors import DataWarning
from benchmarks.report import publish

LEVELS = (0.5, 0.8, 0.9, 0.95)
N_FOLDS = 5
TEST_ROWS = 5000

MODELS = {
    "default": {},
    "calibration=None": {"calibration": None},
    "frank1998": {"bandwidth": "frank1998", "weights": None},
}


def measure_coverage(name: str, max_rows: int, titles: list[str]) -> dict[str, np.ndarray]:
    """Share of held-out rows within the intervals of each level, by model."""
    dataset = load_dataset(name, task="regression")
    known = np.flatnonzero(~np.isnan(dataset.target))
    if len(known) > max_rows:
        known = np.sort(np.random.default_rng(0).choice(known, max_rows, replace=False))
    frame, target = dataset.frame.take(known), dataset.target[known]
    found: dict[str, list[np.ndarray]] = {title: [] for title in titles}
    for train, test in KFold(N_FOLDS, shuffle=True, random_state=0).split(target):
        for title in titles:
            model = NaiveBayesRegressor(**MODELS[title]).fit(frame.take(train), target[train])
            records = model.measure_coverage(frame.take(test), target[test], LEVELS)
            found[title].append(records["coverage"])
    return {title: np.mean(folds, axis=0) for title, folds in found.items()}


def coverage_table(max_rows: int, titles: list[str]) -> str:
    """Coverage averaged over datasets, and the range over datasets of that of 90 % intervals."""
    names = list_datasets("regression")
    found = [
        measure_coverage(name, max_rows, titles)
        for name in track(names, description="coverage", transient=True)
    ]
    head = "| model | " + " | ".join(f"{level:.0%}" for level in LEVELS)
    lines = [head + " | 90 % in nine of ten datasets |", "|---|" + "---:|" * (len(LEVELS) + 1)]
    for title in titles:
        rates = np.array([record[title] for record in found])
        cells = " | ".join(f"{100 * rate:.1f}" for rate in rates.mean(axis=0))
        low, high = 100 * np.quantile(rates[:, 2], [0.05, 0.95])
        lines.append(f"| {title} | {cells} | {low:.0f} to {high:.0f} |")
    note = (
        f"{len(names)} datasets (at most {max_rows:,} rows each), {N_FOLDS}-fold cross-validation."
    )
    return "\n".join([*lines, "", note])


def spiral_table(top: float, sizes: list[int], repeats: int) -> str:
    """Relative root mean squared error on the spiral in %, averaged over training sets."""
    test = make_spiral(TEST_ROWS, top=top, random_state=10_000)
    best = _relative(test.true_mean(), test.target)
    models = {
        "bayfold": NaiveBayesRegressor,
        "bayfold, frank1998": lambda: NaiveBayesRegressor(bandwidth="frank1998", calibration=None),
        "random forest": lambda: RandomForestRegressor(random_state=0),
        "extra trees": lambda: ExtraTreesRegressor(random_state=0),
        "gradient boosting": lambda: GradientBoostingRegressor(random_state=0),
        "histogram boosting": lambda: HistGradientBoostingRegressor(random_state=0),
    }
    lines = [
        "| rows | optimum | " + " | ".join(models) + " |",
        "|---:|---:|" + "---:|" * len(models),
    ]
    for n_rows in track(sizes, description="spiral", transient=True):
        errors = np.zeros(len(models))
        for seed in range(repeats):
            train = make_spiral(n_rows, top=top, random_state=seed)
            for k, make in enumerate(models.values()):
                predicted = make().fit(train.data, train.target).predict(test.data)
                errors[k] += _relative(predicted, test.target) / repeats
        cells = " | ".join(f"{error:.2f}" for error in errors)
        lines.append(f"| {n_rows:,} | {best:.2f} | {cells} |")
    note = f"Means over {repeats} training sets; {TEST_ROWS:,} test rows."
    return "\n".join([*lines, "", note])


def _relative(predicted: np.ndarray, target: np.ndarray) -> float:
    return float(100 * np.sqrt(np.mean((predicted - target) ** 2)) / target.std())


def main() -> None:
    """Measure and print, or write to a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--max-rows", type=int, default=2000, help="of a dataset, for coverage")
    parser.add_argument("--models", nargs="*", choices=list(MODELS), default=list(MODELS))
    parser.add_argument("--sizes", type=int, nargs="*", default=[100, 300, 1000, 3000, 10_000])
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", DataWarning)
    sizes = arguments.sizes
    command = shlex.join(["python", "-m", "benchmarks.regression_quality", *sys.argv[1:]])
    report = "\n\n".join(
        [
            "# NaiveBayesRegressor: coverage of intervals, and the spiral",
            f"Written by `{command}`.",
            "## Coverage of central intervals on held-out rows, in %",
            coverage_table(arguments.max_rows, arguments.models),
            "## Spiral, target from 0 to 10: relative RMSE in %",
            spiral_table(10.0, sizes, arguments.repeats),
            "## Spiral, target from 0 to 20",
            spiral_table(20.0, sizes, arguments.repeats),
        ]
    )
    publish(report, arguments.output)


if __name__ == "__main__":
    main()
