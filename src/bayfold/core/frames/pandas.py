"""pandas frames, column by column: object columns may hold what Arrow refuses."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayfold.core.frames.arrow import arrow_column, check_arrow, map_columns
from bayfold.core.frames.bags import read_sparse
from bayfold.core.frames.columns import Column, LabelColumn, number_column
from bayfold.core.frames.labels import drop_unused, label_of, merge_equal_labels
from bayfold.core.frames.objects import find_family, find_types, object_column
from bayfold.core.frames.table import Table, check_names, find_numbers_as_names
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
    index = None if _is_position(frame.index) else frame.index
    return Table(columns, len(frame), names, numbers_as_names=numbered, index=index)


def is_sparse_frame(frame: Any) -> bool:
    """Whether all columns of a DataFrame are sparse, with zero for what is not there."""
    dtypes = frame.dtypes.unique()
    return len(dtypes) > 0 and all(
        type(dtype).__name__ == "SparseDtype" and dtype.fill_value == 0 for dtype in dtypes
    )


def read_sparse_frame(frame: Any) -> Table:
    """Read a DataFrame of sparse columns as bags of words."""
    names = check_names(list(frame.columns))
    index = None if _is_position(frame.index) else frame.index
    return Table.of_bag(read_sparse(frame.sparse.to_coo(), names), index)


def _is_position(index: Any) -> bool:
    """Whether rows are called 0, 1, 2 and so on, because nobody has called them anything."""
    plain = type(index).__name__ == "RangeIndex" and index.name is None
    return plain and index.start == 0 and index.step == 1


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
    special = SPECIAL.get(type(dtype).__name__)
    return (
        arrow_column(name, _as_chunked(name, series)) if special is None else special(name, series)
    )


def _read_sparse(name: str, series: Any) -> Column:
    return pandas_column(name, series.sparse.to_dense())


def _read_periods(name: str, series: Any) -> Column:
    """By the time at which they begin, so that months and days are on one axis."""
    return pandas_column(name, series.dt.to_timestamp())


def _refuse_intervals(name: str, series: Any) -> Column:
    raise cell_type_error(name, str(series.dtype))


def _read_categories(name: str, series: Any) -> LabelColumn:
    """Categories of any type that has a name: strings, numbers, mixtures, times, and what pandas.cut makes."""
    codes = series.cat.codes.to_numpy().astype(np.int32)
    indices, cells = drop_unused(codes, series.cat.categories.tolist())
    for t in find_types(cells):
        if find_family(t) is None and t.__name__ not in ("Interval", "Period"):
            raise cell_type_error(name, t.__name__)
    return LabelColumn(name, *merge_equal_labels(indices, [label_of(cell) for cell in cells]))


SPECIAL = {
    "CategoricalDtype": _read_categories,
    "IntervalDtype": _refuse_intervals,
    "PeriodDtype": _read_periods,
    "SparseDtype": _read_sparse,
}
"""Types of pandas that Arrow refuses, or shows as something else."""


def _as_chunked(name: str, series: Any) -> Any:
    import pyarrow as pa

    try:
        array = pa.array(series, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise cell_type_error(name, str(series.dtype)) from error
    chunked = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
    return check_arrow(chunked)
