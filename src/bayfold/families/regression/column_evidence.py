"""What one column says about the target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.counts.fold_counts import Folds, find_centres
from bayfold.core.counts.identifiers import find_identifiers
from bayfold.core.counts.target_axis import TargetAxis, find_places
from bayfold.core.densities import CurveTerm, TableTerm, Term
from bayfold.core.kernels.encode import FIRST_BIN, MISSING
from bayfold.core.schema import NumericColumn
from bayfold.families.regression.bin_kernels import (
    BinKernel,
    CategoryKernel,
    ScaleKernel,
    find_kernels,
    gaussian,
)
from bayfold.families.regression.sampled_rows import SampledRows
from bayfold.families.regression.target_kernels import SmoothedColumn, smooth_column
from bayfold.families.regression.widths import CoarseTarget, FoldTables, choose_widths

COLUMN_RANK_SHARE = 0.25
"""How far the places of a numeric column's bins follow ranks (see target_axis)."""


@dataclass(frozen=True, eq=False)
class ColumnEvidence:
    """What one column says about the target.

    Attributes
    ----------
    column : int
    places : ndarray or None
        The number each bin stands for where there is a curve between bins, None where every bin stands for itself.
    alone : ndarray of bool or None
        Bins that no curve leads to.
    smoothed : SmoothedColumn or None
        None for a column that cannot tell anything.
    presence : SmoothedColumn or None
        Of missing cells (bin 0) and known ones (bin 1), where a missing cell is a value.
    """

    column: int
    smoothed: SmoothedColumn | None
    presence: SmoothedColumn | None
    places: np.ndarray | None = None
    alone: np.ndarray | None = None

    @property
    def widths(self) -> tuple[float, float]:
        """Bandwidths of the column and of the target; NaN without evidence."""
        return (np.nan, np.nan) if self.smoothed is None else self.smoothed.widths

    def to_term(self, n_codes: int, n_grid: int) -> Term:
        """The term of the column."""
        n_bins = n_codes - FIRST_BIN
        known = np.zeros((n_bins, n_grid)) if self.smoothed is None else self.smoothed.log_table()
        missing = np.zeros(n_grid)
        if self.presence is not None:
            missing, present = self.presence.log_table()
            known = known + present
        if self.places is not None:
            return CurveTerm(self.column, self.places, known, missing, self.alone)
        table = np.zeros((n_codes, n_grid))
        table[FIRST_BIN:] = known
        table[MISSING] = missing
        return TableTerm(self.column, table)

    def learn_outside(
        self, finder: EvidenceFinder, folds: Folds, k: int, rows: np.ndarray
    ) -> ColumnEvidence:
        """The same by the rows outside a fold, for some of those inside."""
        return finder.find_outside(self, folds.folds[k].outside)

    def update_without(
        self, codes: np.ndarray, cells: np.ndarray, own: np.ndarray, evidence: np.ndarray
    ) -> None:
        """Add the evidence of rows with these codes and target cells, each from all rows but itself."""
        if self.smoothed is not None:
            bins = codes.astype(np.int64) - FIRST_BIN
            self.smoothed.update_without(bins, cells, own, evidence)
        if self.presence is not None:
            known = (codes >= FIRST_BIN).astype(np.int64)
            self.presence.update_without(known, cells, own, evidence)


