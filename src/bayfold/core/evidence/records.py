"""The result classes of explanations: ``Records``, named columns of equal length, and ``ColumnArray``, one number per
column of a table, by position or by name.

In a notebook records are a table, with a bar behind every signed weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, Self

import numpy as np

from bayfold.core.evidence.texts import pad_texts, show_texts
from bayfold.core.frames.output import make_frame
from bayfold.errors import ambiguous_name, no_such_field, no_such_record, unknown_column

SHOWN_ROWS = 30
"""A screenful."""


class Records:
    """A small table: columns as arrays.

    Parameters
    ----------
    columns : mapping of str to ndarray

    Examples
    --------
    >>> Records({"column": np.array(["age", "income"]), "weight": np.array([0.5, -1.25])})
    column  weight
    age      0.500
    income  -1.250
    """

    def __init__(self, columns: Mapping[str, np.ndarray]) -> None:
        self._columns = dict(columns)

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """The columns by name."""
        return self._columns

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    @property
    def measure(self) -> str:
        """The column that says what evidence does: factor of a rate, shift of a number, or weight of a class."""
        return next((name for name in ("factor", "shift") if name in self._columns), "weight")

    @property
    def effects(self) -> np.ndarray:
        """What evidence adds: the measure, of factors their logarithm."""
        found = self._columns[self.measure].astype(np.float64)
        return np.log(found) if self.measure == "factor" else found

    @property
    def sizes(self) -> np.ndarray:
        """What each bin was learnt from: the exposure of rates, the rows of others."""
        names = ("exposure", "total", "count")
        return self._columns[next(name for name in names if name in self._columns)]

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def __getitem__(self, key: Any) -> Any:
        """A column by its name, a record by its position as a dict, or several by a slice, positions or a mask."""
        if isinstance(key, str):
            return self._column(key)
        if isinstance(key, int | np.integer):
            return {name: _plain(column[key]) for name, column in self._columns.items()}
        return self._take(key if isinstance(key, slice) else np.asarray(key))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The records one by one, each as a dict; so ``pandas.DataFrame(records)`` is the same table."""
        return (self[i] for i in range(len(self)))

    def where(self, **wanted: Any) -> Records:
        """The records in which columns have the given value, or one of several.

        Such as ``where(column="age")`` or ``where(column=["age", "income"])``.
        """
        keep = np.ones(len(self), bool)
        for name, value in wanted.items():
            keep &= self._find(name, value)
        return self._take(keep)

    def _find(self, name: str, wanted: Any) -> np.ndarray:
        column = self._column(name)
        found = np.zeros(len(self), bool)
        for value in wanted if isinstance(wanted, list | tuple | set | np.ndarray) else [wanted]:
            equal = np.asarray(column == value) & np.ones(len(column), bool)
            if not equal.any():
                raise no_such_record(name, value, list(dict.fromkeys(column.tolist())))
            found |= equal
        return found

    def _column(self, name: str) -> np.ndarray:
        if name not in self._columns:
            raise no_such_field(name, self.names)
        return self._columns[name]

    def _take(self, rows: slice | np.ndarray) -> Records:
        return Records({name: column[rows] for name, column in self._columns.items()})

    def to_dict(self) -> dict[str, list]:
        """The columns as lists of plain Python values."""
        return {name: column.tolist() for name, column in self._columns.items()}

    def to_frame(self, library: str = "pandas") -> Any:
        """The records as a frame of ``"pandas"``, ``"polars"`` or ``"arrow"``."""
        return make_frame(self._columns, library)

    def _repr_html_(self) -> str:
        return show_as_html(self._columns, SHOWN_ROWS)

    def __repr__(self) -> str:
        cells = {name: show_texts(column[:SHOWN_ROWS]) for name, column in self._columns.items()}
        lines = [[name, *texts] for name, texts in cells.items()]
        padded = [
            pad_texts(line, right=self._columns[line[0]].dtype.kind in "fiu") for line in lines
        ]
        rows = ["  ".join(row).rstrip() for row in zip(*padded, strict=True)]
        hidden = len(self) - SHOWN_ROWS
        return "\n".join(rows + ([f"... and {hidden} more"] if hidden > 0 else []))


def _plain(value: Any) -> Any:
    """A number of Python in place of NumPy's."""
    return value.item() if isinstance(value, np.generic) else value


NAMED_COLUMNS = 8
"""Of a repr; the others are counted."""


