"""What tables of a number can be asked, and such tables as a model of their own."""

from __future__ import annotations

import copy
from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bayfold import errors
from bayfold.base.editing import EditableTables
from bayfold.base.inputs import read_numeric_target, read_weights
from bayfold.base.options import Statistic, TableLike, VectorLike
from bayfold.base.regressor import TableRegressor
from bayfold.core.counts import JointCounts
from bayfold.core.engine import resolve_threads
from bayfold.core.evidence import Records, TrainingFacts, describe_tables, describe_training
from bayfold.core.schema import Schema
from bayfold.core.scoring import NaiveBayesModel
from bayfold.core.scoring.edits import Edit
from bayfold.core.scoring.located import LEAST_LEVEL
from bayfold.core.scoring.quality import HeldOutScore
from bayfold.export.plain import PlainModel, PlainScale, make_plain_located
from bayfold.families.boosting.numbers.editing import ShiftReader
from bayfold.families.boosting.numbers.evidence import (
    describe_number,
    explain_number,
    share_locations,
)
from bayfold.families.boosting.numbers.model import NumberPredictor

if TYPE_CHECKING:
    from onnx import ModelProto

    from bayfold.families.boosting.regressor import BoostedNaiveBayesRegressor


class NumberAnswers(TableRegressor):
    """A regressor of tables of location and spread."""

    @abstractmethod
    def _fitted(self) -> NumberPredictor:
        """What predicts; raises if the model is not fitted."""

    @abstractmethod
    def _counts(self) -> JointCounts:
        """Of the training rows."""

    def explain(self, X: TableLike) -> Records:
        """What each cell, and each pair of cells, did to the prediction.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)

        Returns
        -------
        records : Records
            Columns row, column, value, bin, shift, location and log_spread. The first record of a row is the prior:
            the mean of a row of which nothing is known. ``shift`` is in the unit of the target and adds up to the mean
            of the row's distribution. ``location`` and ``log_spread`` are the entries of the tables themselves, on the
            scale of the model.

        Notes
        -----
        All entries grow together from nothing to what they are. The mean moves at the rate of the sum of their parts
        in it, so the integral of each part is its share, whatever the order of the columns.
        """
        predictor = self._fitted()
        return explain_number(predictor, self._counts(), self._read(X))

    @property
    def evidence_(self) -> Records:
        """What every bin of every column, and of every pair, does to the mean of a row if nothing else is known."""
        return describe_number(self._fitted(), self._counts())

    def _find_facts(self) -> TrainingFacts:
        found = share_locations(self._fitted(), self._counts())
        return replace(describe_training(self._counts()), importances=found)

    def _say_more(self) -> dict[str, Any]:
        return {"pairs of columns": len(self._fitted().model.pairs)}

    def _describe_columns(self) -> dict[str, Any]:
        return {"density": describe_tables(self._fitted().model)}

    def to_sql(self, *args: object, **kwargs: object) -> str:
        """Not for boosted regressors, whose tables lie on a scale of the target: use ``to_json``."""
        check_is_fitted(self)
        raise errors.cannot_export(type(self).__name__)

    def to_onnx(self) -> ModelProto:
        """Not for boosted regressors, whose tables lie on a scale of the target: use ``to_json``."""
        check_is_fitted(self)
        raise errors.cannot_export(type(self).__name__)

    def _plain_model(self) -> PlainModel:
        predictor = self._fitted()
        values, places = predictor.scale.knots
        reader = predictor.reader
        scale = PlainScale(
            values,
            places,
            predictor.scale.cells[0] if predictor.scale.is_discrete else None,
            predictor.shape.nodes,
            predictor.shape.levels,
            predictor.shape.points,
            predictor.shape.shares,
            LEAST_LEVEL,
            predictor.spreads,
            reader.low,
            reader.per_step,
            reader.table,
        )
        return make_plain_located(predictor.model, scale, self.statistic)


