"""Regressors derived from statistics that add up: fit, partial_fit and sums in one place."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from bayfold.base.inputs import check_features, remember_features
from bayfold.base.notices import warn_about_columns
from bayfold.base.regression_inputs import RegressionRows, read_regression
from bayfold.base.regressor import TableRegressor
from bayfold.base.stream import Stream
from bayfold.base.sums import Summable
from bayfold.core.counts import Statistics
from bayfold.core.engine import resolve_threads
from bayfold.core.engine.target_statistics import learn_regression_statistics
from bayfold.core.frames import Table
from bayfold.core.schema import Schema
from bayfold.core.scoring import Distribution


def _learns_in_batches(estimator: FoldedRegressor) -> bool:
    estimator._check_batches()  # what it raises is shown as the cause
    return True


class FoldedRegressor(Summable, TableRegressor):
    """A regressor derived from statistics that add up over rows.

    A subclass checks its parameters and derives a predictor from statistics, with ``means`` and ``distribution``.
    """

    _predictor: Any
    _stream: Stream

    @abstractmethod
    def _check_parameters(self) -> None:
        """Refuse parameters that cannot be."""

    @abstractmethod
    def _derive(self, statistics: Statistics) -> Any:
        """Everything that depends on a parameter, ready to predict."""

    def _keeps_numbers(self) -> bool:
        """Whether the sample of rows keeps numbers as they are, beside their codes."""
        return False

    # learning

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table and the target of each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            NumPy, pandas, polars, pyarrow, a DuckDB relation, or anything with ``__arrow_c_stream__``.
        y : array-like of shape (n_rows,)
            Numbers; rows where it is missing are left out with a warning.
        sample_weight : array-like of shape (n_rows,), optional
            Frequencies: weight 2 is the row twice, weight 0 the row absent.

        Returns
        -------
        self
        """
        self._check_parameters()
        rows = read_regression(self, X, y, sample_weight)
        statistics = self._learn(rows, self._schema_for(rows))
        predictor = self._derive(statistics)
        self._finish_fit(rows.table, statistics, predictor)
        return self

    @available_if(_learns_in_batches)
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from some more rows.

        Parameters
        ----------
        X, y, sample_weight
            As in ``fit``.

        Returns
        -------
        self

        Notes
        -----
        Bins and the target's cells are drawn anew from the rows so far whenever these have doubled, until 10,000 rows
        have come; from then on they are fixed. Give ``schema=`` to fix them from the start.
        """
        self._check_parameters()
        started = hasattr(self, "statistics_")
        rows = read_regression(self, X, y, sample_weight)
        if started:
            check_features(self, rows.table)
        stream = self._stream if started else Stream.begun(fixed=self.schema is not None)
        before = self.statistics_ if started else Statistics.zero()
        stream, statistics = stream.advance(rows, before, self._schema_for, self._learn)
        if not started:
            remember_features(self, rows.table)
        # derived when first asked for: batches may be small and many
        self._set_statistics(statistics, None, stream)
        return self

    def _learn(
        self, rows: RegressionRows, schema: Schema, threshold: int | None = None
    ) -> Statistics:
        return learn_regression_statistics(
            rows.table,
            schema,
            rows.target,
            rows.weights,
            self._keeps_numbers(),
            resolve_threads(self.n_jobs),
            threshold,
        )

    def _finish_fit(self, table: Table, statistics: Statistics, predictor: Any) -> None:
        """Keep what ``fit`` learnt: the last step, so that an error loses nothing."""
        warn_about_columns(statistics.counts)
        remember_features(self, table)
        self._set_statistics(statistics, predictor, Stream.ended())

    def _set_statistics(self, statistics: Statistics, predictor: Any, stream: Stream) -> None:
        assert statistics.schema is not None
        self.statistics_ = statistics
        self.schema_ = statistics.schema
        self._predictor = predictor
        self._stream = stream

    def _take_sum(self, statistics: Statistics) -> None:
        self._set_statistics(statistics, self._derive(statistics), Stream.ended())

    # answers

    def _fitted(self) -> Any:
        check_is_fitted(self)
        if self._predictor is None:
            self._predictor = self._derive(self.statistics_)
        return self._predictor

    def _check_fitted(self) -> None:
        check_is_fitted(self)

    def _distribution(self, table: Table) -> Distribution:
        return self._fitted().distribution(table, resolve_threads(self.n_jobs))

    def _means(self, table: Table) -> np.ndarray:
        return self._fitted().means(table, resolve_threads(self.n_jobs))
