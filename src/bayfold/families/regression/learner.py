"""From statistics to a model of a numeric target, by smoothed counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core.counts import JointCounts, Statistics
from bayfold.core.counts.fold_counts import find_centres
from bayfold.core.counts.target_axis import TargetAxis, find_places, find_target_axis
from bayfold.core.densities import CurveTerm, TableTerm, Term
from bayfold.core.kernels.codes import FIRST_BIN, MISSING
from bayfold.core.schema import NominalColumn
from bayfold.core.scoring import NaiveBayesModel
from bayfold.core.scoring.regression import RegressionModel
from bayfold.families.regression.column_weights import LeftOut, fit_column_weights
from bayfold.families.regression.target_kernels import (
    SmoothedColumn,
    choose_marginal_width,
    choose_nominal_width,
    choose_numeric_widths,
    gaussian,
    smooth_nominal,
    smooth_numeric,
)

GRID_SIZE = 100
"""Points of the target's grid: as many as the paper takes for the median."""

WIDTHS_BEYOND_RANGE = 4.0
"""How many bandwidths the grid goes on beyond the target's range."""

COLUMN_RANK_SHARE = 0.25
"""How far the places of a numeric column's bins follow ranks (see target_axis)."""

WEIGHT_ROWS = 2000
"""Sampled rows on which the weights of the columns are fitted."""


@dataclass(frozen=True)
class RegressionSettings:
    """How a model of a numeric target is derived from statistics.

    Attributes
    ----------
    bandwidth : {"auto", "frank1998"} or float
        A number is the bandwidth of everything, in units of its range.
    weights : {"cv", "temperature"} or None
    grid_size : int, "distinct" or None
    missing_is_value : bool
    statistic : {"mean", "median"}
        The paper has a finer grid for the median.
    """

    bandwidth: str | float = "auto"
    weights: str | None = "cv"
    grid_size: int | str | None = None
    missing_is_value: bool = False
    statistic: str = "mean"


