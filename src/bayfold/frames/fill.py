"""Gaps of a table filled in: the same kind of table, the same names and types, other cells untouched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayfold.frames.labels import is_missing, label_of
from bayfold.frames.pandas import is_pandas
from bayfold.frames.read import as_array


@dataclass(frozen=True, eq=False)
class Filling:
    """What goes into the gaps of one column.

    Attributes
    ----------
    rows : ndarray of int
    values : ndarray
        Numbers (times in seconds), or labels in an object array.
    """

    rows: np.ndarray
    values: np.ndarray

    @property
    def is_numeric(self) -> bool:
        """Whether the values are numbers."""
        return self.values.dtype.kind == "f"


def fill_gaps(X: Any, fillings: Mapping[int, Filling]) -> Any:
    """A copy of the table with the gaps of some columns, by position, filled."""
    if is_pandas(X):
        return _fill_pandas(X, fillings)
    if type(X).__module__.split(".")[0] == "polars":
        return _fill_polars(X, fillings)
    if hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__"):
        return _fill_arrow(X, fillings)
    filled = as_array(X).copy()
    for j, filling in fillings.items():
        cells = filled[:, j]
        values = filling.values if cells.dtype.kind == "f" else _as_objects(cells, filling)
        filled[filling.rows, j] = values
    return filled


def _as_objects(cells: Any, filling: Filling) -> np.ndarray:
    """The values as the column's own objects: a label is the cell that was read as it."""
    values = np.empty(len(filling.rows), object)
    if filling.is_numeric:
        values[:] = filling.values.tolist()
        return values
    cell_of = {label_of(cell): cell for cell in cells if not is_missing(cell)}
    values[:] = [cell_of.get(label, label) for label in filling.values]
    return values


def _fill_pandas(frame: Any, fillings: Mapping[int, Filling]) -> Any:
    series = [frame.iloc[:, j] for j in range(frame.shape[1])]
    for j, filling in fillings.items():
        column = series[j].copy()
        column.iloc[filling.rows] = _pandas_values(column, filling)
        series[j] = column
    from importlib import import_module

    filled = import_module("pandas").concat(series, axis=1)
    filled.columns = frame.columns
    return filled


def _pandas_values(column: Any, filling: Filling) -> Any:
    dtype, kind = column.dtype, getattr(column.dtype, "kind", "O")
    if filling.is_numeric:
        if kind in "mM":
            return _as_times(filling.values, column)
        if kind in "iu":
            return np.rint(filling.values).astype(np.int64)
        return filling.values if kind == "f" else _as_objects((), filling)
    known = column.cat.categories if hasattr(dtype, "categories") else column
    return _as_objects(known, filling)


def _as_times(seconds: np.ndarray, column: Any) -> Any:
    """Times in the column's own unit and time zone."""
    from importlib import import_module

    pandas = import_module("pandas")
    if column.dtype.kind == "m":
        return pandas.to_timedelta(seconds, unit="s").astype(column.dtype)
    times = pandas.to_datetime(np.round(seconds * 1e6).astype("datetime64[us]"))
    zone = getattr(column.dtype, "tz", None)
    times = times if zone is None else times.tz_localize("UTC").tz_convert(zone)
    return times.astype(column.dtype)


def _fill_polars(frame: Any, fillings: Mapping[int, Filling]) -> Any:
    from importlib import import_module

    polars = import_module("polars")
    columns = []
    for j, filling in fillings.items():
        column, kind = frame.to_series(j), frame.dtypes[j]
        values = filling.values
        if kind.is_temporal():
            whole = polars.Series(np.round(values * 1e6).astype(np.int64))
            unit = polars.Duration("us") if kind == polars.Duration else polars.Datetime("us")
            zone = getattr(kind, "time_zone", None)
            new = whole.cast(unit)
            new = new.dt.replace_time_zone("UTC").cast(kind) if zone else new.cast(kind)
        elif filling.is_numeric:
            new = polars.Series(np.rint(values) if kind.is_integer() else values).cast(kind)
        elif kind == polars.Boolean:
            new = polars.Series(values == "True", dtype=kind)
        else:
            new = polars.Series(values.tolist(), dtype=polars.String).cast(kind)
        place = _places(len(column), filling)
        columns.append(polars.concat([column, new.alias(column.name)]).gather(place))
    return frame.with_columns(columns)


def _places(n_rows: int, filling: Filling) -> np.ndarray:
    """Where each cell comes from, when the new cells lie behind the old ones."""
    place = np.arange(n_rows)
    place[filling.rows] = n_rows + np.arange(len(filling.rows))
    return place


def _fill_arrow(X: Any, fillings: Mapping[int, Filling]) -> Any:
    import pyarrow as pa

    table = pa.table(X)
    for j, filling in fillings.items():
        field = table.schema.field(j)
        column = _arrow_values(table.column(j), field.type, filling)
        table = table.set_column(j, field, column)
    return table


def _arrow_values(data: Any, kind: Any, filling: Filling) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        plain = _arrow_values(_decoded(data), pa.string(), filling)
        encoded = pa.chunked_array([plain]).dictionary_encode()
        return pa.chunked_array([_as_dictionary(chunk, kind) for chunk in encoded.chunks], kind)
    if filling.is_numeric and not pa.types.is_floating(kind):
        whole = pa.types.is_integer(kind) or pa.types.is_decimal(kind)
        values = np.rint(filling.values) if whole else filling.values * 1e6
        new = pa.array(values.astype(np.int64))
        if not whole:
            new = new.cast(pa.duration("us") if pa.types.is_duration(kind) else pa.timestamp("us"))
        new = new.cast(kind, safe=False)
    else:
        values = filling.values if filling.is_numeric else _arrow_labels(kind, filling)
        new = pa.array(values, kind)
    whole_column = pa.concat_arrays([*(chunk for chunk in data.chunks), new])
    return whole_column.take(pa.array(_places(len(data), filling)))


def _arrow_labels(kind: Any, filling: Filling) -> list[Any]:
    import pyarrow as pa

    labels = filling.values.tolist()
    return [label == "True" for label in labels] if pa.types.is_boolean(kind) else labels


def _decoded(data: Any) -> Any:
    """A dictionary column as strings."""
    import pyarrow as pa

    cells = [label_of(v) if v is not None else None for v in data.to_pylist()]
    return pa.chunked_array([pa.array(cells, pa.string())])


def _as_dictionary(chunk: Any, kind: Any) -> Any:
    import pyarrow as pa

    values = chunk.dictionary.cast(kind.value_type)
    return pa.DictionaryArray.from_arrays(chunk.indices.cast(kind.index_type), values)
