"""What all regressors share: point predictions, quantiles, intervals and whole distributions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from sklearn.base import RegressorMixin

from bayfold import errors
from bayfold.base.inputs import read_numeric_target
from bayfold.base.options import Statistic, TableLike, VectorLike
from bayfold.base.predicting import BasePredictor
from bayfold.base.sources.predict import Answers
from bayfold.core.engine import block_rows, map_in_threads, resolve_threads
from bayfold.core.evidence import Records
from bayfold.core.frames import Table, find_numbers, read_vector
from bayfold.core.scoring import Distribution

STATISTICS = ("mean", "median")
ANSWER_ROWS = 4096
"""Rows whose distributions are held at once while an answer is read off them."""


class TargetPredictor(Protocol):
    """A model of a numeric target, ready for tables."""

    def means(self, table: Table, n_threads: int) -> np.ndarray:
        """Mean of each row's distribution; often faster than through whole distributions."""

    def distribution(self, table: Table, n_threads: int) -> Distribution:
        """The distribution of each row."""


class TableRegressor(RegressorMixin, BasePredictor):
    """A regressor whose answers are all read off one predictive distribution per row.

    A subclass supplies what predicts, and has a parameter ``statistic``.
    """

    statistic: Statistic

    @abstractmethod
    def _fitted(self) -> TargetPredictor:
        """What predicts; raises if the model is not fitted."""

    def _medians(self, table: Table) -> np.ndarray:
        """The median of each row. A subclass may have its own."""
        return self._read_off(table, lambda distribution: distribution.median())

    def predict(self, X: TableLike) -> np.ndarray:
        """The mean of each row's distribution, or its median if ``statistic="median"``.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            The columns of the training table, in the same order.

        Returns
        -------
        y : ndarray of shape (n_rows,)
        """
        predictor = self._fitted()
        check_statistic(self.statistic)
        table = self._read(X)
        if self.statistic == "mean":
            return predictor.means(table, resolve_threads(self.n_jobs))
        return self._medians(table)

    def _score_rows(self, table: Table) -> np.ndarray:
        return self.predict(table)

    def _answers(self, table: Table) -> Answers:
        return {"prediction": self.predict(table)}

    def predict_quantiles(
        self, X: TableLike, quantiles: float | VectorLike = (0.1, 0.5, 0.9)
    ) -> np.ndarray:
        """Quantiles of each row's distribution.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        quantiles : float or array-like of shape (k,)
            Probabilities.

        Returns
        -------
        y : ndarray of shape (n_rows, k), or (n_rows,) for a single number
        """
        self._fitted()
        q = errors.as_numbers("quantiles", "a probability or a list of probabilities", quantiles)
        if q.ndim > 1 or not ((q >= 0) & (q <= 1)).all():
            raise errors.bad_quantiles(quantiles)
        return self._read_off(self._read(X), lambda distribution: distribution.ppf(q))

    def predict_interval(self, X: TableLike, coverage: float = 0.9) -> np.ndarray:
        """The central interval that holds the target with the given probability.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        coverage : float, default=0.9

        Returns
        -------
        bounds : ndarray of shape (n_rows, 2)
            Lower and upper bound.

        Notes
        -----
        A conformal prediction from training rows that were held out anyway; see "Dependent rows and guarantees" in the
        documentation for what is guaranteed.
        """
        self._fitted()
        errors.check_fraction("coverage", coverage)
        return self._read_off(self._read(X), lambda distribution: distribution.interval(coverage))

    def predict_distribution(self, X: TableLike) -> Distribution:
        """The whole distribution of each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)

        Returns
        -------
        distribution : Distribution
            With ``pdf``, ``cdf``, ``ppf``, ``mean``, ``var``, ``interval``, ``sample``, ``log_score`` and ``crps``.
        """
        return self._fitted().distribution(self._read(X), resolve_threads(self.n_jobs))

    def measure_coverage(
        self, X: TableLike, y: VectorLike, levels: VectorLike = (0.5, 0.8, 0.9, 0.95)
    ) -> Records:
        """How often central intervals hold the truth, on rows the model has not seen.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
            The truth; rows where it is missing are left out.
        levels : array-like of float
            What the intervals should cover.

        Returns
        -------
        records : Records
            Columns level, coverage (the share of rows within), and width (mean width of the intervals).
        """
        self._fitted()
        table = self._read(X)
        truth = read_numeric_target(y, table.n_rows)
        known = ~np.isnan(truth)
        wanted = np.atleast_1d(np.asarray(levels, np.float64))
        for level in wanted.tolist():
            errors.check_fraction("coverage", level)
        bounds = np.concatenate([(1 - wanted) / 2, (1 + wanted) / 2])
        found = self._read_off(table, lambda distribution: distribution.ppf(bounds))[known]
        lower = found[:, : len(wanted)]
        upper = found[:, len(wanted) :]
        inside = (lower <= truth[known, None]) & (truth[known, None] <= upper)
        width = (upper - lower).mean(axis=0)
        return Records({"level": wanted, "coverage": inside.mean(axis=0), "width": width})

    def score(self, X: TableLike, y: VectorLike, sample_weight: VectorLike | None = None) -> float:
        """The share of the target's variance that predictions explain (R squared), as scikit-learn's regressors give.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
            The truth, also where it is written as money or with a unit.
        sample_weight : array-like of shape (n_rows,), optional

        Returns
        -------
        score : float
        """
        return super().score(X, find_numbers(read_vector(y)), sample_weight)

    def to_sql(
        self,
        dialect: str = "duckdb",
        *,
        table: str | Sequence[str] = "data",
        keep: Sequence[str] = (),
        quantiles: Sequence[float] = (),
    ) -> str:
        """The model as one SELECT that predicts for a table in a database.

        Parameters
        ----------
        dialect : {"duckdb", "sqlite", "postgres"}, default="duckdb"
        table : str or sequence of str, default="data"
            Name of the table, or schema and name. It has the columns of the training table, in any order.
        keep : sequence of str, default=()
            Columns of the table to return before the answers, such as its key: no order of rows is promised.
        quantiles : sequence of float, default=()
            Quantiles to return as well, between 0 and 1.

        Returns
        -------
        sql : str
            It returns ``prediction`` and one ``quantile_`` for each quantile.
        """
        from bayfold.export.sql import write_sql

        q = errors.as_numbers("quantiles", "a list of probabilities", quantiles)
        if q.ndim != 1 or not ((q > 0) & (q < 1)).all():
            raise errors.bad_quantiles(quantiles)
        return write_sql(
            self._exported_model(), dialect, table=table, keep=keep, quantiles=q.tolist()
        )

    def _read_off(self, table: Table, answer: Callable[[Distribution], np.ndarray]) -> np.ndarray:
        """What ``answer`` reads off the distributions, some thousand rows at a time."""
        predictor = self._fitted()  # here: every block would derive a model that is not derived yet
        size = min(block_rows(len(table.columns)), ANSWER_ROWS)

        def read_block(start: int) -> np.ndarray:
            rows = np.arange(start, min(start + size, table.n_rows))
            return answer(predictor.distribution(table.take(rows), n_threads=1))

        n_threads = resolve_threads(self.n_jobs)
        return np.concatenate(map_in_threads(read_block, range(0, table.n_rows, size), n_threads))


def check_statistic(statistic: object) -> None:
    """Refuse a summary that does not exist."""
    errors.check_choice("statistic", statistic, STATISTICS)
