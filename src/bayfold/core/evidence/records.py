"""The one result class of explanations: named columns of equal length."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from bayfold.core.evidence.html import show_as_html
from bayfold.core.evidence.texts import pad_texts, show_texts
from bayfold.core.frames.output import make_frame
from bayfold.errors import no_such_field, no_such_record

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
        """The column that says what evidence adds: the shift of a number, or the weight of a class."""
        return "shift" if "shift" in self._columns else "weight"

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
        column, found = self._column(name), np.zeros(len(self), bool)
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