class ColumnArray(np.ndarray):
    """An array with one number per column, which takes the name of a column in place of a position.

    Whatever is computed from it, and every part of it, is a plain array: sorted or cut it would have wrong names.

    Examples
    --------
    >>> importances = ColumnArray([0.75, 0.25], ["age", "income"])
    >>> float(importances["age"]), float(importances[1])
    (0.75, 0.25)
    >>> importances
    ColumnArray(age=0.75, income=0.25)
    >>> importances * 2
    array([1.5, 0.5])
    """

    names: tuple[str, ...] | None

    def __new__(cls, values: Any, names: Sequence[str]) -> Self:
        """An array of the values, one for each name."""
        array = np.array(values, np.float64).view(cls)
        array.names = tuple(names)
        return array

    def __array_finalize__(self, obj: Any) -> None:
        """Views and copies made by NumPy do not know which columns they hold."""
        self.names = None

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """Results of computations are plain."""
        plain = np.asarray(array)
        return plain[()] if return_scalar else plain

    def __getitem__(self, key: Any) -> Any:
        """The number of a column by its name, or whatever a plain array gives."""
        if isinstance(key, str) and self.names is not None:
            key = self._find(key)
        return np.asarray(self)[key]

    def _find(self, name: str) -> int:
        assert self.names is not None
        if name not in self.names:
            raise unknown_column("column", name, list(self.names))
        if self.names.count(name) > 1:
            raise ambiguous_name("column", name, self.names.count(name))
        return self.names.index(name)

    def to_dict(self) -> dict[str, float]:
        """The numbers by column, in the order of the table; of columns with the same name the last."""
        names = self.names or tuple(map(str, range(len(self))))
        return dict(zip(names, self.tolist(), strict=True))

    def __reduce__(self) -> tuple[Callable, tuple]:
        """Pickled with its names."""
        if self.names is None:
            return np.array, (np.asarray(self),)
        return ColumnArray, (np.asarray(self), self.names)

    def __deepcopy__(self, memo: dict[int, Any] | None) -> Self:
        """As a pickle."""
        make, parts = self.__reduce__()
        return make(*parts)

    def __repr__(self) -> str:
        """Names and numbers, as many as fit in a line or two."""
        if self.names is None:
            return repr(np.asarray(self))
        pairs = zip(self.names, self.tolist(), strict=True)
        shown = [f"{name}={value:.4g}" for name, value in list(pairs)[:NAMED_COLUMNS]]
        more = len(self) - NAMED_COLUMNS
        return f"ColumnArray({', '.join(shown + ([f'... and {more} more'] if more > 0 else []))})"


SIGNED = ("weight", "shift")
"""Columns whose sign and size are to be seen at a glance."""

FOR = "rgba(31, 119, 180, 0.35)"
AGAINST = "rgba(214, 39, 40, 0.35)"
"""Blue and red that people with red-green blindness tell apart, half transparent: on white and on black."""


def show_as_html(columns: Mapping[str, np.ndarray], most: int) -> str:
    """The first records as an HTML table; names and values are shown as text, whatever they hold."""
    cells = [_cells(name, column, most) for name, column in columns.items()]
    head = "".join(
        f"<th scope='col' style='text-align: left'>{escape(name)}</th>" for name in columns
    )
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in zip(*cells, strict=True))
    n_rows = len(next(iter(columns.values()), ()))
    hidden = f"<p>... and {n_rows - most} more</p>" if n_rows > most else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{hidden}"


def _cells(name: str, column: np.ndarray, most: int) -> list[str]:
    texts = [escape(text) for text in show_texts(column[:most])]
    if column.dtype.kind not in "fiu":
        return [f"<td style='text-align: left'>{text}</td>" for text in texts]
    bars = _bars(column, most) if name in SIGNED else [""] * len(texts)
    return [
        f"<td style='text-align: right{bar}'>{text}</td>"
        for text, bar in zip(texts, bars, strict=True)
    ]


def _bars(column: np.ndarray, most: int) -> list[str]:
    """A bar from the middle of each cell: to the right for, to the left against, as long as the weight is large."""
    numbers = np.where(np.isfinite(column), column, 0.0)
    largest = np.abs(numbers).max(initial=0.0)
    ends = 50.0 + 50.0 * numbers[:most] / (largest or 1.0)
    return [_bar(min(end, 50.0), max(end, 50.0), FOR if end > 50.0 else AGAINST) for end in ends]


def _bar(left: float, right: float, colour: str) -> str:
    sides = f"transparent {left:.1f}%, {colour} {left:.1f}%, {colour} {right:.1f}%"
    return f"; background: linear-gradient(to right, {sides}, transparent {right:.1f}%)"
