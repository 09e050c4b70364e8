"""How the cells of a column are read further down in a file, as settled by its first rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bayfold.core.frames.cells import (
    LEADING_ZERO,
    count_matches,
    matches,
    number_pattern,
    parse_numbers,
    read_times,
)
from bayfold.core.frames.files.formats import without_missing
from bayfold.core.frames.files.infer_types import BOOLEAN, Typed, find_distinct

WHOLE_NUMBER = r"^[+-]?[0-9]+$"


@dataclass(frozen=True)
class ColumnRule:
    """What every cell of a column must be.

    Attributes
    ----------
    kind : {"numeric", "whole", "time", "boolean", "nominal"}
    decimal : str
        The decimal sign of numbers.
    time_format : str or None
        How times are written.
    is_given : bool
        Whether the kind was known before the file was read: then 007 may be a number.
    """

    kind: str
    decimal: str = "."
    time_format: str | None = None
    is_given: bool = False

    @property
    def type(self) -> Any:
        """The Arrow type of the column."""
        import pyarrow as pa

        zone = "UTC" if self.time_format == "iso with zone" else None
        return {
            "numeric": pa.float64(),
            "whole": pa.int64(),
            "time": pa.timestamp("us", zone),
            "boolean": pa.bool_(),
            "nominal": pa.string(),
        }[self.kind]

    def read(self, name: str, cells: Any, missing: tuple[str, ...]) -> Typed:
        """Cells of text as what the rule says, or the first that is something else."""
        import pyarrow.compute as pc

        if self.kind == "numeric" and self.decimal == ".":
            numbers = self._read_plain(cells)
            if numbers is None:
                numbers = self._read_plain(without_missing(cells, missing))
            if numbers is not None:
                return Typed(numbers)
        distinct = find_distinct(name, cells)
        distinct = replace(distinct, values=without_missing(distinct.values, missing))
        fitting = pc.or_(pc.is_null(distinct.values), self._find_fitting(distinct.values))
        if not pc.all(fitting, min_count=0).as_py():
            return Typed(None, distinct.find_stray(fitting))
        return Typed(distinct.spread(self._convert(distinct.values).cast(self.type)))

    def _read_plain(self, cells: Any) -> Any:
        """Numbers that Arrow reads without help, as in most files; None if a closer look is needed."""
        import pyarrow as pa
        import pyarrow.compute as pc

        try:
            numbers = cells.cast(pa.float64())
        except pa.ArrowInvalid:
            return None
        if self.is_given:
            return numbers
        # the few that begin like 007 are looked at closely: to look at all so would take longer than to read them
        for start in ("0", "-0", "+0"):
            if count_matches(cells.filter(pc.starts_with(cells, start)), LEADING_ZERO):
                return None
        return numbers

    def _find_fitting(self, values: Any) -> Any:
        """Which of the values are what the rule says."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.kind == "nominal":
            return pc.is_valid(values)
        if self.kind == "boolean":
            return matches(values, BOOLEAN)
        if self.kind == "time":
            form = self.time_format or "iso"
            if read_times(values, form) is not None:
                return pc.is_valid(values)
            each = (read_times(values.slice(k, 1), form) for k in range(len(values)))
            return pa.array([times is not None for times in each], pa.bool_())
        fitting = matches(values, number_pattern(self.decimal))
        if self.kind == "whole":
            return pc.and_(fitting, matches(values, WHOLE_NUMBER))
        return fitting if self.is_given else pc.and_not(fitting, matches(values, LEADING_ZERO))

    def _convert(self, values: Any) -> Any:
        import pyarrow.compute as pc

        if self.kind in ("numeric", "whole"):
            return parse_numbers(values, self.decimal)
        if self.kind == "time":
            return read_times(values, self.time_format or "iso")
        return pc.utf8_lower(values) if self.kind == "boolean" else values


def find_rules(typed: Mapping[str, Typed], kinds: Mapping[str, str]) -> dict[str, ColumnRule]:
    """The rules of columns whose first cells have been read."""
    return {name: _find_rule(column, kinds.get(name)) for name, column in typed.items()}


def _find_rule(column: Typed, given: str | None) -> ColumnRule:
    from pyarrow import types

    found = column.cells.type
    if types.is_null(found):  # nothing is known: numbers, as most columns that begin late have
        return ColumnRule(given or "numeric", is_given=given is not None)
    if types.is_timestamp(found):
        return ColumnRule("time", time_format=column.time_format)
    if types.is_boolean(found):
        return ColumnRule("boolean")
    if types.is_integer(found) or types.is_floating(found):
        whole = given == "whole" and types.is_integer(found)
        return ColumnRule("whole" if whole else "numeric", column.decimal, None, given is not None)
    return ColumnRule("nominal")