class CollapsedRegressor(NumberAnswers):
    """A boosted model of a number without its rounds: tables of one and two columns.

    It is what ``collapse`` of a boosted regressor returns, and answers as that model does. It keeps nothing of the
    rounds, so it is small, but cannot say how the model came about (``staged_predict``), nor learn.

    Parameters
    ----------
    statistic : {"mean", "median"}, default="mean"
        What ``predict`` returns.
    n_jobs : int, default=None
        Number of threads; all cores by default (one inside a joblib worker). The result does not depend on it.

    Attributes
    ----------
    schema_ : Schema
        What the columns are and how they are coded.
    evidence_ : Records
        The model as a table: what every bin of every column, then of every pair, does to the prediction.
    counts_ : JointCounts
        Of the training rows.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only if the table had column names.

    Examples
    --------
    >>> import numpy as np
    >>> from bayfold import BoostedNaiveBayesRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> model = BoostedNaiveBayesRegressor().fit(X, X[:, 0] * X[:, 1]).collapse()
    >>> model.predict([[1.0, 1.0, 0.0], [1.0, -1.0, 0.0]]).round()
    array([ 1., -1.])
    """

    counts_: JointCounts
    schema_: Schema
    _predictor: NumberPredictor
    _held_out: HeldOutScore | None = None
    _target: dict[str, float] | None = None

    def __init__(self, *, statistic: Statistic = "mean", n_jobs: int | None = None) -> None:
        self.statistic = statistic
        self.n_jobs = n_jobs

    @classmethod
    def of(
        cls, boosted: BoostedNaiveBayesRegressor, predictor: NumberPredictor, counts: JointCounts
    ) -> Self:
        """The estimator of a fitted boosted one's tables."""
        collapsed = cls(statistic=boosted.statistic, n_jobs=boosted.n_jobs)
        collapsed._predictor = predictor
        collapsed.counts_ = counts
        collapsed.schema_ = predictor.model.schema
        collapsed._held_out = boosted._find_held_out()
        collapsed._target = boosted._summarise_target()
        collapsed.n_features_in_ = boosted.n_features_in_
        if hasattr(boosted, "feature_names_in_"):
            collapsed.feature_names_in_ = boosted.feature_names_in_
        return collapsed

    def _tables_to_edit(self) -> EditableTables:
        predictor = self._fitted()
        reader = ShiftReader(predictor)
        return EditableTables(
            predictor.model, self.counts_, reader, self._with_model, self._balance, None
        )

    def _find_edits(self) -> tuple[Edit, ...]:
        return self._predictor.model.edits

    def _with_model(self, model: NaiveBayesModel) -> Self:
        """The same estimator with other tables."""
        changed = copy.copy(self)
        changed._predictor = self._predictor.with_model(model)
        found = share_locations(changed._predictor, self.counts_)
        changed._facts = replace(self._training_facts(), importances=found)
        return changed

    def _balance(self, X: Any, y: Any, sample_weight: Any) -> np.ndarray:
        """The step of the location after which the mean of rows is their mean target."""
        if X is None or y is None:
            raise errors.rows_to_refit()
        table = self._read(X)
        target = read_numeric_target(y, table.n_rows)
        given = read_weights(sample_weight, table.n_rows)
        weights = np.ones(table.n_rows) if given is None else given
        known = ~np.isnan(target) & (weights > 0)
        if not known.any():
            raise errors.target_missing_entirely()
        scores = self._fitted().score(table, n_threads=resolve_threads(self.n_jobs))
        reader = ShiftReader(self._fitted())
        return reader.balance(scores[known], target[known], weights[known])

    def fit(
        self,
        X: TableLike | None = None,
        y: VectorLike | None = None,
        sample_weight: VectorLike | None = None,
    ) -> Self:
        """Refused: fit the boosted model, then collapse it."""
        raise errors.collapsed_cannot_learn()

    @property
    def model_(self) -> NaiveBayesModel:
        """The prior, the terms of the columns and those of pairs; of each the location and the log-spread."""
        return self._fitted().model

    def _fitted(self) -> NumberPredictor:
        check_is_fitted(self)
        return self._predictor

    def _counts(self) -> JointCounts:
        return self.counts_

    def _summarise_target(self) -> dict[str, float] | None:
        return self._target

    def _find_held_out(self) -> HeldOutScore | None:
        return self._held_out

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_predictor")
