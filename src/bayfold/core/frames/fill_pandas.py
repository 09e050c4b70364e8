"""Gaps of a pandas frame, column by column: every dtype stays."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from bayfold.core.frames.filling import Filling


def fill_pandas(frame: Any, fillings: Mapping[int, Filling]) -> Any:
    """A copy of the frame with the gaps of some columns, by position, filled."""
    pandas = import_module("pandas")
    series = [frame.iloc[:, j] for j in range(frame.shape[1])]
    for j, filling in fillings.items():
        series[j] = _fill_series(pandas, series[j], filling)
    filled = pandas.concat(series, axis=1)
    filled.columns = frame.columns
    return filled


def _fill_series(pandas: Any, column: Any, filling: Filling) -> Any:
    if type(column.dtype).__name__ == "SparseDtype":
        return _fill_series(pandas, column.sparse.to_dense(), filling).astype(column.dtype)
    nothing_known = len(filling.rows) == len(column)
    if nothing_known and not _has_room(column.dtype, filling):
        column = column.astype(object)
    if hasattr(column.dtype, "categories"):
        values = filling.cells_like(column.cat.categories)
        known = set(column.cat.categories)
        column = column.cat.add_categories([v for v in dict.fromkeys(values) if v not in known])
    else:
        values = _values(pandas, column, filling)
    filled = column.copy()
    filled.iloc[filling.rows] = values
    return filled.infer_objects() if nothing_known else filled


def _has_room(dtype: Any, filling: Filling) -> bool:
    """Whether a column of this dtype, all of it missing, can hold the values."""
    kind = getattr(dtype, "kind", "O")
    if filling.is_numeric:
        is_period = type(dtype).__name__ == "PeriodDtype"
        return is_period or kind in "mM" or (kind in "iuf" and not filling.is_time)
    return hasattr(dtype, "categories") or kind not in "iufmM" or filling.fits_numbers


def _values(pandas: Any, column: Any, filling: Filling) -> Any:
    kind = getattr(column.dtype, "kind", "O")
    if type(column.dtype).__name__ == "PeriodDtype":  # read by the time at which they begin
        times = pandas.to_datetime(filling.microseconds().astype("datetime64[us]"))
        return times.to_period(column.dtype.freq)
    if kind in "mM":
        return _times(pandas, column.dtype, filling)
    if kind == "f":
        return filling.numbers()
    if kind in "iu":
        return filling.whole_numbers()
    return filling.booleans() if kind == "b" else filling.cells_like(column)


def _times(pandas: Any, dtype: Any, filling: Filling) -> Any:
    """Times in the column's own unit and time zone."""
    ticks = filling.microseconds()
    if dtype.kind == "m":
        return pandas.to_timedelta(ticks.astype("timedelta64[us]")).astype(dtype)
    times = pandas.to_datetime(ticks.astype("datetime64[us]"))
    zone = getattr(dtype, "tz", None)
    times = times if zone is None else times.tz_localize("UTC").tz_convert(zone)
    return times.astype(dtype)
