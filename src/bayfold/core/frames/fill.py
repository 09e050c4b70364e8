"""Fill cells of a dataframe and give back the same kind of dataframe: pandas, polars or Arrow."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

from bayfold.core.frames.filling import Filling, places, text_of
from bayfold.core.frames.pandas import is_pandas
from bayfold.core.frames.read import as_array


def fill_polars(frame: Any, fillings: Mapping[int, Filling]) -> Any:
    """A copy of the frame with the gaps of some columns, by position, filled."""
    polars = import_module("polars")
    columns = []
    for j, filling in fillings.items():
        column = frame.to_series(j)
        kind = _polars_kind(polars, column.dtype, filling)
        new = _polars_values(polars, kind, filling).alias(column.name)
        whole = polars.concat([column.cast(kind), new])
        columns.append(whole.gather(places(len(column), filling)))
    return frame.with_columns(columns)


def _polars_kind(polars: Any, kind: Any, filling: Filling) -> Any:
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


def _polars_values(polars: Any, kind: Any, filling: Filling) -> Any:
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
        values = _pandas_values(pandas, column, filling)
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


def _pandas_values(pandas: Any, column: Any, filling: Filling) -> Any:
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


def fill_arrow(X: Any, fillings: Mapping[int, Filling]) -> Any:
    """A copy of the table with the gaps of some columns, by position, filled."""
    import pyarrow as pa

    table = pa.table(X)
    for j, filling in fillings.items():
        field = table.schema.field(j)
        data = table.column(j)
        if pa.types.is_dictionary(field.type):
            column = _fill_dictionary(data, filling)
        else:
            field = field.with_type(_arrow_kind(field.type, filling))
            # Arrow does not take from views
            kind = pa.string() if pa.types.is_string_view(field.type) else field.type
            whole = pa.concat_arrays([*data.cast(kind).chunks, _arrow_values(kind, filling)])
            column = whole.take(pa.array(places(len(data), filling))).cast(field.type)
        table = table.set_column(j, field, column)
    return table


def _arrow_kind(kind: Any, filling: Filling) -> Any:
    """The type of the filled column: another one only where the old one has no room."""
    import pyarrow as pa

    if not filling.is_numeric:
        numeric = pa.types.is_floating(kind) or pa.types.is_integer(kind)
        no_room = pa.types.is_null(kind) or (numeric and not filling.fits_numbers)
        return pa.string() if no_room else kind
    if not pa.types.is_null(kind):
        return kind
    return pa.timestamp("us") if filling.is_time else pa.float64()


def _arrow_values(kind: Any, filling: Filling) -> Any:
    import pyarrow as pa
    from pyarrow import types

    if types.is_floating(kind):
        return pa.array(filling.numbers()).cast(kind, safe=False)
    if types.is_integer(kind):
        return pa.array(filling.whole_numbers()).cast(kind)
    if types.is_decimal(kind):
        return pa.array(filling.decimals(-kind.scale), kind)
    if types.is_boolean(kind):
        return pa.array(filling.booleans())
    if types.is_temporal(kind):
        ticks = pa.array(filling.microseconds())
        unit = pa.duration("us") if types.is_duration(kind) else pa.timestamp("us")
        return ticks.cast(unit).cast(kind, safe=False)
    return pa.array(filling.labels(), kind)


def _fill_dictionary(data: Any, filling: Filling) -> Any:
    """The same dictionary in the same order, new labels behind it."""
    import pyarrow as pa

    position: dict[str, int] = {}
    cells: list[Any] = []

    def place(cell: Any) -> int:
        if cell is None:
            return -1
        index = position.setdefault(text_of(cell), len(cells))
        if index == len(cells):
            cells.append(cell)
        return index

    parts = [np.empty(0, np.int64)]
    for chunk in data.chunks:
        lookup = np.array([*map(place, chunk.dictionary.to_pylist()), -1], np.int64)
        found = chunk.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
        parts.append(lookup[found])
    indices = np.concatenate(parts)
    indices[filling.rows] = [place(label) for label in filling.labels()]
    codes = pa.array(indices, data.type.index_type, mask=indices < 0)
    dictionary = pa.array(cells, data.type.value_type)
    return pa.DictionaryArray.from_arrays(codes, dictionary, ordered=data.type.ordered)


def fill_gaps(X: Any, fillings: Mapping[int, Filling]) -> Any:
    """A copy of the table with the gaps of some columns, by position, filled."""
    if is_pandas(X):
        return fill_pandas(X, fillings)
    if type(X).__module__.split(".")[0] == "polars":
        return fill_polars(X, fillings)
    if hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__"):
        return fill_arrow(X, fillings)
    return _fill_array(as_array(X), fillings)


def _fill_array(array: np.ndarray, fillings: Mapping[int, Filling]) -> np.ndarray:
    if array.dtype.kind == "f" and not all(f.fits_numbers for f in fillings.values()):
        array = array.astype(object)  # a table of numbers has no room for labels
    filled = array.copy()
    for j, filling in fillings.items():
        filled[filling.rows, j] = _array_values(array[:, j], filling)
    return filled


def _array_values(cells: np.ndarray, filling: Filling) -> np.ndarray:
    if cells.dtype.kind == "f":
        return filling.numbers()
    if cells.dtype.kind in "mM":
        return filling.microseconds().astype(f"{cells.dtype.kind}8[us]")
    return filling.cells_like(cells)
