"""The parameters of additive boosting: checked by the estimators, handed on to the learners."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.base.columns import resolve_asked_numbers, resolve_monotone
from bayfold.base.given_bins import resolve_bins
from bayfold.base.progress import Callback
from bayfold.base.rounds import RoundsEstimator, draw_seed
from bayfold.core.counts import LabelledRows
from bayfold.core.engine import resolve_threads
from bayfold.core.long_arrays import sum_rows
from bayfold.core.schema import Schema, infer_schema
from bayfold.core.schema.text_rule import TextRule
from bayfold.families.boosting.interactions import (
    check_interactions,
    choose_triples,
    find_allowed,
    find_named_triples,
)
from bayfold.families.boosting.rounds.distinct_rows import count_effective_rows
from bayfold.families.boosting.rounds.resolution import (
    RANGE_SHARE,
    ROWS_WITH_COPIES,
    SLOPE_BINS,
    count_fine_bins,
)

HOW_LEFT_OUT = "training rows by the model that left them out, which they told when to stop"
"""How rows are held out, in a summary."""


@dataclass(frozen=True)
class BoostSettings:
    """The parameters of ``BoostedNaiveBayesClassifier``, checked.

    Attributes
    ----------
    interactions : int
        Columns a tree may speak of together, 1 or 2.
    triples : str
        Whether three columns may share a table: "never", "always" or, where it is clearly better, "auto".
    named_triples : list of tuple of int or None
        Which three; None for any.
    allowed : ndarray of bool or None
        Which two columns may share a table; None if all may.
    monotone : mapping of int to str
        The direction of each column that has one.
    n_rounds : int
    learning_rate : float
    early_stopping : bool
    patience : int
    n_models : int or None
        Cross-fitted models; None for a number that suits the number of rows.
    validation_fraction : float
        Left out by each model, where that is less than its share of all folds.
    max_pairs : int or None
    coarse_first : bool
        Whether the first rounds see numeric columns by few bins.
    linear : bool
        Whether some models may begin with a linear one.
    group_weights : object
        As ``class_weight`` of the estimator.
    seed : int
    n_threads : int
    callback : callable or None
    """

    interactions: int = 2
    triples: str = "auto"
    named_triples: list[tuple[int, ...]] | None = None
    allowed: np.ndarray | None = None
    monotone: Mapping[int, str] = field(default_factory=dict)
    n_rounds: int = 2000
    learning_rate: float = 0.1
    early_stopping: bool = True
    patience: int = 30
    n_models: int | None = None
    validation_fraction: float = 0.125
    max_pairs: int | None = None
    coarse_first: bool = True
    linear: bool = True
    group_weights: object = None
    seed: int = 0
    n_threads: int = 1
    callback: Callback | None = None

    def allowed_among(self, columns: np.ndarray) -> np.ndarray:
        """Which two of some columns may share a table, as kernels read it."""
        if self.allowed is None:
            return np.empty((0, 0), np.uint8)
        return np.ascontiguousarray(self.allowed[np.ix_(columns, columns)], np.uint8)

    def may_share(self, first: int, second: int) -> bool:
        """Whether two columns may share a table."""
        return self.allowed is None or bool(self.allowed[first, second])


LEAST_FRACTION = 0.001  # its inverse is the number of folds


class BoostedTables(RoundsEstimator):
    """An estimator that boosts tables of one, two and three columns."""

    interactions: Any
    forbidden_interactions: Any
    monotone: Any
    n_rounds: int
    learning_rate: float
    early_stopping: bool
    patience: int
    n_models: int | None
    validation_fraction: float
    max_pairs: int | None
    max_bins: Any
    linear: bool
    random_state: Any
    schema_: Schema
    n_features_in_: int

    def _check_parameters(self) -> None:
        check_interactions(self.interactions, self.forbidden_interactions)
        errors.check_whole("n_rounds", self.n_rounds, 1)
        errors.check_number("learning_rate", self.learning_rate, 0, 1, above=True)
        errors.check_flag("early_stopping", self.early_stopping)
        errors.check_whole("patience", self.patience, 1)
        errors.check_whole("n_models", self.n_models, 1, words=[None])
        errors.check_number("validation_fraction", self.validation_fraction, LEAST_FRACTION, 0.5)
        errors.check_whole("max_pairs", self.max_pairs, words=[None])
        if not isinstance(self.max_bins, Mapping):
            errors.check_whole("max_bins", self.max_bins, 2, 254, words=["auto"])
        errors.check_flag("linear", self.linear)
        errors.check_callable("callback", self.callback)
        errors.check_flag("progress", self.progress)
        if self.interactions == 1:
            errors.check_unused(self, "max_pairs", "interactions=1")
            errors.check_unused(self, "forbidden_interactions", "interactions=1")
        if self.monotone is not None and choose_triples(self.interactions) == "always":
            raise errors.order_of_three_columns(self.interactions)
        if not self.early_stopping:
            errors.check_unused(self, "patience", "early_stopping=False")
        if self.n_models is not None and self.n_models > round(1 / self.validation_fraction):
            setting = f"n_models={self.n_models}, of which each leaves out a fold of its own"
            errors.check_unused(self, "validation_fraction", setting)

    def _infer_bins(
        self, rows: LabelledRows, nominal: frozenset[int], texts: TextRule | None = None
    ) -> Schema:
        """What the columns are, with as many bins of numbers as there are rows for."""
        names = [column.name for column in rows.table.columns]
        given = resolve_bins(self, names)
        asked = resolve_asked_numbers(self, names)

        def infer(max_bins: int, range_share: float = 0.0) -> Schema:
            return infer_schema(
                rows.table,
                rows.weights,
                nominal,
                max_bins=max_bins,
                texts=texts,
                given=given,
                range_share=range_share,
                asked_numbers=asked,
            )

        if errors.is_whole(self.max_bins):
            return infer(self.max_bins)
        n_rows = float(rows.n_rows) if rows.weights is None else sum_rows(rows.weights)
        max_bins = count_fine_bins(n_rows)
        if max_bins <= SLOPE_BINS:
            return infer(SLOPE_BINS)
        schema = infer(max_bins, RANGE_SHARE)
        if n_rows <= ROWS_WITH_COPIES:
            fewer = count_fine_bins(count_effective_rows(rows, schema))
            if fewer <= SLOPE_BINS:
                return infer(SLOPE_BINS)
            if fewer < max_bins:
                return infer(fewer, RANGE_SHARE)
        return schema

    def _make_settings(
        self, schema: Schema, callback: Callback | None, coarse_first: bool
    ) -> BoostSettings:
        return BoostSettings(
            interactions=1 if self.interactions == 1 else 2,
            triples=choose_triples(self.interactions),
            named_triples=find_named_triples(self.interactions, schema),
            allowed=find_allowed(self.interactions, self.forbidden_interactions, schema),
            monotone=resolve_monotone(self.monotone, schema),
            n_rounds=self.n_rounds,
            learning_rate=self.learning_rate,
            early_stopping=self.early_stopping,
            patience=self.patience,
            n_models=self.n_models,
            validation_fraction=self.validation_fraction,
            max_pairs=self.max_pairs,
            linear=self.linear,
            coarse_first=coarse_first,
            seed=draw_seed(self.random_state),
            n_threads=resolve_threads(self.n_jobs),
            callback=callback,
        )
