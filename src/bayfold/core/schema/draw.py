"""Which rows of a long table the bins of numbers come from: those that a hash of their numbers draws.

What is drawn depends on what is in a row and not on where it stands, on no name, and not on the order of columns.
"""

from __future__ import annotations

import numpy as np

from bayfold.core import kernels
from bayfold.core.frames import Column, Table
from bayfold.core.frames.labels import lend_cells

CELLS_AT_ONCE = 1 << 16
"""Of a column before the next: half a megabyte, which stays near a core with the hashes."""

LEAST_UNEQUAL_ROWS = 0.9
"""Of the rows drawn by a small hash: where more of them are equal, equal rows are all in the sample or all out of it,
and shares in it are not those of the table."""

MOST_STANDARD_ERRORS = 3.0
"""Standard errors by which the number of rows with a small hash may differ from what is expected: rows that are very
often equal are missing in it, or too many."""


def draw_by_content(table: Table, weights: np.ndarray | None, n_wanted: int) -> np.ndarray:
    """About as many rows as are wanted, in the order of the table.

    Rows whose numbers have a small hash are drawn. Where many rows are equal, rows are drawn in even strips of all rows
    in the order of their hashes, so that each has its share. Rows without a number are drawn by their places.
    """
    numeric = [column for column in table.columns if column.kind == "numeric"]
    if not numeric:
        return choose_rows(table.n_rows, n_wanted)
    hashes = _hash_rows(numeric, table.n_rows)
    rows = np.flatnonzero(hashes <= np.uint64(n_wanted * (2**64 // table.n_rows)))
    is_as_expected = abs(len(rows) - n_wanted) <= MOST_STANDARD_ERRORS * np.sqrt(n_wanted)
    if is_as_expected and len(np.unique(hashes[rows])) >= LEAST_UNEQUAL_ROWS * len(rows):
        return rows
    digits = (
        hashes.view(np.uint16).reshape(-1, 4).T
    )  # sorted one after the other, which takes no comparisons
    order = np.lexsort(digits if weights is None else (weights, *digits))
    return np.sort(order[choose_rows(table.n_rows, n_wanted)])


def _hash_rows(columns: list[Column], n_rows: int) -> np.ndarray:
    hashes = np.zeros(n_rows, np.uint64)
    for start in range(0, n_rows, CELLS_AT_ONCE):
        stop = min(start + CELLS_AT_ONCE, n_rows)
        for column in columns:
            cells = lend_cells(np.asarray(column.numbers(start, stop), np.float64))
            kernels.add_number_hashes(cells, hashes[start:stop])
    return hashes


def choose_rows(n_rows: int, limit: int) -> np.ndarray:
    """At most ``limit`` rows, one at random in each of as many equal strips.

    Strips cover sorted tables evenly, and the random place within a strip does not fall into step with
    a pattern in the rows. The draw is fixed, so that a fit can be repeated.
    """
    if n_rows <= limit:
        return np.arange(n_rows)
    # bounds are whole numbers, so that no row is drawn twice
    bounds = np.linspace(0, n_rows, limit + 1).astype(np.int64)
    jitter = np.random.default_rng(0).random(limit) * np.diff(bounds)
    return bounds[:-1] + jitter.astype(np.int64)
