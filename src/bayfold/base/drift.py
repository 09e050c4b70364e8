"""Rows compared with those a model was fitted on: counted under its schema, whole or a chunk at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayfold.base.sources.fit import with_one_thread
from bayfold.base.sources.follow import follow_pass
from bayfold.base.sources.predict import find_features
from bayfold.base.sources.reading import check_name
from bayfold.core.counts import JointCounts
from bayfold.core.engine import open_rows, resolve_threads
from bayfold.core.engine.engine import map_in_order
from bayfold.core.evidence import Records
from bayfold.core.evidence.drift import DRIFT_BINS, DriftCounts, compare_counts
from bayfold.core.frames import Table
from bayfold.core.frames.sources import Chunk
from bayfold.core.frames.sources.chunk import cut_chunks, partition_rows
from bayfold.core.schema import Coder
from bayfold.errors import check_fraction, source_without_rows

ROWS_COMPARED_AT_ONCE = 1 << 16
"""Rows whose codes are held at once; a round number."""


@dataclass(frozen=True, eq=False)
class KnownScores:
    """Scores of the rows that others are compared with, and their weights."""

    values: np.ndarray
    weights: np.ndarray


class DriftCounter:
    """Counts codes and scores of tables.

    Parameters
    ----------
    estimator : estimator
    edges : ndarray or None
        Of the bins of scores; None where these are not counted.
    """

    def __init__(self, estimator: Any, edges: np.ndarray | None) -> None:
        self._estimator = with_one_thread(estimator)
        self._coder = Coder(estimator.schema_)
        self._edges = edges

    def count(self, table: Table) -> DriftCounts:
        """The counts of a table."""
        coded = self._coder.open(table, warn_unseen=False)
        columns = self._coder.schema.columns
        tables = [np.zeros(column.n_codes) for column in columns]
        for start in range(0, table.n_rows, ROWS_COMPARED_AT_ONCE):
            block = coded.block(start, min(start + ROWS_COMPARED_AT_ONCE, table.n_rows))
            for j, codes in enumerate(block.columns()):
                tables[j] += np.bincount(codes, minlength=len(tables[j]))
        scores: np.ndarray = np.zeros(0)
        if self._edges is not None:
            found = np.searchsorted(self._edges, self._estimator._score_rows(table), side="right")
            scores = np.bincount(found, minlength=len(self._edges) + 1).astype(np.float64)
        return DriftCounts(tuple(tables), scores, table.n_rows)


@dataclass(frozen=True, eq=False)
class DriftReference:
    """What other rows are compared with: the training rows of a model, or rows that were given in their place."""

    estimator: Any
    counts: DriftCounts
    edges: np.ndarray | None

    @classmethod
    def of_training(cls, estimator: Any, counts: JointCounts) -> DriftReference:
        """The training rows; scores where the model has rows to score."""
        tables = tuple(table.sum(axis=1) for table in counts.tables)
        known: KnownScores | None = estimator._known_scores()
        edges = None if known is None else _cut_scores(known)
        scores: np.ndarray = np.zeros(0)
        if known is not None and edges is not None:
            place = np.searchsorted(edges, known.values, side="right")
            scores = np.bincount(place, known.weights, len(edges) + 1)
        return cls(estimator, DriftCounts(tables, scores), edges)

    @classmethod
    def of_rows(cls, estimator: Any, table: Table) -> DriftReference:
        """Rows in the place of the training rows."""
        values = estimator._score_rows(table)
        edges = _cut_scores(KnownScores(values, np.ones(len(values))))
        return cls(estimator, DriftCounter(estimator, edges).count(table), edges)

    def compare_table(self, table: Table, level: float) -> Records:
        """What a table has that the reference has not."""
        return self._compare(DriftCounter(self.estimator, self.edges).count(table), level)

    def compare_source(self, source: Any, level: float, progress: bool) -> Records:
        """The same of a source, in one pass."""
        check_fraction("level", level)
        opened = open_rows(source)
        features = find_features(self.estimator)
        for name in features:
            check_name("source", name, dict.fromkeys(opened.names))
        counter = DriftCounter(self.estimator, self.edges)
        size = partition_rows(len(features), opened.text_bytes(features))
        chunks = cut_chunks(opened.chunks(features), size)

        def count_chunk(chunk: Chunk) -> DriftCounts:
            return counter.count(chunk.table(features))

        total = DriftCounts.zero()
        with follow_pass(opened, "comparing", progress, None) as advance:
            n_threads = resolve_threads(self.estimator.n_jobs)
            for n_rows, n_bytes, counted in map_in_order(count_chunk, chunks, n_threads):
                total = total + counted
                advance(n_rows, n_bytes)
        opened.check_unchanged()
        if not total.n_rows:
            raise source_without_rows()
        return self._compare(total, level)

    def _compare(self, after: DriftCounts, level: float) -> Records:
        check_fraction("level", level)
        columns: Sequence[Any] = self.estimator.schema_.columns[: len(self.counts.tables)]
        return compare_counts(columns, self.counts, after, self.edges, level)


def _cut_scores(known: KnownScores) -> np.ndarray:
    """Edges between bins of equally many rows; a score that many rows have is in one bin."""
    values, place = np.unique(known.values, return_inverse=True)
    share = np.cumsum(np.bincount(place, known.weights)) / known.weights.sum()
    cuts = np.searchsorted(share, np.arange(1, DRIFT_BINS) / DRIFT_BINS - 1e-12)
    cuts = np.unique(cuts[cuts < len(values) - 1])
    return values[cuts] / 2 + values[cuts + 1] / 2
