"""The first batches of a stream, kept until there are enough rows to draw bin edges from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import bdtrc

from bayfold import errors
from bayfold.core.counts import JointCounts, LabelledRows, Statistics
from bayfold.core.frames import concat_tables
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import NumericColumn, Schema

ROWS_TO_FIX_EDGES = 10_000
"""As many rows as the schema of a large table is drawn from (schema/infer.py)."""


SHARE_BEYOND = 0.1
"""Of a batch, in one outermost bin, beyond what earlier batches had there: all of these look the same to the model."""

CHANCE_BEYOND = 1e-6
"""Probability of so many by chance: a stream has thousands of batches and hundreds of columns."""


InferSchema = Callable[[LabelledRows], Schema]
Learn = Callable[..., Statistics]


@dataclass(frozen=True)
class Stream:
    """Batches so far, unless the edges are fixed.

    Edges drawn from the first batch alone may be poor: it may be one row. So edges are drawn again from all rows
    kept whenever these have doubled, at a total cost of about twice one pass, until there are enough. Then
    the edges stay and the rows are let go. ``classes`` are all there will be, if they were announced.
    """

    is_fixed: bool
    batches: tuple[LabelledRows, ...] = ()
    n_rows: int = 0
    n_rows_at_edges: int = 0
    classes: np.ndarray | None = None

    def expecting(self, classes: np.ndarray) -> Stream:
        """The stream with its classes announced, which cannot change later."""
        if self.classes is not None and classes.tolist() != self.classes.tolist():
            raise errors.classes_changed(classes.tolist(), self.classes.tolist())
        return replace(self, classes=classes)

    def advance(
        self, rows: LabelledRows, before: Statistics, infer: InferSchema, learn: Learn
    ) -> tuple[Stream, Statistics]:
        """The stream and the statistics after one more batch; neither is changed if it fails."""
        if self.is_fixed:
            return self, _add_batch(rows, before, infer, learn)
        if any(batch.extras.keys() != rows.extras.keys() for batch in self.batches):
            # only sums know what rows without groups are beside others, and when they are refused
            return Stream(is_fixed=True, classes=self.classes), _add_batch(
                rows, before, infer, learn
            )
        # the caller may reuse its arrays
        weights = None if rows.weights is None else rows.weights.copy()
        kept = replace(rows, table=concat_tables([rows.table]), weights=weights)
        stream = replace(self, batches=(*self.batches, kept), n_rows=self.n_rows + rows.n_rows)
        enough = stream.n_rows >= ROWS_TO_FIX_EDGES
        if not enough and stream.n_rows < 2 * stream.n_rows_at_edges:
            return stream, _add_batch(rows, before, infer, learn)
        together = LabelledRows.join(stream.batches)
        statistics = learn(together, infer(together))
        if enough:
            return Stream(is_fixed=True, classes=self.classes), statistics
        joined = replace(stream, batches=(together,), n_rows_at_edges=stream.n_rows)
        return joined, statistics


def _add_batch(
    rows: LabelledRows, before: Statistics, infer: InferSchema, learn: Learn
) -> Statistics:
    if before.schema is None:
        return learn(rows, infer(rows))
    batch = learn(rows, before.schema, before.sample.limits)
    _warn_beyond_edges(before.counts, batch.counts)
    return before + batch


def _warn_beyond_edges(before: JointCounts, batch: JointCounts) -> None:
    """Warn of columns whose numbers leave the edges that earlier batches settled, as those of a sorted stream do."""
    assert before.schema is not None
    for j in before.schema.numeric_position:
        column_schema = before.schema.columns[j]
        assert isinstance(column_schema, NumericColumn)
        if column_schema.values is not None or not len(column_schema.edges):
            continue  # a new value of few gets a bin
        bins = slice(FIRST_BIN, column_schema.first_special)
        rows = before.tables[j][bins].sum(axis=1)[[0, -1]] / max(before.n_rows, 1.0)
        of_batch = batch.tables[j][bins].sum(axis=1)
        n_known = of_batch.sum()
        for side, usual, beyond in zip((0, -1), rows, of_batch[[0, -1]], strict=True):
            if beyond - usual * n_known <= SHARE_BEYOND * n_known:
                continue
            if bdtrc(np.ceil(beyond) - 1, np.ceil(n_known), usual) < CHANCE_BEYOND:
                edge = float(column_schema.edges[side])
                share = float(beyond / n_known)
                errors.warn(errors.beyond_edges(column_schema.name, share, edge, side < 0))
