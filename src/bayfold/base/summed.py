"""Models derived from statistics that add up: fit, batches and sums. What is not a statistic is derived again."""

from __future__ import annotations

import copy
from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bayfold import errors
from bayfold.base.estimator import TableEstimator
from bayfold.base.given_bins import find_special, resolve_nominal
from bayfold.base.inputs import check_features, check_schema, record_features
from bayfold.base.notices import warn_about_columns, warn_about_near_copies, warn_about_words
from bayfold.base.options import TableLike, VectorLike
from bayfold.base.per_row import PerRow
from bayfold.base.sources.fit import SourceFit, SourceLearner, unfitted_with_one_thread
from bayfold.base.stream import Stream
from bayfold.core.counts import JointCounts, LabelledRows, Statistics
from bayfold.core.counts.sample_limits import SampleLimits
from bayfold.core.evidence import TrainingFacts, describe_training
from bayfold.core.evidence.training import count_copies_once, name_kind
from bayfold.core.frames import Table
from bayfold.core.schema import Schema
from bayfold.core.scoring.edits import Edit

FREE_PARAMETERS = frozenset(
    {
        "schema",
        "n_jobs",
        "categorical_features",
        "numeric_features",
        "text_features",
        "ngrams",
        "bins",
        "special_codes",
        "random_state",
    }
)
"""Settled by the schema, or without effect on what is derived from statistics."""


