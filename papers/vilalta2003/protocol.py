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
from sklearn.pipeline import make_pipeline

from bayfold import (
    BoostedNaiveBayesClassifier,
    ClassDecompositionClassifier,
    NaiveBayesClassifier,
    NaiveBayesMixture,
)
from bayfold.core.frames import read_table
from benchmarks.number_peers import make_matrix
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

Fit = Callable[[Any, np.ndarray, int], Any]


def written(numeric: str) -> NaiveBayesClassifier:
    """Naive Bayes as it is written, with a floor under the variance of Gaussian columns."""
    return NaiveBayesClassifier(
        numeric=numeric,
        smoothing="laplace",
        missing="ignore",
        missing_target="drop",
        calibration=None,
        select=False,
        priors=None,
        class_weight=None,
        variance_floor=0.01 if numeric == "gaussian" else 1e-9,
        n_jobs=1,
    )


def make_mixture(seed: int) -> NaiveBayesMixture:
    """The clusterer: one component more as long as the likelihood of rows left out rises."""
    return NaiveBayesMixture(
        n_components="cv",
        numeric="gaussian",
        smoothing="laplace",
        variance_floor=0.01,
        init="seeds",
        n_init=5,
        max_iter=200,
        tol=1e-5,
        n_folds=10,
        random_state=seed,
        n_jobs=1,
    )


def make_decomposed(seed: int) -> ClassDecompositionClassifier:
    """The paper's method as an estimator, which clusters inside ``fit``: the class of the most probable cluster."""
    return ClassDecompositionClassifier(
        estimator=written("gaussian"),
        clusterer=make_mixture(seed),
        n_clusters="cv",
        readout="max",
        calibration=None,
        min_class_size=10,
        random_state=seed,
        n_jobs=1,
    )


def as_written(table: Any, target: np.ndarray, seed: int) -> Any:
    """The paper's method, fitted."""
    return make_decomposed(seed).fit(table, target)


def by_accuracy(base: NaiveBayesClassifier, make: Callable[[], Any] | None = None) -> Fit:
    """A decomposition of the base whose numbers of clusters are chosen by accuracy, by another clusterer if given."""

    def fit(table: Any, target: np.ndarray, seed: int) -> Any:
        clusterer = None if make is None else make_pipeline(make_matrix(table), make())
        model = ClassDecompositionClassifier(
            base,
            clusterer,
            n_clusters="accuracy",
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
K_MEANS, GAUSSIANS = "k-means, by accuracy", "GaussianMixture, by accuracy"

SETTINGS: dict[str, Fit] = {
    NB: plain(lambda: written("gaussian")),
    OF_PAPER: plain(lambda: written("gaussian")),  # of labels with clusters
    LIKELIHOOD: as_written,
    ACCURACY: by_accuracy(written("gaussian")),
    BINS: plain(lambda: written("equal_frequency")),
    BINS_ACCURACY: by_accuracy(written("equal_frequency")),
    DEFAULT: plain(lambda: NaiveBayesClassifier(n_jobs=1)),
    DEFAULT_ACCURACY: by_accuracy(NaiveBayesClassifier(n_jobs=1)),
    BOOSTED: plain(lambda: BoostedNaiveBayesClassifier(n_jobs=1)),
    K_MEANS: by_accuracy(written("gaussian"), lambda: KMeans(n_init=1)),
    GAUSSIANS: by_accuracy(written("gaussian"), lambda: GaussianMixture(covariance_type="diag")),
}

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
            clusters = make_mixture(1000 * group + seed).fit_predict(table.take(rows))
            labels[rows] = [f"{label}{MARK}{cluster}" for cluster in clusters]
        else:
            labels[rows] = f"{label}{MARK}0"
    return labels.astype(str)


def measure(unit: Unit) -> list[Row]:
    """Accuracy in %, and clusters per class."""
    frame, target = read_frame(FILES.get(unit.dataset, unit.dataset), "classification")
    of_peers = unit.method in (K_MEANS, GAUSSIANS)  # whose pipelines read pandas
    take = frame.to_pandas().iloc.__getitem__ if of_peers else read_table(frame).take
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
    yield from repeated_folds(names, [NB], REPEATS, FOLDS, quick)
    yield from repeated_folds(names, [BINS, DEFAULT], OTHER_REPEATS, FOLDS, quick)
    if quick:
        few = [n for n in small if n in QUICK]
        yield from repeated_folds(few, [OF_PAPER, LIKELIHOOD, ACCURACY], 1, 1, quick)
        yield from repeated_folds(few, [K_MEANS, GAUSSIANS], 1, 1, quick)
        return
    yield from repeated_folds(small, [OF_PAPER, ACCURACY, LIKELIHOOD], REPEATS, FOLDS, quick)
    yield from repeated_folds(small, [BINS_ACCURACY, BOOSTED, DEFAULT_ACCURACY], 1, FOLDS, quick)
    others = [K_MEANS, GAUSSIANS]
    yield from repeated_folds(small, others, OTHER_REPEATS, FOLDS, quick)
    last = [OF_PAPER, LIKELIHOOD, ACCURACY, BOOSTED, BINS_ACCURACY, DEFAULT_ACCURACY, *others]
    yield from repeated_folds(large, last, 1, FOLDS, quick)


QUICK = ("iris", "labor", "zoo", "heart-statlog", "vote")
"""Where a quick run clusters."""

TABLE = Experiment(NAME, "table1", ("accuracy", "clusters", "least", "most"), plan, measure)
