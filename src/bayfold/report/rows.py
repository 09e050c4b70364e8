"""The rows of a table as a page shows them: a sample of them, how many are equal, and which columns go together."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from bayfold.core.frames import Column, Table
from bayfold.report.columns import show_number

CHOOSABLE_ROWS = 40
"""Rows that can be chosen in the page, evenly spaced: a menu that is still read, and some kilobytes."""
PRINTED_ROWS = 5
"""Of them, those that stand in a table: enough to see what a row is."""
CELL_LETTERS = 60
"""Of a text in a sample."""
ASSOCIATION_LEVELS = 10
"""Levels of a column in a table of two columns: bins of equally many rows, or the most frequent categories."""
ASSOCIATION_CELLS = 10_000_000
"""Entries of the indicator matrix that tables of two columns are added up from: a second for 200 columns."""
MOST_ASSOCIATED = 100
"""Columns that are compared with each other, the first of the table: the time grows with the square."""
SHOWN_ASSOCIATIONS = 6
"""Pairs that are listed, the strongest."""


def sample_rows(table: Table) -> dict[str, Any]:
    """Some rows, evenly spaced, as plain values by column: numbers, texts, None where a cell is missing."""
    n_shown = min(CHOOSABLE_ROWS, table.n_rows)
    rows = np.linspace(0, table.n_rows - 1, n_shown).round().astype(np.int64)
    rows = np.unique(rows)
    columns = [
        {"name": column.name, "cells": _plain_cells(column, rows), "shown": _show(column, rows)}
        for column in table.columns
        if column.kind != "bag"
    ]
    return {"rows": (rows + 1).tolist(), "columns": columns}


def _plain_cells(column: Column, rows: np.ndarray) -> list[float | str | None]:
    if column.kind == "nominal":
        indices, labels = column.take(rows).labels()
        return [None if k < 0 else str(labels[k]) for k in indices]
    numbers = column.take(rows).numbers(0, len(rows))
    return [float(x) if np.isfinite(x) else None for x in numbers]


def _show(column: Column, rows: np.ndarray) -> list[str]:
    cells = _plain_cells(column, rows[:PRINTED_ROWS])
    return [
        ""
        if cell is None
        else cell[:CELL_LETTERS]
        if isinstance(cell, str)
        else show_number(cell, column.zone)
        for cell in cells
    ]


def count_equal_rows(table: Table) -> int:
    """Rows that are equal to an earlier one in all columns.

    >>> count_equal_rows(Table.of_matrix(np.array([[1.0, 2.0], [1.0, 3.0], [1.0, 2.0]])))
    1
    """
    hashes = np.zeros(table.n_rows, np.uint64)
    for column in table.columns:
        hashes *= np.uint64(0x9E3779B97F4A7C15)  # the odd number nearest 2^64 over the golden ratio
        hashes ^= hashes >> np.uint64(29)
        hashes += _identify_cells(column, table.n_rows)
    return int(table.n_rows - len(np.unique(hashes)))


def _identify_cells(column: Column, n_rows: int) -> np.ndarray:
    """A number for each cell, equal for equal cells."""
    if column.kind == "nominal":
        return column.labels()[0].astype(np.int64).view(np.uint64)
    numbers = np.array(column.numbers(0, n_rows), np.float64) + 0.0  # minus zero is zero
    numbers[np.isnan(numbers)] = np.nan
    return numbers.view(np.uint64)


def find_associations(table: Table) -> list[dict[str, Any]]:
    """The pairs of columns that go together most, by Cramér's V without its bias from few rows.

    Numbers are cut into bins of equally many rows; a missing cell is a level. V is 0 for independent columns and 1
    where one column determines the other.

    References
    ----------
    W. Bergsma (2013). A bias-correction for Cramér's V and Tschuprow's T. Journal of the Korean Statistical Society.
    """
    columns = [c for c in table.columns if c.kind in ("nominal", "numeric")][:MOST_ASSOCIATED]
    n_kept = ASSOCIATION_CELLS // (max(len(columns), 1) * (ASSOCIATION_LEVELS + 1))
    rows = np.arange(0, table.n_rows, max(1, -(-table.n_rows // max(n_kept, 1))))
    levels = [_level_cells(column.take(rows), len(rows)) for column in columns]
    indicators = np.concatenate(
        [codes[:, None] == np.arange(ASSOCIATION_LEVELS + 1) for codes in levels] or [[]], axis=-1
    ).astype(np.float32)
    together = (indicators.T @ indicators).astype(np.float64)
    found: list[dict[str, Any]] = []
    for a, b in combinations(range(len(columns)), 2):
        spans = [
            slice(j * (ASSOCIATION_LEVELS + 1), (j + 1) * (ASSOCIATION_LEVELS + 1)) for j in (a, b)
        ]
        strength = find_cramers_v(together[spans[0], spans[1]])
        if strength > 0:
            found.append({"names": [columns[a].name, columns[b].name], "strength": strength})
    return sorted(found, key=lambda each: -each["strength"])[:SHOWN_ASSOCIATIONS]


def _level_cells(column: Column, n_rows: int) -> np.ndarray:
    """The level of each cell: 0 is missing."""
    if column.kind == "nominal":
        indices, labels = column.labels()
        counts = np.bincount(indices[indices >= 0], minlength=len(labels))
        level = np.full(len(labels) + 1, ASSOCIATION_LEVELS)
        order = np.argsort(-counts, kind="stable")[: ASSOCIATION_LEVELS - 1]
        level[order] = 1 + np.arange(len(order))
        level[-1] = 0  # the index of a missing cell is -1
        return level[indices]
    numbers = column.numbers(0, n_rows)
    known = np.isfinite(numbers)
    if not known.any():
        return np.zeros(n_rows, np.int64)
    shares = np.arange(1, ASSOCIATION_LEVELS) / ASSOCIATION_LEVELS
    cuts = np.unique(np.quantile(numbers[known], shares))
    return np.where(known, 1 + np.searchsorted(cuts, np.where(known, numbers, 0.0), "right"), 0)


def find_cramers_v(counts: np.ndarray) -> float:
    """Cramér's V of a table of counts, without its bias.

    >>> find_cramers_v(np.array([[50.0, 0.0], [0.0, 50.0]])), find_cramers_v(np.full((2, 2), 25.0))
    (1.0, 0.0)
    """
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    n_rows = counts.sum()
    if min(counts.shape) < 2 or n_rows < 2:
        return 0.0
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / n_rows
    degrees = np.array(counts.shape) - 1.0
    squared = ((counts - expected) ** 2 / expected).sum() / n_rows
    squared = max(squared - degrees.prod() / (n_rows - 1), 0.0)
    most = (degrees - degrees**2 / (n_rows - 1)).min()
    return float(min(np.sqrt(squared / most), 1.0)) if most > 0 else 0.0
