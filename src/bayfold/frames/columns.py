"""What a column of any source can be: numbers, labels, Python objects, or nothing at all.

Every column can be asked for its numbers (block by block) or for its labels (at once, as indices
into a list of distinct labels), whichever the schema says it is; a column that cannot give what it
is asked for says so by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bayfold.errors import kind_mismatch
from bayfold.frames.labels import (
    drop_unused,
    label_numbers,
    label_objects,
    objects_are_numbers,
    objects_to_numbers,
)

Labels = tuple[np.ndarray, list[str]]
"""Indices into the list, -1 where the cell is missing."""


class Column(Protocol):
    """One column of a table."""

    @property
    def name(self) -> str:
        """The name, or x0, x1, ... where the table has none."""
        ...

    @property
    def kind(self) -> str:
        """``"numeric"``, ``"nominal"``, or ``"empty"`` when no cell holds anything."""
        ...

    @property
    def is_time(self) -> bool:
        """Whether the numbers are seconds since 1970."""
        ...

    def numbers(self, start: int, stop: int) -> np.ndarray:
        """Rows ``start`` to ``stop`` as floats, NaN where missing."""
        ...

    def labels(self) -> Labels:
        """All rows as labels."""
        ...

    def take(self, rows: np.ndarray) -> Column:
        """The column of the given rows."""
        ...


@dataclass(frozen=True)
class NumberColumn:
    """Numbers, read through a function so that a source need not be converted as a whole."""

    name: str
    read: Callable[[int, int], np.ndarray]
    n_rows: int
    is_time: bool = False
    kind: str = "numeric"

    def numbers(self, start: int, stop: int) -> np.ndarray:
        """Rows as floats, NaN where missing."""
        return self.read(start, stop)

    def labels(self) -> Labels:
        """Labels of numbers: 1, 1.0 and True-as-1 are the same category "1"."""
        return label_numbers(self.read(0, self.n_rows))

    def take(self, rows: np.ndarray) -> NumberColumn:
        """The column of the given rows."""
        return number_column(self.name, _take_numbers(self.read, rows), self.is_time)


@dataclass(frozen=True)
class LabelColumn:
    """Strings, categories or booleans, each distinct label stored once."""

    name: str
    indices: np.ndarray
    distinct: list[str]
    is_time: bool = False
    kind: str = "nominal"

    def numbers(self, start: int, stop: int) -> np.ndarray:
        """Refused: labels are not numbers."""
        if self.distinct:
            raise kind_mismatch(self.name, "numeric", f"categories such as {self.distinct[0]!r}")
        return np.full(stop - start, np.nan)

    def labels(self) -> Labels:
        """All rows as labels."""
        return self.indices, self.distinct

    def take(self, rows: np.ndarray) -> LabelColumn:
        """The column of the given rows."""
        return LabelColumn(self.name, *drop_unused(self.indices[rows], self.distinct))


@dataclass(frozen=True)
class ObjectColumn:
    """Python objects: numbers if all of them are, otherwise labels by ``str``."""

    name: str
    values: np.ndarray
    is_time: bool = False

    @property
    def kind(self) -> str:
        """Looks at every cell."""
        return objects_are_numbers(self.values, self.name)

    def numbers(self, start: int, stop: int) -> np.ndarray:
        """Rows as floats; an object that is not a number is refused."""
        return objects_to_numbers(self.values[start:stop], self.name)

    def labels(self) -> Labels:
        """All rows as labels."""
        return label_objects(self.values, self.name)

    def take(self, rows: np.ndarray) -> ObjectColumn:
        """The column of the given rows."""
        return ObjectColumn(self.name, self.values[rows])


@dataclass(frozen=True)
class NullColumn:
    """A column whose type says that nothing is in it."""

    name: str
    n_rows: int
    kind: str = "empty"
    is_time: bool = False

    def numbers(self, start: int, stop: int) -> np.ndarray:
        """All missing."""
        return np.full(stop - start, np.nan)

    def labels(self) -> Labels:
        """All missing."""
        return np.full(self.n_rows, -1, np.int32), []

    def take(self, rows: np.ndarray) -> NullColumn:
        """The column of the given rows."""
        return NullColumn(self.name, len(rows))


@dataclass(frozen=True)
class ArrayReader:
    """Reads floats from a numeric array; a class rather than a closure so that it can be pickled."""

    values: np.ndarray

    def __call__(self, start: int, stop: int) -> np.ndarray:
        """Rows ``start`` to ``stop``."""
        return np.asarray(self.values[start:stop], np.float64)


def number_column(name: str, values: np.ndarray, is_time: bool = False) -> NumberColumn:
    """A numeric 1-D array as a column."""
    return NumberColumn(name, ArrayReader(values), len(values), is_time)


def _take_numbers(read: Callable[[int, int], np.ndarray], rows: np.ndarray) -> np.ndarray:
    # Rows are few and spread out when a sample is taken: reading the span in pieces
    # keeps the memory for a lazily converted column small.
    taken = np.empty(len(rows))
    piece = 1 << 16
    position = 0
    while position < len(rows):
        start = int(rows[position])
        end = int(np.searchsorted(rows, start + piece))
        taken[position:end] = read(start, int(rows[end - 1]) + 1)[rows[position:end] - start]
        position = end
    return taken
