"""Warnings about columns that cannot tell anything, numbers far from all others, and targets that are all alike.

A model remembers the warnings of its fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import signature
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.core.counts import JointCounts, LabelledRows, WordTable
from bayfold.core.counts.fold_counts import find_centres
from bayfold.core.counts.target_axis import TARGET
from bayfold.core.counts.units import find_near_copies
from bayfold.core.counts.words import MOST_WORDS
from bayfold.core.densities.gaussian import mean_and_variance
from bayfold.core.evidence.training import (
    ALL_MISSING,
    CONSTANT,
    IDENTIFIER,
    UNREAD_TEXT,
    find_notes,
)
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import NominalColumn, NumericColumn
from bayfold.core.schema.target import FLOAT_ROUNDING, varies

TIMES_TOO_WIDE = 10.0
"""A Gaussian so much wider than the middle half of the rows says nothing about them: exponential numbers come to 1.2,
log-normal ones to 2, one cell of a hundred that is a hundred deviations off to 10."""

HALF_OF_ROWS = 1.349
"""Standard deviations that the middle half of a Gaussian takes."""


def warn_about_near_copies(rows: LabelledRows) -> None:
    """Say so where rows depend on each other, as it seems, and nothing was said of groups."""
    found = None if rows.units is not None else find_near_copies(rows.table)
    if found is not None:
        errors.warn(errors.near_copies(found.share, found.column, found.n_repeats))


def warn_about_target(values: np.ndarray) -> None:
    """Say so when a target that varies is taken for a constant."""
    low = float(values.min())
    high = float(values.max())
    if not varies(low, high) and high - low > FLOAT_ROUNDING * max(abs(low), abs(high)):
        errors.warn(errors.target_below_resolution(low, high))


def hint_at_counts(values: np.ndarray) -> None:
    """Say so where distinct targets, more than two, are whole numbers from 0; they are learnt as any numbers."""
    if len(values) > 2 and values[0] == 0 and bool((values == np.floor(values)).all()):
        errors.warn(errors.target_of_counts(float(values[-1])))


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
            errors.warn(errors.harmless_column(names, reason))
    for column_schema, table in zip(counts.schema.columns, counts.tables, strict=True):
        if isinstance(column_schema, NominalColumn) and column_schema.has_other:
            n_rows = float(table[-1].sum())
            n_kept = len(column_schema.categories)
            if n_rows > 0:
                errors.warn(errors.categories_merged(column_schema.name, n_kept, n_rows))
    _warn_about_far_values(counts)


def _warn_about_far_values(counts: JointCounts) -> None:
    """Say so where a few numbers decide what the Gaussians of a column are."""
    assert counts.schema is not None
    found = []
    for j, moments in counts.moments.items():
        column_schema = counts.schema.columns[j] if j != TARGET else None
        if isinstance(column_schema, NumericColumn):
            far, times = find_far_value(counts, column_schema, j, moments)
            if times > TIMES_TOO_WIDE:
                found.append((column_schema.name, far, times))
    if found:
        errors.warn(errors.values_far_off([name for name, *_ in found], *found[0][1:]))


def find_far_value(
    counts: JointCounts, column_schema: NumericColumn, j: int, moments: np.ndarray
) -> tuple[float, float]:
    """The number farthest from the median, and how much wider a Gaussian is than its middle half says; 0 for none."""
    assert counts.schema is not None
    weights = counts.tables[j][FIRST_BIN : column_schema.first_special].sum(axis=1)
    if not weights.sum() > 0:
        return np.nan, 0.0
    share = np.cumsum(weights) / weights.sum()
    at = np.minimum(np.searchsorted(share, [0.25, 0.5, 0.75]), len(share) - 1)
    low, median, high = find_centres(counts.schema, counts, j)[FIRST_BIN:][at]
    if not high > low:  # most rows have the same number: the others are rare, not far
        return np.nan, 0.0
    _, variance = mean_and_variance(moments.sum(axis=1, keepdims=True))
    deviation = float(np.sqrt(variance[0])) * column_schema.scale
    position = counts.schema.numeric_position[j]
    ends = counts.minimum[position], counts.maximum[position]
    far = max(ends, key=lambda end: abs(end - median))
    with np.errstate(over="ignore"):  # numbers of any size: infinitely wider is far too
        return float(far), float(deviation / ((high - low) / HALF_OF_ROWS))


def warn_about_words(counts: JointCounts, tables: Sequence[WordTable]) -> None:
    """Say so where all texts of a column are the same, and where it has more words than are kept."""
    schema = counts.schema
    for j, table in zip([] if schema is None else schema.text, tables, strict=True):
        assert schema is not None
        known = counts.tables[j][FIRST_BIN:].sum()
        if known > 0 and bool((table.totals >= known).all()):
            errors.warn(errors.harmless_column([schema.names[j]], CONSTANT))
        if table.missed > 0:
            errors.warn(errors.words_dropped(schema.names[j], MOST_WORDS, table.missed))


LEARNING = ("fit", "partial_fit", "fit_source", "fit_transform")
"""Methods whose warnings a model records."""


def records_warnings(learn: Callable) -> Callable:
    """The method, after which the model knows what it has warned about.

    Python would name the class that a method is written in where an argument is missing; this names the one at hand.
    """
    call = signature(learn)

    @wraps(learn)
    def learn_and_record(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            call.bind(self, *args, **kwargs)
        except TypeError as problem:
            raise errors.bad_call(type(self).__name__, learn.__name__, str(problem)) from None
        before = {name: vars(self).pop(name) for name in ["_facts"] if name in vars(self)}
        try:
            with errors.record_warnings() as recorded:
                answer = learn(self, *args, **kwargs)
        except BaseException:
            vars(self).update(before)  # what fails leaves the model as it was
            raise
        earlier = getattr(self, "fit_warnings_", ()) if learn.__name__ == "partial_fit" else ()
        self.fit_warnings_ = tuple(dict.fromkeys([*earlier, *recorded]))
        return answer

    return learn_and_record
