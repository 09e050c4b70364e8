"""What every estimator tells of itself: a summary, the importance of its columns, the warnings of its fit.
The accuracy of a classifier, for all kinds of classes that it can learn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from inspect import signature
from types import FunctionType
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from bayfold import errors
from bayfold.base.inputs import read_target, read_weights
from bayfold.base.options import TableLike, VectorLike
from bayfold.core.evidence import ColumnArray, Records, Summary, TrainingFacts, as_shares
from bayfold.core.frames import find_groups
from bayfold.core.scoring.quality import HeldOutScore

LEARNING = ("fit", "partial_fit", "fit_source", "fit_transform")
"""Methods whose warnings a model remembers."""


def remembers_warnings(learn: Callable) -> Callable:
    """The method, after which the model knows what it has warned about.

    Python would name the class that a method is written in where an argument is missing; this names the one at hand.
    """
    call = signature(learn)

    @wraps(learn)
    def learn_and_remember(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            call.bind(self, *args, **kwargs)
        except TypeError as problem:
            raise errors.bad_call(type(self).__name__, learn.__name__, str(problem)) from None
        before = {name: vars(self).pop(name) for name in ["_facts"] if name in vars(self)}
        try:
            with errors.hear_warnings() as heard:
                answer = learn(self, *args, **kwargs)
        except BaseException:
            vars(self).update(before)  # what fails leaves the model as it was
            raise
        earlier = getattr(self, "fit_warnings_", ()) if learn.__name__ == "partial_fit" else ()
        self.fit_warnings_ = tuple(dict.fromkeys([*earlier, *heard]))
        return answer

    return learn_and_remember


class SummarisedEstimator(BaseEstimator):
    """An estimator that has a summary.

    A subclass says what it saw of its columns (``_find_facts``), and whatever else it knows of them.
    """

    n_features_in_: int
    fit_warnings_: tuple[str, ...]
    _facts: TrainingFacts | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Whatever a subclass learns by, warnings are remembered."""
        super().__init_subclass__(**kwargs)
        for name in LEARNING:
            if isinstance(vars(cls).get(name), FunctionType):
                setattr(cls, name, remembers_warnings(vars(cls)[name]))

    def summary(self) -> Summary:
        """What the model has learnt, at a glance.

        Returns
        -------
        summary : Summary
            Rows, classes (or the target's distribution), how well held-out rows were predicted beside the prior alone
            where the model knows it, and for every column its kind, values, missing share, density, weight and
            importance. Printed it is a page of text; ``columns`` is a table, ``to_dict()`` plain data.

        Examples
        --------
        >>> from bayfold import NaiveBayesClassifier
        >>> model = NaiveBayesClassifier(calibration=None)
        >>> model.fit([[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]).summary()
        NaiveBayesClassifier: 4 rows, 1 column
        classes: no 50.0%, yes 50.0%
        not held out: measure on other rows, or by `bayfold.evaluate.cross_validate`
        <BLANKLINE>
        column  kind     n_values  values  missing  density  weight  importance
        x0      numeric         4  0 to 3        0  smooth        1           1
        """
        check_is_fitted(self)
        facts = self._training_facts()
        n_rows = facts.n_rows
        rows: Any = int(n_rows) if n_rows == n_rows and n_rows == int(n_rows) else n_rows
        return Summary(
            type(self).__name__,
            {"rows": rows, "columns": self.n_features_in_} | self._say_more(),
            self._summarise_classes(),
            self._summarise_target(),
            self._find_held_out(),
            self._summarise_columns(facts),
            getattr(self, "fit_warnings_", ()),
        )

    # what a subclass knows

    def _find_facts(self) -> TrainingFacts:
        """What was seen of the columns, and how much each matters."""
        return TrainingFacts.unknown(self.n_features_in_)

    def _say_more(self) -> dict[str, Any]:
        """Further facts in one number or word each."""
        return {}

    def _count_classes(self) -> np.ndarray | None:
        """Weight of the rows of each class, if they are known."""
        return getattr(self, "class_count_", None)

    def _summarise_target(self) -> dict[str, float] | None:
        """The distribution of a numeric target."""
        return None

    def _find_held_out(self) -> HeldOutScore | None:
        """How well held-out rows were predicted, where any were."""
        return None

    def _describe_columns(self) -> dict[str, Any]:
        """The density (or split) and the weight of each column, by these names, as far as there are any."""
        return {}

    # how it is put together

    def _training_facts(self) -> TrainingFacts:
        if self._facts is None:
            self._facts = self._find_facts()
        return self._facts

    def _column_names(self) -> list[str]:
        if hasattr(self, "schema_"):
            return self.schema_.names[: self.n_features_in_]
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if names is None else list(names)

    def _summarise_classes(self) -> Records | None:
        if not hasattr(self, "classes_"):
            return None
        counts = self._count_classes()
        if counts is None:
            counts = np.full(len(self.classes_), np.nan)
        share = counts / max(float(counts.sum()), 1e-300)
        return Records({"class": self.classes_, "count": counts, "share": share})

    def _summarise_columns(self, facts: TrainingFacts) -> Records:
        names = self._column_names()
        known = self._describe_columns()
        n = len(names)
        unknown = np.full(n, np.nan)
        importances = unknown if facts.importances is None else facts.importances
        return Records(
            {
                "column": np.array(names, object),
                "kind": np.array(facts.kinds[:n], object),
                "n_values": facts.n_values[:n],
                "values": np.array(facts.values[:n], object),
                "missing": facts.missing[:n],
                "density": np.array(known.get("density", [""] * n), object),
                "weight": np.asarray(known.get("weight", unknown)),
                "importance": np.asarray(importances),
                "note": np.array(facts.notes[:n], object),
            }
        )

    def _make_ready(self) -> None:
        """Derive what a file must hold and is not derived yet."""
        if self.__sklearn_is_fitted__():
            self._training_facts()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")


