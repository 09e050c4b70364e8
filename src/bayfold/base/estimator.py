"""What all estimators for raw tables share: reading tables, and answers from scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from bayfold.base.exports import ExportableClassifier, SavedEstimator
from bayfold.base.inputs import check_features
from bayfold.base.options import TableLike
from bayfold.base.sources.predict import Answers, SourcePredictor, name_answers
from bayfold.base.summarised import AccuracyScore, ColumnImportances
from bayfold.core.engine import resolve_threads
from bayfold.core.frames import Table, read_table
from bayfold.core.scoring import log_probabilities, probabilities

Readout = Callable[[np.ndarray], np.ndarray]


class TableEstimator(SavedEstimator, ABC):
    """An estimator that reads NumPy arrays and frames, with strings and missing cells."""

    n_jobs: int | None
    _takes_sparse: ClassVar[bool] = False

    def _read(self, X: Any) -> Table:
        """A table with the columns of the training table."""
        table = read_table(X, resolve_threads(self.n_jobs), self._takes_sparse)
        schema = getattr(self, "schema_", None)
        if schema is not None and schema.bag is not None:
            table = table.as_bag()
        check_features(self, table)
        return table

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = self._takes_sparse
        return tags


class TableClassifier(
    AccuracyScore, SourcePredictor, ExportableClassifier, ColumnImportances, TableEstimator
):
    """A classifier whose answers all come from one score per class (one in all for two classes).

    A subclass supplies the scores and the prior that stands in where every class is impossible.
    """

    classes_: np.ndarray

    @abstractmethod
    def _score(self, X: Any, readout: Readout | None = None) -> np.ndarray:
        """Scores of all rows of shape (n_rows, n_scores), or what ``readout`` makes of them."""

    @abstractmethod
    def _log_prior(self) -> np.ndarray:
        """Log prior of every class; raises if the model is not fitted."""

    def _answers(self, table: Table) -> Answers:
        scores = self._score(table)
        log_prior = self._log_prior()
        best = log_probabilities(scores, log_prior).argmax(axis=1)
        return name_answers(self.classes_, best, probabilities(scores, log_prior))

    def decision_function(self, X: TableLike) -> np.ndarray:
        """Log-odds of the second class for two classes, otherwise centred log scores per class.

        Parameters
        ----------
        X : array-like or frame

        Returns
        -------
        scores : ndarray of shape (n_rows,) or (n_rows, n_classes)
            Where the model has ``explain``, prior plus weights of evidence, which it shows one by one.
        """
        scores = self._score(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: TableLike) -> np.ndarray:
        """The most probable class of each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            The columns of the training table, in the same order.

        Returns
        -------
        classes : ndarray of shape (n_rows,)
        """
        log_prior = self._log_prior()

        def most_probable(scores: np.ndarray) -> np.ndarray:
            return log_probabilities(scores, log_prior).argmax(axis=1)

        return self.classes_[self._score(X, readout=most_probable)]

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """Probability of each class.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            The columns of the training table, in the same order.

        Returns
        -------
        probability : ndarray of shape (n_rows, n_classes)
            One column per class, in the order of ``classes_``.
        """
        log_prior = self._log_prior()
        return self._score(X, readout=lambda scores: probabilities(scores, log_prior))

    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """Log-probability of each class, accurate also where the probability underflows.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            The columns of the training table, in the same order.

        Returns
        -------
        log_probability : ndarray of shape (n_rows, n_classes)
            One column per class, in the order of ``classes_``.
        """
        log_prior = self._log_prior()
        return self._score(X, readout=lambda scores: log_probabilities(scores, log_prior))
