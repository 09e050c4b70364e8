"""Classification through one regression per class."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from bayfold import errors
from bayfold.base.classifier import BaseClassifier
from bayfold.base.estimator import TableEstimator, borrow_facts
from bayfold.base.inputs import read_classes, record_features
from bayfold.base.options import TableLike, VectorLike
from bayfold.base.per_row import PerRow, Read
from bayfold.base.sources.predict import Answers
from bayfold.base.sources.scratch import ScratchLearner
from bayfold.core.evidence import Records, TrainingFacts
from bayfold.core.frames import Table
from bayfold.core.frames.concat import take_rows
from bayfold.families.regression.estimator import NaiveBayesRegressor


class ViaRegressionClassifier(ScratchLearner, BaseClassifier):
    """A classifier that learns, for every class, to predict 1 for its rows and 0 for the others.

    The class with the highest prediction wins. Two classes need one regression.

    Parameters
    ----------
    regressor : estimator, default=None
        Cloned for every class: ``NaiveBayesRegressor()`` unless another one is given, which may be any regressor of
        scikit-learn that takes the table as it is.
    two_points : bool, default=True
        Evaluate a ``NaiveBayesRegressor`` at 0 and 1 alone, the only values that such a target has, instead of on a
        grid between them: many times faster, with much the same accuracy. Only for a ``NaiveBayesRegressor``; one
        whose ``grid_size`` is set keeps it.
    n_jobs : int, default=None
        Threads used to read tables; the regressor has its own.

    Attributes
    ----------
    classes_ : ndarray
        Sorted class labels.
    class_count_ : ndarray
        Weight of the training rows of each class.
    feature_importances_ : ColumnArray
        The mean of those of the regressors.
    evidence_ : Records
        What every bin of every column alone does to the prediction of each class, if the regressors say so.
    regressors_ : list of estimators
        One per class; for two classes one, of the second.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only if the table had column names.

    References
    ----------
    .. [1] E. Frank, L. Trigg, G. Holmes, I. H. Witten (2000). Technical note: naive Bayes for regression. Machine
       Learning 41, 5-25. https://doi.org/10.1023/A:1007670802811

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayfold import ViaRegressionClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(ViaRegressionClassifier().fit(X, y).score(X, y) > 0.9)
    True
    """

    def __init__(
        self,
        regressor: BaseEstimator | None = None,
        *,
        two_points: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.regressor = regressor
        self.two_points = two_points
        self.n_jobs = n_jobs

    def _check_source(self) -> None:
        self._check_parts("regressor")

    def fit(
        self,
        X: TableLike,
        y: VectorLike,
        sample_weight: VectorLike | None = None,
        groups: VectorLike | None = None,
        time: VectorLike | None = None,
    ) -> ViaRegressionClassifier:
        """Learn from a table and the class of each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
            Strings, booleans or whole numbers; rows where it is missing are left out with a warning.
        sample_weight : array-like of shape (n_rows,), optional
            Frequencies: weight 2 is the row twice, weight 0 the row absent.
        groups, time : array-like of shape (n_rows,), optional
            Rows of one group are held out together; rows that are held out are later than those that are learnt from.

        Returns
        -------
        self : ViaRegressionClassifier
        """
        errors.check_flag("two_points", self.two_points)
        if self.regressor is not None and not isinstance(self.regressor, NaiveBayesRegressor):
            errors.check_unused(self, "two_points", "another regressor than NaiveBayesRegressor")
        rows = read_classes(self, X, y, PerRow(sample_weight, groups, time))
        if len(rows.groups) < 2:
            raise errors.single_class(rows.groups.tolist()[0])
        given: dict[str, Any] = {name: Read(values) for name, values in rows.extras.items()}
        if rows.weights is not None:
            given["sample_weight"] = rows.weights
        groups = [1] if len(rows.groups) == 2 else range(len(rows.groups))
        regressors = [self._make_regressor() for _ in groups]
        if isinstance(regressors[0], TableEstimator):
            known: Any = rows.table
        elif rows.extras:
            name = type(regressors[0]).__name__
            raise errors.units_not_taken(next(iter(rows.extras)), name)
        else:
            known = X if rows.kept is None else take_rows(X, rows.kept)
        for group, regressor in zip(groups, regressors, strict=True):
            regressor.fit(known, (rows.group_of == group).astype(np.float64), **given)
        record_features(self, rows.table)
        self.classes_ = rows.groups
        self.regressors_ = regressors
        self.class_count_ = np.bincount(rows.group_of, rows.find_weights(), len(rows.groups))
        return self

    def _make_regressor(self) -> Any:
        if self.regressor is None:
            regressor: Any = NaiveBayesRegressor(n_jobs=self.n_jobs)
        else:
            regressor = clone(self.regressor)
        shortened = self.two_points and isinstance(regressor, NaiveBayesRegressor)
        if shortened and regressor.grid_size is None:
            regressor.set_params(grid_size="distinct")
        return regressor

    def decision_function(self, X: TableLike) -> np.ndarray:
        """The prediction for each class; for two classes that for the second, less one half.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)

        Returns
        -------
        scores : ndarray of shape (n_rows,) or (n_rows, n_classes)
        """
        scores = self._predictions(X)
        return scores[:, 0] - 0.5 if scores.shape[1] == 1 else scores

    def predict(self, X: TableLike) -> np.ndarray:
        """The class with the highest prediction.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)

        Returns
        -------
        classes : ndarray of shape (n_rows,)
        """
        scores = self._predictions(X)
        best = scores[:, 0] > 0.5 if scores.shape[1] == 1 else scores.argmax(axis=1)
        return self.classes_[best.astype(np.int64)]

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """Predictions cut to what probabilities may be, and divided by their sum.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)

        Returns
        -------
        probability : ndarray of shape (n_rows, n_classes)
        """
        scores = np.clip(self._predictions(X), 0.0, 1.0)
        if scores.shape[1] == 1:
            return np.concatenate([1.0 - scores, scores], axis=1)
        total = scores.sum(axis=1, keepdims=True)
        even = np.full_like(scores, 1.0 / scores.shape[1])
        return np.divide(scores, total, out=even, where=total > 0)

    def explain(self, X: TableLike) -> Records:
        """What each column did to the prediction of each class.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)

        Returns
        -------
        records : Records
            As ``explain`` of the regressors gives them, with the class they speak of: columns row, column, value,
            shift, variance and class. The shifts of a row and class, the first being the prior's, add up to
            ``decision_function``; so for two classes the prior's shift is what it is above one half.
        """
        check_is_fitted(self)
        self._check_own("explain")
        table = self._read(X)
        parts = [regressor.explain(table) for regressor in self.regressors_]
        return self._by_class([_less_a_half(parts[0])] if len(parts) == 1 else parts)

    @property
    def evidence_(self) -> Records:
        """What every bin of every column alone does to the prediction of each class."""
        check_is_fitted(self)
        self._check_own("evidence_")
        return self._by_class([regressor.evidence_ for regressor in self.regressors_])

    def _check_own(self, name: str) -> None:
        if not hasattr(self.regressors_[0], name):
            raise errors.no_evidence(type(self.regressors_[0]).__name__)

    def _by_class(self, parts: list[Records]) -> Records:
        """Records of each regressor, one after the other, with its class."""
        labels = self.classes_[-len(parts) :]
        joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0].names}
        return Records(joined | {"class": np.repeat(labels, [len(part) for part in parts])})

    def _find_facts(self) -> TrainingFacts:
        return borrow_facts(self.regressors_, self.n_features_in_)

    def _answers(self, table: Table) -> Answers:
        self._check_parts("regressor")
        return super()._answers(table)

    def _predictions(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        table = self._read(X)  # the same columns as at fit, or an error in words of this estimator
        given = table if isinstance(self.regressors_[0], TableEstimator) else X
        return np.stack([regressor.predict(given) for regressor in self.regressors_], axis=1)


def _less_a_half(explained: Records) -> Records:
    """The records of a regression, where the prior, the first of each row, is told from one half."""
    is_first = np.diff(explained["row"], prepend=-1) != 0
    return Records({**explained.columns, "shift": explained["shift"] - 0.5 * is_first})
