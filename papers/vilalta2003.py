"""Class decomposition on the 26 datasets of Vilalta and Rish (2003), Table 1, published beside measured.

Ten-fold cross-validation, repeated. The paper clustered all rows once, before cross-validation, so rows left out
took part in the clusters; an estimator clusters inside each training fold. Both are measured, and so is the choice
of the number of clusters by accuracy, with Gaussian columns as in the paper, with bins, and with the library's default.
Needs the datasets in the folder named by BAYFOLD_DATA, or a network for OpenML.

    python -m papers.vilalta2003 --output papers/results/vilalta2003.md

Every finished repeat is written to a CSV file beside the output; a run that was interrupted goes on from there.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track
from sklearn.model_selection import StratifiedKFold

from bayfold import ClassDecompositionClassifier, NaiveBayesClassifier, NaiveBayesMixture
from bayfold.core.frames import Table, read_table
from bayfold.datasets import load_dataset
from bayfold.errors import DataWarning
from papers.vilalta2003_table import make_report

PUBLISHED = Path(__file__).parent / "published" / "vilalta2003_table1_accuracy.csv"
FILES = {"chess": "kr-vs-kp"}
"""Where the paper's name is not that of the file."""

MARK = " #"
"""Between a class and its cluster in the labels of the paper's protocol."""

FIELDS = ("dataset", "setting", "repeat", "accuracy", "clusters", "least", "most", "seconds")
Fit = Callable[[Table, np.ndarray, int], Any]


def written(numeric: str) -> NaiveBayesClassifier:
    """Naive Bayes as it is written, with a floor under the variance of Gaussian columns."""
    return NaiveBayesClassifier(
        numeric=numeric, smoothing="laplace", calibration=None, variance_floor=0.01, n_jobs=1
    )


def decompose(base: NaiveBayesClassifier | None, **how: Any) -> Fit:
    """A decomposition of the base, clustered inside ``fit``."""

    def fit(table: Table, target: np.ndarray, seed: int) -> Any:
        model = ClassDecompositionClassifier(base, random_state=seed, n_jobs=1, **how)
        return model.fit(table, target)

    return fit


def plain(base: NaiveBayesClassifier) -> Fit:
    """The base itself."""
    return lambda table, target, seed: base.fit(table, target)


SETTINGS: dict[str, Fit | None] = {
    "nb": plain(written("gaussian")),
    "paper": None,  # clusters from all rows: not something an estimator could do
    "cv": decompose(written("gaussian"), n_clusters="cv"),
    "accuracy": decompose(written("gaussian"), n_clusters="accuracy"),
    "nb_bins": plain(written("equal_frequency")),
    "accuracy_bins": decompose(written("equal_frequency"), n_clusters="accuracy"),
    "nb_default": plain(NaiveBayesClassifier(n_jobs=1)),
    "accuracy_default": decompose(NaiveBayesClassifier(n_jobs=1), n_clusters="accuracy"),
}
"""The last takes most of the time: the default chooses densities and weights for every fit."""


def cluster_all_rows(table: Table, target: np.ndarray, seed: int) -> np.ndarray:
    """Labels of (class, cluster) from all rows, as the paper made them."""
    labels = target.astype(object).copy()
    for group, label in enumerate(np.unique(target)):
        rows = np.flatnonzero(target == label)
        if len(rows) >= 10:
            mixture = NaiveBayesMixture(
                "cv",
                numeric="gaussian",
                variance_floor=0.01,
                random_state=1000 * group + seed,
                n_jobs=1,
            )
            clusters = mixture.fit_predict(table.take(rows))
            labels[rows] = [f"{label}{MARK}{cluster}" for cluster in clusters]
        else:
            labels[rows] = f"{label}{MARK}0"
    return labels.astype(str)


def measure(name: str, setting: str, repeat: int) -> dict[str, Any]:
    """Accuracy in % over the folds of one repeat, and clusters per class."""
    dataset = load_dataset(FILES.get(name, name), task="classification")
    table, target = read_table(dataset.frame), dataset.target.astype(str)
    start = time.perf_counter()
    labels = cluster_all_rows(table, target, repeat) if setting == "paper" else target
    splits = StratifiedKFold(10, shuffle=True, random_state=repeat)
    accuracies, clusters = [], []
    for train, test in splits.split(target, target):
        fit = SETTINGS[setting] or plain(written("gaussian"))
        model = fit(table.take(train), labels[train], repeat)
        found = model.predict(table.take(test)).astype(str)
        accuracies.append(100 * np.mean([f.split(MARK)[0] for f in found] == target[test]))
        clusters.append(clusters_per_class(model))
    every = np.concatenate(clusters)
    return {
        "dataset": name,
        "setting": setting,
        "repeat": repeat,
        "accuracy": f"{np.mean(accuracies):.4f}",
        "clusters": f"{every.mean():.2f}",
        "least": int(every.min()),
        "most": int(every.max()),
        "seconds": f"{time.perf_counter() - start:.1f}",
    }


def clusters_per_class(model: Any) -> np.ndarray:
    """How many clusters each class has."""
    if hasattr(model, "n_clusters_"):
        return model.n_clusters_
    classes = [str(label).split(MARK)[0] for label in model.classes_]
    return np.unique(classes, return_counts=True)[1]


def read_csv(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file; none if it does not exist."""
    if not path.exists():
        return []
    with path.open() as file:
        return list(csv.DictReader(file))


def run(path: Path, names: list[str], settings: list[str], repeats: int) -> None:
    """Measure what the file does not hold yet, and add it."""
    done = {(row["dataset"], row["setting"], int(row["repeat"])) for row in read_csv(path)}
    wanted = [
        (name, setting, repeat)
        for repeat in range(repeats)
        for name in names
        for setting in settings
    ]
    missing = [key for key in wanted if key not in done]
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.write_text(",".join(FIELDS) + "\n")
    for key in track(missing, description="Table 1", transient=True):
        result = measure(*key)
        with path.open("a", newline="") as file:
            csv.DictWriter(file, FIELDS).writerow(result)


def describe_commands(results: list[dict[str, str]]) -> str:
    """The commands that measure what the file holds: settings may differ in the number of repeats."""
    repeats: dict[str, int] = {}
    for row in results:
        repeats[row["setting"]] = max(repeats.get(row["setting"], 0), int(row["repeat"]) + 1)
    return "` and `".join(
        f"python -m papers.vilalta2003 --repeats {number} --settings "
        + " ".join(setting for setting in SETTINGS if repeats.get(setting) == number)
        for number in sorted(set(repeats.values()), reverse=True)
    )


def main() -> None:
    """Measure and print, or write to a file."""
    published = {row["dataset"]: row for row in read_csv(PUBLISHED) if row["dataset"] != "average"}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--datasets", nargs="+", choices=list(published), default=list(published))
    parser.add_argument("--settings", nargs="+", choices=list(SETTINGS), default=list(SETTINGS))
    parser.add_argument("--output", type=Path, default=Path("papers/results/vilalta2003.md"))
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", DataWarning)  # unseen categories and small classes are expected
    warnings.filterwarnings("ignore", message="The least populated class")
    raw = arguments.output.with_suffix(".csv")
    run(raw, arguments.datasets, arguments.settings, arguments.repeats)
    results = read_csv(raw)
    report = make_report(published, results, describe_commands(results))
    print(report)
    arguments.output.write_text(report)


if __name__ == "__main__":
    main()
