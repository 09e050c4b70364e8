"""Columns of Python objects: through Arrow where all cells are of one type, cell by cell otherwise."""

from __future__ import annotations

import decimal
import numbers
from typing import Any

import numpy as np

from bayfold.core.frames.columns import Column, LabelColumn, ObjectColumn, number_column
from bayfold.core.frames.labels import is_missing, label_of
from bayfold.errors import cell_type_error


def object_column(name: str, values: np.ndarray) -> ObjectColumn:
    """Read a column of Python objects.

    Numbers only: numeric. Strings, booleans and numbers mixed: labels by ``str``. Anything else is
    refused with the column's name.

    Examples
    --------
    >>> object_column("x", np.array([1, 2.5, None], dtype=object)).kind
    'numeric'
    >>> object_column("x", np.array([1, "a", True], dtype=object)).labels()
    (array([0, 1, 2], dtype=int32), ['1', 'a', 'True'])
    """
    import pyarrow as pa

    from bayfold.core.frames.arrow import arrow_column

    try:
        data = pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        return ObjectColumn(_read_cells(name, values))
    if pa.types.is_nested(data.type):
        raise cell_type_error(name, next(type(v).__name__ for v in values if not is_missing(v)))
    return ObjectColumn(arrow_column(name, pa.chunked_array([data])))


def _read_cells(name: str, values: np.ndarray) -> Column:
    """Cells of several types: numbers if all are (say, floats and decimals), labels otherwise."""
    cells = [None if is_missing(value) else value for value in values]
    if all(cell is None or _is_number(cell) for cell in cells):
        return number_column(name, np.array([_as_float(cell) for cell in cells]))
    return _label_cells(name, cells)


def _as_float(cell: Any) -> float:
    try:
        return np.nan if cell is None else float(cell)
    except OverflowError:  # an integer beyond the floats; infinity is refused later, by name
        return np.inf


def _is_number(cell: Any) -> bool:
    return isinstance(cell, (numbers.Real, decimal.Decimal)) and not isinstance(cell, bool)


def _label_cells(name: str, cells: list) -> LabelColumn:
    position: dict[str, int] = {}
    known: dict[tuple[type, Any], int] = {}  # by type too: 1, 1.0 and True are equal keys
    indices = np.full(len(cells), -1, np.int32)
    for row, cell in enumerate(cells):
        if cell is None:
            continue
        try:
            index = known.get((type(cell), cell))
        except TypeError:  # dicts, lists and arrays cannot be looked up
            raise cell_type_error(name, type(cell).__name__) from None
        if index is None:
            index = position.setdefault(_label(name, cell), len(position))
            known[type(cell), cell] = index
        indices[row] = index
    return LabelColumn(name, indices, list(position))


def _label(name: str, value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, (str, bool, np.bool_, numbers.Real)):
        return label_of(value)
    raise cell_type_error(name, type(value).__name__)
