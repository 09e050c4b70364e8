"""Classifiers and regressors that are made of statistics: what ``SummedEstimator`` leaves to them."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from bayfold import errors
from bayfold.base.classifier import TableClassifier
from bayfold.base.columns import resolve_asked_numbers, resolve_texts
from bayfold.base.estimator import Readout
from bayfold.base.given_bins import resolve_bins, resolve_nominal
from bayfold.base.inputs import read_classes, read_numbers
from bayfold.base.notices import records_warnings, warn_about_target
from bayfold.base.options import TableLike, VectorLike
from bayfold.base.per_row import PerRow
from bayfold.base.regressor import TableRegressor
from bayfold.base.stream import Stream
from bayfold.base.summed import SummedEstimator
from bayfold.core.counts import JointCounts, LabelledRows, Statistics
from bayfold.core.counts.sample_limits import SampleLimits
from bayfold.core.counts.target_axis import find_target_axis
from bayfold.core.engine import resolve_threads
from bayfold.core.engine.learn import learn_target_statistics
from bayfold.core.evidence import Records, describe_target_bins, share_shifts
from bayfold.core.frames import read_vector
from bayfold.core.schema import Schema, extend_schema, infer_schema, infer_target
from bayfold.core.scoring import Scorer
from bayfold.core.scoring.regression import TargetMoments


class SummedClassifier(SummedEstimator, TableClassifier):
    """A classifier derived from statistics that add up over rows.

    A subclass infers a schema, learns statistics under it, and derives a ``Predictor`` from them.
    """

    def _keeps_unlabelled(self) -> bool:
        """Whether rows without a class, in group -1, are given to ``_learn`` by ``fit``."""
        return False

    def _read_rows(self, X: Any, y: Any, given: PerRow) -> LabelledRows:
        rows = read_classes(self, X, y, given, keep_missing=self._keeps_unlabelled())
        self._check_groups(rows.groups)
        return rows

    def _check_source(self) -> None:
        super()._check_source()
        if self._keeps_unlabelled():
            raise errors.not_from_sources("missing_target", "em", "drop")

    def _check_groups(self, groups: np.ndarray) -> None:
        if len(groups) < 2:
            raise errors.single_class(groups.tolist()[0], adds_up=True)

    def partial_fit(
        self,
        X: TableLike,
        y: VectorLike,
        classes: VectorLike | None = None,
        sample_weight: VectorLike | None = None,
        groups: VectorLike | None = None,
        time: VectorLike | None = None,
    ) -> Self:
        """Learn from some more rows.

        Parameters
        ----------
        X, y, sample_weight, groups, time
            As in ``fit``; a batch may hold a single class, and new categories and classes are learnt.
        classes : array-like, optional
            All classes there will be, in the first call. Another class is then an error.

        Returns
        -------
        self

        Notes
        -----
        Bin edges are drawn anew from the rows so far whenever these have doubled, until 10,000 rows have come;
        from then on they are fixed, but a new value of a column of few values gets a bin like a new category. Give
        ``schema=`` to fix edges from the start.
        """
        given = PerRow(sample_weight, groups, time)
        stream = self._stream_so_far()
        if classes is not None:
            stream = stream.expecting(np.unique(read_vector(classes)))
        rows = read_classes(self, X, y, given, classes=stream.classes)
        return self._add_batch(stream, rows)

    def _set_statistics(self, statistics: Statistics, predictor: Any, stream: Stream) -> None:
        super()._set_statistics(statistics, predictor, stream)
        self.classes_ = statistics.groups
        self.class_count_ = statistics.counts.totals

    def _log_prior(self) -> np.ndarray:
        return self._fitted().model.log_prior

    def _score(
        self, X: Any, readout: Readout | None = None, scorer: Scorer | None = None
    ) -> np.ndarray:
        predictor = self._fitted()
        n_threads = resolve_threads(self.n_jobs)
        return predictor.score(self._read(X), scorer=scorer, readout=readout, n_threads=n_threads)


WIDTH_BINS = 128
"""Tails need bins too: a kernel is as wide there as elsewhere."""


def _learns_in_batches(estimator: SummedRegressor) -> bool:
    estimator._check_batches()  # what it raises is shown as the cause
    return True


class SummedRegressor(SummedEstimator, TableRegressor):
    """A regressor derived from statistics that add up over rows.

    A subclass checks its parameters and derives a predictor from statistics, with ``means`` and ``distribution``.
    """

    _target_is_numeric = True

    @abstractmethod
    def _check_parameters(self) -> None:
        """Refuse parameters that cannot be."""

    def _keeps_numbers(self) -> bool:
        """Whether the sample of rows keeps numbers as they are, beside their codes."""
        return False

    def _reads_words(self) -> bool:
        """Whether columns may be text."""
        return False

    def _keeps_unlabelled(self) -> bool:
        """Whether ``_complete`` is given rows without a target too."""
        return False

    def _read_rows(self, X: Any, y: Any, given: PerRow) -> LabelledRows:
        self._check_parameters()
        return read_numbers(self, X, y, given, keep_missing=self._keeps_unlabelled())

    def _check_source(self) -> None:
        self._check_parameters()
        super()._check_source()

    @available_if(_learns_in_batches)
    @records_warnings
    def partial_fit(
        self,
        X: TableLike,
        y: VectorLike,
        sample_weight: VectorLike | None = None,
        groups: VectorLike | None = None,
        time: VectorLike | None = None,
    ) -> Self:
        """Learn from some more rows.

        Parameters
        ----------
        X, y, sample_weight, groups, time
            As in ``fit``.

        Returns
        -------
        self

        Notes
        -----
        Bins and the target's cells are drawn anew from the rows so far whenever these have doubled, until 10,000 rows
        have come; from then on they are fixed, but a new value of a column of few values gets a bin like a new
        category. Give ``schema=`` to fix edges from the start.
        """
        given = PerRow(sample_weight, groups, time)
        return self._add_batch(self._stream_so_far(), self._read_rows(X, y, given))

    def _schema_for(self, rows: LabelledRows) -> Schema:
        schema = super()._schema_for(rows)
        if schema.target is None:
            raise errors.schema_without_target(schema)
        return schema

    def _infer_schema(self, rows: LabelledRows) -> Schema:
        rows = rows.labelled()
        names = [column.name for column in rows.table.columns]
        nominal = resolve_nominal(self, names)
        given = resolve_bins(self, names) if hasattr(self, "bins") else None
        widths = dict.fromkeys(range(len(names)), WIDTH_BINS)
        texts = resolve_texts(self, names) if self._reads_words() else None
        schema = infer_schema(
            rows.table,
            rows.weights,
            nominal,
            widths,
            texts=texts,
            given=given,
            asked_numbers=resolve_asked_numbers(self, names),
        )
        assert rows.target is not None
        whole = None if rows.table.whole is None else rows.table.whole.target
        target = infer_target(rows.target, rows.weights, whole)
        warn_about_target(rows.target)
        return replace(schema, target=target)

    def _learn(
        self, rows: LabelledRows, schema: Schema, limits: SampleLimits | None = None
    ) -> Statistics:
        labelled = rows.labelled()
        if labelled is not rows:
            schema = extend_schema(schema, rows.table)
        return learn_target_statistics(
            labelled,
            schema,
            keep_numbers=self._keeps_numbers(),
            n_threads=resolve_threads(self.n_jobs),
            limits=limits,
        )

    # what was learnt

    @abstractmethod
    def _target_groups(self) -> TargetMoments:
        """Mean and variance of the target within each group of the model."""

    def _find_importances(self, counts: JointCounts) -> np.ndarray:
        return share_shifts(self._fitted().model, counts, self._target_groups().means)

    @property
    def evidence_(self) -> Records:
        """What every bin of every column alone does to the prediction, with bounds and counts."""
        model = self._fitted().model
        if not hasattr(self, "statistics_"):
            raise errors.no_statistics("a table of its evidence")
        return describe_target_bins(model, self.statistics_.counts, self._target_groups())

    def _summarise_target(self) -> dict[str, float] | None:
        if not hasattr(self, "statistics_"):
            return {}
        axis = find_target_axis(self.statistics_.counts)
        return summarise_numbers(axis.values, axis.weights)


def summarise_numbers(values: np.ndarray, weights: np.ndarray) -> dict[str, float]:
    """Mean, standard deviation, quartiles and range of sorted numbers.

    >>> summarise_numbers(np.array([1.0, 2.0, 3.0]), np.ones(3))["median"]
    2.0
    """
    share = weights / weights.sum()
    mean = float(share @ values)
    middle = np.cumsum(share) - share / 2
    quartiles = np.interp((0.25, 0.5, 0.75), middle, values).tolist()
    names = ("mean", "sd", "min", "25%", "median", "75%", "max")
    unit = float(np.abs(values).max()) or 1.0  # squares of large targets are too large
    sd = unit * float(np.sqrt(share @ (values / unit - mean / unit) ** 2))
    found = (mean, sd, float(values[0]), *quartiles, float(values[-1]))
    return dict(zip(names, found, strict=True))
