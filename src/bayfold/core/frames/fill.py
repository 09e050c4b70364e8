"""Gaps of a table filled in: the same kind of table, the same names and types, other cells untouched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayfold.core.frames.fill_arrow import fill_arrow
from bayfold.core.frames.fill_pandas import fill_pandas
from bayfold.core.frames.fill_polars import fill_polars
from bayfold.core.frames.filling import Filling
from bayfold.core.frames.pandas import is_pandas
from bayfold.core.frames.read import as_array


def fill_gaps(X: Any, fillings: Mapping[int, Filling]) -> Any:
    """A copy of the table with the gaps of some columns, by position, filled."""
    if is_pandas(X):
        return fill_pandas(X, fillings)
    if type(X).__module__.split(".")[0] == "polars":
        return fill_polars(X, fillings)
    if hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__"):
        return fill_arrow(X, fillings)
    return _fill_array(as_array(X), fillings)


def hold_rows(X: Any) -> Any:
    """A table that can be read twice: a stream of Arrow batches is read into one."""
    return X.read_all() if type(X).__name__ == "RecordBatchReader" else X


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
