"""How Table 1 of Vilalta & Rish (2003) is measured: five repeats of ten folds on 26 datasets.

The paper clustered all rows once, before cross-validation, so rows left out took part in the clusters; an estimator
clusters inside each training fold. Both are measured, and so is the choice of the number of clusters by accuracy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import StratifiedKFold

from bayfold import (
    BoostedNaiveBayesClassifier,
    ClassDecompositionClassifier,
    NaiveBayesClassifier,
    NaiveBayesMixture,
)
from bayfold.core.frames import Table, read_table
from papers.shared.experiment import Experiment, Row, Unit, repeated_folds
from papers.shared.published import read_published
from papers.shared.tables import read_frame

NAME = "vilalta2003"
REPEATS, FOLDS = 5, 10
OTHER_REPEATS = 1
"""Of what is no column of the published table."""

FILES = {"chess": "kr-vs-kp"}
"""Where the paper's name is not that of the file."""

MARK = " #"
"""Between a class and its cluster in the labels of the paper's protocol."""

Fit = Callable[[Table, np.ndarray, int], Any]


def written(numeric: str) -> NaiveBayesClassifier:
    """Naive Bayes as it is written, with a floor under the variance of Gaussian columns."""
    floor = {"variance_floor": 0.01} if numeric == "gaussian" else {}
    return NaiveBayesClassifier(
        numeric=numeric, smoothing="laplace", calibration=None, n_jobs=1, **floor
    )


def decompose(base: NaiveBayesClassifier | None, **how: Any) -> Fit:
    """A decomposition of the base, clustered inside ``fit``."""

    def fit(table: Table, target: np.ndarray, seed: int) -> Any:
        model = ClassDecompositionClassifier(
            base, calibration=None, random_state=seed, n_jobs=1, **how
        )
        return model.fit(table, target)

    return fit


def cluster_by(make: Callable[[int], Any]) -> Fit:
    """A decomposition by another clusterer, of two clusters a class; numbers alone."""

    def fit(table: Table, target: np.ndarray, seed: int) -> Any:
        model = ClassDecompositionClassifier(
            written("gaussian"),
            clusterer=make(seed),
            n_clusters=2,
            calibration=None,
            random_state=seed,
            n_jobs=1,
        )
        return model.fit(table, target)

    return fit


def plain(make: Callable[[], Any]) -> Fit:
    """A model by itself."""
    return lambda table, target, seed: make().fit(table, target)


NB, OF_PAPER = "naive Bayes", "clusters from all rows"
LIKELIHOOD, ACCURACY = "inside folds, by likelihood", "inside folds, by accuracy"
BINS, BINS_ACCURACY = "bins", "bins, by accuracy"
DEFAULT, DEFAULT_ACCURACY = "bayfold default", "bayfold default, by accuracy"
BOOSTED = "bayfold boosted"
K_MEANS, GAUSSIANS, TWO = "two by k-means", "two by GaussianMixture", "two by NaiveBayesMixture"

SETTINGS: dict[str, Fit] = {
    NB: plain(lambda: written("gaussian")),
    OF_PAPER: plain(lambda: written("gaussian")),  # of labels with clusters
    LIKELIHOOD: decompose(written("gaussian"), n_clusters="cv"),
    ACCURACY: decompose(written("gaussian"), n_clusters="accuracy"),
    BINS: plain(lambda: written("equal_frequency")),
    BINS_ACCURACY: decompose(written("equal_frequency"), n_clusters="accuracy"),
    DEFAULT: plain(lambda: NaiveBayesClassifier(n_jobs=1)),
    DEFAULT_ACCURACY: decompose(NaiveBayesClassifier(n_jobs=1), n_clusters="accuracy"),
    BOOSTED: plain(lambda: BoostedNaiveBayesClassifier(n_jobs=1)),
    TWO: decompose(written("gaussian"), n_clusters=2),
    K_MEANS: cluster_by(lambda seed: KMeans(2, n_init=5, random_state=seed)),
    GAUSSIANS: cluster_by(lambda seed: GaussianMixture(2, n_init=2, random_state=seed)),
}

