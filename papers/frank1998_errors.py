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
    return NaiveBayesRegressor(bandwidth="frank1998", calibration=None, n_jobs=1, **parameters)


def _prepared(model: Any) -> Any:
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    labels = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (labels, make_column_selector(dtype_exclude="number")),
    )
    return make_pipeline(columns, model)


def _predict(model: Any, rows: Any) -> np.ndarray:
    return model.predict(rows)


def _medians(model: Any, rows: Any) -> np.ndarray:
    return model.predict_quantiles(rows, 0.5)


Answers = dict[str, Callable[[Any, Any], np.ndarray]]
METHODS: dict[str, tuple[Callable[[], Any], Answers]] = {
    "frank1998 mean": (lambda: _published(), {"frank1998 mean": _predict}),
    "frank1998 median": (lambda: _published(statistic="median"), {"frank1998 median": _predict}),
    "default": (
        lambda: NaiveBayesRegressor(n_jobs=1),
        {"default mean": _predict, "default median": _medians},
    ),
}
"""How a model is made, and what is asked of it once it is fitted."""

PEERS: dict[str, Callable[[], Any]] = {
    "ridge": lambda: RidgeCV(np.logspace(-2, 3, 11)),
    "nearest neighbours": lambda: KNeighborsRegressor(10, weights="distance"),
    "gradient boosting": lambda: HistGradientBoostingRegressor(random_state=0),
    "random forest": lambda: RandomForestRegressor(random_state=0),
}
"""scikit-learn's, as they come, behind imputation and one-hot codes."""

for _name, _make in PEERS.items():
    METHODS[_name] = (lambda make=_make: _prepared(make())), {_name: _predict}


def read_published(table: str) -> dict[str, dict[str, str]]:
    """A published table, by dataset."""
    with (PUBLISHED / f"frank1998_{table}.csv").open() as file:
        return {row["dataset"]: row for row in csv.DictReader(file)}


def measure(name: str, method: str, repeats: int = REPEATS) -> list[dict[str, Any]]:
    """Relative errors of one method on one dataset: for every measure, the mean over folds of each repeat."""
    dataset = load_dataset(name, task="regression")
    known = np.flatnonzero(~np.isnan(dataset.target))
    frame, target = dataset.frame.take(known).to_pandas(), dataset.target[known]
    make, answers = METHODS[method]
    errors: dict[str, list[np.ndarray]] = {answer: [] for answer in answers}
    started = time.perf_counter()
    for seed in range(repeats):
        folds: dict[str, list[list[float]]] = {answer: [] for answer in answers}
        for train, test in KFold(FOLDS, shuffle=True, random_state=seed).split(target):
            model = make().fit(frame.iloc[train], target[train])
            for answer, ask in answers.items():
                predicted = ask(model, frame.iloc[test])
                folds[answer].append(relative_errors(predicted, target, train, test))
        for answer in answers:
            errors[answer].append(np.mean(folds[answer], axis=0))
    common = {"dataset": name, "seconds": time.perf_counter() - started}
    return [
        common
        | {"method": answer}
        | dict(zip(MEASURES, np.array(errors[answer]).T.tolist(), strict=True))
        for answer in answers
    ]


def relative_errors(
    predicted: np.ndarray, target: np.ndarray, train: np.ndarray, test: np.ndarray
) -> list[float]:
    """The four measures of one fold, in %."""
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
    warnings.simplefilter("ignore", DataWarning)  # constant columns and new categories in folds
    found = read_cache(path)
    wanted = [
        (name, method)
        for method in methods
        for name in read_published("table2_relative_rmse")
        if any((name, answer) not in found for answer in METHODS[method][1])
    ]
    for name, method in track(wanted, description="datasets", transient=True):
        for record in measure(name, method, repeats):
            found[name, record["method"]] = record
            with path.open("a") as file:
                file.write(json.dumps(record) + "\n")
    return found


def main() -> None:
    """Measure whatever the cache lacks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--methods", nargs="*", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--repeats", type=int, default=REPEATS)
    arguments = parser.parse_args()
    found = measure_all(arguments.methods, arguments.cache, arguments.repeats)
    for method in dict.fromkeys(method for _, method in found):
        seconds = sum(record["seconds"] for (_, m), record in found.items() if m == method)
        print(f"{method}: {seconds:.0f} s")


if __name__ == "__main__":
    main()
