"""From statistics to a model of a numeric target, by smoothed counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np

from bayfold.core.counts import Statistics
from bayfold.core.counts.identifiers import find_identifiers
from bayfold.core.counts.target_axis import TargetAxis, find_target_axis
from bayfold.core.engine.reduce import on_one_thread
from bayfold.core.scoring import NaiveBayesModel
from bayfold.core.scoring.column_weights import (
    LeftOut,
    fit_column_weights,
    leave_out,
)
from bayfold.core.scoring.distribution import GridDistribution, pad_grid, triangle_means
from bayfold.core.scoring.errors import ShiftErrors
from bayfold.core.scoring.levels import LevelCorrection, count_units
from bayfold.core.scoring.regression import RegressionModel, posterior
from bayfold.families.regression.bin_kernels import gaussian
from bayfold.families.regression.column_evidence import ColumnEvidence, EvidenceFinder
from bayfold.families.regression.sampled_rows import SampledRows, order_sampled_rows
from bayfold.families.regression.texts import TextEvidence, find_text_evidence
from bayfold.families.regression.widths import choose_target_width

GRID_SIZE = 100
"""Points of the target's grid: as many as the paper takes for the median."""

GRID_DIGITS = 12
"""Of the grid's range, to which two of its points must differ: a distribution between nearer ones would be rounding."""

WIDTHS_BEYOND_RANGE = 4.0
"""How many bandwidths the grid goes on beyond the target's range."""

WEIGHT_ROWS = 2000
"""Sampled rows on which the weights of the columns are fitted."""


@dataclass(frozen=True)
class RegressionSettings:
    """How a model of a numeric target is derived from statistics.

    Attributes
    ----------
    bandwidth : {"auto", "frank1998"} or float
        A number is the bandwidth of everything, in units of its range.
    calibration : {"weights", "temperature"} or None
    grid_size : int, "distinct" or None
    missing_is_value : bool
    statistic : {"mean", "median"}
        The paper has a finer grid for the median.
    """

    bandwidth: str | float = "auto"
    calibration: str | None = "weights"
    grid_size: int | str | None = None
    missing_is_value: bool = False
    statistic: str = "mean"


def derive_smoothed(statistics: Statistics, settings: RegressionSettings) -> RegressionModel:
    """The model of smoothed counts, its columns weighted on rows left out of their own evidence."""
    with on_one_thread():  # products of small matrices
        return _derive_smoothed(statistics, settings)


def _derive_smoothed(statistics: Statistics, settings: RegressionSettings) -> RegressionModel:
    rows = SampledRows.of(statistics)
    counts = rows.counts
    assert counts.schema is not None
    axis = find_target_axis(counts)
    fixed = None if isinstance(settings.bandwidth, str) else float(settings.bandwidth)
    own = rows.find_own_of_target()[axis.occupied]
    width = fixed or choose_target_width(axis, own, rows.count_target_in_folds(axis.occupied))
    grid = _grid_places(axis, settings.grid_size, width)
    along_grid = _spread_prior(axis, grid, width)
    prior = axis.weights @ along_grid
    finder = EvidenceFinder(rows, axis, grid, fixed, settings.missing_is_value)
    columns: list[ColumnEvidence | TextEvidence] = [finder.find(j) for j in range(len(rows.codes))]
    for j in counts.schema.text:
        columns[j] = find_text_evidence(statistics, rows, axis, grid, finder.find(j))
    values = axis.to_target(grid)
    column_weights = np.ones(len(columns))
    relative = np.zeros(len(columns))
    fitted = left_out = None
    if settings.calibration is not None:
        tested = np.flatnonzero(~find_identifiers(counts))  # rows left out cannot test the others
        some = [columns[j] for j in tested]
        if rows.folds is None:
            drawn = order_sampled_rows(statistics, WEIGHT_ROWS)
            left_out = leave_out_rows(rows, drawn, axis, some, prior, along_grid, values)
        else:
            left_out = hold_out_folds(rows, axis, some, finder, along_grid, values)
        column_weights[:] = 0.0
        column_weights[tested] = 1.0
        if left_out is not None:
            fitted = fit_column_weights(left_out, settings.calibration == "temperature")
            column_weights[tested] = fitted.weights
            relative[tested] = fitted.relative_errors
    n_codes = counts.schema.n_codes
    terms = tuple(
        column.to_term(n_codes[column.column], len(grid)).scaled(float(weight))
        for column, weight in zip(columns, column_weights, strict=True)
    )
    errors = ShiftErrors(column_weights, relative)
    naive = NaiveBayesModel(
        counts.schema, np.log(prior / prior.sum() + 1e-300), terms, errors=errors
    )
    widths = np.array([column.widths for column in columns]).reshape(-1, 2)
    found = RegressionModel(naive, values, column_weights, widths)
    if left_out is None or fitted is None:
        return found
    found = replace(found, held_out=fitted.held_out)
    if len(axis.values) == 2:
        return found
    target = left_out.find_targets(axis.values, triangle_means(values))
    n_units = np.inf if rows.folds is None else rows.folds.n_units
    weights = count_units(left_out.weights, n_units)
    make = partial(GridDistribution, values)
    of_all = None
    if rows.folds is None:
        total = float(axis.weights.sum())
        of_all = float(axis.weights / total @ axis.values), total
    correction = LevelCorrection.of_mass(make, posterior(fitted.scores), target, weights, of_all)
    return replace(found, correction=correction)