NUMERIC = (
    "balance-scale",
    "diabetes",
    "heart-statlog",
    "ionosphere",
    "iris",
    "segment",
    "vehicle",
)
"""Datasets of numbers alone, none missing, for clusterers that take no others."""

LARGE = ("segment", "sick", "chess", "mushroom")
"""Where choosing clusters takes long: last, with one repeat, and not in a quick run."""


@lru_cache(maxsize=2)
def cluster_all_rows(name: str, seed: int) -> np.ndarray:
    """Labels of (class, cluster) from all rows, as the paper made them."""
    frame, target = read_frame(FILES.get(name, name), "classification")
    table, labels = read_table(frame), target.astype(object).copy()
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


def measure(unit: Unit) -> list[Row]:
    """Accuracy in %, and clusters per class."""
    frame, target = read_frame(FILES.get(unit.dataset, unit.dataset), "classification")
    if unit.method in (K_MEANS, GAUSSIANS):
        take = frame.to_pandas().to_numpy(float).__getitem__  # all that they know
    else:
        take = read_table(frame).take
    is_paper = unit.method == OF_PAPER
    labels = cluster_all_rows(unit.dataset, unit.repeat) if is_paper else target
    splits = StratifiedKFold(FOLDS, shuffle=True, random_state=unit.repeat)
    every = list(splits.split(target, target))
    rows = []
    for train, test in (every[k] for k in unit.folds):
        model = SETTINGS[unit.method](take(train), labels[train], unit.repeat)
        found = model.predict(take(test)).astype(str)
        right = np.array([f.split(MARK)[0] for f in found]) == target[test]
        clusters = clusters_per_class(model)
        rows.append(
            {
                "accuracy": float(100 * right.mean()),
                "clusters": float(clusters.mean()),
                "least": int(clusters.min()),
                "most": int(clusters.max()),
            }
        )
    return rows


def clusters_per_class(model: Any) -> np.ndarray:
    """How many clusters each class has."""
    if hasattr(model, "n_clusters_"):
        return model.n_clusters_
    classes = [str(label).split(MARK)[0] for label in model.classes_]
    return np.unique(classes, return_counts=True)[1]


def plan(quick: bool) -> Iterator[Unit]:
    """Cheap settings of small datasets first."""
    names = [
        name for name in read_published("vilalta2003_table1_accuracy").index if name != "average"
    ]
    small, large = [n for n in names if n not in LARGE], [n for n in names if n in LARGE]
    numeric = [name for name in small if name in NUMERIC]
    yield from repeated_folds(names, [NB], REPEATS, FOLDS, quick)
    yield from repeated_folds(names, [BINS, DEFAULT], OTHER_REPEATS, FOLDS, quick)
    if quick:
        few = [n for n in small if n in QUICK]
        yield from repeated_folds(few, [OF_PAPER, LIKELIHOOD, ACCURACY, TWO], 1, 1, quick)
        yield from repeated_folds(
            [n for n in few if n in NUMERIC], [K_MEANS, GAUSSIANS], 1, 1, quick
        )
        return
    yield from repeated_folds(numeric, [TWO, K_MEANS, GAUSSIANS], OTHER_REPEATS, FOLDS, quick)
    yield from repeated_folds(small, [OF_PAPER, ACCURACY, LIKELIHOOD], REPEATS, FOLDS, quick)
    yield from repeated_folds(small, [BINS_ACCURACY, BOOSTED, DEFAULT_ACCURACY], 1, FOLDS, quick)
    last = [OF_PAPER, LIKELIHOOD, ACCURACY, BOOSTED, BINS_ACCURACY, DEFAULT_ACCURACY]
    yield from repeated_folds(large, last, 1, FOLDS, quick)


QUICK = ("iris", "labor", "zoo", "heart-statlog", "vote")
"""Where a quick run clusters."""

TABLE = Experiment(NAME, "table1", ("accuracy", "clusters", "least", "most"), plan, measure)
