"""What estimators that learn in rounds share: from a table to an ensemble, and what an ensemble can be asked."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Protocol, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from bayfold import errors
from bayfold.base.classifier import TableClassifier
from bayfold.base.collapsed import CollapsedClassifier
from bayfold.base.editing import EditableTables
from bayfold.base.estimator import Readout, TableEstimator
from bayfold.base.given_bins import resolve_nominal
from bayfold.base.inputs import check_schema, read_classes, record_features
from bayfold.base.notices import warn_about_near_copies
from bayfold.base.options import ClassLabel, RandomState, TableLike, VectorLike
from bayfold.base.per_row import PerRow
from bayfold.base.progress import (
    Callback,
    CallbackSupportMixin,
    end_callbacks,
    follow_callbacks,
    follow_rounds,
    with_callbacks,
)
from bayfold.base.sources.scratch import ScratchLearner
from bayfold.core import evidence
from bayfold.core.counts import JointCounts, LabelledRows
from bayfold.core.engine import resolve_threads
from bayfold.core.frames import Table
from bayfold.core.schema import Schema
from bayfold.core.scoring import NaiveBayesModel, probabilities
from bayfold.core.scoring.conformal import ConformalScores
from bayfold.core.scoring.monotone import MonotoneRule
from bayfold.export.plain import PlainModel


class Ensemble(Protocol):
    """The models of all rounds.

    Attributes
    ----------
    log_prior : ndarray of shape (n_groups,)
    model : NaiveBayesModel or None
        The sum of all rounds as one model of tables; None where votes do not add up to one.
    counts : JointCounts
        Of the training rows.
    conformal : ConformalScores or None
        Of rows that were held out, where any were.
    learnt : dict
        The schema as ``schema_``, and what else is worth knowing, by attribute name of the estimator.
    """

    log_prior: np.ndarray
    counts: JointCounts
    learnt: dict[str, Any]

    @property
    def model(self) -> NaiveBayesModel | None:
        """See the class."""

    @property
    def conformal(self) -> ConformalScores | None:
        """See the class."""

    def score(
        self, table: Table, *, readout: Callable | None = None, n_threads: int = 1
    ) -> np.ndarray:
        """Scores of shape (n_rows, n_scores), one for two groups, or what ``readout`` makes of them."""

    def staged_scores(self, table: Table, n_threads: int = 1) -> Iterator[np.ndarray]:
        """Scores after each round."""

    def find_importances(self) -> np.ndarray:
        """Shares of the columns in what the ensemble says."""


class RoundsEstimator(CallbackSupportMixin, ScratchLearner, TableEstimator):
    """An estimator that adds up the models of many rounds.

    A subclass checks its parameters, infers a schema that suits it, and learns.
    """

    categorical_features: Any
    schema: Schema | None
    callback: Callback | None
    progress: bool
    _ensemble: Any

    @abstractmethod
    def _check_parameters(self) -> None:
        """Refuse parameters outside their domain, and those that others leave without effect."""

    @abstractmethod
    def _infer_schema(self, rows: LabelledRows, nominal: frozenset[int]) -> Schema:
        """What the columns are, where no schema is given."""

    @abstractmethod
    def _learn(self, rows: LabelledRows, schema: Schema, callback: Callback | None) -> Any:
        """The ensemble learnt from rows, with ``counts`` and ``learnt``; says which columns are of no use."""

    def _check_source(self) -> None:
        self._check_parameters()

    @with_callbacks
    def _fit_rows(self, rows: LabelledRows) -> None:
        """Learn from rows, and keep what was learnt."""
        warn_about_near_copies(rows)
        schema = self._schema_for(rows)
        called = follow_callbacks(self, self.callback)
        with follow_rounds(self.progress, called, "boosting") as callback:
            ensemble = self._learn(rows, schema, callback)
        record_features(self, rows.table)
        self._remember(ensemble)
        end_callbacks(self)

    def _schema_for(self, rows: LabelledRows) -> Schema:
        if self.schema is not None:
            check_schema(self, rows.table)
            return self.schema
        names = [column.name for column in rows.table.columns]
        return self._infer_schema(rows, resolve_nominal(self, names))

    def _remember(self, ensemble: Any) -> None:
        """Keep what was learnt, and nothing that an earlier fit with other parameters has left."""
        for name in self._ensemble.learnt if hasattr(self, "_ensemble") else ():
            delattr(self, name)
        self._ensemble = ensemble
        for name, value in ensemble.learnt.items():
            setattr(self, name, value)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_ensemble")


class RoundsClassifier(RoundsEstimator, TableClassifier):
    """A classifier that adds up the models of many rounds."""

    _ensemble: Ensemble

    # learning

    def fit(
        self,
        X: TableLike,
        y: VectorLike,
        sample_weight: VectorLike | None = None,
        groups: VectorLike | None = None,
        time: VectorLike | None = None,
    ) -> Self:
        """Learn from a table and the class of each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            NumPy, pandas, polars, pyarrow, a DuckDB relation, or anything with ``__arrow_c_stream__``.
        y : array-like of shape (n_rows,)
            Strings, booleans or whole numbers; rows where it is missing are left out with a warning.
        sample_weight : array-like of shape (n_rows,), optional
            Frequencies: weight 2 is the row twice, weight 0 the row absent.
        groups, time : array-like of shape (n_rows,), optional
            Rows of one group are held out together; rows that are held out are later than those that are learnt from.

        Returns
        -------
        self : estimator
        """
        self._check_parameters()
        rows = read_classes(self, X, y, PerRow(sample_weight, groups, time))
        if len(rows.groups) < 2:
            raise errors.single_class(rows.groups.tolist()[0])
        self._fit_rows(rows)
        self.classes_ = rows.groups
        return self

    # what was learnt

    def _find_facts(self) -> evidence.TrainingFacts:
        ensemble = self._ensemble
        return replace(
            evidence.describe_training(ensemble.counts), importances=ensemble.find_importances()
        )

    def _count_classes(self) -> np.ndarray:
        return self._ensemble.counts.totals

    def _say_more(self) -> dict[str, Any]:
        said = {"rounds": int(self._ensemble.learnt["n_rounds_"])}
        model = self._ensemble.model
        return said | evidence.count_joined(model) if model and model.pairs else said

    def _describe_columns(self) -> dict[str, Any]:
        model = self._ensemble.model
        return {} if model is None else {"density": evidence.describe_tables(model)}

    # answers

    def staged_predict_proba(self, X: TableLike) -> Iterator[np.ndarray]:
        """Probability of each class after each round.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            The columns of the training table, in the same order.

        Yields
        ------
        probability : ndarray of shape (n_rows, n_classes)
            The last is what ``predict_proba`` gives. There is one where no round was learnt.
        """
        log_prior = self._log_prior()
        table = self._read(X)
        for scores in self._ensemble.staged_scores(table, resolve_threads(self.n_jobs)):
            yield probabilities(scores, log_prior)

    def collapse(self) -> CollapsedClassifier:
        """The sum of all rounds as one model of tables: a log prior, a table per column, tables of pairs.

        Returns
        -------
        model : CollapsedClassifier
            An estimator that answers as this one does; its prior and tables are in ``model_``.
        """
        return CollapsedClassifier.of(self, *self._tables())

    def explain(
        self, X: TableLike, top: int | None = None, against: ClassLabel | None = None
    ) -> evidence.Records:
        """Why each row is scored as it is: the weight of evidence of its cells, alone and two by two.

        Parameters
        ----------
        X : array-like or frame
        top : int, default=None
            Only so many cells of each row, the strongest first, without the prior: the reasons of a decision.
        against : class label, default=None
            Only cells that speak against this class, such as the reasons why a row was not "paid".

        Returns
        -------
        records : Records
            As ``explain`` of the collapsed model gives them: for each row its prior, its cells, its pairs of cells.
        """
        return self.collapse().explain(X, top, against)

    @property
    def evidence_(self) -> evidence.Records:
        """Weight of evidence of every bin of every column and of every pair, with bounds and counts."""
        return self.collapse().evidence_

    def _training_counts(self) -> JointCounts:
        check_is_fitted(self)
        return self._ensemble.counts

    def _find_monotone(self) -> MonotoneRule | None:
        model = self._ensemble.model
        return None if model is None else model.monotone

    def _find_conformal(self) -> ConformalScores | None:
        return self._ensemble.conformal

    def _tables_to_edit(self) -> EditableTables:
        return self.collapse()._tables_to_edit()

    def _plain_model(self) -> PlainModel:
        check_is_fitted(self)
        if self._ensemble.model is None:
            raise errors.cannot_export(type(self).__name__)
        return self.collapse()._plain_model()

    def _tables(self) -> tuple[NaiveBayesModel, JointCounts]:
        check_is_fitted(self)
        if self._ensemble.model is None:
            raise errors.no_tables()
        return self._ensemble.model, self._ensemble.counts

    def _score(self, X: Any, readout: Readout | None = None) -> np.ndarray:
        check_is_fitted(self)
        n_threads = resolve_threads(self.n_jobs)
        return self._ensemble.score(self._read(X), readout=readout, n_threads=n_threads)

    def _log_prior(self) -> np.ndarray:
        check_is_fitted(self)
        return self._ensemble.log_prior


def draw_seed(random_state: RandomState) -> int:
    """A whole number that stands for all draws of one fit."""
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
