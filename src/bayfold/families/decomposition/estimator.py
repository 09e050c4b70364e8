"""Class decomposition: any classifier on classes split into clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from bayfold import errors
from bayfold.base.classifier import BaseClassifier
from bayfold.base.estimator import TableEstimator, borrow_facts
from bayfold.base.inputs import read_classes, record_features
from bayfold.base.options import RandomState, TableLike, VectorLike
from bayfold.base.per_row import PerRow
from bayfold.base.progress import SearchProgress
from bayfold.base.sources.predict import Answers
from bayfold.base.sources.scratch import ScratchLearner
from bayfold.core.counts import LabelledRows
from bayfold.core.evidence import Records, TrainingFacts
from bayfold.core.evidence.rows import name_rows
from bayfold.core.frames import Table
from bayfold.core.frames.concat import take_rows
from bayfold.core.scoring.conformal import ConformalScores
from bayfold.core.scoring.score_scale import ScoreScale
from bayfold.families.decomposition.calibration import CALIBRATION_FOLDS, find_class_scale, rescale
from bayfold.families.decomposition.explain import explain_cells, weigh_cells
from bayfold.families.decomposition.search import (
    DealtByClass,
    choose_by_accuracy,
    deal_by_class,
    describe_searches,
)
from bayfold.families.decomposition.splitter import Splitter, Subclasses, describe_subclasses
from bayfold.families.mixtures.estimator import NaiveBayesMixture
from bayfold.families.naive_bayes.estimator import NaiveBayesClassifier

READOUTS = ("sum", "max")
ROWS_PER_CLUSTER = 5
"""A class is cut into no more clusters than leave each so many rows on average."""

VARIANCE_FLOOR = 0.01
"""Of the default clusterer: a cluster may have a single value in some column, but its next row need not."""


class ClassDecompositionClassifier(ScratchLearner, MetaEstimatorMixin, BaseClassifier):
    """Any classifier, on classes split into clusters.

    Naive Bayes describes a class by the product of its marginals, which fits where the class is one compact group.
    So the rows of each class are clustered, each cluster becomes a class of its own, a classifier is trained on
    these, and its answers are put together again. With ``n_clusters=1`` it is the classifier itself.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``, default=None
        ``NaiveBayesClassifier()`` by default.
    clusterer : clusterer or mixture with ``fit_predict``, default=None
        ``NaiveBayesMixture(numeric="gaussian", variance_floor=0.01)`` by default. Its ``n_clusters`` or
        ``n_components`` is set; in a pipeline, that of the last step.
    n_clusters : "accuracy", "cv", int or dict, default="accuracy"
        ``"accuracy"``: inner cross-validation decides class by class; one cluster unless more is better by a standard
        error, and its probabilities are not worse by one. ``"cv"``: the clusterer decides, by the log-likelihood of
        rows left out. Or a number, or a dict from classes to numbers.
    readout : {"sum", "max"}, default="sum"
        The probability of a class is the sum of those of its clusters, or goes by the largest of them.
    calibration : "temperature" or None, default="temperature"
        One slope for the log-odds of the classes and an intercept for each, fitted on the held-out rows of the folds
        (of three where numbers of clusters are given; none where all are 1). None: the probabilities are those of
        ``estimator_``, as published.
    min_class_size : int, default=10
        Classes with fewer rows keep one cluster.
    n_folds : int, default=5
        Number of folds of ``n_clusters="accuracy"``.
    random_state : int, RandomState or None, default=None
        Draws the starts and the folds.
    progress : bool, default=False
        Show the search as it goes, if standard error is a terminal.
    n_jobs : int, default=None
        Number of threads for reading tables.

    Attributes
    ----------
    classes_ : ndarray
    estimator_ : classifier
        Trained on subclasses, or on the classes themselves if none was split.
    n_clusters_ : ndarray of int
        Number of clusters of each class.
    feature_importances_ : ColumnArray
        Those of ``estimator_``, by position or name.
    evidence_ : Records
        That of ``estimator_``, if it has evidence, by class and subclass, times the slope of ``calibration``.
    subclasses_ : Records
        What each class was split into: rows, share of the class, and the columns that tell a subclass from the rest
        of its class best.
    search_ : Records
        What ``n_clusters="accuracy"`` tried, and its accuracy on rows left out; empty otherwise. Splits are compared
        by naive Bayes as it is written where the estimator is naive Bayes that chooses densities or weights, too
        (``model`` is ``"rough"``); where it chooses densities, it has the last word on the best (``"estimator"``).
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only if the table had column names.

    Notes
    -----
    Clustering happens inside ``fit``. Vilalta and Rish clustered all rows once, before cross-validation, which lets
    the rows left out take part in the clusters; measured accuracies differ accordingly.

    References
    ----------
    .. [1] R. Vilalta, I. Rish (2003). A decomposition of classes via clustering to explain and improve naive Bayes.
       ECML, 444-455. https://doi.org/10.1007/978-3-540-39857-8_40

    Examples
    --------
    >>> import numpy as np
    >>> from bayfold import ClassDecompositionClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (400, 2))
    >>> y = np.where(X[:, 0] * X[:, 1] > 0, "same", "opposite")
    >>> model = ClassDecompositionClassifier(n_clusters=2, random_state=0).fit(X, y)
    >>> model.predict([[0.5, 0.5], [-0.5, 0.5]])
    array(['same', 'opposite'], dtype='<U8')
    """

    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        clusterer: BaseEstimator | None = None,
        *,
        n_clusters: Literal["accuracy", "cv"] | int | Mapping[Any, int] = "accuracy",
        readout: Literal["sum", "max"] = "sum",
        calibration: Literal["temperature"] | None = "temperature",
        min_class_size: int = 10,
        n_folds: int = 5,
        random_state: RandomState = None,
        progress: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.clusterer = clusterer
        self.n_clusters = n_clusters
        self.readout = readout
        self.calibration = calibration
        self.min_class_size = min_class_size
        self.n_folds = n_folds
        self.random_state = random_state
        self.progress = progress
        self.n_jobs = n_jobs

    # learning

    def fit(
        self,
        X: TableLike,
        y: VectorLike,
        sample_weight: VectorLike | None = None,
        groups: VectorLike | None = None,
        time: VectorLike | None = None,
    ) -> ClassDecompositionClassifier:
        """Split the classes and train the classifier on what they were split into.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
            Rows where it is missing are left out with a warning.
        sample_weight : array-like of shape (n_rows,), optional
            Frequencies: weight 2 is the row twice, weight 0 the row absent.
        groups, time : array-like of shape (n_rows,), optional
            Rows of one group are held out together; rows that are held out are later than those that are learnt from.

        Returns
        -------
        self : ClassDecompositionClassifier
        """
        self._check_parameters()
        rows = read_classes(self, X, y, PerRow(sample_weight, groups, time))
        if len(rows.groups) < 2:
            raise errors.single_class(rows.groups.tolist()[0])
        estimator, clusterer = self._parts()
        original = X if rows.kept is None else take_rows(X, rows.kept)
        splitter = Splitter(original, rows, estimator, clusterer, self.readout)
        rng = check_random_state(self.random_state)
        seed = int(rng.randint(np.iinfo(np.int32).max))
        numbers, search, scale = self._choose(splitter, rows, rng, seed)
        everything = np.arange(rows.table.n_rows)
        subclasses = splitter.split(everything, numbers, seed)
        model = splitter.train(splitter.estimator, everything, subclasses)
        # the last step, so that an error loses nothing
        self.search_ = search
        self._scale = scale
        self._subclasses = subclasses.forget_rows()
        self.estimator_ = model
        self.classes_ = rows.groups
        self.n_clusters_ = np.bincount(subclasses.class_of)
        record_features(self, rows.table)
        self._describe(splitter, rows, subclasses)
        return self

    def _check_source(self) -> None:
        self._check_parameters()
        self._check_parts("estimator", "clusterer")

    def _check_parameters(self) -> None:
        errors.check_choice("readout", self.readout, READOUTS)
        errors.check_choice("calibration", self.calibration, ["temperature", None])
        errors.check_whole("min_class_size", self.min_class_size, 1)
        errors.check_whole("n_folds", self.n_folds, 2)
        errors.check_flag("progress", self.progress)
        given: Any = self.n_clusters
        numbers = list(given.values()) if isinstance(given, Mapping) else [given]
        named = isinstance(given, str) and given in ("accuracy", "cv")
        if not named and not all(errors.is_whole(number) and number >= 1 for number in numbers):
            raise errors.bad_n_clusters(given)
        if not named or given == "cv":
            errors.check_unused(self, "n_folds", 'n_clusters other than "accuracy"')

    def _parts(self) -> tuple[Any, Any]:
        estimator = self.estimator
        if estimator is None:
            estimator = NaiveBayesClassifier(n_jobs=self.n_jobs)
        errors.check_classifier("estimator", estimator)
        clusterer = self.clusterer
        if clusterer is None:
            clusterer = NaiveBayesMixture(
                numeric="gaussian", variance_floor=VARIANCE_FLOOR, n_jobs=self.n_jobs
            )
        errors.check_clusterer("clusterer", clusterer)
        return estimator, clusterer

    def _choose(
        self, splitter: Splitter, rows: LabelledRows, rng: np.random.RandomState, seed: int
    ) -> tuple[list[Any], Records, ScoreScale | None]:
        """What the clusterer is asked for in each class, how it was found, and how far it is believed."""
        sizes = np.bincount(rows.group_of, splitter.weights, minlength=len(rows.groups))
        searches = isinstance(self.n_clusters, str) and self.n_clusters == "accuracy"
        numbers = [] if searches else self._read_numbers(rows, sizes >= self.min_class_size)
        search = describe_searches({})
        if not searches and (self.calibration is None or all(number == 1 for number in numbers)):
            return numbers, search, None
        dealt = deal_by_class(rows, self.n_folds if searches else CALIBRATION_FOLDS, rng)
        n_effective = dealt.share * sizes
        if dealt.weights is not None or isinstance(splitter.estimator, TableEstimator):
            dealt = dealt.count_copies_once()
        if dealt.source is not None:
            splitter = splitter.with_rows(dealt.source, dealt.weights)
        if searches:
            numbers, search = self._search(splitter, dealt, seed, n_effective)
        if self.calibration is None:
            return numbers, search, None
        with errors.ignore_warnings(Warning):  # what is odd is said of the model of all rows
            return numbers, search, find_class_scale(splitter, dealt, numbers, seed)

    def _read_numbers(self, rows: LabelledRows, divisible: np.ndarray) -> list[Any]:
        """The number of clusters of each class as it was given; one for classes that are not divisible."""
        labels = rows.groups.tolist()
        if isinstance(self.n_clusters, Mapping):
            unknown = [label for label in self.n_clusters if label not in set(labels)]
            if unknown:
                raise errors.clusters_of_unknown_class(unknown[0], labels)
            asked: list[Any] = [self.n_clusters.get(label, 1) for label in labels]
        else:
            asked = [self.n_clusters] * len(labels)
        return [number if d else 1 for number, d in zip(asked, divisible, strict=True)]

    def _search(
        self, splitter: Splitter, dealt: DealtByClass, seed: int, sizes: np.ndarray
    ) -> tuple[list[Any], Records]:
        most = np.where(sizes >= self.min_class_size, np.maximum(sizes // ROWS_PER_CLUSTER, 1), 1)
        # of folds; what is odd about all rows is said when the chosen model is trained
        with SearchProgress(self.progress) as progress, errors.ignore_warnings(errors.DataWarning):
            return choose_by_accuracy(splitter, dealt, most, seed, progress.say)

    def _describe(self, splitter: Splitter, rows: LabelledRows, subclasses: Subclasses) -> None:
        count = np.bincount(subclasses.of_row, splitter.weights, minlength=len(subclasses.class_of))
        of_class = np.bincount(subclasses.class_of, count)
        self.subclasses_ = Records(
            {
                "class": rows.groups[subclasses.class_of],
                "subclass": subclasses.cluster_of,
                "count": count,
                "share": count / of_class[subclasses.class_of],
                "typical": describe_subclasses(splitter.coded, splitter.weights, subclasses),
            }
        )

    # answers

    def predict(self, X: TableLike) -> np.ndarray:
        """The most probable class of each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)

        Returns
        -------
        classes : ndarray of shape (n_rows,)
        """
        check_is_fitted(self)
        if not self._subclasses.is_split and self._scale is None:
            return self.estimator_.predict(self._source(X))
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """Probability of each class.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)

        Returns
        -------
        probability : ndarray of shape (n_rows, n_classes)
            One column per class, in the order of ``classes_``.
        """
        check_is_fitted(self)
        return self._find_classes(self.estimator_.predict_proba(self._source(X)))

    def _find_conformal(self) -> ConformalScores | None:
        if self._scale is not None:
            return self._scale.conformal
        is_own = not self._subclasses.is_split and isinstance(self.estimator_, BaseClassifier)
        return self.estimator_._find_conformal() if is_own else None

    def _find_classes(self, probability: np.ndarray) -> np.ndarray:
        """The probabilities of classes from those of subclasses."""
        if self._subclasses.is_split:
            probability = self._subclasses.read_out(probability, self.readout)
        return rescale(probability, self._scale)

    def _answers(self, table: Table) -> Answers:
        self._check_parts("estimator")
        return super()._answers(table)

    def explain(self, X: TableLike) -> Records:
        """Which subclass each row fell into, and why.

        Parameters
        ----------
        X : array-like or frame

        Returns
        -------
        records : Records
            Columns row, class, subclass (the most probable one of the predicted class), its probability by
            ``estimator_``, and index if a pandas frame has one. If the estimator has ``explain``, one record per
            cell, with column, value, bin and weight: the cell's weight of evidence for the subclass, as far as
            ``calibration`` believes it.
        """
        check_is_fitted(self)
        table = self._read(X)
        source = self._source(X)
        probability = self.estimator_.predict_proba(source)
        fell, predicted = self._fell_into(probability)
        rows = np.arange(len(fell))
        cells = {}
        if (found := explain_cells(self.estimator_, source)) is not None:
            rows = found["row"]
            cells = weigh_cells(found, fell, self.estimator_.classes_)
            keep = cells.pop("keep")
            rows = rows[keep]
            cells = {name: column[keep] for name, column in cells.items()}
            cells["weight"] = self._slope * cells["weight"]
        answer = name_rows(table, rows) | {
            "class": self.classes_[predicted[rows]],
            "subclass": self._subclasses.cluster_of[fell[rows]],
            "probability": probability[rows, fell[rows]],
        }
        return Records(answer | cells)

    @property
    def evidence_(self) -> Records:
        """The evidence of ``estimator_``, by the class and the subclass it speaks for, as far as it is believed."""
        check_is_fitted(self)
        if not hasattr(self.estimator_, "evidence_"):
            raise errors.no_evidence(type(self.estimator_).__name__)
        found = dict(self.estimator_.evidence_.columns)
        group = np.searchsorted(self.estimator_.classes_, found["class"])
        found["class"] = self.classes_[self._subclasses.class_of[group]]
        weight = self._slope * found["weight"]
        return Records(found | {"weight": weight, "subclass": self._subclasses.cluster_of[group]})

    @property
    def _slope(self) -> float:
        """What the log-odds of classes are multiplied by."""
        return 1.0 if self._scale is None else self._scale.slope

    def _fell_into(self, probability: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The most probable subclass of the predicted class, and that class."""
        class_of = self._subclasses.class_of
        predicted = self._find_classes(probability).argmax(axis=1)
        own = class_of[None, :] == predicted[:, None]
        return np.where(own, probability, -1.0).argmax(axis=1), predicted

    # what was learnt

    def _find_facts(self) -> TrainingFacts:
        return borrow_facts([self.estimator_], self.n_features_in_)

    def _count_classes(self) -> np.ndarray:
        return np.bincount(self._subclasses.class_of, self.subclasses_["count"])

    def _say_more(self) -> dict[str, Any]:
        return {"subclasses": len(self._subclasses.class_of)}

    def _describe_columns(self) -> dict[str, Any]:
        own = isinstance(self.estimator_, TableEstimator)
        return self.estimator_._describe_columns() if own else {}

    def _source(self, X: Any) -> Any:
        table = self._read(X)
        return table if isinstance(self.estimator_, TableEstimator) else X

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimator_")
