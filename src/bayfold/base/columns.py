"""Parameters that speak of columns: by name, by position, or by mask."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeVar

import numpy as np

from bayfold import errors
from bayfold.core.discretize import DIRECTIONS
from bayfold.core.frames import Table
from bayfold.core.schema import Schema
from bayfold.core.schema.text_rule import TextRule

T = TypeVar("T")

NUMERIC_METHODS = (
    "auto",
    "smooth",
    "kernel",
    "mdl",
    "equal_frequency",
    "equal_width",
    "gaussian",
)

DECIMAL_SIGNS = (".", ",")

MOST_IN_SEQUENCE = 5
"""Words that are counted as one: longer sequences hardly come twice."""

BINNED = ("equal_frequency", "equal_width")
"""Densities with as many bins as one says."""

MERGEABLE = ("auto", "mdl", "equal_frequency", "equal_width", "given")
"""Densities whose evidence can be made monotone."""


def resolve_columns(
    columns: Any, names: list[str], parameter: str = "categorical_features"
) -> frozenset[int]:
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
            raise errors.bad_mask(parameter, len(names), columns)
        return frozenset(np.flatnonzero(entries).tolist())
    return frozenset(find_column(parameter, entry, names) for entry in entries)


def resolve_texts(estimator: Any, names: list[str]) -> TextRule:
    """The parameters of an estimator about columns of text, resolved."""
    ngrams = estimator.ngrams
    sizes = list(ngrams) if isinstance(ngrams, Iterable) and not isinstance(ngrams, str) else []
    if len(sizes) != 2 or not all(map(errors.is_whole, sizes)):
        raise errors.bad_ngrams(ngrams, MOST_IN_SEQUENCE)
    if not 1 <= sizes[0] <= sizes[1] <= MOST_IN_SEQUENCE:
        raise errors.bad_ngrams(ngrams, MOST_IN_SEQUENCE)
    asked = resolve_columns(estimator.text_features, names, "text_features")
    both = asked & resolve_columns(estimator.categorical_features, names)
    if both:
        raise errors.column_of_two_kinds("text_features", "categorical_features", names[min(both)])
    return TextRule(asked, (int(sizes[0]), int(sizes[1])))


def resolve_asked_numbers(estimator: Any, names: list[str]) -> dict[int, str | None]:
    """The columns that must be numbers, and the decimal sign of those for which it is given."""
    given = estimator.numeric_features
    by_column = isinstance(given, Mapping)
    for sign in given.values() if by_column else ():
        if sign not in DECIMAL_SIGNS:
            raise errors.bad_decimal_sign(sign)
    if by_column:
        found = {find_column("numeric_features", c, names): sign for c, sign in given.items()}
    else:
        found = dict.fromkeys(resolve_columns(given, names, "numeric_features"))
    for other in ("categorical_features", "text_features"):
        both = found.keys() & resolve_columns(getattr(estimator, other, None), names, other)
        if both:
            raise errors.column_of_two_kinds("numeric_features", other, names[min(both)])
    return found


def find_column(parameter: str, entry: Any, names: list[str]) -> int:
    """The position of one column."""
    if isinstance(entry, str) and entry in names:
        if names.count(entry) > 1:
            raise errors.ambiguous_name(parameter, entry, names.count(entry))
        return names.index(entry)
    if isinstance(entry, (int, np.integer)) and -len(names) <= entry < len(names):
        return int(entry) % len(names)
    raise errors.unknown_column(parameter, entry, names)


COLUMN_PARAMETERS = (
    "categorical_features",
    "numeric_features",
    "text_features",
    "numeric",
    "n_bins",
    "bins",
    "special_codes",
    "max_bins",
    "monotone",
)
"""Parameters that speak of columns: lists of them, or dicts by column."""


def check_positions(estimator: Any, table: Table) -> None:
    """Refuse a position that is also the name of another column: pandas names columns by whole numbers too."""
    if table.numbers_as_names is None:
        return
    names = list(table.numbers_as_names)
    for parameter in COLUMN_PARAMETERS:
        given = getattr(estimator, parameter, None)
        if not isinstance(given, Iterable):  # a number of bins is no column
            given = [given] if parameter.endswith("_features") else []
        for entry in given:
            if errors.is_whole(entry) and entry in names and names[entry % len(names)] != entry:
                raise errors.ambiguous_position(parameter, entry, names)


def resolve_methods(
    numeric: Any, names: list[str], known: tuple[str, ...] = NUMERIC_METHODS
) -> dict[int, str]:
    """The density of every column: one for all, or a dict by column with the first known for the rest."""
    by_column = isinstance(numeric, Mapping)
    for method in numeric.values() if by_column else [numeric]:
        if not isinstance(method, str) or method not in known:
            raise errors.bad_by_column("numeric", errors.list_choices(known), method)
    return _by_position("numeric", numeric, names, known[0])


def _by_position(parameter: str, given: Any, names: list[str], rest: T) -> dict[int, T]:
    """What is given for every column: one for all, or a dict by column with ``rest`` for those not in it."""
    if not isinstance(given, Mapping):
        return dict.fromkeys(range(len(names)), given)
    found = dict.fromkeys(range(len(names)), rest)
    found |= {find_column(parameter, column, names): own for column, own in given.items()}
    return found


def resolve_monotone(monotone: Any, schema: Schema) -> dict[int, str]:
    """The direction of every column that has one: one for all columns of numbers, or a dict by column."""
    if monotone is None:
        return {}
    by_column = isinstance(monotone, Mapping)
    for direction in monotone.values() if by_column else [monotone]:
        if not isinstance(direction, str) or direction not in DIRECTIONS:
            known = errors.list_choices([*DIRECTIONS, None])
            raise errors.bad_by_column("monotone", known, direction)
    numeric = schema.numeric.tolist()
    if not by_column:
        return dict.fromkeys(numeric, monotone)
    directions: dict[int, str] = {}
    for column, direction in monotone.items():
        j = find_column("monotone", column, schema.names)
        if j not in numeric:
            raise errors.monotone_of_categories(schema.names[j])
        if directions.setdefault(j, direction) != direction:
            raise errors.two_directions(schema.names[j], directions[j], direction)
    return directions


def check_monotone(methods: dict[int, str], monotone: dict[int, str], schema: Schema) -> None:
    """Refuse a direction for a column whose density has no bins to merge."""
    for j in monotone:
        if schema.columns[j].kind == "numeric" and methods[j] not in MERGEABLE:
            raise errors.monotone_without_bins(schema.names[j], methods[j], MERGEABLE)


def resolve_n_bins(n_bins: Any, names: list[str]) -> dict[int, int]:
    """The number of bins of every column: one for all, or a dict by column with 10 for the rest."""
    by_column = isinstance(n_bins, Mapping)
    for number in n_bins.values() if by_column else [n_bins]:
        if not errors.is_whole(number) or not 1 <= number <= 254:
            raise errors.bad_by_column("n_bins", "a whole number from 1 to 254", number)
    if by_column:
        return _by_position("n_bins", {c: int(n) for c, n in n_bins.items()}, names, 10)
    return _by_position("n_bins", int(n_bins), names, 10)


def check_densities(
    estimator: Any,
    methods: dict[int, str],
    names: list[str],
    monotone: Collection[int] = (),
    either: Collection[str] = (),
) -> None:
    """Refuse parameters of densities and of smoothing that no column makes use of.

    Densities among ``either`` may turn out to have bins, or to be Gaussian.
    """
    binned = {j for j, method in methods.items() if method in BINNED or method in either}
    binned |= {j for j in monotone if methods[j] == "auto"}  # which then chooses among bins
    if isinstance(estimator.n_bins, Mapping):
        for j in (find_column("n_bins", column, names) for column in estimator.n_bins):
            if j not in binned:
                raise errors.bins_without_use(names[j], methods[j], BINNED)
    elif not binned:
        errors.check_unused(estimator, "n_bins", f"numeric={estimator.numeric!r}")
    if hasattr(estimator, "variance_floor") and not {"gaussian", *either} & {*methods.values()}:
        errors.check_unused(estimator, "variance_floor", f"numeric={estimator.numeric!r}")
    if estimator.smoothing != "m_estimate":
        errors.check_unused(estimator, "m", f"smoothing={estimator.smoothing!r}")
