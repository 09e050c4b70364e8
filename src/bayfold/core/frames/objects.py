"""Columns of Python objects: what they are is decided by the types of all cells, never by the first.

Cells of one family are read through Arrow where it can, cell by cell where it cannot.
"""

from __future__ import annotations

import datetime
import decimal
import numbers
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from bayfold.core.frames.columns import Column, LabelColumn, ObjectColumn, number_column
from bayfold.core.frames.labels import is_missing, label_of
from bayfold.core.frames.times import seconds
from bayfold.errors import cell_type_error, mixed_cells, mixed_time_zones

FAMILIES: dict[str, tuple[type, ...]] = {
    "boolean": (bool, np.bool_),  # first: a bool of Python is a number too
    "time": (datetime.date, np.datetime64),
    "duration": (datetime.timedelta, np.timedelta64),  # before numbers: NumPy's are integers
    "time of day": (datetime.time,),
    "number": (numbers.Real, decimal.Decimal),
    "string": (str,),
    "bytes": (bytes,),
}
"""The first that a type belongs to is its family."""

LABELS = frozenset({"boolean", "number", "string", "bytes"})
"""Families that may be mixed: each cell is a label then."""

NOTHING = frozenset({"NoneType", "NAType", "NaTType"})
"""Types, of Python and pandas, of cells that are missing."""


def object_column(name: str, values: np.ndarray) -> ObjectColumn:
    """Read a column of Python objects.

    Numbers only: numeric. Strings, booleans and numbers mixed: labels by ``str``. Times only: timestamps. Anything
    else is refused with the column's name.

    Examples
    --------
    >>> object_column("x", np.array([1, 2.5, None], dtype=object)).kind
    'numeric'
    >>> object_column("x", np.array([1, "a", True], dtype=object)).labels()
    (array([0, 1, 2], dtype=int32), ['1', 'a', 'True'])
    """
    types = find_types(values)
    if len({find_family(t) for t in types}) > 1:
        types = find_types(value for value in values if not is_missing(value))  # NaN is a float
    families = {find_family(t) for t in types}
    if None in families:
        refused = sorted(t.__name__ for t in types if find_family(t) is None)
        raise cell_type_error(name, refused[0])
    if len(families) <= 1 or families == {"string", "bytes"}:
        return ObjectColumn(_read_family(name, values, types, families))
    if families <= LABELS:
        return ObjectColumn(_label_cells(name, _without_missing(values)))
    raise mixed_cells(name, sorted(t.__name__ for t in types))


def find_types(values: Iterable[Any]) -> set[type]:
    """The types of the cells that hold something."""
    return {t for t in set(map(type, values)) if t.__name__ not in NOTHING}


def find_family(t: type) -> str | None:
    """What cells of a type are; None for what cannot be in a table."""
    return next((family for family, bases in FAMILIES.items() if issubclass(t, bases)), None)


def _read_family(name: str, values: np.ndarray, types: set[type], families: set) -> Column:
    """Cells of one family, through Arrow if it takes them as they are."""
    import pyarrow as pa

    from bayfold.core.frames.arrow import arrow_column

    if families <= {"time", "duration"} and families:
        if families == {"time"}:
            _check_time_zones(name, values)
        if len(types) > 1:  # Arrow would take a moment beside a date for a date
            return _read_times(name, values, is_time=families == {"time"})
    try:
        data = pa.array(values, from_pandas=True)
    except (
        pa.ArrowInvalid,
        pa.ArrowTypeError,
        pa.ArrowNotImplementedError,
        OverflowError,
        UnicodeEncodeError,
    ):
        cells = _without_missing(values)
        if families == {"number"}:
            return number_column(name, np.array([_as_float(cell) for cell in cells]))
        return _label_cells(name, cells)
    return arrow_column(name, pa.chunked_array([data]))


def _check_time_zones(name: str, values: np.ndarray) -> None:
    """Moments with and without a time zone are not on one axis."""
    known = (value for value in values if not is_missing(value))
    if len({getattr(value, "tzinfo", None) is None for value in known}) > 1:
        raise mixed_time_zones(name)


def _read_times(name: str, values: np.ndarray, is_time: bool) -> Column:
    unit = np.datetime64 if is_time else np.timedelta64
    cells = [unit("NaT") if is_missing(value) else unit(_in_utc(value), "us") for value in values]
    return number_column(name, seconds(np.array(cells)), _find_zone(values) if is_time else None)


def _find_zone(values: np.ndarray) -> str:
    """The zone of all moments, UTC where they have several, nothing where they have none."""
    zones = {str(getattr(value, "tzinfo", None) or "") for value in values if not is_missing(value)}
    return zones.pop() if len(zones) == 1 else "UTC"


def _in_utc(value: Any) -> Any:
    if getattr(value, "tzinfo", None) is None:
        return value
    return value.astimezone(datetime.UTC).replace(tzinfo=None)


def _without_missing(values: np.ndarray) -> list:
    return [None if is_missing(value) else value for value in values]


def _as_float(cell: Any) -> float:
    try:
        return np.nan if cell is None else float(cell)
    except OverflowError:  # an integer beyond the floats; infinity is refused later, by name
        return np.inf


def _label_cells(name: str, cells: Sequence[Any]) -> LabelColumn:
    position: dict[str, int] = {}
    known: dict[tuple[type, Any], int] = {}  # by type too: 1, 1.0 and True are equal keys
    indices = np.full(len(cells), -1, np.int32)
    for row, cell in enumerate(cells):
        if cell is None:
            continue
        index = known.get((type(cell), cell))
        if index is None:
            index = position.setdefault(label_of(cell), len(position))
            known[type(cell), cell] = index
        indices[row] = index
    return LabelColumn(name, indices, list(position))