def _grid_places(axis: TargetAxis, size: int | str | None, width: float) -> np.ndarray:
    if size == "distinct" and len(axis.places) > 1:
        return axis.places
    n_points = size if isinstance(size, int) else GRID_SIZE
    grid = axis.make_grid(n_points, WIDTHS_BEYOND_RANGE * width)
    # where targets differ by many orders of magnitude or in their last digits alone, places may share a number
    values = axis.to_target(grid)
    digits = np.round((values - values[0]) / (values[-1] - values[0]), GRID_DIGITS)
    grid = grid[np.append(True, np.diff(digits) > 0)]
    if len(axis.places) == 1:
        return grid
    # nothing lies between atoms; a grid that was asked for is kept
    return _add_atoms(grid[:0] if axis.is_atom.all() and size is None else grid, axis)


def _add_atoms(grid: np.ndarray, axis: TargetAxis) -> np.ndarray:
    """The grid with each atom at a place of its own between two points, or beside one where it bounds the target."""
    atoms = axis.places[axis.is_atom]
    if not len(atoms):
        return grid
    bounds = axis.is_atom[0], axis.is_atom[-1]
    if bounds[0]:
        grid = grid[grid > atoms[0]]
    if bounds[1]:
        grid = grid[grid < atoms[-1]]
    grid = np.setdiff1d(grid, atoms)
    times = 3 - (atoms == axis.places[0]) - (atoms == axis.places[-1])
    return np.sort(np.append(grid, np.repeat(atoms, times)))


def _spread_prior(axis: TargetAxis, grid: np.ndarray, width: float) -> np.ndarray:
    """What a row in each cell adds to the prior at each point: an atom to its own, others around their place."""
    ends = pad_grid(grid)
    spans = ends[2:] - ends[:-2]
    along = gaussian(axis.places, grid, width) * spans
    own = axis.places[:, None] == np.where(spans > 0, np.nan, grid)
    has_own = axis.is_atom & own.any(axis=1)
    along[has_own] = own[has_own]
    return along / np.maximum(along.sum(axis=1, keepdims=True), 1e-300)


def leave_out_rows(
    rows: SampledRows,
    drawn: np.ndarray,
    axis: TargetAxis,
    columns: Sequence[ColumnEvidence | TextEvidence],
    prior: np.ndarray,
    along_grid: np.ndarray,
    values: np.ndarray,
) -> LeftOut | None:
    """Evidence of some sampled rows, each from the counts of all rows but itself."""
    cells = axis.cell_of[rows.group_of[drawn]]
    own = rows.own[drawn]
    without = prior - along_grid[cells] * own[:, None]
    log_prior = np.log(np.maximum(without, 0.0) / prior.sum() + 1e-300)
    some = [c.of_rows(drawn) if isinstance(c, TextEvidence) else c for c in columns]
    add = [partial(c.update_without, rows.codes[c.column][drawn], cells, own) for c in some]
    target = axis.values[cells]
    weights = rows.weights[drawn]
    return leave_out(add, log_prior, triangle_means(values), target, weights)


def hold_out_folds(
    rows: SampledRows,
    axis: TargetAxis,
    columns: Sequence[ColumnEvidence | TextEvidence],
    finder: EvidenceFinder,
    along_grid: np.ndarray,
    values: np.ndarray,
) -> LeftOut | None:
    """The same where rows depend on each other, each from the counts outside its fold; bandwidths stay."""
    folds = rows.folds
    assert folds is not None
    in_fold = folds.in_fold[:WEIGHT_ROWS]
    held = [np.flatnonzero(weights) for weights in in_fold.T]
    row = np.concatenate(held)
    if not len(row):
        return None
    cells = axis.cell_of[rows.group_of[row]]
    bounds = np.cumsum([0, *map(len, held)])
    pieces = [slice(*pair) for pair in pairwise(bounds.tolist())]
    outside = [fold.outside for fold in folds.folds]
    log_prior = np.empty((len(row), along_grid.shape[1]))
    for piece, counts in zip(pieces, outside, strict=True):
        prior = counts.tables[0].sum(axis=0)[axis.occupied] @ along_grid
        log_prior[piece] = np.log(prior / max(prior.sum(), 1e-300) + 1e-300)

    def add(column: ColumnEvidence | TextEvidence, evidence: np.ndarray) -> None:
        for k, piece in enumerate(pieces):
            nothing = np.zeros(piece.stop - piece.start)
            codes = rows.codes[column.column][row[piece]]
            without = column.learn_outside(finder, folds, k, row[piece])
            without.update_without(codes, cells[piece], nothing, evidence[piece])

    weights = folds.in_fold[row, np.repeat(np.arange(len(held)), [len(part) for part in held])]
    all_add = [partial(add, column) for column in columns]
    target = axis.values[cells]
    return leave_out(all_add, log_prior, triangle_means(values), target, weights, bounds)