def borrow_facts(parts: Sequence[Any], n_columns: int) -> TrainingFacts:
    """The facts of a model made of others: what the first saw, and the mean of their importances if all have some."""
    first = parts[0]
    own = isinstance(first, SummarisedEstimator)
    facts = first._training_facts() if own else TrainingFacts.unknown(n_columns)
    if not all(hasattr(part, "feature_importances_") for part in parts):
        return replace(facts, importances=None)
    found = np.mean([np.asarray(part.feature_importances_) for part in parts], axis=0)
    fits = found.shape == (n_columns,)
    return replace(facts, importances=as_shares(np.maximum(found, 0.0)) if fits else None)


class ColumnImportances:
    """A model whose columns matter more or less."""

    _training_facts: Callable[[], TrainingFacts]
    _column_names: Callable[[], list[str]]

    @property
    def feature_importances_(self) -> ColumnArray:
        """Share of each column in what the model says, by position or by name; none negative, adding up to one."""
        check_is_fitted(self)
        importances = self._training_facts().importances
        if importances is None:
            raise errors.no_importances(type(self).__name__)
        return ColumnArray(importances, self._column_names())


class AccuracyScore(ClassifierMixin):
    """A classifier that says how often it is right, also where scikit-learn's ``score`` refuses the classes (dates)."""

    classes_: np.ndarray

    def score(self, X: TableLike, y: VectorLike, sample_weight: VectorLike | None = None) -> float:
        """Accuracy: the share of the rows that are predicted correctly.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
            The true classes. Rows where it is missing are left out, and classes that the model has not learnt are
            wrong, each with a warning.
        sample_weight : array-like of shape (n_rows,), optional

        Returns
        -------
        accuracy : float
        """
        predicted, labels = find_groups(self.predict(X))
        truth = find_truth(y, self.classes_, len(predicted))
        weights = read_weights(sample_weight, len(predicted))
        if weights is not None and not weights.any():
            raise errors.all_weights_zero()
        place = {label: k for k, label in enumerate(self.classes_.tolist())}
        of_label = np.array([place[label] for label in labels.tolist()], np.int64)
        right = truth.place_of == of_label[predicted[truth.known]]
        return float(np.average(right, weights=None if weights is None else weights[truth.known]))


@dataclass(frozen=True, eq=False)
class Truth:
    """The true classes of rows that a model is judged by.

    Attributes
    ----------
    known : ndarray of bool
        Which rows have a class.
    place_of : ndarray of int
        Of these rows: the position of the class among those of the model, -1 for others.
    """

    known: np.ndarray
    place_of: np.ndarray


def find_truth(y: VectorLike, classes: np.ndarray, n_rows: int) -> Truth:
    """The true classes as positions; rows without one are left out, and other classes are wrong, with a warning."""
    truth, groups = find_groups(read_target(y, n_rows))
    known = truth >= 0
    if not known.any():
        raise errors.target_missing_entirely()
    if not known.all():
        errors.warn(errors.missing_targets(int((~known).sum())))
    place = {label: k for k, label in enumerate(classes.tolist())}
    unknown = [label for label in groups.tolist() if label not in place]
    if unknown:
        errors.warn(errors.classes_not_learnt(unknown, classes.tolist()))
    of_truth = np.array([place.get(label, -1) for label in groups.tolist()], np.int64)
    return Truth(known, of_truth[truth[known]])
