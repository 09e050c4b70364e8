"""From statistics to the model of Frank, Trigg, Holmes and Witten (1998).

The sample holds every row of up to 20,000, numbers included, and the densities are those of the rows. Beyond that the
joint counts stand for the rows: every (bin, cell) as one point with the weight of its rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.counts import JointCounts, RowSample, Statistics
from bayfold.counts.sample import LARGEST_HASH
from bayfold.densities import InterpolatedTerm, TableTerm, Term
from bayfold.densities.frank1998 import (
    CONSTANTS,
    Points,
    choose_joint_widths,
    choose_target_width,
    estimate_nominal,
    estimate_numeric,
    find_nodes,
    log_density,
)
from bayfold.kernels.codes import FIRST_BIN, MISSING
from bayfold.learners.fold_counts import find_centres
from bayfold.learners.out_of_fold import columns_of_codes
from bayfold.learners.regression import RegressionSettings
from bayfold.learners.target_axis import find_span, find_target_axis
from bayfold.model import NaiveBayesModel
from bayfold.model.regression import RegressionModel
from bayfold.schema import NominalColumn, NumericColumn, Schema

GRID_SIZE = {"mean": 50, "median": 100}
MARGIN = 6.0
"""How many of the widest bandwidths the grid goes on beyond the target's range: there the density is negligible."""


@dataclass(frozen=True, eq=False)
class ColumnRows:
    """The rows a column's density is estimated from: codes, numbers if it is numeric, targets and weights."""

    codes: np.ndarray
    numbers: np.ndarray
    target: np.ndarray
    weights: np.ndarray


def rows_of_sample(sample: RowSample, j: int) -> ColumnRows:
    """All rows, as they were."""
    assert sample.schema is not None
    codes = columns_of_codes(sample, sample.schema)[j]
    position = sample.schema.numeric_position.get(j)
    numbers = np.full(len(codes), np.nan) if position is None else sample.numbers[:, position]
    return ColumnRows(codes, numbers, sample.numbers[:, -1], sample.weights)


def rows_of_counts(counts: JointCounts, j: int) -> ColumnRows:
    """One row for each code and target cell that occur together."""
    assert counts.schema is not None
    axis = find_target_axis(counts)
    codes, cells = np.nonzero(counts.tables[j])
    target = axis.values[axis.cell_of[cells]]
    numbers = np.full(len(codes), np.nan)
    if isinstance(counts.schema.columns[j], NumericColumn):
        numbers = find_centres(counts.schema, counts, j)[codes]
    return ColumnRows(codes, numbers, target, counts.tables[j][codes, cells])


class PaperModel:
    """The densities of all columns on one grid.

    Parameters
    ----------
    statistics : Statistics
    settings : RegressionSettings
    """

    def __init__(self, statistics: Statistics, settings: RegressionSettings) -> None:
        self.statistics, self.settings = statistics, settings
        schema = statistics.schema
        assert schema is not None
        self.schema: Schema = schema
        self.from_rows = statistics.sample.threshold == LARGEST_HASH
        target, weights = self._target()
        self.low, self.high = float(target.min()), float(target.max())
        y = self.scaled_target(target)
        self.width = choose_target_width(y, weights)
        self.grid = self._find_grid(np.unique(y), float(weights.sum()))
        self.log_prior = log_density(self.grid, y, weights, self.width)

    def _target(self) -> tuple[np.ndarray, np.ndarray]:
        if self.from_rows:
            return self.statistics.sample.numbers[:, -1], self.statistics.sample.weights
        axis = find_target_axis(self.statistics.counts)
        return axis.values, axis.weights

    def _find_grid(self, distinct: np.ndarray, n_rows: float) -> np.ndarray:
        size = self.settings.grid_size
        if size == "distinct" and len(distinct) > 1:
            return distinct
        n_points = size if isinstance(size, int) else GRID_SIZE[self.settings.statistic]
        step = 1.0 / (n_points - 1)
        beyond = int(np.ceil(MARGIN * CONSTANTS[-1] / np.sqrt(n_rows) / step))
        return np.arange(-beyond, n_points + beyond) * step

    def scaled_target(self, target: np.ndarray) -> np.ndarray:
        """Targets in units of their range."""
        return (target - self.low) / find_span(self.low, self.high)

    def values(self) -> np.ndarray:
        """The targets at the grid points."""
        return self.low + self.grid * find_span(self.low, self.high)

    def rows(self, j: int) -> ColumnRows:
        """The rows of column ``j``."""
        if self.from_rows:
            return rows_of_sample(self.statistics.sample, j)
        return rows_of_counts(self.statistics.counts, j)

    def find_term(self, j: int) -> tuple[Term, tuple[float, float]]:
        """The term of column ``j``, and its bandwidths."""
        rows, described = self.rows(j), self.schema.columns[j]
        y = self.scaled_target(rows.target)
        if isinstance(described, NominalColumn):
            first = MISSING if self.settings.missing_is_value else FIRST_BIN
            log_table = np.zeros((described.n_codes, len(self.grid)))
            known = (rows.codes >= FIRST_BIN) | (rows.codes == first)
            if len(np.unique(rows.codes[known])) > 1:
                log_table[first:] = estimate_nominal(
                    rows.codes[known].astype(np.int64) - first,
                    described.n_codes - first,
                    y[known],
                    rows.weights[known],
                    self.grid,
                )
            return TableTerm(j, log_table), (0.0, np.nan)
        missing, present = self._presence(rows, y)
        known = ~np.isnan(rows.numbers)
        x, weights = rows.numbers[known], rows.weights[known]
        if len(x) == 0 or not x.max() > x.min():
            log_table = np.tile(present, (described.n_codes, 1))
            log_table[MISSING] = missing
            return TableTerm(j, log_table), (np.nan, np.nan)
        low, span = float(x.min()), float(x.max() - x.min())
        points = Points((x - low) / span, y[known], weights)
        widths = choose_joint_widths(points)
        start, end, n_nodes = find_nodes(widths[0])
        log_nodes = estimate_numeric(points, np.linspace(start, end, n_nodes), self.grid, widths)
        term = InterpolatedTerm(
            j, low + start * span, low + end * span, log_nodes + present, missing
        )
        return term, widths

    def _presence(self, rows: ColumnRows, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Log-probability of a missing and of a known cell, where a missing cell is a value."""
        is_known = (~np.isnan(rows.numbers)).astype(np.int64)
        if not self.settings.missing_is_value or is_known.all() or not is_known.any():
            return np.zeros(len(self.grid)), np.zeros(len(self.grid))
        missing, present = estimate_nominal(is_known, 2, y, rows.weights, self.grid)
        return missing, present


def derive_frank1998(statistics: Statistics, settings: RegressionSettings) -> RegressionModel:
    """The published model."""
    paper = PaperModel(statistics, settings)
    found = [paper.find_term(j) for j in range(len(paper.schema.columns))]
    weights = np.ones(len(found))
    naive = NaiveBayesModel(paper.schema, paper.log_prior, tuple(term for term, _ in found))
    widths = np.array([width for _, width in found]).reshape(-1, 2)
    return RegressionModel(naive, paper.values(), weights, widths)
