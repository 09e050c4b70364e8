"""Classifiers derived from statistics that add up: fit, partial_fit and sums in one place."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bayfold import errors
from bayfold.base.estimator import Readout, TableClassifier
from bayfold.base.inputs import TrainingRows, check_features, read_training, remember_features
from bayfold.base.notices import warn_about_columns
from bayfold.base.stream import Stream
from bayfold.base.sums import Summable
from bayfold.core.counts import Statistics
from bayfold.core.engine import resolve_threads
from bayfold.core.frames import read_vector
from bayfold.core.schema import Schema
from bayfold.core.scoring import Scorer
from bayfold.core.scoring.predictor import Predictor


class FoldedClassifier(Summable, TableClassifier):
    """A classifier derived from statistics that add up over rows.

    A subclass says which schema it wants, how statistics are learnt under it, and what is derived from them.
    """

    schema: Schema | None
    _no_statistics: ClassVar[Statistics] = Statistics.zero()

    @abstractmethod
    def _schema_for(self, rows: TrainingRows) -> Schema:
        """The schema to code the rows with."""

    @abstractmethod
    def _learn(self, rows: TrainingRows, schema: Schema, threshold: int | None = None) -> Any:
        """Statistics of the rows."""

    @abstractmethod
    def _derive(self, statistics: Any) -> Predictor:
        """Everything that depends on a parameter."""

    _predictor: Predictor | None

    def _keeps_unlabelled(self) -> bool:
        """Whether rows without a class, in group -1, are given to ``_learn`` by ``fit``."""
        return False

    # learning

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table and the class of each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            NumPy, pandas, polars, pyarrow, a DuckDB relation, or anything with ``__arrow_c_stream__``.
        y : array-like of shape (n_rows,)
            Strings, booleans or whole numbers; rows where it is missing are left out with a warning.
        sample_weight : array-like of shape (n_rows,), optional
            Frequencies: weight 2 is the row twice, weight 0 the row absent.

        Returns
        -------
        self
        """
        keep = self._keeps_unlabelled()
        rows = read_training(self, X, y, sample_weight, keep_missing=keep)
        if len(rows.groups) < 2:
            raise errors.single_class(rows.groups.tolist()[0], adds_up=True)
        schema = self._schema_for(rows)
        statistics = self._learn(rows, schema)
        predictor = self._derive(statistics)  # may refuse a parameter: nothing is set before it
        warn_about_columns(statistics.counts)
        remember_features(self, rows.table)
        self._stream, self._given_classes = Stream.ended(), None
        self._set_statistics(statistics, predictor)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from some more rows.

        Parameters
        ----------
        X, y, sample_weight
            As in ``fit``; a batch may hold a single class, and new categories and classes are learnt.
        classes : array-like, optional
            All classes there will be, in the first call. Another class is then an error.

        Returns
        -------
        self

        Notes
        -----
        Bin edges are drawn anew from the rows so far whenever these have doubled, until 10,000 rows have come;
        from then on they are fixed. Give ``schema=`` to fix them from the start.
        """
        started = hasattr(self, "statistics_")
        given = getattr(self, "_given_classes", None) if started else None
        if classes is not None:
            given = self._check_classes(np.unique(read_vector(classes)), given)
        rows = read_training(self, X, y, sample_weight, given)
        if started:
            check_features(self, rows.table)
        stream = self._stream if started else Stream.begun(fixed=self.schema is not None)
        before = self.statistics_ if started else self._no_statistics
        stream, statistics = stream.advance(rows, before, self._schema_for, self._learn)
        if not started:
            remember_features(self, rows.table)
        self._stream, self._given_classes = stream, given
        # derived when first asked for: batches may be small and many
        self._set_statistics(statistics, predictor=None)
        return self

    @staticmethod
    def _check_classes(now: np.ndarray, before: np.ndarray | None) -> np.ndarray:
        if before is not None and now.tolist() != before.tolist():
            raise errors.classes_changed(now.tolist(), before.tolist())
        return now

    def _set_statistics(self, statistics: Statistics, predictor: Predictor | None) -> None:
        assert statistics.schema is not None
        self.statistics_ = statistics
        self.schema_ = statistics.schema
        self.classes_ = statistics.groups
        self.class_count_ = statistics.counts.totals
        self._predictor = predictor

    def _take_sum(self, statistics: Any) -> None:
        self._stream, self._given_classes = Stream.ended(), None
        self._set_statistics(statistics, self._derive(statistics))

    def _fitted(self) -> Predictor:
        check_is_fitted(self)
        if self._predictor is None:
            self._predictor = self._derive(self.statistics_)
        return self._predictor

    def _log_prior(self) -> np.ndarray:
        return self._fitted().model.log_prior

    def _score(
        self, X: Any, readout: Readout | None = None, scorer: Scorer | None = None
    ) -> np.ndarray:
        predictor = self._fitted()
        n_threads = resolve_threads(self.n_jobs)
        return predictor.score(self._read(X), scorer=scorer, readout=readout, n_threads=n_threads)
