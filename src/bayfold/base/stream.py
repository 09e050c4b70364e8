"""The first batches of a stream, kept until there are enough rows to draw bin edges from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from bayfold import errors
from bayfold.core.counts import LabelledRows, Statistics
from bayfold.core.frames import concat_tables
from bayfold.core.schema import Schema

ROWS_TO_FIX_EDGES = 10_000
"""As many rows as the schema of a large table is drawn from (schema/infer.py)."""


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
    return before + learn(rows, before.schema, before.sample.threshold)
