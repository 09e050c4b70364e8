"""Averaged one-dependence estimators beside naive Bayes with the same bins, cross-validated.

Needs the datasets in the folder named by BAYFOLD_DATA.

    python -m benchmarks.aode --output benchmarks/results/aode.md
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
from rich.progress import track

from bayfold import AveragedOneDependenceClassifier, NaiveBayesClassifier
from bayfold.datasets import list_datasets, load_dataset
from bayfold.errors import DataWarning
from benchmarks.accuracy import MAX_ROWS, Model, evaluate

CLASSIC = [
    "anneal",
    "autos",
    "balance-scale",
    "breast-w",
    "credit-a",
    "diabetes",
    "glass",
    "heart-c",
    "ionosphere",
    "iris",
    "labor",
    "lymph",
    "segment",
    "sonar",
    "soybean",
    "vehicle",
    "vote",
    "vowel",
    "zoo-noid",
]
"""Nineteen small UCI tables, our choice: the fifteen with reference figures for naive Bayes, and four more."""


def settings() -> dict[str, Model]:
    """Naive Bayes, and AODE with one thing changed at a time."""
    naive, aode = NaiveBayesClassifier, AveragedOneDependenceClassifier
    plain = {"numeric": "mdl", "calibration": None}
    return {
        "naive Bayes, MDL bins": lambda: naive(**plain),
        "naive Bayes, MDL bins, one weight per column": lambda: naive(
            numeric="mdl", calibration="weights"
        ),
        "AODE, MDL bins": lambda: aode(**plain),
        "AODE, MDL bins, Laplace's rule": lambda: aode(**plain, smoothing="laplace"),
        "AODE, MDL bins, m=1": lambda: aode(**plain, m=1.0),
        "AODE, MDL bins, min_parent_count=30": lambda: aode(**plain, min_parent_count=30),
        "AODE, MDL bins, temperature": lambda: aode(numeric="mdl"),
        "AODE, MDL bins found among 32 pair bins": _on_a_fixed_grid,
        "naive Bayes, equal frequency": lambda: naive(numeric="equal_frequency", calibration=None),
        "AODE, equal frequency": lambda: aode(numeric="equal_frequency", calibration=None),
        "AODE, equal frequency, temperature (the default)": aode,
    }


class _OnAFixedGrid:
    """AODE with edges drawn without the classes, as a stream or a shard with a given schema has them."""

    def fit(self, X: object, y: object) -> AveragedOneDependenceClassifier:
        schema = NaiveBayesClassifier(calibration=None).fit(X, y).schema_
        model = AveragedOneDependenceClassifier(numeric="mdl", calibration=None, schema=schema)
        return model.fit(X, y)


_on_a_fixed_grid: Model = _OnAFixedGrid  # type: ignore[assignment]


def measure(repeats: int) -> dict[str, dict[str, tuple[float, float, float]]]:
    """Error, log-loss and seconds of every setting on every dataset."""
    found: dict[str, dict[str, tuple[float, float, float]]] = {}
    for name in track(list_datasets("classification"), description="AODE", transient=True):
        dataset = load_dataset(name, task="classification")
        if len(dataset.target) > MAX_ROWS:
            continue
        frame = dataset.frame.to_pandas()
        found[name] = {}
        for title, model in settings().items():
            started = time.perf_counter()
            error, loss, _ = evaluate(model, frame, dataset.target, repeats)
            found[name][title] = error, loss, time.perf_counter() - started
    return found


def make_summary(found: dict, names: list[str]) -> str:
    """Means over some datasets."""
    lines = ["| model | accuracy % | log-loss | seconds in all |", "| --- | ---: | ---: | ---: |"]
    for title in settings():
        error, loss, seconds = np.array([found[name][title] for name in names]).T
        mean = f"{100 - 100 * error.mean():.2f} | {loss.mean():.4f}"
        lines.append(f"| {title} | {mean} | {seconds.sum():.0f} |")
    return "\n".join(lines)


def make_details(found: dict) -> str:
    """Accuracy per dataset of the three settings that matter most."""
    chosen = [list(settings())[k] for k in (0, 2, -1)]
    lines = ["| dataset | " + " | ".join(chosen) + " |", "| --- |" + " ---: |" * len(chosen)]
    for name, by_title in found.items():
        cells = [f"{100 - 100 * by_title[title][0]:.1f}" for title in chosen]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print, or write to a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", DataWarning)
    warnings.filterwarnings("ignore", module="sklearn")
    found = measure(arguments.repeats)
    classic = [name for name in CLASSIC if name in found]
    folds = f"{arguments.repeats} x 5-fold cross-validation"
    text = (
        "# Averaged one-dependence estimators\n\n"
        f"Written by `python -m benchmarks.aode --repeats {arguments.repeats}`. {folds}.\n\n"
        f"## {len(classic)} small UCI tables\n\n{make_summary(found, classic)}\n\n{', '.join(classic)}.\n\n"
        f"## All {len(found)} datasets with at most {MAX_ROWS:,} rows\n\n{make_summary(found, list(found))}\n\n"
        f"## Accuracy in %\n\n{make_details(found)}\n"
    )
    print(text)
    if arguments.output:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(text)


if __name__ == "__main__":
    main()
