"""pandas frames, column by column: object columns may hold what Arrow refuses."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayfold.frames.arrow import arrow_column, map_columns
from bayfold.frames.columns import Column, number_column
from bayfold.frames.names import check_names
from bayfold.frames.objects import object_column
from bayfold.frames.table import Table


def is_pandas(X: Any) -> bool:
    """Whether X is a pandas DataFrame, without importing pandas."""
    return type(X).__module__.split(".")[0] == "pandas"


def read_pandas(frame: Any, n_threads: int = 1) -> Table:
    """Read a DataFrame."""
    names = check_names(list(frame.columns))
    shown = names or tuple(f"x{j}" for j in range(frame.shape[1]))
    series = [frame.iloc[:, j] for j in range(frame.shape[1])]
    return Table(map_columns(pandas_column, shown, series, n_threads), len(frame), names)


def pandas_column(name: str, series: Any) -> Column:
    """Read a Series."""
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        if dtype.kind in "fiu":
            return number_column(name, series.to_numpy())
        if dtype.kind == "O":
            return object_column(name, series.to_numpy())
    return arrow_column(name, _as_chunked(series))


def _as_chunked(series: Any) -> Any:
    import pyarrow as pa

    array = pa.array(series, from_pandas=True)
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
