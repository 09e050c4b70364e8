"""How Tables 2 to 6 and the learning curves of Frank et al. (1998) are measured.

Ten repeats of ten folds. An error is relative: per fold, the root mean squared (or mean absolute) error divided by that
of predicting a mean, in %, averaged over folds. The mean is that of the test fold itself, as the paper says; errors by
the mean of the training rows, which fit its columns of linear regression and M5', stand beside them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold, StratifiedKFold

import bayfold
from bayfold.datasets import make_spiral
from papers.shared.baselines import EliminatedLinearRegression, NearestNeighbours
from papers.shared.experiment import Experiment, Row, Unit, repeated_folds
from papers.shared.published import read_published
from papers.shared.tables import read_dataset, read_frame
from papers.shared.weka import C45, M5, M5_UNSMOOTHED, predict_folds

NAME = "frank1998"
REPEATS, FOLDS = 10, 10
DEFAULT_REPEATS = 2
"""Of the library's defaults, which are no part of the published tables."""

NB, MEDIAN, LINEAR, NEAREST = "naive Bayes", "naive Bayes, median", "linear regression", "kNN"
MODEL_TREE, TREE = "M5'", "C4.5"
DEFAULT, BOOSTED = "bayfold default", "bayfold boosted"
MEASURES = ("rmse_test", "rmse_train", "mae_test", "mae_train")


def make_regressor(statistic: Literal["mean", "median"]) -> bayfold.NaiveBayesRegressor:
    """The paper to the letter: the mean on a grid of 50 points, or the median on one of 100."""
    return bayfold.NaiveBayesRegressor(
        bandwidth="frank1998",
        calibration=None,
        statistic=statistic,
        grid_size=50 if statistic == "mean" else 100,
        missing="ignore",
        n_jobs=1,
    )


def make_classifier() -> bayfold.ViaRegressionClassifier:
    """Classification through regression; targets of 0 and 1 are asked for at these two points, not on the grid."""
    regressor = make_regressor("mean").set_params(grid_size="distinct")
    return bayfold.ViaRegressionClassifier(regressor, two_points=True, n_jobs=1)


MODELS: dict[str, Callable[[], Any]] = {
    NB: lambda: make_regressor("mean"),
    MEDIAN: lambda: make_regressor("median"),
    LINEAR: EliminatedLinearRegression,
    NEAREST: NearestNeighbours,
    DEFAULT: lambda: bayfold.NaiveBayesRegressor(n_jobs=1),
    BOOSTED: lambda: bayfold.BoostedNaiveBayesRegressor(n_jobs=1),
}


def relative_errors(
    mean: np.ndarray, middle: np.ndarray, target: np.ndarray, train: np.ndarray, test: np.ndarray
) -> Row:
    """The four measures of one fold, in %: squared errors of the mean, absolute ones of what is in the middle."""
    truth = target[test]
    centres = {"test": truth.mean(), "train": target[train].mean()}
    found: Row = {}
    for by, centre in centres.items():
        found[f"rmse_{by}"] = float(
            100 * np.sqrt(np.mean((mean - truth) ** 2) / np.mean((centre - truth) ** 2))
        )
        found[f"mae_{by}"] = float(
            100 * np.mean(np.abs(middle - truth)) / np.mean(np.abs(centre - truth))
        )
    return found


def measure_regression(unit: Unit) -> list[Row]:
    """The folds of one repeat. The library's defaults give the mean for squared and the median for absolute errors;
    nearest neighbours choose their number for each.
    """
    X, y = read_dataset(unit.dataset, "regression")
    every = list(KFold(FOLDS, shuffle=True, random_state=unit.repeat).split(y))
    folds = [every[k] for k in unit.folds]
    if unit.method == MODEL_TREE:
        found = predict_folds(X, y, folds, M5)
        return [
            relative_errors(p, p, y, *fold) | {"seconds": np.nan}
            for p, fold in zip(found, folds, strict=True)
        ]
    rows = []
    for train, test in folds:
        start = time.process_time()
        model = MODELS[unit.method]().fit(X.iloc[train], y[train])
        mean = model.predict(X.iloc[test])
        seconds = time.process_time() - start
        middle = mean
        if unit.method in (DEFAULT, BOOSTED):
            middle = model.predict_quantiles(X.iloc[test], 0.5)
        elif unit.method == NEAREST:
            middle = model.predict(X.iloc[test], loss="absolute")
        rows.append(relative_errors(mean, middle, y, train, test) | {"seconds": seconds})
    return rows


def plan_regression(quick: bool) -> Iterator[Unit]:
    """Cheap methods first."""
    names = list(read_published("frank1998_table2_relative_rmse").index)
    fast = [LINEAR, NEAREST, NB, MODEL_TREE, MEDIAN]
    yield from repeated_folds(names, fast, REPEATS, FOLDS, quick)
    yield from repeated_folds(names, [DEFAULT, BOOSTED], DEFAULT_REPEATS, FOLDS, quick)


ERRORS = Experiment(NAME, "errors", (*MEASURES, "seconds"), plan_regression, measure_regression)

# classification, Table 6

FILES = {
    "australian": "credit-a",
    "glass": "glass2",
    "horse-colic": "colic",
    "lymphography": "lymph",
    "pima-indians": "diabetes",
}
"""Where the paper's name is not that of the file."""

