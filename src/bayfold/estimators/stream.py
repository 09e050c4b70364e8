"""The first batches of a stream, kept until there are enough rows to draw bin edges from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from bayfold.counts import Statistics
from bayfold.counts.groups import unite_groups
from bayfold.estimators.inputs import TrainingRows
from bayfold.frames import concat_tables
from bayfold.schema import Schema

ENOUGH_ROWS = 10_000

InferSchema = Callable[[TrainingRows], Schema]
Learn = Callable[..., Statistics]


@dataclass(frozen=True)
class Stream:
    """Batches so far, unless the edges are fixed.

    Edges drawn from the first batch alone may be poor: it may be one row. So edges are drawn again from all rows
    kept whenever these have doubled, at a total cost of about twice one pass, until there are enough. Then
    the edges stay and the rows are let go.
    """

    is_fixed: bool
    batches: tuple[TrainingRows, ...] = ()
    n_rows: int = 0
    n_rows_at_edges: int = 0

    @classmethod
    def begun(cls, fixed: bool) -> Stream:
        """Before the first batch."""
        return cls(is_fixed=fixed)

    @classmethod
    def ended(cls) -> Stream:
        """Edges are fixed, no rows are kept."""
        return cls(is_fixed=True)

    def advance(
        self, rows: TrainingRows, before: Statistics, infer: InferSchema, learn: Learn
    ) -> tuple[Stream, Statistics]:
        """The stream and the statistics after one more batch; neither is changed if it fails."""
        if self.is_fixed:
            return self, _add_batch(rows, before, infer, learn)
        # the caller may reuse its arrays
        weights = None if rows.weights is None else rows.weights.copy()
        kept = replace(rows, table=concat_tables([rows.table]), weights=weights)
        stream = replace(
            self, batches=(*self.batches, kept), n_rows=self.n_rows + rows.table.n_rows
        )
        enough = stream.n_rows >= ENOUGH_ROWS
        if not enough and stream.n_rows < 2 * stream.n_rows_at_edges:
            return stream, _add_batch(rows, before, infer, learn)
        together = join_batches(stream.batches)
        statistics = learn(together, infer(together))
        if enough:
            return Stream.ended(), statistics
        joined = replace(stream, batches=(together,), n_rows_at_edges=stream.n_rows)
        return joined, statistics


def _add_batch(
    rows: TrainingRows, before: Statistics, infer: InferSchema, learn: Learn
) -> Statistics:
    if before.schema is None:
        return learn(rows, infer(rows))
    return before + learn(rows, before.schema, before.sample.threshold)


def join_batches(batches: tuple[TrainingRows, ...]) -> TrainingRows:
    """The rows of all batches."""
    groups = batches[0].groups
    for batch in batches[1:]:
        groups, _, _ = unite_groups(groups, batch.groups)
    places = [np.searchsorted(groups, batch.groups).astype(np.int32) for batch in batches]
    weighted = any(batch.weights is not None for batch in batches)
    return TrainingRows(
        concat_tables([batch.table for batch in batches]),
        groups,
        np.concatenate([p[b.group_of] for p, b in zip(places, batches, strict=True)]),
        np.concatenate([_weights(batch) for batch in batches]) if weighted else None,
    )


def _weights(batch: TrainingRows) -> np.ndarray:
    return np.ones(batch.table.n_rows) if batch.weights is None else batch.weights
