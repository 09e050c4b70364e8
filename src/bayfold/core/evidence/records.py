"""The one result class of explanations: named columns of equal length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayfold.core.frames.output import make_frame

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
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def __getitem__(self, name: str) -> np.ndarray:
        return self._columns[name]

    def where(self, **equal: Any) -> Records:
        """The records whose columns equal the given values, such as ``where(column="age")``."""
        keep = np.ones(len(self), bool)
        for name, value in equal.items():
            keep &= self._columns[name] == value
        return Records({name: column[keep] for name, column in self._columns.items()})

    def to_dict(self) -> dict[str, list]:
        """The columns as lists of plain Python values."""
        return {name: column.tolist() for name, column in self._columns.items()}

    def to_frame(self, library: str = "pandas") -> Any:
        """The records as a frame of ``"pandas"``, ``"polars"`` or ``"arrow"``."""
        return make_frame(self._columns, library)

    def __repr__(self) -> str:
        cells = {name: _texts(column[:SHOWN_ROWS]) for name, column in self._columns.items()}
        lines = [[name, *texts] for name, texts in cells.items()]
        padded = [_pad(line, right=self._columns[line[0]].dtype.kind in "fiu") for line in lines]
        rows = ["  ".join(row).rstrip() for row in zip(*padded, strict=True)]
        hidden = len(self) - SHOWN_ROWS
        return "\n".join(rows + ([f"... and {hidden} more"] if hidden > 0 else []))


def _texts(column: np.ndarray) -> list[str]:
    if column.dtype.kind == "f":
        whole = np.isfinite(column) & (column == np.round(column))
        plain = whole.all() and len(column) > 0
        texts = [f"{value:g}" if plain else f"{value:.3f}" for value in column]
        return ["" if text == "nan" else text for text in texts]
    return ["" if value is None else str(value) for value in column]


def _pad(texts: list[str], right: bool) -> list[str]:
    width = max(len(text) for text in texts)
    return [text.rjust(width) if right else text.ljust(width) for text in texts]
