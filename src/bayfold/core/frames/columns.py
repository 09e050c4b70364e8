"""What a column of any source can be: numbers, labels, Python objects, or nothing at all.

Every column can be asked for its numbers (block by block) or for its labels (at once, as indices
into a list of distinct labels), whichever the schema says it is; a column that cannot give what it
is asked for says so by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from bayfold.core.frames.labels import drop_unused, label_numbers, lend_cells
from bayfold.core.frames.strings import Strings
from bayfold.core.long_arrays import cut_pieces, release_beyond_limit
from bayfold.core.stored import Stored
from bayfold.errors import kind_mismatch, large_labels

MOST_WHOLE = 2.0**53
"""From here on a float stands for several whole numbers."""

TAKEN_AT_ONCE = 1 << 13
"""Rows that are looked up between two looks at what is mapped: a sample of them is spread over all rows."""

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
    def zone(self) -> str | None:
        """None for numbers that are no times. Times are seconds since 1970, and this is their zone; "" without one."""
        ...

    @property
    def is_time(self) -> bool:
        """Whether the numbers are seconds since 1970."""
        ...

    @property
    def is_loose(self) -> bool:
        """Whether the kind is only what the cells of this table happen to be."""
        ...

    def numbers(self, start: int, stop: int) -> np.ndarray:
        """Rows ``start`` to ``stop`` as floats, NaN where missing."""
        ...

    def labels(self) -> Labels:
        """All rows as labels."""
        ...

    def strings(self) -> Strings:
        """All rows as the bytes of their labels."""
        ...

    def take(self, rows: np.ndarray) -> Column:
        """The column of the given rows."""
        ...


class _KnowsTime:
    """Whether a column holds times is known from its zone."""

    zone: str | None

    @property
    def is_time(self) -> bool:
        """Whether the numbers are seconds since 1970."""
        return self.zone is not None


@dataclass(frozen=True)
class NumberColumn(_KnowsTime):
    """Numbers, read through a function so that a source need not be converted as a whole."""

    name: str
    read: Callable[[int, int], np.ndarray]
    n_rows: int
    zone: str | None = None
    kind: str = "numeric"
    is_loose: bool = False

    def numbers(self, start: int, stop: int) -> np.ndarray:
        """Rows as floats, NaN where missing."""
        return self.read(start, stop)

    def labels(self) -> Labels:
        """Labels of numbers: 1, 1.0 and True-as-1 are the same category "1"."""
        values = self.read(0, self.n_rows)
        if (np.abs(values) >= MOST_WHOLE).any():
            raise large_labels(self.name)
        return label_numbers(values)

    def strings(self) -> Strings:
        """The labels of the numbers."""
        return Strings.of_labels(*self.labels())

    def take(self, rows: np.ndarray) -> NumberColumn:
        """The column of the given rows."""
        return number_column(self.name, _take_numbers(self.read, rows), self.zone)


@dataclass(frozen=True)
class LabelColumn(_KnowsTime):
    """Strings, categories or booleans, each distinct label stored once."""

    name: str
    indices: np.ndarray
    distinct: list[str]
    zone: str | None = None
    kind: str = "nominal"
    is_loose: bool = False

    def numbers(self, start: int, stop: int) -> np.ndarray:
        """Refused: labels are not numbers."""
        if self.distinct:
            raise kind_mismatch(self.name, "numeric", f"categories such as {self.distinct[0]!r}")
        return np.full(stop - start, np.nan)

    def labels(self) -> Labels:
        """All rows as labels."""
        return self.indices, self.distinct

    def strings(self) -> Strings:
        """The label of every row."""
        return Strings.of_labels(self.indices, self.distinct)

    def take(self, rows: np.ndarray) -> LabelColumn:
        """The column of the given rows."""
        taken = [self.indices[rows[piece]] for piece in cut_pieces(len(rows), TAKEN_AT_ONCE)]
        taken = taken or [self.indices[:0]]
        return LabelColumn(self.name, *drop_unused(np.concatenate(taken), self.distinct))


@dataclass(frozen=True, eq=False)
class StringColumn(_KnowsTime, Stored):
    """Strings as they came. Their distinct labels are found when somebody asks: those of texts are as many as rows."""

    name: str
    cells: Strings
    zone: str | None = None
    kind: str = "nominal"
    is_loose: bool = False

    def numbers(self, start: int, stop: int) -> np.ndarray:
        """Refused: labels are not numbers."""
        return self._labelled.numbers(start, stop)

    def labels(self) -> Labels:
        """All rows as labels."""
        return self._labelled.labels()

    @cached_property
    def _labelled(self) -> LabelColumn:
        from bayfold.core.frames.arrow import label_column

        return label_column(self.name, self.cells.to_arrow())

    def strings(self) -> Strings:
        """The cells themselves."""
        return self.cells

    def take(self, rows: np.ndarray) -> StringColumn:
        """The column of the given rows."""
        return StringColumn(self.name, self.cells.take(rows))


@dataclass(frozen=True)
class ObjectColumn(_KnowsTime):
    """A column of Python objects, read as numbers if all cells are numbers and as labels otherwise.

    What the cells of one table happen to be does not settle what the column is: where the schema
    says nominal, numbers are taken as labels.
    """

    inner: Column
    is_loose: bool = True

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.inner.name

    @property
    def kind(self) -> str:
        """What the cells of this table are."""
        return self.inner.kind

    @property
    def zone(self) -> str | None:  # type: ignore[override]
        """The zone of times."""
        return self.inner.zone

    def numbers(self, start: int, stop: int) -> np.ndarray:
        """Rows as floats."""
        return self.inner.numbers(start, stop)

    def labels(self) -> Labels:
        """All rows as labels."""
        return self.inner.labels()

    def strings(self) -> Strings:
        """All rows as bytes."""
        return self.inner.strings()

    def take(self, rows: np.ndarray) -> ObjectColumn:
        """The column of the given rows."""
        return ObjectColumn(self.inner.take(rows))


@dataclass(frozen=True)
class NullColumn(_KnowsTime):
    """A column whose type says that nothing is in it."""

    name: str
    n_rows: int
    kind: str = "empty"
    zone: str | None = None
    is_loose: bool = False

    def numbers(self, start: int, stop: int) -> np.ndarray:
        """All missing."""
        return np.full(stop - start, np.nan)

    def labels(self) -> Labels:
        """All missing."""
        return np.full(self.n_rows, -1, np.int32), []

    def strings(self) -> Strings:
        """All missing."""
        return Strings.of_labels(self.labels()[0], [])

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


def number_column(name: str, values: np.ndarray, zone: str | None = None) -> NumberColumn:
    """A numeric 1-D array as a column."""
    return NumberColumn(name, ArrayReader(values), len(values), zone)


def cells_as_kept(column: Column, start: int, stop: int) -> np.ndarray:
    """Numbers in the type they are kept in, for who writes them into floats and need not convert them twice."""
    read = getattr(column, "read", None)
    if isinstance(read, ArrayReader):
        return read.values[start:stop]
    return column.numbers(start, stop)


def lend_numbers(column: Column) -> Callable[[int, int], np.ndarray]:
    """What reads rows of a column for kernels (``lend_cells``), as floats of eight bytes or, if it is kept so, of four.

    Cells that lie there as they are wanted are lent as a whole: what is cut off them need not be.
    """
    read = getattr(column, "read", None)
    if isinstance(read, ArrayReader) and read.values.dtype in (np.float32, np.float64):
        cells = lend_cells(read.values)
        return lambda start, stop: cells[start:stop]
    return lambda start, stop: _lend_some(column, start, stop)


def _lend_some(column: Column, start: int, stop: int) -> np.ndarray:
    cells = cells_as_kept(column, start, stop)
    dtype = np.float32 if cells.dtype == np.float32 else np.float64
    return lend_cells(cells.astype(dtype, copy=False))


def _take_numbers(read: Callable[[int, int], np.ndarray], rows: np.ndarray) -> np.ndarray:
    if isinstance(read, ArrayReader):
        return np.asarray(read.values[rows], np.float64)  # take() copies a matrix's column
    # Rows are few and spread out when a sample is taken: reading the span in pieces
    # keeps the memory for a lazily converted column small.
    if (rows[1:] < rows[:-1]).any():
        order = np.argsort(rows)
        return _take_numbers(read, rows[order])[np.argsort(order)]
    taken = np.empty(len(rows))
    piece = 1 << 16
    position = 0
    while position < len(rows):
        start = int(rows[position])
        end = int(np.searchsorted(rows, start + piece))
        taken[position:end] = read(start, int(rows[end - 1]) + 1)[rows[position:end] - start]
        position = end
        release_beyond_limit()
    return taken
