"""Cross-validated errors of regression methods on the 32 datasets of Frank et al. (1998).

Ten repeats of ten folds. An error is relative: per fold, the root mean squared (or mean absolute) error divided by
that of predicting a mean, in %, averaged over folds. The mean is that of the test fold itself (which fits the published
columns of naive Bayes and nearest neighbours) or that of the training rows (which fits those of linear regression and
M5'); both are measured.

What was measured is kept in a file of JSON lines, so that a run can be continued:

    python -m papers.frank1998_errors --cache errors.jsonl
"""

from __future__ import annotations

import argparse
import csv
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from bayfold import NaiveBayesRegressor
from bayfold.datasets import load_dataset
from bayfold.errors import DataWarning

PUBLISHED = Path(__file__).parent / "published"
REPEATS, FOLDS = 10, 10
MEASURES = ("rmse_test", "rmse_train", "mae_test", "mae_train")


def _published(**parameters: Any) -> NaiveBayesRegressor:
    return NaiveBayesRegressor(bandwidth="frank1998", weights=None, n_jobs=1, **parameters)


def _prepared(model: Any) -> Any:
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    labels = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (labels, make_column_selector(dtype_exclude="number")),
    )
    return make_pipeline(columns, model)


METHODS: dict[str, Callable[[], Any]] = {
    "frank1998 mean": lambda: _published(),
    "frank1998 median": lambda: _published(statistic="median"),
    "default mean": lambda: NaiveBayesRegressor(n_jobs=1),
    "default median": lambda: NaiveBayesRegressor(statistic="median", n_jobs=1),
    "ridge": lambda: _prepared(RidgeCV(np.logspace(-2, 3, 11))),
    "nearest neighbours": lambda: _prepared(KNeighborsRegressor(10, weights="distance")),
    "gradient boosting": lambda: _prepared(HistGradientBoostingRegressor(random_state=0)),
    "random forest": lambda: _prepared(RandomForestRegressor(random_state=0)),
}
"""Each makes a new model; scikit-learn's are as they come, behind imputation and one-hot codes."""


def read_published(table: str) -> dict[str, dict[str, str]]:
    """A published table, by dataset."""
    with (PUBLISHED / f"frank1998_{table}.csv").open() as file:
        return {row["dataset"]: row for row in csv.DictReader(file)}


def measure(name: str, method: str, repeats: int = REPEATS) -> dict[str, Any]:
    """Relative errors of one method on one dataset: for every measure, the mean over folds of each repeat."""
    dataset = load_dataset(name, task="regression")
    known = np.flatnonzero(~np.isnan(dataset.target))
    frame, target = dataset.frame.take(known).to_pandas(), dataset.target[known]
    errors: dict[str, list[float]] = {key: [] for key in MEASURES}
    started = time.perf_counter()
    for seed in range(repeats):
        folds = [
            _relative_errors(METHODS[method], frame, target, train, test)
            for train, test in KFold(FOLDS, shuffle=True, random_state=seed).split(target)
        ]
        for key, value in zip(MEASURES, np.mean(folds, axis=0).tolist(), strict=True):
            errors[key].append(value)
    return {"dataset": name, "method": method, "seconds": time.perf_counter() - started} | errors


def _relative_errors(
    make: Callable[[], Any], frame: Any, target: np.ndarray, train: np.ndarray, test: np.ndarray
) -> list[float]:
    predicted = make().fit(frame.iloc[train], target[train]).predict(frame.iloc[test])
    truth = target[test]
    found = []
    for error in (_root_mean_square, _mean_absolute):
        for centre in (truth.mean(), target[train].mean()):
            found.append(100 * error(predicted - truth) / error(centre - truth))
    return found


def _root_mean_square(difference: np.ndarray) -> float:
    return float(np.sqrt(np.mean(difference**2)))


def _mean_absolute(difference: np.ndarray) -> float:
    return float(np.mean(np.abs(difference)))


def read_cache(path: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """What has been measured, by dataset and method."""
    if not path.exists():
        return {}
    records = [json.loads(line) for line in path.read_text().splitlines()]
    return {(record["dataset"], record["method"]): record for record in records}


def measure_all(
    methods: list[str], path: Path, repeats: int = REPEATS
) -> dict[tuple[str, str], dict[str, Any]]:
    """All datasets by all methods, from the cache where it has them."""
    warnings.simplefilter(
        "ignore", DataWarning
    )  # constant columns and new categories in small folds
    found = read_cache(path)
    pairs = [
        (name, method) for method in methods for name in read_published("table2_relative_rmse")
    ]
    for name, method in track(
        [pair for pair in pairs if pair not in found], description="datasets", transient=True
    ):
        found[name, method] = measure(name, method, repeats)
        with path.open("a") as file:
            file.write(json.dumps(found[name, method]) + "\n")
    return {pair: found[pair] for pair in pairs}


def main() -> None:
    """Measure whatever the cache lacks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--methods", nargs="*", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--repeats", type=int, default=REPEATS)
    arguments = parser.parse_args()
    found = measure_all(arguments.methods, arguments.cache, arguments.repeats)
    for method in arguments.methods:
        seconds = sum(record["seconds"] for (_, m), record in found.items() if m == method)
        print(f"{method}: {seconds:.0f} s")


if __name__ == "__main__":
    main()
