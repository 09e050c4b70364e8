"""From cells of text to columns: numbers, times, or labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bayfold.core.frames.cells import (
    LEADING_ZERO,
    all_match,
    count_matches,
    count_true,
    find_decimals,
    find_time_format,
    matches,
    number_pattern,
    parse_numbers,
    plain_numbers,
    read_times,
)
from bayfold.core.frames.files.formats import ReadOptions
from bayfold.core.frames.notation import find_notation, find_with_unit

TEXTS = ("nominal", "boolean", "time")
"""Kinds of columns that are never numbers."""
BOOLEAN = r"^(?i:true|false)$"
LOOKED_AT = 100
"""Cells that are looked at before all are; one of them with other than three digits after its point settles it."""
MOSTLY = 0.9
"""With so many numbers among its cells a column was hardly meant to be one of categories: worth a notice."""


@dataclass(frozen=True)
class Stray:
    """A cell that keeps a column from being what it should be; the row counts from 0."""

    column: str
    row: int
    value: str
    n_others: int
    share: float


@dataclass(frozen=True)
class Typed:
    """A column, the cell that is not of its kind, if there is one, and how its numbers or times are written."""

    cells: Any
    stray: Stray | None = None
    decimal: str = "."
    time_format: str | None = None


@dataclass(frozen=True)
class Distinct:
    """The distinct known cells of a column, trimmed, and where they stand."""

    name: str
    values: Any
    indices: Any

    def spread(self, values: Any) -> Any:
        """One value per row again."""
        return values.take(self.indices)

    def find_stray(self, is_number: Any) -> Stray:
        """The first cell that is no number."""
        import pyarrow.compute as pc

        numbers = pc.fill_null(is_number.take(self.indices), True)  # a missing cell is no stray
        row = int(pc.index(numbers, False).as_py())
        known = len(self.indices) - self.indices.null_count
        others = len(numbers) - count_true(numbers)
        value = self.values[self.indices[row].as_py()].as_py()
        return Stray(self.name, row, value, others, 1 - others / known)


def type_columns(
    texts: Mapping[str, Any], options: ReadOptions, prefers_comma: bool
) -> tuple[dict[str, Typed], str]:
    """Columns from cells of text (null where missing), and the decimal sign of the table.

    A sign that was not given is found column by column. Where the cells fit both, as 1,234 does, the other
    columns decide, and if these do not either, ``prefers_comma``.
    """
    import pyarrow as pa

    kinds = options.kinds
    decimal = options.decimal
    typed: dict[str, Typed] = {}
    open_numbers: dict[str, tuple[Distinct, tuple[str, ...]]] = {}
    has_points = False
    for name, cells in texts.items():
        column = _fast(cells, kinds.get(name)) if decimal != "," else None
        if column is not None:
            typed[name] = Typed(column)
            has_points |= pa.types.is_floating(column.type)
            continue
        distinct = find_distinct(name, cells)
        signs = find_decimals(distinct.values) if _may_be_numbers(distinct, kinds) else ()
        signs = tuple(sign for sign in signs if decimal in (None, sign))
        if signs:
            open_numbers[name] = distinct, signs
        else:
            typed[name] = _not_numbers(distinct, kinds.get(name), options)
    found = [signs for _, signs in open_numbers.values()] + [(".",)] * has_points
    sign = decimal or _settle_sign(found)
    for name, (distinct, signs) in open_numbers.items():
        # 1,234 where semicolons part the cells: there the comma is the decimal sign
        own = sign or ("," if prefers_comma and count_matches(distinct.values, ",") else ".")
        own = own if own in signs else signs[0]
        numbers = parse_numbers(distinct.values, own)
        typed[name] = Typed(distinct.spread(numbers), decimal=own)
    sign = sign or ("," if prefers_comma and open_numbers else ".")
    return {name: typed[name] for name in texts}, sign


def _fast(cells: Any, kind: str | None) -> Any:
    """Numbers that need no second look; None for everything else."""
    import pyarrow as pa

    if kind in TEXTS or cells.null_count == len(cells):
        return None
    numbers = plain_numbers(cells)
    if numbers is None:
        return None
    if kind is None and count_matches(cells, LEADING_ZERO):
        return None
    # 1.234 may be a number of thousands: not for the first look
    first = cells.slice(0, LOOKED_AT)
    is_open = pa.types.is_floating(numbers.type) and all_match(first, number_pattern(","))
    return None if is_open else numbers


def find_distinct(name: str, cells: Any) -> Distinct:
    import pyarrow.compute as pc

    encoded = pc.utf8_trim_whitespace(cells).combine_chunks().dictionary_encode()
    return Distinct(name, encoded.dictionary, encoded.indices)


def _may_be_numbers(distinct: Distinct, kinds: Mapping[str, str]) -> bool:
    kind = kinds.get(distinct.name)
    if not len(distinct.values) or kind in TEXTS:
        return False
    return kind == "numeric" or not count_matches(distinct.values, LEADING_ZERO)


def _settle_sign(signs: list[tuple[str, ...]]) -> str | None:
    """The sign that some columns must have, unless there are two or none."""
    certain = {found[0] for found in signs if len(found) == 1}
    return certain.pop() if len(certain) == 1 else None


def _not_numbers(distinct: Distinct, kind: str | None, options: ReadOptions) -> Typed:
    """Times, labels, nothing at all; with the stray cell where the column should be, or mostly is, numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not len(distinct.values):
        return Typed(pa.nulls(len(distinct.indices)))
    labels = distinct.spread(distinct.values)
    if kind in (None, "boolean") and all_match(distinct.values, BOOLEAN):
        return Typed(distinct.spread(pc.utf8_lower(distinct.values).cast(pa.bool_())))
    if kind in ("nominal", "boolean"):
        return Typed(labels)
    form = None if kind == "numeric" else find_time_format(distinct.values, options.month_first)
    if form is not None:
        return Typed(distinct.spread(read_times(distinct.values, form)), time_format=form)
    if all_match(distinct.values, LEADING_ZERO + "*$"):
        return Typed(labels)
    stray = _find_stray(distinct, options.decimal) if kind != "time" else _find_no_time(distinct)
    is_written = kind is None and find_notation(distinct.values.to_pylist()) is not None
    wanted = kind is not None or (stray is not None and stray.share >= MOSTLY and not is_written)
    return Typed(labels, stray if wanted else None)