class EvidenceFinder:
    """The evidence of every column, with bandwidths chosen unless they are fixed.

    Parameters
    ----------
    rows : SampledRows
    axis : TargetAxis
    grid : ndarray
        Places of the target at which evidence is wanted.
    fixed : float or None
        The bandwidth of everything.
    missing_is_value : bool
    """

    def __init__(
        self,
        rows: SampledRows,
        axis: TargetAxis,
        grid: np.ndarray,
        fixed: float | None,
        missing_is_value: bool,
    ) -> None:
        self.rows = rows
        self.counts = rows.counts
        self.axis = axis
        self.grid = grid
        self.fixed = fixed
        self.missing_is_value = missing_is_value
        self._target = CoarseTarget(axis)
        self._known: dict[float, np.ndarray] = {}
        self._kernels: dict[int, BinKernel] = {}
        # what only one row each has cannot be tested on another
        self._names_rows = find_identifiers(rows.counts)

    def find(self, j: int) -> ColumnEvidence:
        """What column ``j`` says about the target."""
        assert self.counts.schema is not None
        table, units = self._find_tables(j)
        known = table[FIRST_BIN:]
        known_units = None if units is None else units[FIRST_BIN:]
        presence = None
        if self.missing_is_value and table[MISSING].any() and known.any():
            both = _by_presence(table)
            both_units = None if units is None else _by_presence(units)
            folds = [(_by_presence(a), _by_presence(b)) for a, b in self._find_folds(j)]
            presence = self._smooth([CategoryKernel()], both, both_units, folds)[1]
        if np.count_nonzero(known.sum(axis=1)) < 2 or self._names_rows[j]:
            return ColumnEvidence(j, None, presence)
        column_schema = self.counts.schema.columns[j]
        choices: list[BinKernel] = [CategoryKernel()]
        centres = None
        if isinstance(column_schema, NumericColumn) and not column_schema.is_given:
            centres = find_centres(self.counts.schema, self.counts, j)[FIRST_BIN:]
            choices = self._choices(j, centres, known, column_schema)
        folds = [(a[FIRST_BIN:], b[FIRST_BIN:]) for a, b in self._find_folds(j)]
        kernel, smoothed = self._smooth(choices, known, known_units, folds)
        self._kernels[j] = kernel
        if centres is None or smoothed.widths[0] == 0.0:
            return ColumnEvidence(j, smoothed, presence)
        return ColumnEvidence(j, smoothed, presence, centres, kernel.alone)

    def find_outside(self, evidence: ColumnEvidence, counts: JointCounts) -> ColumnEvidence:
        """What the same column says by the counts of other rows, with the same bandwidths."""
        j = evidence.column
        table = counts.tables[j][:, self.axis.occupied]

        def smooth(found: SmoothedColumn | None, kernel: BinKernel, counted: np.ndarray) -> Any:
            if found is None:
                return None
            return smooth_column(kernel, counted, self._along_grid(found.widths[1]), found.widths)

        presence = smooth(evidence.presence, CategoryKernel(), _by_presence(table))
        kernel = self._kernels.get(j, CategoryKernel())
        smoothed = smooth(evidence.smoothed, kernel, table[FIRST_BIN:])
        return replace(evidence, smoothed=smoothed, presence=presence)

    def _find_folds(self, j: int) -> list[FoldTables]:
        """Counts of column ``j`` inside and outside each fold, by code and occupied cell, where there are folds."""
        occupied = self.axis.occupied
        folds = [] if self.rows.folds is None else self.rows.folds.folds
        return [(f.inside(j)[:, occupied], f.outside.tables[j][:, occupied]) for f in folds]

    def _find_tables(self, j: int) -> tuple[np.ndarray, np.ndarray | None]:
        """Counts of column ``j`` and how many rows can be left out, by code and occupied cell."""
        occupied = self.axis.occupied
        n_units = self.rows.n_units
        table = self.counts.tables[j][:, occupied]
        return table, None if n_units is None else n_units[j][:, occupied]

    def _choices(
        self, j: int, centres: np.ndarray, known: np.ndarray, column_schema: NumericColumn
    ) -> list[BinKernel]:
        of_bin = known.sum(axis=1)
        places = find_places(centres, of_bin, COLUMN_RANK_SHARE)
        if self.fixed is not None:
            return [ScaleKernel(places, float(of_bin.sum()), np.zeros(len(places), bool))]
        one_value = column_schema.values is not None and len(column_schema.values) == len(of_bin)
        n_different = int(np.count_nonzero(self.rows.codes[j] >= FIRST_BIN))
        return find_kernels(places, of_bin, one_value, n_different)

    def _smooth(
        self,
        choices: list[BinKernel],
        counts: np.ndarray,
        n_units: np.ndarray | None,
        folds: list[FoldTables],
    ) -> tuple[BinKernel, SmoothedColumn]:
        if self.fixed is None:
            kernel, widths = choose_widths(choices, counts, self._target, n_units, folds)
        else:
            kernel = choices[0]
            of_column = 0.0 if isinstance(kernel, CategoryKernel) else self.fixed
            widths = of_column, self.fixed
        return kernel, smooth_column(kernel, counts, self._along_grid(widths[1]), widths)

    def _along_grid(self, width: float) -> np.ndarray:
        """What a row in a target cell adds at each grid point: the same for all columns with this bandwidth."""
        if width not in self._known:
            self._known[width] = gaussian(self.axis.places, self.grid, width)
        return self._known[width]


def _by_presence(table: np.ndarray) -> np.ndarray:
    return np.stack([table[MISSING], table[FIRST_BIN:].sum(axis=0)])