CLASSES, THROUGH = "naive Bayes classification", "naive Bayes regression"


def fit_as_weka(
    frame: Any, target: np.ndarray, declared: dict[str, list[str]]
) -> bayfold.NaiveBayesClassifier:
    """MDL bins, and one added to every count, also of values and classes that do not occur but are declared."""
    plain = bayfold.NaiveBayesClassifier(
        numeric="mdl", smoothing="laplace", calibration=None, n_jobs=1
    )
    schema = plain.fit(frame, target).schema_.with_categories(declared)
    plain.set_params(schema=schema, smoothing="laplace_declared", priors="laplace")
    return plain.fit(frame, target)


def find_declared(frame: Any) -> dict[str, list[str]]:
    """The values that each nominal column declares."""
    columns = {name: frame.column(name).combine_chunks() for name in frame.column_names}
    return {
        name: column.dictionary.to_pylist()
        for name, column in columns.items()
        if hasattr(column, "dictionary")
    }


def fit_classifier(method: str, frame: Any, target: np.ndarray, declared: dict) -> Any:
    """One of the classifiers, fitted."""
    if method == CLASSES:
        return fit_as_weka(frame, target, declared)
    models = {
        THROUGH: make_classifier(),
        DEFAULT: bayfold.NaiveBayesClassifier(n_jobs=1),
        BOOSTED: bayfold.BoostedNaiveBayesClassifier(n_jobs=1),
    }
    return models[method].fit(frame, target)


def measure_classification(unit: Unit) -> list[Row]:
    """Accuracies in %."""
    frame, target = read_frame(FILES.get(unit.dataset, unit.dataset), "classification")
    splits = StratifiedKFold(FOLDS, shuffle=True, random_state=unit.repeat)
    every = list(splits.split(target, target))
    folds = [every[k] for k in unit.folds]
    if unit.method == TREE:
        found = predict_folds(frame.to_pandas(), target.astype(str), folds, C45)
    else:
        declared = find_declared(frame)
        found = []
        for train, test in folds:
            model = fit_classifier(unit.method, frame.take(train), target[train], declared)
            found.append(model.predict(frame.take(test)))
    pairs = zip(found, folds, strict=True)
    return [
        {"accuracy": float(100 * np.mean(p.astype(str) == target[test].astype(str)))}
        for p, (_, test) in pairs
    ]


def plan_classification(quick: bool) -> Iterator[Unit]:
    """All methods."""
    names = list(read_published("frank1998_table6_accuracy").index)
    fast = [CLASSES, TREE]
    yield from repeated_folds(names, fast, REPEATS, FOLDS, quick)
    yield from repeated_folds(names, [DEFAULT, BOOSTED], DEFAULT_REPEATS, FOLDS, quick)
    yield from repeated_folds(names, [THROUGH], REPEATS, FOLDS, quick)


ACCURACY = Experiment(NAME, "accuracy", ("accuracy",), plan_classification, measure_classification)

# the spiral, Section 3.5

SIZES = (20, 50, 100, 200, 500, 1000)
TRAINING_SETS = 20
TEST_ROWS = 1000
SPIRALS = {"spiral to 10": 10.0, "spiral to 20": 20.0}
OPTIMUM = "true mean"


def measure_spiral(unit: Unit) -> list[Row]:
    """Relative root mean squared error in % on new rows: a repeat is a training set, a fold a size of it."""
    top = SPIRALS[unit.dataset]
    new = make_spiral(TEST_ROWS, top=top, random_state=10_000)
    spread = np.sqrt(np.mean((new.target - top / 2) ** 2))
    rows = []
    for k in unit.folds:
        drawn = make_spiral(SIZES[k], top=top, random_state=100 * unit.repeat + k)
        if unit.method == OPTIMUM:
            found = new.true_mean()
        else:
            found = predict_spiral(unit.method, drawn.data, drawn.target, new.data)
        miss = np.sqrt(np.mean((found - new.target) ** 2))
        rows.append({"size": SIZES[k], "rmse": float(100 * miss / spread)})
    return rows


def predict_spiral(method: str, X: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
    """A method on numbers."""
    table, rows = (pd.DataFrame(values, columns=["x0", "x1"]) for values in (X, new))
    if method == MODEL_TREE:
        both = pd.concat([table, rows], ignore_index=True)
        unknown = np.concatenate([y, np.zeros(len(rows))])
        fold = np.arange(len(y)), np.arange(len(y), len(both))
        return predict_folds(both, unknown, [fold], M5_UNSMOOTHED)[0]
    return MODELS[method]().fit(table, y).predict(rows)


def plan_spiral(quick: bool) -> Iterator[Unit]:
    """All sizes of all training sets; two of each at first."""
    methods = [OPTIMUM, LINEAR, NEAREST, NB, MODEL_TREE, DEFAULT]
    for repeat in range(2 if quick else TRAINING_SETS):
        for method in methods:
            for dataset in SPIRALS:
                yield Unit(dataset, method, repeat, tuple(range(3 if quick else len(SIZES))))


CURVES = Experiment(NAME, "spiral", ("size", "rmse"), plan_spiral, measure_spiral)