@dataclass(frozen=True, eq=False)
class ColumnEvidence:
    """What one column says about the target.

    Attributes
    ----------
    column : int
    places : ndarray or None
        The number each bin stands for; None for a nominal column.
    smoothed : SmoothedColumn or None
        None for a column that cannot tell anything.
    presence : SmoothedColumn or None
        Of missing cells (bin 0) and known ones (bin 1), where a missing cell is a value.
    """

    column: int
    places: np.ndarray | None
    smoothed: SmoothedColumn | None
    presence: SmoothedColumn | None

    def to_term(self, n_codes: int, n_grid: int) -> Term:
        """The term of the column."""
        n_bins = n_codes - FIRST_BIN
        known = np.zeros((n_bins, n_grid)) if self.smoothed is None else self.smoothed.log_table()
        missing = np.zeros(n_grid)
        if self.presence is not None:
            missing, present = self.presence.log_table()
            known = known + present
        if self.places is not None and self.smoothed is not None:
            return CurveTerm(self.column, self.places, known, missing)
        table = np.zeros((n_codes, n_grid))
        table[FIRST_BIN:], table[MISSING] = known, missing
        return TableTerm(self.column, table)

    def log_without(self, codes: np.ndarray, cells: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Evidence of rows with these codes and target cells, each from all rows but itself."""
        n_grid = 0 if self.smoothed is None else len(self.smoothed.marginal)
        n_grid = n_grid if self.presence is None else len(self.presence.marginal)
        evidence = np.zeros((len(codes), n_grid))
        known = codes >= FIRST_BIN
        if self.smoothed is not None:
            bins = codes[known].astype(np.int64) - FIRST_BIN
            evidence[known] = self.smoothed.log_without(bins, cells[known], weights[known])
        if self.presence is not None:
            evidence += self.presence.log_without(known.astype(np.int64), cells, weights)
        return evidence


def derive_smoothed(statistics: Statistics, settings: RegressionSettings) -> RegressionModel:
    """The model of smoothed counts, its columns weighted on rows left out of their own evidence."""
    counts = statistics.counts
    assert counts.schema is not None
    axis = find_target_axis(counts)
    fixed = None if isinstance(settings.bandwidth, str) else float(settings.bandwidth)
    width = fixed or choose_marginal_width(axis.weights, axis.places, axis.least_width)
    grid = _grid_places(axis, settings.grid_size, width)
    along_grid = gaussian(axis.places, grid, width)
    prior = axis.weights @ along_grid
    columns = [
        find_evidence(counts, axis, grid, j, fixed, settings.missing_is_value)
        for j in range(len(counts.tables))
    ]
    values = axis.to_target(grid)
    column_weights = np.ones(len(columns))
    if settings.weights is not None:
        left_out = leave_out_rows(statistics, axis, columns, prior, along_grid)
        column_weights = fit_column_weights(left_out, values, settings.weights == "temperature")
    n_codes = counts.schema.n_codes
    terms = tuple(
        column.to_term(n_codes[column.column], len(grid)).scaled(float(weight))
        for column, weight in zip(columns, column_weights, strict=True)
    )
    naive = NaiveBayesModel(counts.schema, np.log(prior / prior.sum() + 1e-300), terms)
    widths = [(np.nan, np.nan) if c.smoothed is None else c.smoothed.widths for c in columns]
    return RegressionModel(naive, values, column_weights, np.array(widths).reshape(-1, 2))


def _grid_places(axis: TargetAxis, size: int | str | None, width: float) -> np.ndarray:
    if size == "distinct" and len(axis.places) > 1:
        return axis.places
    n_points = size if isinstance(size, int) else GRID_SIZE
    return axis.make_grid(n_points, WIDTHS_BEYOND_RANGE * width)


def find_evidence(
    counts: JointCounts,
    axis: TargetAxis,
    grid: np.ndarray,
    j: int,
    fixed: float | None,
    missing_is_value: bool,
) -> ColumnEvidence:
    """What column ``j`` says about the target, with bandwidths chosen unless they are fixed."""
    assert counts.schema is not None
    described = counts.schema.columns[j]
    table = counts.tables[j][:, axis.occupied]
    known, least = table[FIRST_BIN:], axis.least_width
    presence = None
    if missing_is_value and table[MISSING].any() and known.any():
        both = np.stack([table[MISSING], known.sum(axis=0)])
        width = fixed or choose_nominal_width(both, axis.places, least)
        presence = smooth_nominal(both, axis.places, grid, width)
    if np.count_nonzero(known.sum(axis=1)) < 2:
        return ColumnEvidence(j, None, None, presence)
    if isinstance(described, NominalColumn):
        width = fixed or choose_nominal_width(known, axis.places, least)
        return ColumnEvidence(j, None, smooth_nominal(known, axis.places, grid, width), presence)
    centres = find_centres(counts.schema, counts, j)[FIRST_BIN:]
    places = find_places(centres, known.sum(axis=1), COLUMN_RANK_SHARE)
    widths = (
        (fixed, fixed)
        if fixed is not None
        else choose_numeric_widths(places, known, axis.places, least)
    )
    smoothed = smooth_numeric(places, known, axis.places, grid, widths)
    return ColumnEvidence(j, centres, smoothed, presence)


def leave_out_rows(
    statistics: Statistics,
    axis: TargetAxis,
    columns: list[ColumnEvidence],
    prior: np.ndarray,
    along_grid: np.ndarray,
) -> LeftOut:
    """Evidence of some sampled rows, each from the counts of all rows but itself."""
    sample = statistics.sample
    assert sample.schema is not None
    rows = slice(0, WEIGHT_ROWS)  # in the order of hashes, which is as good as random
    codes = list(sample.block().columns())
    cells, weights = axis.cell_of[sample.group_of[rows]], sample.weights[rows]
    evidence = np.zeros((len(cells), len(columns), len(prior)))
    for column in columns:
        if column.smoothed is not None or column.presence is not None:
            own = column.log_without(codes[column.column][rows], cells, weights)
            # only differences between grid points matter
            evidence[:, column.column] = own - own.max(axis=1, keepdims=True)
    without = prior - along_grid[cells] * np.minimum(weights, 1.0)[:, None]
    log_prior = np.log(np.maximum(without, 0.0) / prior.sum() + 1e-300)
    return LeftOut(evidence, log_prior, axis.values[cells], weights)
