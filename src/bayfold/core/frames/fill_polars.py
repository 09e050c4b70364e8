"""Gaps of a polars frame, column by column: every dtype stays."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from bayfold.core.frames.filling import Filling, places


def fill_polars(frame: Any, fillings: Mapping[int, Filling]) -> Any:
    """A copy of the frame with the gaps of some columns, by position, filled."""
    polars = import_module("polars")
    columns = []
    for j, filling in fillings.items():
        column = frame.to_series(j)
        kind = _kind(polars, column.dtype, filling)
        new = _values(polars, kind, filling).alias(column.name)
        whole = polars.concat([column.cast(kind), new])
        columns.append(whole.gather(places(len(column), filling)))
    return frame.with_columns(columns)


def _kind(polars: Any, kind: Any, filling: Filling) -> Any:
    """The dtype of the filled column: another one only where the old one has no room."""
    if kind == polars.Null:
        if not filling.is_numeric:
            return polars.String
        return polars.Datetime("us") if filling.is_time else polars.Float64
    if kind.is_numeric() and not filling.fits_numbers:
        return polars.String
    if kind == polars.Enum:
        labels = kind.categories.to_list()
        return polars.Enum(list(dict.fromkeys([*labels, *filling.labels()])))
    return kind


def _values(polars: Any, kind: Any, filling: Filling) -> Any:
    if kind.is_temporal():
        ticks = polars.Series(filling.microseconds())
        new = ticks.cast(
            polars.Duration("us") if kind == polars.Duration else polars.Datetime("us")
        )
        zone = getattr(kind, "time_zone", None)
        return new.dt.replace_time_zone("UTC").cast(kind) if zone else new.cast(kind)
    if kind.is_integer():
        return polars.Series(filling.whole_numbers()).cast(kind)
    if kind.is_numeric():
        return polars.Series(filling.numbers()).cast(kind)
    if kind == polars.Boolean:
        return polars.Series(filling.booleans(), dtype=kind)
    return polars.Series(filling.labels(), dtype=polars.String).cast(kind)
