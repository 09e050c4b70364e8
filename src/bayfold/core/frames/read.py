"""Any table to a Table: NumPy arrays, lists, and whatever speaks the Arrow C stream protocol."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.core.frames.bags import is_sparse, read_sparse
from bayfold.core.frames.columns import Column, LabelColumn, number_column
from bayfold.core.frames.labels import drop_unused, label_of
from bayfold.core.frames.objects import object_column
from bayfold.core.frames.table import Table
from bayfold.core.frames.times import seconds


def read_table(X: Any, n_threads: int = 1, sparse: bool = False) -> Table:
    """Read a table of any kind that bayfold accepts.

    Parameters
    ----------
    X : array-like or frame
        A 2-D NumPy array or nested list, a pandas or polars frame, a pyarrow Table or RecordBatch,
        a DuckDB relation, or any other object with ``__arrow_c_stream__``.
    n_threads : int
        Columns of a frame are read in so many threads: finding the distinct strings takes time.
    sparse : bool
        Whether a sparse matrix, or a pandas frame of sparse columns, is read as one column of bags of words;
        otherwise the first is refused, and the second is a table of numbers.

    Returns
    -------
    table : Table

    Examples
    --------
    >>> table = read_table([[1.0, 2.0], [3.0, 4.0]])
    >>> table.n_rows, [column.kind for column in table.columns]
    (2, ['numeric', 'numeric'])
    """
    if isinstance(X, Table):
        return X
    check_is_table(X)
    if hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__"):
        from bayfold.core.frames.arrow import read_arrow
        from bayfold.core.frames.pandas import (
            is_pandas,
            is_sparse_frame,
            read_pandas,
            read_sparse_frame,
        )

        if is_pandas(X) and X.ndim != 2:
            raise errors.not_two_dimensional(X.ndim)
        if sparse and is_pandas(X) and is_sparse_frame(X):
            return read_sparse_frame(X)
        return read_pandas(X, n_threads) if is_pandas(X) else read_arrow(X, n_threads)
    if hasattr(X, "collect_schema"):
        raise errors.lazy_refused(type(X).__name__)
    if is_sparse(X):
        if not sparse:
            raise errors.sparse_refused(type(X).__name__)
        return Table.of_bag(read_sparse(X))
    return read_array(as_array(X))


def check_is_table(X: Any) -> None:
    """Refuse what people take for a table, with what to do."""
    is_records = isinstance(X, list) and len(X) > 0 and all(isinstance(row, dict) for row in X)
    kinds = {
        "nothing": X is None,
        "path": isinstance(X, str | PathLike),
        "dict": isinstance(X, Mapping) and not hasattr(X, "nnz"),  # a sparse matrix may be one
        "records": is_records,
        "series": hasattr(X, "to_frame") and type(X).__name__ == "Series",
    }
    for kind, found in kinds.items():
        if found:
            raise errors.not_a_table(kind)


def as_array(X: Any) -> np.ndarray:
    """Lists and the like as an array, without what NumPy would change in them silently.

    Numbers beside strings stay numbers, NaN beside strings stays missing, and so do masked cells.

    >>> as_array([["a", 1.5], ["b", float("nan")]]).tolist()
    [['a', 1.5], ['b', nan]]
    """
    if isinstance(X, np.ma.MaskedArray):
        return _without_mask(X)
    array = np.asarray(X)
    if array.dtype.kind in "US" and isinstance(X, (list, tuple)):
        cells = np.asarray(X, object)
        return cells if any(not isinstance(c, (str, bytes)) for c in cells.flat) else array
    return array


def _without_mask(X: np.ma.MaskedArray) -> np.ndarray:
    """The array with missing cells where it is masked: NaN among numbers, NaT among times, None elsewhere."""
    cells: np.ndarray
    nothing: Any
    if X.dtype.kind in "fiu":
        cells = X.data.astype(np.float64)
        nothing = np.nan
    elif X.dtype.kind in "mM":
        cells = X.data.copy()
        nothing = "NaT"
    else:
        # filling with None would fill with "?"
        cells = X.data.astype(object)
        nothing = None
    cells[np.ma.getmaskarray(X)] = nothing
    return cells


def read_array(array: np.ndarray) -> Table:
    """Read a 2-D NumPy array, or a structured array, whose fields are columns."""
    if np.iscomplexobj(array):
        raise errors.complex_refused()
    if array.dtype.names and array.ndim == 1:
        names = array.dtype.names
        return Table(tuple(array_column(n, array[n]) for n in names), len(array), names)
    if array.ndim != 2:
        raise errors.not_two_dimensional(array.ndim)
    if array.dtype.kind in "fiu":
        return Table.of_matrix(array)
    columns = tuple(array_column(f"x{j}", array[:, j]) for j in range(array.shape[1]))
    return Table(columns, len(array))


def array_column(name: str, values: np.ndarray) -> Column:
    """A 1-D NumPy array of any dtype as a column."""
    kind = values.dtype.kind
    if kind in "fiu":
        return number_column(name, values)
    if kind == "b":
        return LabelColumn(name, *drop_unused(values.astype(np.int32), ["False", "True"]))
    if kind in "mM":
        if kind == "m" and np.datetime_data(values.dtype)[0] in "YM":  # months are not equally long
            raise errors.cell_type_error(name, str(values.dtype))
        return number_column(name, seconds(values), "" if kind == "M" else None)
    if kind in "OT":  # strings of any length may be missing, which NumPy cannot sort
        return object_column(name, values.astype(object))
    if kind in "US":
        distinct, inverse = np.unique(values, return_inverse=True)
        return LabelColumn(name, inverse.astype(np.int32), [label_of(v) for v in distinct])
    raise errors.cell_type_error(name, str(values.dtype))
