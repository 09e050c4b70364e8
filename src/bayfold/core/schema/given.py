"""Bins that somebody has given: cuts of numbers, groups of categories, a number of bins, or special codes.

Numbers are cut exactly at the cuts, ``[a, b)``, below the first and from the last on; nothing is merged or smoothed.
Special codes, such as -99 for "no answer", have a bin each, behind all others. They are no numbers: no edge, range,
density or order knows them, and a missing cell stays missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayfold.core.frames import Column, NullColumn, Table
from bayfold.core.frames.columns import number_column
from bayfold.core.schema.types import NominalColumn, NumericColumn
from bayfold.errors import bins_of_wrong_kind


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


@dataclass(frozen=True)
class GivenBins:
    """What is given about the bins of a column.

    Attributes
    ----------
    cuts : tuple of float
        Of numbers, increasing.
    groups : tuple of tuple of str
        Labels of categories that share a bin.
    number : int
        If positive: so many bins of equal width of numbers, or so many bins of categories at most, of which the last
        holds the rarest.
    most : int
        If positive: so many bins at most, of numbers with equally many rows in each, of categories as ``number``.
    special : tuple of float
        Special codes of a column of numbers, increasing.
    special_named : bool
        Whether these were given for this column, and not for all columns of numbers.
    numbers_only : bool
        Whether this was given for all columns of numbers: categories stay as they are.
    """

    cuts: tuple[float, ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()
    number: int = 0
    most: int = 0
    special: tuple[float, ...] = ()
    special_named: bool = False
    numbers_only: bool = False

    @property
    def has_bins(self) -> bool:
        """Whether bins are given, and not only special codes or the largest number of bins."""
        return bool(self.cuts or self.groups or self.number)


def make_given_numeric(
    name: str,
    given: GivenBins,
    extremes: tuple[float, float] | None = None,
    zone: str | None = None,
) -> NumericColumn:
    """A column of numbers with given cuts, or with a given number of bins of equal width between its extremes.

    >>> make_given_numeric("age", GivenBins(number=4), (0.0, 80.0)).edges
    array([20., 40., 60.])
    """
    if given.groups:
        raise bins_of_wrong_kind(name, "numeric")
    edges = np.array(given.cuts, np.float64)
    if extremes is not None:
        low, high = extremes
        is_range = bool(low < high < np.inf and low > -np.inf)
        edges = np.linspace(low, high, given.number + 1)[1:-1] if is_range else np.empty(0)
        edges = np.unique(edges[(edges > low) & (edges <= high)])
    # from the cuts alone, so that models of parts of the rows can be added
    shift = float(np.median(edges)) if len(edges) else 0.0
    return NumericColumn(name, edges, shift=shift, zone=zone, is_given=True)


def group_categories(
    column: NominalColumn, given: GivenBins, frequency: Mapping[str, float]
) -> NominalColumn:
    """The column with some categories in shared bins; which are rare their weights say.

    >>> column = NominalColumn("region", ("east", "north", "south", "west"))
    >>> group_categories(column, GivenBins(groups=(("north", "east"),)), {}).categories
    ('north, east', 'south', 'west')
    >>> rows = {"east": 5.0, "north": 1.0, "south": 2.0, "west": 0.5}
    >>> group_categories(column, GivenBins(number=2), rows).categories
    ('east', 'north, south, west')
    """
    if given.cuts:
        raise bins_of_wrong_kind(column.name, "nominal")
    groups = given.groups
    limit = given.number or given.most
    if not (limit or groups):
        return column
    if limit:
        if column.n_bins <= limit:
            return column
        by_frequency = sorted(column.categories, key=lambda label: (-frequency[label], label))
        groups = (tuple(sorted(by_frequency[limit - 1 :])),)
    return share_bins(column, groups)


def share_bins(column: NominalColumn, groups: Sequence[tuple[str, ...]]) -> NominalColumn:
    """The column in which the categories of each group share a bin, named by all of them."""
    members = {", ".join(group): group for group in groups}
    shared = {label for group in members.values() for label in group}
    categories = {label for label in column.categories if label not in shared} | members.keys()
    kept = tuple(sorted((name, *group) for name, group in members.items() if len(group) > 1))
    return replace(column, categories=tuple(sorted(categories)), members=kept)
