"""Rows of tables: take some of them, or put several tables one below the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayfold.core.frames.bags import BagColumn
from bayfold.core.frames.columns import Column, LabelColumn, NullColumn, StringColumn, number_column
from bayfold.core.frames.labels import any_number, merge_equal_labels
from bayfold.core.frames.strings import Strings
from bayfold.core.frames.table import Table
from bayfold.core.frames.times import UTC_NAMES
from bayfold.errors import kind_mismatch, mixed_time_zones


def take_rows(X: Any, rows: np.ndarray) -> Any:
    """The given rows of an array, a list or a frame, as the same kind of thing.

    >>> take_rows([[1], [2], [3]], np.array([2, 0]))
    [[3], [1]]
    """
    if isinstance(X, Table):
        return X.take(rows)
    if isinstance(X, (list, tuple)):
        return [X[i] for i in rows]
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "tocsr"):
        return X.tocsr()[rows]
    if _is_polars(X):
        return X[rows]
    held = hold_rows(X)
    if hasattr(held, "take") and not isinstance(held, np.ndarray):
        return held.take(rows)
    return np.asarray(held)[rows]  # whatever else NumPy takes for an array


def hold_rows(X: Any) -> Any:
    """A table that can be read twice: itself, or an Arrow table of a stream or a query, which may order rows anew."""
    if not hasattr(X, "__arrow_c_stream__") or hasattr(X, "take") or _is_polars(X):
        return X
    import pyarrow as pa

    return pa.table(X)


def _is_polars(X: Any) -> bool:
    return type(X).__module__.split(".")[0] == "polars"


def concat_tables(tables: list[Table]) -> Table:
    """One table of all rows. Nothing of the sources is referred to afterwards.

    Examples
    --------
    >>> from bayfold.core.frames import read_table
    >>> concat_tables([read_table([[1.0]]), read_table([[2.0]])]).n_rows
    2
    """
    columns = [list(parts) for parts in zip(*(table.columns for table in tables), strict=True)]
    n_rows = sum(table.n_rows for table in tables)
    rows = [table.n_rows for table in tables]
    return Table(tuple(_concat(parts, rows) for parts in columns), n_rows, tables[0].names)


def _concat(parts: list[Column], rows: list[int]) -> Column:
    name = parts[0].name
    bags = [part for part in parts if isinstance(part, BagColumn)]
    if bags:
        return BagColumn.concat(bags)
    parts = [_or_nothing(part, n) for part, n in zip(parts, rows, strict=True)]
    kinds = [part.kind for part in parts]
    found = sorted(set(kinds) - {"empty"})
    if not found:
        return NullColumn(name, sum(rows))
    first = next(kind for kind in kinds if kind != "empty")
    may_mix = all(part.is_loose or part.kind == "empty" for part in parts)
    if len(found) > 1 and not may_mix and not (first == "nominal" and _hold_numbers(parts)):
        raise kind_mismatch(name, first, "numbers" if first == "nominal" else "categories")
    if all(_are_strings(part) for part in parts):
        return StringColumn(name, Strings.concat([part.strings() for part in parts]))
    if "nominal" in found:
        return _concat_labels(name, parts)
    pieces = [part.numbers(0, n) for part, n in zip(parts, rows, strict=True)]
    zones = [part.zone for part in parts if part.zone is not None]
    if "" in zones and not UTC_NAMES.issuperset(zones):
        raise mixed_time_zones(name)
    return number_column(name, np.concatenate(pieces), zones[0] if zones else None)


def _or_nothing(part: Column, n_rows: int) -> Column:
    """A column without a known cell is of no kind, whatever its type."""
    if part.kind == "numeric" and np.isnan(part.numbers(0, n_rows)).all():
        return NullColumn(part.name, n_rows)
    return part


def _are_strings(part: Column) -> bool:
    """Whether no cell is anything but a string: nobody called them categories, and they may be texts."""
    inner = getattr(part, "inner", part)
    return isinstance(inner, StringColumn | NullColumn)


def _hold_numbers(parts: list[Column]) -> bool:
    """Whether labels are numbers here and there: an object column is of the kind its batch happens to hold."""
    return any(part.kind == "nominal" and any_number(part.labels()[1]) for part in parts)


def _concat_labels(name: str, parts: list[Column]) -> LabelColumn:
    indices: list[np.ndarray] = []
    labels: list[str] = []
    for part in parts:
        codes, distinct = part.labels()
        indices.append(np.where(codes >= 0, codes + len(labels), -1).astype(np.int32))
        labels += distinct
    return LabelColumn(name, *merge_equal_labels(np.concatenate(indices), labels))
