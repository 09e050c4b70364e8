"""Class decomposition on any part of the training rows: classes are split into clusters, a classifier is trained on
them, and posteriors of subclasses are added up to posteriors of classes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from bayfold import errors
from bayfold.base.estimator import TableEstimator
from bayfold.base.inputs import share_schema
from bayfold.base.per_row import Read
from bayfold.core.counts import LabelledRows
from bayfold.core.frames.concat import take_rows
from bayfold.core.schema import Schema
from bayfold.families.mixtures.em import EMProblem
from bayfold.families.mixtures.estimator import NaiveBayesMixture
from bayfold.families.mixtures.model import count_memberships, derive_mixture
from bayfold.families.mixtures.parameters import describe_components
from bayfold.families.mixtures.rows import MixtureRows
from bayfold.families.naive_bayes.estimator import NaiveBayesClassifier


def make_rough(estimator: Any) -> Any:
    """An estimator that tells good splits from bad ones as well, at a fraction of the time.

    Naive Bayes without weights on its columns and without a choice of densities, which both refit it on many folds.
    Any other estimator is its own.
    """
    if not isinstance(estimator, NaiveBayesClassifier):
        return estimator
    cheap: dict[str, Any] = {"calibration": None, "select": False}
    if isinstance(estimator.numeric, str) and estimator.numeric == "auto":
        cheap["numeric"] = "smooth"
    given = estimator.get_params(deep=False)
    if all(given[name] == value for name, value in cheap.items()):
        return estimator
    return clone(estimator).set_params(**cheap)


def has_densities_of(rough: Any, estimator: Any) -> bool:
    """Whether a rough model differs from its estimator by weights on columns alone, if at all."""
    return rough is estimator or bool(rough.numeric == estimator.numeric)


@dataclass(frozen=True, eq=False)
class Subclasses:
    """Subclasses in the order of their classes.

    Attributes
    ----------
    of_row : ndarray of int
        The subclass of each training row.
    class_of : ndarray of int
        The class of each subclass.
    cluster_of : ndarray of int
        The number of each subclass within its class.
    """

    of_row: np.ndarray
    class_of: np.ndarray
    cluster_of: np.ndarray

    @classmethod
    def number(cls, group_of: np.ndarray, clusters: np.ndarray) -> Subclasses:
        """Number the pairs of class and cluster that occur.

        >>> Subclasses.number(np.array([0, 1, 1]), np.array([0, 5, 2])).of_row
        array([0, 2, 1])
        """
        n_clusters = int(clusters.max()) + 1
        pairs, of_row = np.unique(group_of * n_clusters + clusters, return_inverse=True)
        class_of = pairs // n_clusters
        first = np.searchsorted(class_of, class_of)
        return cls(of_row, class_of, np.arange(len(pairs)) - first)

    def forget_rows(self) -> Subclasses:
        """The subclasses themselves: a fitted model needs no training row, and grows with none."""
        return replace(self, of_row=self.of_row[:0].copy())

    @property
    def is_split(self) -> bool:
        """Whether some class has more than one cluster."""
        return bool((self.cluster_of > 0).any())

    def read_out(self, probability: np.ndarray, readout: str) -> np.ndarray:
        """Posteriors of classes from those of subclasses: their sum, or the largest of them made to add up to one."""
        starts = np.flatnonzero(np.diff(self.class_of, prepend=-1))
        if readout == "sum":
            return np.add.reduceat(probability, starts, axis=1)
        largest = np.maximum.reduceat(probability, starts, axis=1)
        return largest / largest.sum(axis=1, keepdims=True)


TELLING_COLUMNS = 3
"""Columns that tell a subclass from the others, the strongest first."""

LEAST_WEIGHT = 0.01
"""Columns with less of the divergence are not named."""


def describe_subclasses(
    coded: MixtureRows, weights: np.ndarray, subclasses: Subclasses
) -> np.ndarray:
    """What is typical for each subclass against its class: the columns that tell it apart best."""
    texts = np.full(len(subclasses.class_of), "", object)
    for group in np.unique(subclasses.class_of):
        of_class = np.flatnonzero(subclasses.class_of == group)
        if len(of_class) < 2:
            continue
        members = np.flatnonzero(subclasses.class_of[subclasses.of_row] == group)
        distinct, inverse = np.unique(coded.inverse[members], return_inverse=True)
        shares = np.zeros((len(distinct), len(of_class)))
        np.add.at(shares, (inverse, subclasses.of_row[members] - of_class[0]), weights[members])
        part = coded.subset(distinct, shares.sum(axis=1))
        counts = count_memberships(part, shares)
        records = describe_components(derive_mixture(part, counts), counts)
        for k, subclass in enumerate(of_class):
            texts[subclass] = _in_words(records.where(component=k).to_dict())
    return texts


def _in_words(records: dict[str, list]) -> str:
    lines = zip(records["column"], records["typical"], records["weight"], strict=True)
    telling = [f"{column}: {typical}" for column, typical, weight in lines if weight > LEAST_WEIGHT]
    return "; ".join(telling[:TELLING_COLUMNS])


class Splitter:
    """Everything about the training rows that fits on parts of them share.

    Parameters
    ----------
    original : array-like or frame
        The rows in the container they came in, for estimators that are not bayfold's.
    rows : LabelledRows
    estimator, clusterer : estimators
        Cloned for every fit.
    readout : {"sum", "max"}
    """

    def __init__(
        self, original: Any, rows: LabelledRows, estimator: Any, clusterer: Any, readout: str
    ) -> None:
        self.original = original
        self.rows = rows
        self.readout = readout
        self.estimator = estimator
        self.clusterer = clusterer
        self.weights = rows.find_weights()
        if rows.weights is not None and not has_fit_parameter(estimator, "sample_weight"):
            raise errors.weights_not_taken(type(estimator).__name__)
        self._per_row = {
            name: values
            for name, values in rows.extras.items()
            if has_fit_parameter(estimator, name)
        }
        self._clusters: dict[tuple, np.ndarray] = {}
        self._problems: dict[tuple, tuple[EMProblem, np.ndarray]] = {}

    def with_rows(self, chosen: np.ndarray, weights: np.ndarray | None) -> Splitter:
        """The same for some rows, which may come more than once, with other weights."""
        rows = replace(self.rows.take(chosen), weights=weights)
        original = take_rows(self.original, chosen)
        return Splitter(original, rows, self.estimator, self.clusterer, self.readout)

    @cached_property
    def schema(self) -> Schema:
        """How the estimator codes the columns of all rows: found once for all folds of a search."""
        everything = np.arange(self.rows.table.n_rows)
        whole = Subclasses.number(self.rows.group_of, np.zeros_like(self.rows.group_of))
        return self.train(make_rough(self.estimator), everything, whole).schema_

    def take(self, rows: np.ndarray, reader: Any) -> Any:
        """Some rows in a form that the estimator ``reader`` reads."""
        if isinstance(reader, TableEstimator):
            return self.rows.table.take(rows)
        return take_rows(self.original, rows)

    def split(self, rows: np.ndarray, numbers: list[Any], seed: int, fold: int = -1) -> Subclasses:
        """The subclasses of some rows, with the given number of clusters in each class.

        Clusters of a class are kept by fold: other numbers for other classes do not change them.
        """
        group_of = self.rows.group_of[rows]
        clusters = np.zeros(len(rows), np.int64)
        for group, number in enumerate(numbers):
            members = np.flatnonzero(group_of == group)
            if number == 1 or len(members) < 2:
                continue
            key = (fold, group, number)
            if key not in self._clusters:
                self._clusters[key] = self._cluster(key, rows[members], seed + 1000 * group)
            clusters[members] = self._clusters[key]
        return Subclasses.number(group_of, clusters)

    def _cluster(self, key: tuple, members: np.ndarray, seed: int) -> np.ndarray:
        """The cluster of each of some rows, numbered without gaps."""
        seed = seed % np.iinfo(np.int32).max
        if isinstance(self.clusterer, NaiveBayesMixture):
            found = self._cluster_coded(key, members, seed)
        else:
            number = key[-1] if key[-1] == "cv" else min(key[-1], len(members))
            found = self._cluster_any(number, members, seed)
        return np.unique(found, return_inverse=True)[1]

    def _cluster_any(self, number: Any, members: np.ndarray, seed: int) -> np.ndarray:
        clusterer = clone(self.clusterer)
        taker = clusterer[-1] if isinstance(clusterer, Pipeline) else clusterer
        known = taker.get_params(deep=False)
        name = "n_components" if "n_components" in known else "n_clusters"
        if number == "cv" or name not in known:
            raise errors.number_not_taken(type(taker).__name__, number)
        taker.set_params(**{name: number})
        if known.get("random_state", 0) is None:
            taker.set_params(random_state=seed)
        taken = self.take(members, clusterer)
        if self.rows.weights is None or not has_fit_parameter(clusterer, "sample_weight"):
            return clusterer.fit_predict(taken)
        return clusterer.fit_predict(taken, sample_weight=self.rows.weights[members])

    @cached_property
    def coded(self) -> MixtureRows:
        """All rows, coded once: EM on a part needs no more than a choice of these."""
        own = isinstance(self.clusterer, NaiveBayesMixture)
        mixture = self.clusterer if own else NaiveBayesMixture()
        return mixture._prepare(self.rows)

    def _cluster_coded(self, key: tuple, members: np.ndarray, seed: int) -> np.ndarray:
        *part, number = key
        if tuple(part) not in self._problems:
            distinct, inverse = np.unique(self.coded.inverse[members], return_inverse=True)
            weights = np.bincount(inverse, self.weights[members])
            problem = EMProblem(self.coded.subset(distinct, weights), weights)
            self._problems[tuple(part)] = problem, inverse
        problem, inverse = self._problems[tuple(part)]
        if number != "cv":
            number = min(number, problem.rows.n_rows)
        return self.clusterer._find_clusters(problem, number, seed)[inverse]

    def train(
        self, estimator: Any, rows: np.ndarray, subclasses: Subclasses, shared_schema: bool = False
    ) -> Any:
        """An estimator trained on subclasses, or on the classes themselves where none is split."""
        classes = self.rows.groups[self.rows.group_of[rows]]
        target = subclasses.of_row if subclasses.is_split else classes
        given: dict[str, Any] = {}
        if self.rows.weights is not None:
            given["sample_weight"] = self.rows.weights[rows]
        for name, values in self._find_per_row(rows).items():
            is_own = isinstance(estimator, TableEstimator)
            given[name] = Read(values) if is_own else values
        model = clone(estimator)
        shares = shared_schema and isinstance(model, TableEstimator)
        if shares and model.get_params(deep=False).get("schema", 0) is None:
            share_schema(model, self.schema)
        return model.fit(self.take(rows, model), target, **given)

    def _find_per_row(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Groups and times of some rows, unless all are the same: what is left of few units cannot be held out."""
        taken = {name: values[rows] for name, values in self._per_row.items()}
        return {name: own for name, own in taken.items() if (own != own[0]).any()}

    def answer(
        self, model: Any, subclasses: Subclasses, train: np.ndarray, test: np.ndarray
    ) -> np.ndarray:
        """The probability of each class for rows left out: none for a class that no other row has."""
        probability = model.predict_proba(self.take(test, model))
        if subclasses.is_split:
            probability = subclasses.read_out(probability, self.readout)
            classes = np.unique(self.rows.group_of[train])
        else:
            classes = np.searchsorted(self.rows.groups, model.classes_)
        found = np.zeros((len(test), len(self.rows.groups)))
        found[:, classes] = probability
        return found
