"""What was seen of each column in training, as people ask for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from bayfold.core.counts import JointCounts, RowSample
from bayfold.core.counts.copies import find_units
from bayfold.core.counts.identifiers import DISTINCT_SHARE, find_identifiers
from bayfold.core.evidence.bins import format_number, interval_label
from bayfold.core.frames import Strings
from bayfold.core.kernels.encode import FIRST_BIN, MISSING
from bayfold.core.schema import ColumnSchema, NominalColumn, NumericColumn, TextColumn
from bayfold.core.schema.text_rule import has_several_words

NAMED_CATEGORIES = 3
"""The most frequent; a line of a summary has room for so many."""

LONGEST_NAME = 20
"""Characters of a category in a summary."""

ALL_MISSING = "all missing"
CONSTANT = "constant"
IDENTIFIER = "identifier"
UNREAD_TEXT = "text"
"""What makes a column of no use."""

TEXTS_TO_LOOK_AT = 1000
"""Categories that tell whether a column is one of texts."""


@dataclass(frozen=True, eq=False)
class TrainingFacts:
    """What was seen of each column in training.

    Attributes
    ----------
    n_rows : float
        Weight of all rows.
    kinds : tuple of str
        Numeric, time, nominal, or whatever kind a column is.
    n_values : ndarray of shape (n_columns,)
        Distinct values; NaN where there are more than the bins that were counted.
    values : tuple of str
        Range or most frequent categories.
    missing : ndarray of shape (n_columns,)
        Share of missing cells.
    notes : tuple of str
        What makes a column of no use; empty for the others.
    importances : ndarray of shape (n_columns,) or None
        Shares of the columns in what the model says; None where it has none.
    """

    n_rows: float
    kinds: tuple[str, ...]
    n_values: np.ndarray
    values: tuple[str, ...]
    missing: np.ndarray
    notes: tuple[str, ...]
    importances: np.ndarray | None = None

    @classmethod
    def unknown(cls, n_columns: int) -> TrainingFacts:
        """Of a model that has kept nothing of its rows."""
        nothing = np.full(n_columns, np.nan)
        words = ("",) * n_columns
        return cls(np.nan, words, nothing, words, nothing, words)


def describe_training(counts: JointCounts, sample: RowSample | None = None) -> TrainingFacts:
    """The facts that counts know.

    With a sample of the rows, an identifier is known as one however often its rows are copied.
    """
    assert counts.schema is not None
    columns = counts.schema.columns
    n_rows = counts.n_rows
    missing = np.array([table[MISSING].sum() for table in counts.tables]) / max(n_rows, 1e-300)
    ranges = _find_ranges(counts)
    words = []
    numbers = []
    for j, (column_schema, table) in enumerate(zip(columns, counts.tables, strict=True)):
        of_bin = table[FIRST_BIN:].sum(axis=1)
        words.append(describe_values(column_schema, of_bin, ranges.get(j)))
        numbers.append(_count_values(column_schema, of_bin))
    notes = find_notes(counts, None if sample is None else count_copies_once(counts, sample))
    kinds = tuple(map(name_kind, columns))
    n_values = np.array(numbers, np.float64)
    return TrainingFacts(n_rows, kinds, n_values, tuple(words), missing, notes)


def name_kind(column_schema: ColumnSchema) -> str:
    """The kind of a column; times are numbers that people read otherwise."""
    return "time" if getattr(column_schema, "is_time", False) else column_schema.kind


def find_notes(counts: JointCounts, effective: JointCounts | None = None) -> tuple[str, ...]:
    """What makes each column of no use; empty for the others.

    By counts in which copies count once, an identifier is known as one however often its rows are copied.
    """
    is_identifier = find_identifiers(counts if effective is None else effective)
    assert counts.schema is not None
    notes = []
    columns = zip(counts.schema.columns, counts.tables, is_identifier, strict=True)
    for column_schema, table, names_rows in columns:
        of_bin = table[FIRST_BIN:].sum(axis=1)
        if of_bin.sum() == 0:
            notes.append(ALL_MISSING)
        elif (of_bin > 0).sum() == 1:
            notes.append("" if column_schema.kind == "text" else CONSTANT)
        elif names_rows:
            notes.append(UNREAD_TEXT if _is_unread_text(column_schema) else IDENTIFIER)
        else:
            notes.append("")
    return tuple(notes)


def _is_unread_text(column_schema: ColumnSchema) -> bool:
    """Whether the categories of a column are texts, to a model that reads no words."""
    assert isinstance(column_schema, NominalColumn)
    return has_several_words(Strings.of_texts(column_schema.categories[:TEXTS_TO_LOOK_AT]))


def count_copies_once(counts: JointCounts, sample: RowSample) -> JointCounts:
    """The counts as models weigh them; as they are unless some column has a category for nearly every sampled row."""
    most = max(
        (int((table[FIRST_BIN:] > 0).any(axis=1).sum()) for table in counts.tables), default=0
    )
    if not sample.n_rows or most < DISTINCT_SHARE * sample.n_rows:
        return counts
    share = find_units(counts, sample.block(), sample.group_of, sample.weights).share
    return counts.scaled(share)


def _find_ranges(counts: JointCounts) -> dict[int, tuple[float, float]]:
    """Smallest and largest number of each numeric column."""
    assert counts.schema is not None
    positions = counts.schema.numeric_position
    return {j: (float(counts.minimum[k]), float(counts.maximum[k])) for j, k in positions.items()}


def _count_values(column_schema: ColumnSchema, of_bin: np.ndarray) -> float:
    if isinstance(column_schema, TextColumn):
        return np.nan
    has_own = getattr(column_schema, "values", of_bin) is not None
    if not has_own or getattr(column_schema, "has_other", False):
        return np.nan
    return float((of_bin > 0).sum())


@singledispatch
def describe_values(
    column_schema: ColumnSchema, of_bin: np.ndarray, bounds: tuple[float, float] | None
) -> str:
    """What a column holds, in few words."""
    return f"{int((of_bin > 0).sum()):,} bins"


@describe_values.register
def _(column_schema: NumericColumn, of_bin: np.ndarray, bounds: tuple[float, float] | None) -> str:
    if bounds is None or not np.isfinite(bounds).all():
        return ""
    low, high = bounds
    alone = format_number(high, column_schema.zone)
    is_one = format_number(low, column_schema.zone) == alone
    return alone if is_one else interval_label(low, high, column_schema.zone)


@describe_values.register
def _(column_schema: NominalColumn, of_bin: np.ndarray, bounds: tuple[float, float] | None) -> str:
    names: Sequence[str] = [*column_schema.categories, *(["(other)"] * column_schema.has_other)]
    order = np.argsort(-of_bin, kind="stable")
    found = [names[k] for k in order[: NAMED_CATEGORIES + 1] if of_bin[k] > 0]
    more = int((of_bin > 0).sum()) - NAMED_CATEGORIES
    shown = [name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}..." for name in found]
    return ", ".join(shown[:NAMED_CATEGORIES]) + (f" and {more:,} more" if more > 0 else "")


@describe_values.register
def _(column_schema: TextColumn, of_bin: np.ndarray, bounds: tuple[float, float] | None) -> str:
    return "words"
