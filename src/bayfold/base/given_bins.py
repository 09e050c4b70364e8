"""The parameter ``bins``, by which people give the bins of columns: cuts, groups of categories, or how many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from bayfold import errors
from bayfold.base.columns import (
    find_column,
    resolve_asked_numbers,
    resolve_columns,
    resolve_methods,
)
from bayfold.core.counts import LabelledRows
from bayfold.core.frames.labels import label_of
from bayfold.core.kernels.encode import NARROW_BINS
from bayfold.core.schema import NumericColumn, Schema, infer_schema
from bayfold.core.schema.given import GivenBins

MOST_SPECIAL = 100
"""Special codes of a column: a round number, which leaves room for as many bins."""

GIVEN = "given"
"""The density of a column of numbers whose bins are given: the frequency of each."""


def infer_given_schema(estimator: Any, rows: LabelledRows, nominal: frozenset[int]) -> Schema:
    """The schema of rows, with what an estimator says about bins and about columns that must be numbers."""
    names = [column.name for column in rows.table.columns]
    given = resolve_bins(estimator, names)
    asked = resolve_asked_numbers(estimator, names)
    return infer_schema(rows.table, rows.weights, nominal, given=given, asked_numbers=asked)


def resolve_bins(estimator: Any, names: list[str]) -> dict[int, GivenBins]:
    """What is given about the bins of each column, by its position: bins, how many at most, special codes."""
    found = _resolve_bins(estimator, names)
    special = getattr(estimator, "special_codes", None)
    by_name = isinstance(special, Mapping)
    if special is None or (by_name and not special):
        return found
    if not by_name:
        codes = _read_special(special)
        everywhere = GivenBins(special=codes, numbers_only=True)
        every = range(len(names))
        return {j: replace(found[j], special=codes) if j in found else everywhere for j in every}
    for column, own in special.items():
        j = find_column("special_codes", column, names)
        known = found.get(j, GivenBins())
        if known.special_named:
            raise errors.special_codes_given_twice(names[j])
        if known.groups:
            raise errors.special_codes_of_categories(names[j])
        found[j] = replace(known, special=_read_special(own), special_named=True)
        if len(known.cuts) + 1 + len(found[j].special) > NARROW_BINS:
            raise errors.too_many_special_codes(names[j], NARROW_BINS)
    return found


def find_special(estimator: Any, names: list[str]) -> dict[int, tuple[float, ...]]:
    """The special codes of each column that has some."""
    given = resolve_bins(estimator, names) if hasattr(estimator, "special_codes") else {}
    return {j: bins.special for j, bins in given.items() if bins.special}


def _read_special(given: Any) -> tuple[float, ...]:
    codes = [given] if errors.is_finite(given) else given
    if isinstance(codes, str | bytes | Mapping) or not isinstance(codes, Iterable):
        raise errors.bad_special_codes(given, MOST_SPECIAL)
    codes = list(codes)
    if not 1 <= len(codes) <= MOST_SPECIAL or not all(map(errors.is_finite, codes)):
        raise errors.bad_special_codes(given, MOST_SPECIAL)
    return tuple(sorted({float(code) + 0.0 for code in codes}))  # minus zero is zero


def _resolve_bins(estimator: Any, names: list[str]) -> dict[int, GivenBins]:
    found = _resolve_most(getattr(estimator, "max_bins", None), names)
    bins = estimator.bins
    if bins is None:
        return found
    if found and not isinstance(bins, Mapping):
        raise errors.bins_given_twice(names[min(found)])
    if not isinstance(bins, Mapping):
        if not _is_number_of_bins(bins):
            raise errors.bad_bins(bins, NARROW_BINS)
        return dict.fromkeys(range(len(names)), GivenBins(number=int(bins), numbers_only=True))
    nominal = resolve_columns(estimator.categorical_features, names)
    for column, own in bins.items():
        j = find_column("bins", column, names)
        if j in found:
            raise errors.bins_given_twice(names[j])
        found[j] = _read_bins(names[j], own)
        if j in nominal and found[j].cuts:
            raise errors.bins_of_wrong_kind(names[j], "nominal")
    return found


def _resolve_most(max_bins: Any, names: list[str]) -> dict[int, GivenBins]:
    """The largest number of bins of some columns."""
    found: dict[int, GivenBins] = {}
    for column, number in max_bins.items() if isinstance(max_bins, Mapping) else ():
        if not _is_number_of_bins(number):
            condition = f"a whole number from 2 to {NARROW_BINS}"
            raise errors.bad_by_column("max_bins", condition, number)
        found[find_column("max_bins", column, names)] = GivenBins(most=int(number))
    return found


def resolve_nominal(estimator: Any, names: list[str]) -> frozenset[int]:
    """The columns that hold labels whatever their type: by ``categorical_features``, or because groups are given."""
    nominal = resolve_columns(estimator.categorical_features, names)
    given = resolve_bins(estimator, names) if hasattr(estimator, "bins") else {}
    return nominal | {j for j, bins in given.items() if bins.groups}


CURVES = ("kernel", "gaussian")
"""Densities of the numbers themselves, which know no codes."""


def resolve_densities(numeric: Any, schema: Schema, *known: tuple[str, ...]) -> dict[int, str]:
    """The density of every column; of columns whose bins are given, their frequencies."""
    methods = resolve_methods(numeric, schema.names, *known)
    by_name = isinstance(numeric, Mapping)
    chosen = {find_column("numeric", column, schema.names) for column in numeric if by_name}
    for j, column in enumerate(schema.columns):
        if j in chosen and column.kind != "numeric":
            raise errors.density_of_categories(column.name)
        if isinstance(column, NumericColumn) and column.is_given:
            if j in chosen:
                raise errors.density_of_given_bins(column.name)
            methods[j] = GIVEN
        elif methods[j] in CURVES and len(getattr(column, "special", ())):
            raise errors.special_codes_of_curve(column.name, methods[j], CURVES)
    return methods


def _read_bins(name: str, given: Any) -> GivenBins:
    """The cuts, the groups, or the number of bins of one column."""
    if _is_number_of_bins(given):
        return GivenBins(number=int(given))
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise errors.bad_bins_of_column(name, given, NARROW_BINS)
    entries = list(given)
    if entries and all(isinstance(entry, list | tuple | set | frozenset) for entry in entries):
        return GivenBins(groups=_read_groups(name, entries))
    if not entries or not all(map(errors.is_finite, entries)) or len(entries) >= NARROW_BINS:
        raise errors.bad_bins_of_column(name, given, NARROW_BINS)
    cuts = tuple(map(float, entries))
    for low, high in pairwise(cuts):
        if not low < high:
            raise errors.unordered_cuts(name, low, high)
    return GivenBins(cuts=cuts)


def _read_groups(name: str, groups: list) -> tuple[tuple[str, ...], ...]:
    """The labels of each group; no label may be in two, nor be the name of a group."""
    found = tuple(tuple(map(label_of, group)) for group in groups)
    seen: set[str] = set()
    for group in found:
        if not group:
            raise errors.empty_group(name)
        for label in {", ".join(group)} | set(group) if len(group) > 1 else group:
            if label in seen:
                raise errors.category_in_two_groups(name, label)
            seen.add(label)
        if len(set(group)) < len(group):
            raise errors.category_in_two_groups(name, next(x for x in group if group.count(x) > 1))
    return found


def _is_number_of_bins(given: Any) -> bool:
    return errors.is_whole(given) and 2 <= given <= NARROW_BINS
