"""From statistics to the model of Frank, Trigg, Holmes and Witten (1998).

The sample holds every row of up to 20,000, numbers included, and the densities are those of the rows. Beyond that the
joint counts stand for the rows: every (bin, cell) as one point with the weight of its rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from bayfold.core.counts import JointCounts, RowSample, Statistics
from bayfold.core.counts.fold_counts import find_centres
from bayfold.core.counts.row_hashes import LARGEST_HASH
from bayfold.core.counts.target_axis import find_span, find_target_axis
from bayfold.core.densities import InterpolatedTerm, TableTerm, Term
from bayfold.core.kernels.encode import FIRST_BIN, MISSING
from bayfold.core.schema import NominalColumn, NumericColumn, Schema
from bayfold.core.schema.target import merge_rounding
from bayfold.core.scoring import NaiveBayesModel
from bayfold.core.scoring.column_weights import (
    LeftOut,
    fit_column_weights,
    leave_out,
)
from bayfold.core.scoring.distribution import triangle_means
from bayfold.core.scoring.errors import ShiftErrors
from bayfold.core.scoring.regression import RegressionModel
from bayfold.families.regression.frank1998_densities import (
    CONSTANTS,
    CategoryDensities,
    Points,
    choose_frank1998_width,
    choose_joint_widths,
    estimate_categories,
    estimate_numeric_with,
    estimate_numeric_without,
    find_nodes,
    log_density,
)
from bayfold.families.regression.learner import WEIGHT_ROWS, RegressionSettings
from bayfold.families.regression.sampled_rows import order_sampled_rows

PAPER_GRID_SIZE = {"mean": 50, "median": 100}
"""Points of the target at which densities are evaluated, by what is read off them."""

LEAST_BINNED_WIDTH = 1 / 254
"""Where bins stand for rows, no bandwidth is smaller than a bin: there would be nothing between two of them."""

GRID_WIDTHS_BEYOND = 6.0
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
    codes = sample.block().codes(j)
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
        self.statistics = statistics
        self.settings = settings
        schema = statistics.schema
        assert schema is not None
        self.schema: Schema = schema
        self.from_rows = statistics.sample.threshold == LARGEST_HASH
        target, weights = self._target()
        self.low = float(target.min())
        self.high = float(target.max())
        y = self.scaled_target(target)
        self.width = self.bounded(choose_frank1998_width(y, weights))
        distinct, _ = merge_rounding(target, weights)
        self.grid = self._find_grid(self.scaled_target(distinct), float(weights.sum()))
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
        n_points = size if isinstance(size, int) else PAPER_GRID_SIZE[self.settings.statistic]
        step = 1.0 / (n_points - 1)
        beyond = int(np.ceil(GRID_WIDTHS_BEYOND * CONSTANTS[-1] / np.sqrt(max(n_rows, 1.0)) / step))
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

    def bounded(self, width: float) -> float:
        """The bandwidth, unless bins stand for rows and are wider."""
        return width if self.from_rows else max(width, LEAST_BINNED_WIDTH)

    def find_column(self, j: int) -> PaperColumn:
        """The densities of column ``j``."""
        rows = self.rows(j)
        column_schema = self.schema.columns[j]
        y = self.scaled_target(rows.target)
        presence = None
        if self.settings.missing_is_value:
            known = rows.codes != MISSING
            if known.any() and not known.all():
                whether = known.astype(np.int64)
                presence = estimate_categories(whether, 2, y, rows.weights, self.grid)
        column = PaperColumn(
            j, column_schema.n_codes, self.grid, rows.codes, y, rows.weights, presence
        )
        known = rows.codes >= FIRST_BIN
        if isinstance(column_schema, NominalColumn):
            categories = rows.codes[known].astype(np.int64) - FIRST_BIN
            if len(np.unique(categories)) < 2:
                return column
            densities = estimate_categories(
                categories, column_schema.n_bins, y[known], rows.weights[known], self.grid
            )
            return replace(column, categories=densities)
        x = rows.numbers[known]
        if len(x) == 0 or not x.max() > x.min():
            return column
        low = float(x.min())
        span = float(x.max() - x.min())
        points = Points((x - low) / span, y[known], rows.weights[known])
        along_x, along_y = choose_joint_widths(points)
        widths = self.bounded(along_x), self.bounded(along_y)
        return replace(column, points=points, low=low, span=span, widths=widths)


@dataclass(frozen=True, eq=False)
class PaperColumn:
    """The densities of one column: of numbers (``points``), of categories, or of nothing.

    ``presence`` is that of missing (0) and known cells (1), where a missing cell is a value. ``codes``, ``y`` and
    ``weights`` are all rows that the densities come from.
    """

    column: int
    n_codes: int
    grid: np.ndarray
    codes: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    presence: CategoryDensities | None = None
    categories: CategoryDensities | None = None
    points: Points | None = None
    low: float = 0.0
    span: float = 1.0
    widths: tuple[float, float] = (np.nan, np.nan)

    def to_term(self) -> Term:
        """The term of the column."""
        missing = present = np.zeros(len(self.grid))
        if self.presence is not None:
            missing, present = self.presence.log_table()
        if self.points is not None:
            start, end, n_nodes = find_nodes(self.widths[0])
            nodes = np.linspace(start, end, n_nodes)
            log_nodes = estimate_numeric_with(self.points, nodes, self.grid, self.widths) + present
            low = self.low + start * self.span
            high = self.low + end * self.span
            return InterpolatedTerm(self.column, low, high, log_nodes, missing)
        table = np.zeros((self.n_codes, len(self.grid)))
        if self.categories is not None:
            table[FIRST_BIN:] = self.categories.log_table()
        table[FIRST_BIN:] += present
        table[MISSING] = missing
        return TableTerm(self.column, table)

    def update_without(self, rows: np.ndarray, evidence: np.ndarray) -> None:
        """Add the evidence about some rows, each from all rows but itself."""
        known = self.codes[rows] >= FIRST_BIN
        chosen = rows[known]
        weights = self.weights[rows]
        if self.points is not None:
            place = np.cumsum(self.codes >= FIRST_BIN) - 1  # among the points, which are known
            evidence[known] += estimate_numeric_without(
                self.points, place[chosen], self.grid, self.widths
            )
        if self.categories is not None:
            of_row = self.codes[chosen].astype(np.int64) - FIRST_BIN
            evidence[known] += self.categories.log_without(
                of_row, self.y[chosen], weights[known], self.grid
            )
        if self.presence is not None:
            whether = known.astype(np.int64)
            evidence += self.presence.log_without(whether, self.y[rows], weights, self.grid)


def derive_frank1998(statistics: Statistics, settings: RegressionSettings) -> RegressionModel:
    """The published model, or that model with weights on its columns."""
    paper = PaperModel(statistics, settings)
    columns = [paper.find_column(j) for j in range(len(paper.schema.columns))]
    weights = np.ones(len(columns))
    relative = np.zeros(len(columns))
    held_out = None
    if settings.calibration is not None and paper.from_rows:
        left_out = _leave_out_rows(paper, columns)
        if left_out is not None:
            fitted = fit_column_weights(left_out, settings.calibration == "temperature")
            weights = fitted.weights
            relative = fitted.relative_errors
            held_out = fitted.held_out
    terms = tuple(c.to_term().scaled(float(w)) for c, w in zip(columns, weights, strict=True))
    errors = ShiftErrors(weights, relative)
    naive = NaiveBayesModel(paper.schema, paper.log_prior, terms, errors=errors)
    widths = np.array([column.widths for column in columns]).reshape(-1, 2)
    return RegressionModel(naive, paper.values(), weights, widths, held_out)


def _leave_out_rows(paper: PaperModel, columns: list[PaperColumn]) -> LeftOut | None:
    """Some rows with evidence that they are no part of; the prior, of so many rows, keeps them."""
    sample = paper.statistics.sample
    rows = order_sampled_rows(paper.statistics, WEIGHT_ROWS)
    log_prior = np.tile(paper.log_prior, (len(rows), 1))
    add = [partial(column.update_without, rows) for column in columns]
    target = sample.numbers[rows, -1]
    values = triangle_means(paper.values())
    return leave_out(add, log_prior, values, target, sample.weights[rows])
