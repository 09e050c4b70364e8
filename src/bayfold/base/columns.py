"""Parameters that speak of columns: by name, by position, or by mask."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from bayfold.core.discretize import DIRECTIONS
from bayfold.core.frames import Table
from bayfold.core.schema import Schema
from bayfold.errors import ambiguous_name, ambiguous_position, bad_parameter

NUMERIC_METHODS = (
    "auto",
    "smooth",
    "kernel",
    "mdl",
    "equal_frequency",
    "equal_width",
    "gaussian",
)

MERGEABLE = ("auto", "mdl", "equal_frequency", "equal_width")
"""Densities whose evidence can be made monotone."""


def resolve_columns(columns: Any, names: list[str]) -> frozenset[int]:
    """Positions of the columns given by names, positions or a boolean mask.

    >>> sorted(resolve_columns(["b", 0], ["a", "b"]))
    [0, 1]
    """
    if columns is None:
        return frozenset()
    alone = isinstance(columns, str) or not isinstance(columns, Iterable)
    entries = [columns] if alone else list(columns)
    if entries and all(isinstance(entry, (bool, np.bool_)) for entry in entries):
        if len(entries) != len(names):
            condition = f"a mask with one entry for each of the {len(names)} columns"
            raise bad_parameter("categorical_features", condition, columns)
        return frozenset(np.flatnonzero(entries).tolist())
    return frozenset(find_column("categorical_features", entry, names) for entry in entries)


def find_column(parameter: str, entry: Any, names: list[str]) -> int:
    """The position of one column."""
    if isinstance(entry, str) and entry in names:
        if names.count(entry) > 1:
            raise ambiguous_name(parameter, entry, names.count(entry))
        return names.index(entry)
    if isinstance(entry, (int, np.integer)) and -len(names) <= entry < len(names):
        return int(entry) % len(names)
    shown = ", ".join(map(repr, names[:8])) + (", ..." if len(names) > 8 else "")
    raise bad_parameter(parameter, f"given by columns of the table ({shown})", entry)


COLUMN_PARAMETERS = ("categorical_features", "numeric", "n_bins", "monotone")
"""Parameters that speak of columns: lists of them, or dicts by column."""


def check_positions(estimator: Any, table: Table) -> None:
    """Refuse a position that is also the name of another column: pandas names columns by whole numbers too."""
    if table.numbers_as_names is None:
        return
    names = list(table.numbers_as_names)
    for parameter in COLUMN_PARAMETERS:
        given = getattr(estimator, parameter, None)
        if not isinstance(given, Iterable):  # a number of bins is no column
            given = [given] if parameter == "categorical_features" else []
        for entry in given:
            if is_whole_number(entry) and entry in names and names[entry % len(names)] != entry:
                raise ambiguous_position(parameter, entry, names)


def resolve_methods(
    numeric: Any, names: list[str], known: tuple[str, ...] = NUMERIC_METHODS
) -> dict[int, str]:
    """The density of every column: one for all, or a dict by column with the first known for the rest."""
    given = numeric if isinstance(numeric, Mapping) else dict.fromkeys(range(len(names)), numeric)
    methods = dict.fromkeys(range(len(names)), known[0])
    for column, method in given.items():
        if not isinstance(method, str) or method not in known:
            condition = f"one of {', '.join(map(repr, known))}, or a dict from columns to these"
            raise bad_parameter("numeric", condition, method)
        methods[find_column("numeric", column, names)] = method
    return methods


def resolve_monotone(monotone: Any, names: list[str]) -> dict[int, str]:
    """The direction of every column that has one: one for all, or a dict by column."""
    if monotone is None:
        return {}
    by_column = isinstance(monotone, Mapping)
    given = monotone if by_column else dict.fromkeys(range(len(names)), monotone)
    directions = {}
    for column, direction in given.items():
        if not isinstance(direction, str) or direction not in DIRECTIONS:
            known = ", ".join(map(repr, DIRECTIONS))
            condition = f"None, one of {known}, or a dict from columns to these"
            raise bad_parameter("monotone", condition, direction)
        directions[find_column("monotone", column, names)] = direction
    return directions


def check_columns_are_numeric(numeric: Any, schema: Schema) -> None:
    """Refuse a density for a column that turned out to be nominal: it would be without effect."""
    for column in numeric if isinstance(numeric, Mapping) else ():
        described = schema.columns[find_column("numeric", column, schema.names)]
        if described.kind == "nominal":
            advice = "Leave it out of the dict."
            raise bad_parameter("numeric", "about numeric columns", described.name, advice)


def check_monotone(methods: dict[int, str], monotone: dict[int, str], schema: Schema) -> None:
    """Refuse a direction for a column whose density has no bins to merge."""
    for j in monotone:
        if schema.columns[j].kind == "numeric" and methods[j] not in MERGEABLE:
            condition = f"about columns with bins (numeric={', '.join(map(repr, MERGEABLE))})"
            raise bad_parameter("monotone", condition, f"{schema.names[j]} ({methods[j]})")


def is_whole_number(value: Any) -> bool:
    """Whether it is an integer of Python or NumPy, and no boolean."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def resolve_n_bins(n_bins: Any, names: list[str]) -> dict[int, int]:
    """The number of bins of every column: one for all, or a dict by column with 10 for the rest."""
    given = n_bins if isinstance(n_bins, Mapping) else dict.fromkeys(range(len(names)), n_bins)
    bins = dict.fromkeys(range(len(names)), 10)
    for column, number in given.items():
        if not is_whole_number(number) or not 1 <= number <= 254:
            condition = "a whole number from 1 to 254, or a dict from columns to these"
            raise bad_parameter("n_bins", condition, number)
        bins[find_column("n_bins", column, names)] = int(number)
    return bins
