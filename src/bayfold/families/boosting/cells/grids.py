"""Short grids of two or three columns: the cell of each row, and sums that neighbouring cells share.

A column has at most eight bins of nearly equal weight, or groups of categories; missing cells are a bin of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import NumericColumn, Schema
from bayfold.core.schema.edges import find_quantile_cuts
from bayfold.families.boosting.collapse import find_live_codes
from bayfold.families.boosting.rounds.distinct_rows import DistinctRows
from bayfold.families.boosting.rounds.resolution import merge_fine_bins
from bayfold.families.boosting.starts.tables import CellTable

GRID_BINS = 8
"""Of a column, beside missing cells and special codes. On kin8nm the relative RMSE was 47.2 % with 8 and 46.9 with 12
bins; tables of 512 cells are read more easily than of 1,728."""

MOST_GRID_BINS = 16
"""With that of no evidence: cells of two columns have codes of one byte. Columns of more special codes are left out."""

BINS_OF_REACH = 1.5
"""Bins over which cells share what their rows say, the standard deviation of a normal density. On kin8nm the relative
RMSE was 50.8 % with .7, 47.3 with 1.5 and 47.2 with 2; house-8L, bank8FM and cpu-act were within .1 of each other."""


@dataclass(frozen=True, eq=False)
class GridSide:
    """A column of a grid.

    Attributes
    ----------
    position : int
        Among the narrow and then the wide codes.
    merge : ndarray of int
        The bin of each code; 0 gives no evidence.
    kernel : ndarray of shape (n_bins, n_bins)
        How far bins share what their rows say.
    """

    position: int
    merge: np.ndarray
    kernel: np.ndarray


@dataclass(frozen=True, eq=False)
class CellGrid:
    """The cells of two or three columns."""

    sides: tuple[GridSide, ...]

    @property
    def positions(self) -> tuple[int, ...]:
        """Of the columns, among the narrow and then the wide codes."""
        return tuple(side.position for side in self.sides)

    @property
    def shape(self) -> tuple[int, ...]:
        """Bins of each column."""
        return tuple(len(side.kernel) for side in self.sides)

    @cached_property
    def n_cells(self) -> int:
        """How many cells there are."""
        return int(np.prod(self.shape))

    def find_cells(self, rows: DistinctRows) -> np.ndarray:
        """The cell of each row."""
        bins = [side.merge[rows.column(side.position)] for side in self.sides]
        return np.ravel_multi_index(tuple(bins), self.shape).astype(np.int32)

    def smooth(self, sums: np.ndarray) -> np.ndarray:
        """Sums of cells, of shape (n_cells, n_scores), shared with their neighbours."""
        found = sums
        n_before = 1
        for side in self.sides:
            n_bins = len(side.kernel)
            found = side.kernel @ found.reshape(n_before, n_bins, -1)
            n_before *= n_bins
        return found.reshape(sums.shape)

    def tabulate(self, table: np.ndarray) -> CellTable:
        """What each cell adds; cells without evidence say nothing."""
        shaped = table.reshape(*self.shape, -1)
        known = (slice(1, None),) * len(self.sides)
        clean = np.zeros_like(shaped)
        clean[known] = shaped[known]
        return CellTable(self.positions, tuple(side.merge for side in self.sides), clean)


def make_side(
    position: int, rows: DistinctRows, counts: JointCounts, told: np.ndarray | None
) -> GridSide | None:
    """A column in short bins; None where it has too many special codes, or one bin alone.

    ``told`` has a number for each code of a category: those of which nearly the same is told are grouped. Without it
    a column of more categories than bins is None: groups that were learnt from left-out rows make these rows gain by
    columns of noise.
    """
    assert counts.schema is not None
    j = find_column_at(counts.schema, position)
    column = counts.schema.columns[j]
    weights = np.bincount(rows.column(position), rows.weights, column.n_codes)
    live = find_live_codes(counts.schema, counts, j)
    if not isinstance(column, NumericColumn):
        if told is None and live[FIRST_BIN:].sum() > GRID_BINS:
            return None
        return group_alike(position, np.zeros(len(live)) if told is None else told, weights, live)
    merge = merge_fine_bins(weights, GRID_BINS, len(column.special))
    codes = np.arange(len(merge))
    is_bin = (codes >= FIRST_BIN) & (codes < column.first_special)
    return finish_side(position, merge, live, is_bin)


def group_alike(
    position: int, told: np.ndarray, weights: np.ndarray, live: np.ndarray
) -> GridSide | None:
    """Categories apart where they are few, otherwise in groups of those of which nearly the same is told."""
    codes = np.flatnonzero(live[FIRST_BIN:]) + FIRST_BIN
    merge = np.arange(len(live))
    if len(codes) <= GRID_BINS:
        return finish_side(position, merge, live, np.zeros(len(live), bool))
    order = codes[np.argsort(told[codes], kind="stable")]
    starts = np.zeros(len(order), np.int64)
    starts[find_quantile_cuts(weights[order], GRID_BINS)] = 1
    merge[order] = FIRST_BIN + np.cumsum(starts)
    return finish_side(position, merge, live, np.isin(np.arange(len(live)), codes))


def finish_side(
    position: int, merge: np.ndarray, live: np.ndarray, is_bin: np.ndarray
) -> GridSide | None:
    """Bins numbered from 1 in their order, 0 for codes without evidence; those that are in order share rows."""
    found = np.zeros(len(merge), np.int64)
    kept, found[live] = np.unique(merge[live], return_inverse=True)
    found[live] += 1
    n_bins = len(kept) + 1
    if not 2 < n_bins <= MOST_GRID_BINS:
        return None
    in_order = np.isin(np.arange(n_bins), found[live & is_bin])
    distance = np.subtract.outer(np.arange(n_bins), np.arange(n_bins)) / BINS_OF_REACH
    kernel = np.where(np.logical_and.outer(in_order, in_order), np.exp(-(distance**2) / 2), 0.0)
    kernel[np.diag_indices(n_bins)] = 1.0
    return GridSide(position, found, kernel)


def find_column_at(schema: Schema, position: int) -> int:
    """The column at a position among the narrow and then the wide codes."""
    return [*schema.narrow.tolist(), *schema.wide.tolist()][position]
