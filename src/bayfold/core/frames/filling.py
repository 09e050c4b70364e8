"""What goes into the gaps of one column, in the forms that tables want it."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayfold.core.frames.labels import any_number, is_missing, label_of
from bayfold.core.frames.objects import object_column

EPOCH = datetime.datetime(1970, 1, 1)
"""Where numbers of seconds begin."""


@dataclass(frozen=True, eq=False)
class Filling:
    """What goes into the gaps of one column.

    Attributes
    ----------
    rows : ndarray of int
    values : ndarray
        Numbers (times in seconds), or labels in an object array.
    is_time : bool
        Whether the numbers are seconds since 1970.
    """

    rows: np.ndarray
    values: np.ndarray
    is_time: bool = False

    @property
    def is_numeric(self) -> bool:
        """Whether the values are numbers."""
        return self.values.dtype.kind == "f"

    @property
    def fits_numbers(self) -> bool:
        """Whether a column of numbers can hold the values: they are numbers, or labels that read as such."""
        return self.is_numeric or all(any_number([label]) for label in set(self.values))

    def numbers(self) -> np.ndarray:
        """The values as floats."""
        return self.values.astype(np.float64)

    def whole_numbers(self) -> np.ndarray:
        """The values rounded to integers."""
        return np.rint(self.numbers()).astype(np.int64)

    def microseconds(self) -> np.ndarray:
        """Times as integers."""
        return np.round(self.values * 1e6).astype(np.int64)

    def booleans(self) -> np.ndarray:
        """Labels as truth values."""
        return self.values == "True"

    def decimals(self, exponent: int) -> list[decimal.Decimal]:
        """The values with a fixed number of places."""
        unit = decimal.Decimal(1).scaleb(exponent)
        return [decimal.Decimal(repr(float(value))).quantize(unit) for value in self.values]

    def labels(self) -> list[str]:
        """The values as text."""
        return [label_of(value) for value in self.values]

    def cells_like(self, cells: Iterable[Any]) -> np.ndarray:
        """The values as Python objects of the kind that a column holds: a label is the cell that was read as it."""
        known = [cell for cell in cells if not is_missing(cell)]
        made = np.empty(len(self.rows), object)
        if self.is_numeric and known and isinstance(known[0], decimal.Decimal):
            made[:] = self.decimals(_finest(known))
        elif self.is_numeric:
            make = self._maker(known)
            made[:] = [make(value) for value in self.values.tolist()]
        else:
            cell_of = {text_of(cell): cell for cell in known}
            made[:] = [cell_of.get(label, label) for label in self.values]
        return made

    def _maker(self, known: list[Any]) -> Callable[[float], Any]:
        """From a number to a cell of the kind of the known ones."""
        if not known:
            return _time_since(EPOCH, 0.0) if self.is_time else float
        first = known[0]
        if isinstance(first, datetime.time):
            return lambda value: (EPOCH + datetime.timedelta(seconds=value)).time()
        times = (datetime.date, datetime.timedelta, np.datetime64, np.timedelta64)
        if not isinstance(first, times):
            return float
        read = object_column("", np.array([first, None], object))
        return _time_since(first, float(read.numbers(0, 1)[0]))


def _time_since(first: Any, seconds: float) -> Callable[[float], Any]:
    """Times of the type and zone of the first one, which is at so many seconds."""
    zone = getattr(first, "tzinfo", None)
    start = first if zone is None else first.astimezone(datetime.UTC)

    def make(value: float) -> Any:
        time = start + datetime.timedelta(seconds=value - seconds)
        return time if zone is None else time.astimezone(zone)

    return make


def _finest(cells: list[decimal.Decimal]) -> int:
    return min(int(cell.as_tuple().exponent) for cell in cells if isinstance(cell, decimal.Decimal))


def text_of(cell: Any) -> str:
    """The label a cell was read as, bytes included.

    >>> text_of(b"a"), text_of(1.0)
    ('a', '1')
    """
    return label_of(cell)


def places(n_rows: int, filling: Filling) -> np.ndarray:
    """Where each cell comes from, when the new cells lie behind the old ones."""
    place = np.arange(n_rows)
    place[filling.rows] = n_rows + np.arange(len(filling.rows))
    return place