def _find_stray(distinct: Distinct, decimal: str | None) -> Stray | None:
    """The first cell that is no number under the sign that most are numbers under."""
    signs = (decimal,) if decimal else (".", ",")
    found = [matches(distinct.values, number_pattern(sign)) for sign in signs]
    found.append(find_with_unit(distinct.values))
    best = max(found, key=count_true)
    if count_true(best) == len(best):  # numbers but for codes with a leading zero
        return None
    return distinct.find_stray(best)


def _find_no_time(distinct: Distinct) -> Stray:
    import pyarrow as pa

    is_time = [
        find_time_format(distinct.values.slice(k, 1)) is not None
        for k in range(len(distinct.values))
    ]
    # every cell may be a time where all together are none: then the first one is as wrong as the others
    return distinct.find_stray(pa.array(is_time if not all(is_time) else [False] * len(is_time)))


def type_booleans(frame: Any) -> Any:
    """A table with booleans for columns of the words true and false: one format has no other way, another has."""
    from bayfold.core.frames.sources.types import is_text

    for place, name in enumerate(frame.column_names):
        if is_text(frame[name].type):
            column = _as_booleans(frame[name])
            frame = frame if column is None else frame.set_column(place, name, column)
    return frame


def _as_booleans(column: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    from bayfold.core.frames.sources.types import as_labels

    words = (as_labels(column) if pa.types.is_dictionary(column.type) else column).cast(pa.string())
    distinct = pc.unique(words)
    if distinct.null_count == len(distinct) or not all_match(distinct, BOOLEAN):
        return None
    return pc.utf8_lower(words).cast(pa.bool_())
