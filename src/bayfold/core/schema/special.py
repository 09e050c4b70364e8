"""Special codes of a column of numbers, such as -99 for "no answer": each has a bin of its own, behind all others.

They are no numbers: no edge, range, density or order knows them, and a missing cell stays missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayfold.core.frames import Column, NullColumn, Table
from bayfold.core.frames.columns import number_column


@dataclass(frozen=True, eq=False)
class SpecialCells:
    """The rows that have special codes, in increasing order, and which of them each has."""

    rows: np.ndarray
    places: np.ndarray

    def write(self, start: int, stop: int, first: int, codes: np.ndarray) -> None:
        """Write the codes of rows ``start`` to ``stop``, counted from that of the first special code."""
        low, high = np.searchsorted(self.rows, [start, stop])
        codes[self.rows[low:high] - start] = first + self.places[low:high]


def set_apart(column: Column, special: Sequence[float], n_rows: int) -> tuple[Column, SpecialCells]:
    """The column with missing cells in place of special codes, and where these are."""
    nothing = np.empty(0, np.int64)
    if isinstance(column, NullColumn):
        return column, SpecialCells(nothing, nothing)
    values = np.array(column.numbers(0, n_rows), np.float64)
    places = np.searchsorted(special, values).clip(max=len(special) - 1)
    rows = np.flatnonzero(np.asarray(special)[places] == values)
    values[rows] = np.nan
    apart = number_column(column.name, values, column.zone)
    return apart, SpecialCells(rows, places[rows])


def hide_special(table: Table, special: Mapping[int, Sequence[float]]) -> Table:
    """The table with missing cells in place of the special codes of some columns."""
    columns = list(table.columns)
    for j, codes in special.items():
        if columns[j].kind == "numeric":
            columns[j] = set_apart(columns[j], codes, table.n_rows)[0]
    if all(new is old for new, old in zip(columns, table.columns, strict=True)):
        return table
    return replace(table, columns=tuple(columns), matrix=None)


def count_special_codes(columns: Sequence[Any]) -> np.ndarray:
    """How many special codes each column has."""
    return np.array([len(getattr(column, "special", ())) for column in columns], np.int64)
