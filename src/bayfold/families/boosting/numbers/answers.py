"""What tables of a number can be asked, and such tables as a model of their own."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bayfold import errors
from bayfold.base.editing import EditableTables
from bayfold.base.inputs import read_numbers, read_numeric_target, read_weights
from bayfold.base.options import Statistic, TableLike, VectorLike
from bayfold.base.per_row import PerRow, read_exposure
from bayfold.base.regressor import TableRegressor
from bayfold.core import evidence
from bayfold.core.counts import JointCounts
from bayfold.core.engine import resolve_threads
from bayfold.core.schema import Schema
from bayfold.core.scoring import Distribution, NaiveBayesModel
from bayfold.core.scoring.edits import Edit
from bayfold.core.scoring.located import LEAST_LEVEL
from bayfold.core.scoring.monotone import MonotoneRule
from bayfold.core.scoring.quality import HeldOutScore
from bayfold.export.plain import PlainModel, PlainScale, make_plain_located, make_plain_rate
from bayfold.families.boosting.numbers.evidence import (
    describe_number,
    explain_number,
    share_locations,
)
from bayfold.families.boosting.numbers.model import NumberPredictor, ShiftReader
from bayfold.families.boosting.rates.evidence import describe_rate, explain_rate, list_ratings
from bayfold.families.boosting.rates.model import FactorReader, RatePredictor
from bayfold.families.boosting.rates.rows import RateRows

if TYPE_CHECKING:
    from onnx import ModelProto

    from bayfold.families.boosting.regressor import BoostedNaiveBayesRegressor


class NumberAnswers(TableRegressor):
    """A regressor of tables of location and spread, or of the log of a rate."""

    @abstractmethod
    def _fitted(self) -> NumberPredictor | RatePredictor:
        """What predicts; raises if the model is not fitted."""

    @abstractmethod
    def _counts(self) -> JointCounts:
        """Of the training rows."""

    def predict(self, X: TableLike, exposure: VectorLike | None = None) -> np.ndarray:
        """The mean of each row's distribution, or its median if ``statistic="median"``.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            The columns of the training table, in the same order.
        exposure : array-like of shape (n_rows,), optional
            Of counts and amounts, how much of the unit each row is observed: 1, so that the answer is a rate, if it is
            not given.

        Returns
        -------
        y : ndarray of shape (n_rows,)
        """
        if exposure is None:
            return super().predict(X)
        found = self.predict_distribution(X, exposure)
        return found.mean() if self.statistic == "mean" else found.median()

    def predict_quantiles(
        self,
        X: TableLike,
        quantiles: float | VectorLike = (0.1, 0.5, 0.9),
        exposure: VectorLike | None = None,
    ) -> np.ndarray:
        """Quantiles of each row's distribution.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        quantiles : float or array-like of shape (k,)
            Probabilities.
        exposure : array-like of shape (n_rows,), optional
            As in ``predict``.

        Returns
        -------
        y : ndarray of shape (n_rows, k), or (n_rows,) for a single number
        """
        if exposure is None:
            return super().predict_quantiles(X, quantiles)
        return self.predict_distribution(X, exposure).ppf(quantiles)

    def predict_interval(
        self, X: TableLike, coverage: float = 0.9, exposure: VectorLike | None = None
    ) -> np.ndarray:
        """The central interval that holds the target with the given probability.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        coverage : float, default=0.9
        exposure : array-like of shape (n_rows,), optional
            As in ``predict``.

        Returns
        -------
        bounds : ndarray of shape (n_rows, 2)
            Lower and upper bound.
        """
        if exposure is None:
            return super().predict_interval(X, coverage)
        return self.predict_distribution(X, exposure).interval(coverage)

    def predict_distribution(
        self, X: TableLike, exposure: VectorLike | None = None
    ) -> Distribution:
        """The whole distribution of each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        exposure : array-like of shape (n_rows,), optional
            As in ``predict``.

        Returns
        -------
        distribution : Distribution
            With ``pdf``, ``cdf``, ``ppf``, ``mean``, ``var``, ``interval``, ``sample``, ``log_score`` and ``crps``.
        """
        if exposure is None:
            return super().predict_distribution(X)
        predictor = self._fitted()
        if not isinstance(predictor, RatePredictor):
            raise errors.needs_rate("exposure")
        table = self._read(X)
        read = read_exposure(exposure, table.n_rows)
        return predictor.distribution(table, resolve_threads(self.n_jobs), read)

    def score(
        self,
        X: TableLike,
        y: VectorLike,
        sample_weight: VectorLike | None = None,
        exposure: VectorLike | None = None,
    ) -> float:
        """The share of the variance that is explained (R2); of counts and amounts the share of the deviance (D2).

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), optional
        exposure : array-like of shape (n_rows,), optional
            As in ``predict``.

        Returns
        -------
        score : float
            1 if all is explained, 0 if nothing is.
        """
        predictor = self._fitted()
        if exposure is None and not isinstance(predictor, RatePredictor):
            return super().score(X, y, sample_weight)
        if not isinstance(predictor, RatePredictor):
            raise errors.needs_rate("exposure")
        power = predictor.power
        rows = read_numbers(self, X, y, PerRow(sample_weight, exposure=exposure))
        assert rows.target is not None
        ones = np.ones(rows.n_rows)
        truth = RateRows(rows.target, rows.extras.get("exposure", ones), ones, power)
        weights = rows.find_weights()
        found = predictor.means(rows.table, resolve_threads(self.n_jobs))
        none = truth.find_base(weights) * ones
        return 1.0 - truth.find_deviance(found, weights) / truth.find_deviance(none, weights)

    def to_rating_table(self) -> evidence.Records:
        """The base rate, and the factors that a row's rate is the product of; only of counts and amounts.

        Returns
        -------
        records : Records
            As ``evidence_``, without bins whose factor is 1; the first is the base rate. Those of the bins of a row,
            one for each column and pair, are multiplied.

        Examples
        --------
        >>> import numpy as np
        >>> from bayfold import BoostedNaiveBayesRegressor
        >>> rng = np.random.default_rng(0)
        >>> X = rng.integers(0, 2, (500, 1))
        >>> y = rng.poisson(1.0 + X[:, 0])
        >>> BoostedNaiveBayesRegressor(loss="poisson").fit(X, y).to_rating_table()["factor"].round(1)
        array([1.5, 0.7, 1.4])
        """
        predictor = self._fitted()
        if not isinstance(predictor, RatePredictor):
            raise errors.no_rating_table()
        return list_ratings(predictor, self._counts())

    def _training_counts(self) -> JointCounts:
        return self._counts()

    def explain(self, X: TableLike) -> evidence.Records:
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
            scale of the model. Of counts and amounts there is ``factor`` instead: the first is the base rate, and their
            product the rate of the row.

        Notes
        -----
        All entries grow together from nothing to what they are. The mean moves at the rate of the sum of their parts
        in it, so the integral of each part is its share, whatever the order of the columns.
        """
        predictor = self._fitted()
        if isinstance(predictor, RatePredictor):
            return explain_rate(predictor, self._counts(), self._read(X))
        return explain_number(predictor, self._counts(), self._read(X))

    @property
    def evidence_(self) -> evidence.Records:
        """What every bin of every column, and of every pair, does to the mean of a row if nothing else is known.

        Of counts and amounts the ``factor`` that the rate is multiplied by, the exposure of the training rows, and
        ``low`` and ``high``, 95 % bounds of the factor by what the rows of the bin alone say, as if offsets were 0.
        """
        predictor = self._fitted()
        if isinstance(predictor, RatePredictor):
            return describe_rate(predictor, self._counts())
        return describe_number(predictor, self._counts())

    def _find_facts(self) -> evidence.TrainingFacts:
        found = share_locations(self._fitted(), self._counts())
        return replace(evidence.describe_training(self._counts()), importances=found)

    def _say_more(self) -> dict[str, Any]:
        return dict(evidence.count_joined(self._fitted().model))

    def _find_monotone(self) -> MonotoneRule | None:
        return self._fitted().model.monotone

    def _describe_columns(self) -> dict[str, Any]:
        return {"density": evidence.describe_tables(self._fitted().model)}

    def to_sql(
        self,
        dialect: str = "duckdb",
        *,
        table: str | Sequence[str] = "data",
        keep: Sequence[str] = (),
        quantiles: Sequence[float] = (),
        exposure: str | None = None,
    ) -> str:
        """The rates of counts and amounts as one SELECT; with ``loss="squared"`` refused: use ``to_json``.

        Parameters
        ----------
        dialect : {"duckdb", "sqlite", "postgres"}, default="duckdb"
        table : str or sequence of str, default="data"
            Name of the table, or schema and name. It has the columns of the training table, in any order.
        keep : sequence of str, default=()
            Columns of the table to return before the answers, such as its key: no order of rows is promised.
        quantiles : sequence of float, default=()
            Refused: only means are exported.
        exposure : str, optional
            The column of the table that holds the exposure; without one the answer is the rate.

        Returns
        -------
        sql : str
            It returns ``prediction``.
        """
        from bayfold.export.sql import write_sql

        if not isinstance(self._fitted(), RatePredictor):
            raise errors.cannot_export(type(self).__name__)
        if len(quantiles):
            raise errors.means_of_rates_alone()
        return write_sql(self._exported_model(), dialect, table=table, keep=keep, exposure=exposure)

    def to_onnx(self) -> ModelProto:
        """The rates of counts and amounts in ONNX; with ``loss="squared"`` refused: use ``to_json``.

        Returns
        -------
        model : onnx.ModelProto
            Inputs are named as the columns, of shape (n_rows, 1); the output is ``prediction``.
        """
        if not isinstance(self._fitted(), RatePredictor):
            raise errors.cannot_export(type(self).__name__)
        return super().to_onnx()

    def _plain_model(self) -> PlainModel:
        predictor = self._fitted()
        if isinstance(predictor, RatePredictor):
            if self.statistic != "mean":
                raise errors.means_of_rates_alone()
            return make_plain_rate(predictor.model)
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
            predictor.shape_width,
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
    _predictor: NumberPredictor | RatePredictor
    _held_out: HeldOutScore | None = None
    _target: dict[str, float] | None = None

    def __init__(self, *, statistic: Statistic = "mean", n_jobs: int | None = None) -> None:
        self.statistic = statistic
        self.n_jobs = n_jobs

    @classmethod
    def of(
        cls,
        boosted: BoostedNaiveBayesRegressor,
        predictor: NumberPredictor | RatePredictor,
        counts: JointCounts,
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
        return EditableTables(
            predictor.model, self.counts_, self._reader(), self._with_model, self._balance, None
        )

    def _reader(self) -> ShiftReader | FactorReader:
        predictor = self._fitted()
        if isinstance(predictor, RatePredictor):
            return FactorReader(predictor)
        return ShiftReader(predictor)

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
        return self._reader().balance(scores[known], target[known], weights[known])

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

    def _fitted(self) -> NumberPredictor | RatePredictor:
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
