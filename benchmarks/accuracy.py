"""Error and log-loss of settings of NaiveBayesClassifier, cross-validated on many datasets.

Needs the datasets in the folder named by BAYFOLD_DATA.

    python -m benchmarks.accuracy --output benchmarks/results/accuracy.md
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.progress import track
from sklearn.base import ClassifierMixin
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from bayfold import NaiveBayesClassifier
from bayfold.datasets import list_datasets, load_dataset
from bayfold.errors import DataWarning
from bayfold.evaluate import expected_calibration_error

MAX_ROWS = 5000
Model = Callable[[], ClassifierMixin | Pipeline]


def settings() -> dict[str, Model]:
    """The default, what each part of it brings, and naive Bayes as it is written."""
    written = {"smoothing": "laplace", "calibration": None}
    chosen: dict[str, dict] = {
        "default": {},
        "default, calibration=temperature": {"calibration": "temperature"},
        "default, calibration=None": {"calibration": None},
        "default, select=True": {"select": True},
        "default, smoothing=laplace": {"smoothing": "laplace"},
        "numeric=smooth": {"numeric": "smooth"},
        "numeric=kernel": {"numeric": "kernel"},
        "numeric=mdl": {"numeric": "mdl"},
        "numeric=equal_frequency": {"numeric": "equal_frequency"},
        "plain: mdl, laplace, calibration=None": {"numeric": "mdl", **written},
        "plain: equal_frequency, laplace, calibration=None": {
            "numeric": "equal_frequency",
            **written,
        },
    }
    return {
        f"bayfold, {name}": lambda given=given: NaiveBayesClassifier(**given)
        for name, given in chosen.items()
    }


def peers() -> dict[str, Model]:
    """scikit-learn behind imputation and one-hot codes, settings as they come."""
    models = {
        "GaussianNB": GaussianNB,
        "LogisticRegression": lambda: LogisticRegression(max_iter=500),
        "HistGradientBoosting": HistGradientBoostingClassifier,
        "RandomForest": RandomForestClassifier,
    }
    return {name: lambda m=model: make_pipeline(_prepared(), m()) for name, model in models.items()}


def _prepared() -> object:
    return make_column_transformer(
        (
            make_pipeline(SimpleImputer(strategy="median"), StandardScaler()),
            make_column_selector(dtype_include="number"),
        ),
        (
            OneHotEncoder(handle_unknown="ignore", sparse_output=False),
            make_column_selector(dtype_exclude="number"),
        ),
    )


def evaluate(
    model: Model, frame: object, target: np.ndarray, repeats: int
) -> tuple[float, float, float]:
    """Mean error, log-loss and calibration error over repeats of five folds.

    A row of a class that was not seen in training costs log(1e-15), whatever the model. The calibration error is that
    of the predicted class, over all rows of a repeat together.
    """
    errors, losses, gaps = [], [], []
    for seed in range(repeats):
        right, sure = [], []
        for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(
            target, target
        ):
            fitted = model().fit(frame.iloc[train], target[train])  # type: ignore[attr-defined]
            probability = fitted.predict_proba(frame.iloc[test])  # type: ignore[attr-defined]
            column = {label: k for k, label in enumerate(fitted.classes_.tolist())}
            chosen = [column.get(label, -1) for label in target[test].tolist()]
            of_truth = np.append(probability, np.zeros((len(test), 1)), axis=1)[
                np.arange(len(test)), chosen
            ]
            predicted = fitted.classes_[probability.argmax(axis=1)]
            errors.append(np.mean(predicted != target[test]))
            losses.append(-np.log(np.clip(of_truth, 1e-15, 1)).mean())
            right.append(predicted == target[test])
            sure.append(probability.max(axis=1))
        outcome = np.concatenate(right), np.concatenate(sure)
        gaps.append(expected_calibration_error(*outcome, classes=[False, True]))
    return float(np.mean(errors)), float(np.mean(losses)), float(np.mean(gaps))


def make_table(models: dict[str, Model], repeats: int) -> str:
    """Means over all datasets with at most 5,000 rows."""
    sums = {name: np.zeros(4) for name in models}
    n_datasets = 0
    for name in track(list_datasets("classification"), description="accuracy", transient=True):
        dataset = load_dataset(name)
        if len(dataset.target) > MAX_ROWS:
            continue
        n_datasets += 1
        frame = dataset.frame.to_pandas()
        for title, model in models.items():
            started = time.process_time()
            measured = evaluate(model, frame, dataset.target, repeats)
            sums[title] += *measured, time.process_time() - started
    lines = [f"Means over {n_datasets} datasets, {repeats} x 5-fold cross-validation.", ""]
    lines += [
        "| model | error % | log-loss | expected calibration error | CPU seconds in all |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for title, (*measured, seconds) in sums.items():
        error, loss, gap = (value / n_datasets for value in measured)
        lines.append(f"| {title} | {100 * error:.2f} | {loss:.4f} | {gap:.4f} | {seconds:.0f} |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print, or write to a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--peers", action="store_true", help="also run scikit-learn's models")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", DataWarning)
    warnings.filterwarnings("ignore", module="sklearn")
    models = settings() | (peers() if arguments.peers else {})
    table = make_table(models, arguments.repeats)
    command = "python -m benchmarks.accuracy" + (" --peers" if arguments.peers else "")
    print(table)
    if arguments.output:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(
            f"# Accuracy and calibration\n\nWritten by `{command}`.\n\n{table}\n"
        )


if __name__ == "__main__":
    main()
