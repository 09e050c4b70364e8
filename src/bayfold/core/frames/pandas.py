"""pandas frames, column by column: object columns may hold what Arrow refuses."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayfold.core.frames.arrow import arrow_column, map_columns
from bayfold.core.frames.columns import Column, number_column
from bayfold.core.frames.names import check_names, find_numbers_as_names
from bayfold.core.frames.objects import object_column
from bayfold.core.frames.table import Table
from bayfold.errors import cell_type_error, complex_refused


def is_pandas(X: Any) -> bool:
    """Whether X is a pandas DataFrame, without importing pandas."""
    return type(X).__module__.split(".")[0] == "pandas"


def read_pandas(frame: Any, n_threads: int = 1) -> Table:
    """Read a DataFrame."""
    names = check_names(list(frame.columns))
    shown = names or tuple(f"x{j}" for j in range(frame.shape[1]))
    series = [frame.iloc[:, j] for j in range(frame.shape[1])]
    columns = map_columns(pandas_column, shown, series, n_threads)
    numbered = find_numbers_as_names(frame.columns.tolist())
    return Table(columns, len(frame), names, numbers_as_names=numbered)


def pandas_column(name: str, series: Any) -> Column:
    """Read a Series."""
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        if dtype.kind in "fiu":
            return number_column(name, series.to_numpy())
        if dtype.kind == "O":
            return object_column(name, series.to_numpy())
        if dtype.kind == "c":
            raise complex_refused(name)
    if type(dtype).__name__ == "SparseDtype":
        return pandas_column(name, series.sparse.to_dense())
    if _holds_intervals(dtype):  # what pandas.cut makes; Arrow would show "{'left': 0, 'right': 1}"
        series = series.cat.rename_categories(str)
    return arrow_column(name, _as_chunked(name, series))


def _holds_intervals(dtype: Any) -> bool:
    categories = getattr(dtype, "categories", None)
    return type(getattr(categories, "dtype", None)).__name__ == "IntervalDtype"


def _as_chunked(name: str, series: Any) -> Any:
    import pyarrow as pa

    try:
        array = pa.array(series, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise cell_type_error(name, str(series.dtype)) from error
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
