"""Warnings about columns that cannot tell anything, and targets that cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayfold.core.counts import JointCounts, WordTable
from bayfold.core.counts.words import MOST_WORDS
from bayfold.core.evidence.training import (
    ALL_MISSING,
    CONSTANT,
    IDENTIFIER,
    UNREAD_TEXT,
    find_notes,
)
from bayfold.core.kernels.codes import FIRST_BIN
from bayfold.core.schema import NominalColumn
from bayfold.core.schema.target import FLOAT_ROUNDING, varies
from bayfold.errors import (
    categories_merged,
    harmless_column,
    target_below_resolution,
    warn,
    words_dropped,
)


def warn_about_target(values: np.ndarray) -> None:
    """Say so when a target that varies is taken for a constant."""
    low, high = float(values.min()), float(values.max())
    if not varies(low, high) and high - low > FLOAT_ROUNDING * max(abs(low), abs(high)):
        warn(target_below_resolution(low, high))


def warn_about_columns(counts: JointCounts, effective: JointCounts | None = None) -> None:
    """One warning for each way in which columns are of no use, naming them, and for categories that are merged.

    By counts in which copies count once, an identifier is known as one however often its rows are copied.
    """
    assert counts.schema is not None
    notes = find_notes(counts, effective)
    for reason in (ALL_MISSING, CONSTANT, IDENTIFIER, UNREAD_TEXT):
        pairs = zip(counts.schema.names, notes, strict=True)
        names = [name for name, note in pairs if note == reason]
        if names:
            warn(harmless_column(names, reason))
    for column_schema, table in zip(counts.schema.columns, counts.tables, strict=True):
        if isinstance(column_schema, NominalColumn) and column_schema.has_other:
            n_rows, n_kept = float(table[-1].sum()), len(column_schema.categories)
            if n_rows > 0:
                warn(categories_merged(column_schema.name, n_kept, n_rows))


def warn_about_words(counts: JointCounts, tables: Sequence[WordTable]) -> None:
    """Say so where all texts of a column are the same, and where it has more words than are kept."""
    schema = counts.schema
    for j, table in zip([] if schema is None else schema.text, tables, strict=True):
        assert schema is not None
        known = counts.tables[j][FIRST_BIN:].sum()
        if known > 0 and bool((table.totals >= known).all()):
            warn(harmless_column([schema.names[j]], CONSTANT))
        if table.missed > 0:
            warn(words_dropped(schema.names[j], MOST_WORDS, table.missed))