class SummedEstimator(SourceLearner, TableEstimator):
    """A model derived from statistics that add up over rows: ``first + second`` is the model of the rows of both.

    A subclass reads rows, learns their statistics under a schema, and derives from these what predicts.
    """

    schema: Schema | None
    categorical_features: Any
    statistics_: Any
    _no_statistics: ClassVar[Statistics] = Statistics.zero()
    _predictor: Any
    _stream: Stream

    @abstractmethod
    def _read_rows(self, X: Any, y: Any, given: PerRow) -> LabelledRows:
        """What was given to ``fit``, checked."""

    @abstractmethod
    def _infer_schema(self, rows: LabelledRows) -> Schema:
        """The schema to code the rows with."""

    @abstractmethod
    def _learn(self, rows: LabelledRows, schema: Schema, limits: SampleLimits | None = None) -> Any:
        """Statistics of the rows."""

    @abstractmethod
    def _derive(self, statistics: Any) -> Any:
        """Everything that depends on a parameter, ready to predict."""

    def _complete(self, predictor: Any, rows: LabelledRows) -> Any:
        """The predictor with what only all rows at once can teach it."""
        return predictor

    def fit(
        self,
        X: TableLike,
        y: VectorLike,
        sample_weight: VectorLike | None = None,
        groups: VectorLike | None = None,
        time: VectorLike | None = None,
    ) -> Self:
        """Learn from a table and the target of each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            NumPy, pandas, polars, pyarrow, a DuckDB relation, or anything with ``__arrow_c_stream__``.
        y : array-like of shape (n_rows,)
            Classes (strings, booleans or whole numbers), or the numbers a regressor is to predict. Rows where it is
            missing are left out with a warning, unless a parameter of the model has a use for them.
        sample_weight : array-like of shape (n_rows,), optional
            Frequencies: weight 2 is the row twice, weight 0 the row absent.
        groups : array-like of shape (n_rows,), optional
            What rows belong to that depend on each other, such as a patient, a customer or a day: rows of one group are
            held out together, wherever rows are held out. By default equal rows are.
        time : array-like of shape (n_rows,), optional
            Dates or numbers. Rows that are held out are then later than those that are learnt from.

        Returns
        -------
        self
        """
        rows = self._read_rows(X, y, PerRow(sample_weight, groups, time))
        warn_about_near_copies(rows)
        return self._fit_rows(rows)

    def _fit_rows(self, rows: LabelledRows) -> Self:
        """Learn from rows that have been checked."""
        statistics = self._learn(rows, self._schema_for(rows))
        predictor = self._complete(self._derive(statistics), rows)
        self._keep(statistics, predictor, rows.table)
        return self

    def _keep(self, statistics: Statistics, predictor: Any, table: Table) -> None:
        """Become the model of all rows: the last step, so that what refuses a parameter leaves the model as it was."""
        if edits := self._find_edits():
            errors.warn(errors.edits_dropped(len(edits)))
        counts = statistics.counts
        warn_about_columns(counts, count_copies_once(counts, statistics.sample.even))
        warn_about_words(counts, statistics.words.tables)
        record_features(self, table)
        self._set_statistics(statistics, predictor, Stream(is_fixed=True))

    def _fit_passes(self, fit: SourceFit) -> None:
        """Look, unless there is a schema, and count, unless the first look has seen all rows."""
        survey = None
        if self.schema is not None:
            schema = self._schema_for(LabelledRows.in_one_group(fit.roles.header()))
        else:
            names = list(fit.roles.features)
            survey = fit.look(resolve_nominal(self, names), find_special(self, names))
            rows = survey.to_rows()
            self._check_groups(rows.groups)
            if survey.sample.is_whole:
                self._fit_rows(rows)
                return
            schema = self._schema_for(rows)
        learn = unfitted_with_one_thread(self)._learn
        statistics = fit.count(learn, schema, self._no_statistics, survey)
        self._check_groups(statistics.groups)
        self._keep(statistics, self._derive(statistics), fit.roles.header())

    def _check_source(self) -> None:
        self._check_batches()

    def _check_groups(self, groups: np.ndarray) -> None:
        """Refuse groups that nothing can be learnt from."""

    def _schema_for(self, rows: LabelledRows) -> Schema:
        """The schema that was given, or one inferred from the rows."""
        if self.schema is None:
            return self._infer_schema(rows)
        check_schema(self, rows.table)
        return self.schema

    def _stream_so_far(self) -> Stream:
        """The batches before this one."""
        if self._find_edits():
            raise errors.edits_do_not_add()
        if hasattr(self, "statistics_"):
            return self._stream
        self._check_statistics()
        return Stream(is_fixed=self.schema is not None)

    def _add_batch(self, stream: Stream, rows: LabelledRows) -> Self:
        """Learn from one more batch of a stream."""
        started = hasattr(self, "statistics_")
        if started:
            check_features(self, rows.table)
        before = self.statistics_ if started else self._no_statistics
        stream, statistics = stream.advance(rows, before, self._schema_for, self._learn)
        if not started:
            record_features(self, rows.table)
        # derived when first asked for: batches may be small and many
        self._set_statistics(statistics, None, stream)
        return self

    def _set_statistics(self, statistics: Statistics, predictor: Any, stream: Stream) -> None:
        assert statistics.schema is not None
        self.statistics_ = statistics
        self.schema_ = statistics.schema
        self._predictor = predictor
        self._stream = stream
        self._facts = None

    def _find_importances(self, counts: JointCounts) -> np.ndarray | None:
        """How much each column matters, from the counts of the training rows."""
        return None

    def _find_facts(self) -> TrainingFacts:
        if not hasattr(self, "statistics_"):
            kinds = tuple(map(name_kind, self.schema_.columns))
            return replace(super()._find_facts(), kinds=kinds)
        statistics = self.statistics_
        facts = describe_training(statistics.counts, statistics.sample.even)
        return replace(facts, importances=self._find_importances(statistics.counts))

    def _find_edits(self) -> tuple[Edit, ...]:
        model = getattr(getattr(self, "_predictor", None), "model", None)
        return getattr(model, "edits", ())

    def _training_counts(self) -> JointCounts:
        """Counts of the training rows."""
        if not hasattr(self, "statistics_"):
            raise errors.cannot_compare(type(self).__name__)
        return self.statistics_.counts

    def _make_ready(self) -> None:
        if hasattr(self, "statistics_"):
            self._fitted()
        super()._make_ready()

    def _fitted(self) -> Any:
        """What predicts; raises if the model is not fitted."""
        check_is_fitted(self)
        if self._predictor is None:
            self._predictor = self._derive(self.statistics_)
        return self._predictor

    # sums

    def _check_batches(self) -> None:
        """Raise if the parameters need all rows at once."""

    def __add__(self, other: Any) -> Self:
        """The model of the rows of both."""
        if isinstance(other, int) and other == 0:  # where sum() starts
            return copy.copy(self)  # a sum can be continued without touching its only summand
        if type(other) is not type(self):
            return NotImplemented
        for model in (self, other):
            check_is_fitted(model)
            model._check_statistics()
            if model._find_edits():
                raise errors.edits_do_not_add()
        self._check_same_parameters(other)
        self._check_batches()
        total = copy.copy(self)
        statistics = self.statistics_ + other.statistics_
        total._set_statistics(statistics, total._derive(statistics), Stream(is_fixed=True))
        said = [*getattr(self, "fit_warnings_", ()), *getattr(other, "fit_warnings_", ())]
        total.fit_warnings_ = tuple(dict.fromkeys(said))
        return total

    __radd__ = __add__

    def _check_same_parameters(self, other: Self) -> None:
        mine = self.get_params()
        theirs = other.get_params()
        differing = [
            name
            for name in mine
            if name not in FREE_PARAMETERS and not _equal(mine[name], theirs[name])
        ]
        if differing:
            raise errors.parameters_differ(differing)

    def _check_statistics(self) -> None:
        """Raise if the model was saved without its statistics: it predicts, but cannot go on learning."""
        if self.__sklearn_is_fitted__() and not hasattr(self, "statistics_"):
            raise errors.no_statistics("sums and further batches")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "schema_")


def _equal(a: Any, b: Any) -> bool:
    try:
        return bool(np.all(np.asarray(a == b)))
    except (TypeError, ValueError):
        return False
