"""The cells of a numeric target."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayfold.core.frames import Table
from bayfold.core.frames.table import Numbers
from bayfold.core.kernels.encode import FIRST_BIN, NARROW_BINS
from bayfold.core.schema.coding import Coder
from bayfold.core.schema.edges import draw_by_content, find_midpoints
from bayfold.core.schema.extend import find_new_values
from bayfold.core.schema.infer import (
    ALL_ROWS,
    SAMPLE_ROWS,
    add_rare_values,
    collapse_values,
    infer_numeric,
    with_extremes,
)
from bayfold.core.schema.types import TARGET_NAME, NumericColumn, Schema

TARGET_RESOLUTION = 2.0**-40
"""Targets that differ by a smaller share of their distance from the smallest are one: a grid may put a hundred points
between two neighbours, and these must differ by much more than the rounding of floats, which is 2^-53."""

TARGET_RANGE = 2.0**-42
"""A target that varies by a smaller share of itself is a constant: there are two thousand floats within its range, and
a grid of a hundred points would be twenty apart."""

TARGET_ROUNDING = 2.0**-46
"""Of the largest target: a hundred times its rounding, so that densities between two neighbours are right to a per
cent."""

FLOAT_ROUNDING = 2.0**-50
"""Of the largest target: what is left of it where a difference should be zero."""

TARGET_ATOM_SHARE = 0.01
TARGET_ATOM_ROWS = 5.0
"""A value that so large a share of the rows has, and so many of them, is an atom: an interval's end may lie on it. What
has less moves no quantile by more than a hundredth."""

FEW_TARGET_VALUES = 254
ROWS_PER_TARGET_VALUE = 4.0
"""A target of so few values, with so many rows for each of them, is one of these values; others are numbers in
between."""

ROWS_PER_RARE_VALUE = 1.5
"""Among the values that are no atoms: with fewer they are measurements beside an atom."""

WIDTH_CELLS = 128
"""Half of the cells have equal width, so that the tails are resolved; the others hold equally many rows."""


def infer_target(
    values: np.ndarray, weights: np.ndarray | None = None, whole: Numbers | None = None
) -> NumericColumn:
    """Cells of a target: one per value while there are at most 254, otherwise of equal frequency and equal width.

    Later values beyond the range belong to the outermost cells. Where the values are only some, ``whole`` tells of all.

    >>> infer_target(np.array([1.0, 2.0, 2.0])).values
    array([1., 2.])
    """
    if whole is not None:
        target = _infer_cells(*with_extremes(values, weights, (whole.low, whole.high)))
        others = np.empty(0) if target.values is None else np.setdiff1d(whole.values, target.values)
        return _add_others(target, others)
    if len(values) <= ALL_ROWS:
        return _infer_cells(values, weights)
    # the extremes are always among the rows that edges are drawn from
    extremes = [
        _find_first(values, np.fmin.reduce(values), weights),
        _find_first(values, np.fmax.reduce(values), weights),
    ]
    rows = np.union1d(
        draw_by_content(Table.of_matrix(values[:, None]), weights, SAMPLE_ROWS), extremes
    )
    sample_weights = None if weights is None else weights[rows]
    target = _infer_cells(values[rows], sample_weights)
    if target.values is None:
        return target
    found = find_new_values(Table.of_matrix(values[:, None]), {0: target.values})
    return _add_others(target, found.get(0, np.empty(0)))


def _find_first(values: np.ndarray, value: float, weights: np.ndarray | None) -> np.intp:
    """A row of this value: which one matters only where weights differ, and then it is the lightest."""
    rows = np.flatnonzero(values == value)
    return rows[0] if weights is None else rows[np.argmin(weights[rows])]


def _add_others(target: NumericColumn, others: np.ndarray) -> NumericColumn:
    """The target with the values that its sample did not show."""
    if target.values is None or not len(others):
        return target
    new = _leave_out_rounding(others, target.values)
    return add_rare_values(target, new, NARROW_BINS) if len(new) else target


def _infer_cells(values: np.ndarray, weights: np.ndarray | None) -> NumericColumn:
    distinct, summed = merge_rounding(values, weights)
    atoms = np.flatnonzero(find_atoms(summed))
    target = infer_numeric(TARGET_NAME, distinct, summed, WIDTH_CELLS)
    if target.values is not None or not len(atoms):
        return target
    # an atom is alone in its cell
    most = NARROW_BINS - 2 * len(atoms)
    target = infer_numeric(TARGET_NAME, distinct, summed, WIDTH_CELLS, max_bins=most)
    cuts = np.union1d(atoms, atoms + 1)
    cuts = cuts[(cuts > 0) & (cuts < len(distinct))]
    own = find_midpoints(distinct[cuts - 1], distinct[cuts])
    return replace(target, edges=np.union1d(target.edges, own), atoms=distinct[atoms], max_values=0)


def _leave_out_rounding(new: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Those of the new values that are none of the known ones up to rounding."""
    # a known value is heavier than all new ones around it, and so stands for them
    weights = np.concatenate([np.ones(len(new)), np.full(len(known), 1.0 + len(new))])
    merged, _ = merge_rounding(np.concatenate([new, known]), weights)
    return np.setdiff1d(merged, known)


def merge_rounding(values: np.ndarray, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Distinct targets in increasing order with their summed weights, where those equal up to rounding are one.

    The most frequent of them stands for the others.

    >>> merge_rounding(np.array([0.3, 0.1 + 0.2, 0.3, 0.5]), None)
    (array([0.3, 0.5]), array([3., 1.]))
    """
    distinct, summed = collapse_values(values, weights)
    reach = distinct + find_rounding(distinct)
    if not (distinct[1:] <= reach[:-1]).any():
        return distinct, summed
    starts = [0]
    while (after := int(np.searchsorted(distinct, reach[starts[-1]], "right"))) < len(distinct):
        starts.append(after)
    run_of = np.repeat(np.arange(len(starts)), np.diff([*starts, len(distinct)]))
    is_heaviest = summed == np.maximum.reduceat(summed, starts)[run_of]
    _, first = np.unique(run_of[is_heaviest], return_index=True)
    return distinct[is_heaviest][first], np.add.reduceat(summed, starts)


def is_discrete(weights: np.ndarray) -> bool:
    """Whether a target takes no other values than these, which have the given weights.

    >>> is_discrete(np.array([30.0, 12.0, 2.0])), is_discrete(np.array([30.0, 1.0, 1.0, 1.0]))
    (True, False)
    """
    n_rows = float(weights.sum())
    if len(weights) > min(FEW_TARGET_VALUES, n_rows / ROWS_PER_TARGET_VALUE):
        return False
    is_rare = weights < _least_atom(n_rows)
    # each atom beside them speaks for values too
    repeats = weights[is_rare].sum() + np.count_nonzero(~is_rare)
    return bool(repeats >= ROWS_PER_RARE_VALUE * np.count_nonzero(is_rare))


def find_atoms(weights: np.ndarray) -> np.ndarray:
    """Which of the distinct values of a target, given the weight of each, have a probability: all of a discrete one.

    >>> find_atoms(np.array([900.0, 1.0, 1.0, 1.0, 1.0, 1.0, 92.0]))
    array([ True, False, False, False, False, False,  True])
    """
    return (weights >= _least_atom(float(weights.sum()))) | is_discrete(weights)


def _least_atom(n_rows: float) -> float:
    return max(TARGET_ATOM_ROWS, TARGET_ATOM_SHARE * n_rows)


def find_rounding(values: np.ndarray) -> np.ndarray:
    """How far from each target another one may lie and still be the same number, computed in another way."""
    if not len(values):
        return np.empty(0)
    low = values.min()
    high = values.max()
    largest = max(abs(low), abs(high))
    if not varies(low, high):
        return np.full(len(values), TARGET_RANGE * largest)
    # a constant that is added to all targets is no reason to tell them apart less well
    distance = np.abs(values - np.clip(0.0, low, high))
    return np.maximum(TARGET_RESOLUTION * distance, TARGET_ROUNDING * largest)


def varies(low: float, high: float) -> bool:
    """Whether a target of this range is more than a constant with some rounding."""
    return bool(high / 2 - low / 2 > TARGET_RANGE / 2 * max(abs(low), abs(high)))


def find_cells_of_target(column_schema: NumericColumn, target: np.ndarray) -> np.ndarray:
    """The cell of each target, by the encoder of numeric columns; negative where it is missing."""
    alone = Coder(Schema((column_schema,))).open(Table.of_matrix(target[:, None]))
    return alone.block(0, len(target)).narrow[:, 0].astype(np.int32) - np.int32(FIRST_BIN)
