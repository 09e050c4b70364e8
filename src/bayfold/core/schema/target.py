"""The cells of a numeric target."""

from __future__ import annotations

import numpy as np

from bayfold.core.frames import Table
from bayfold.core.kernels.codes import FIRST_BIN, NARROW_BINS
from bayfold.core.schema.coding import Coder
from bayfold.core.schema.extend import find_new_values
from bayfold.core.schema.infer import (
    ALL_ROWS,
    SAMPLE_ROWS,
    add_rare_values,
    choose_rows,
    infer_numeric,
)
from bayfold.core.schema.types import TARGET_NAME, NumericColumn, Schema

WIDTH_CELLS = 128
"""Half of the cells have equal width, so that the tails are resolved; the others hold equally many rows."""


def infer_target(values: np.ndarray, weights: np.ndarray | None = None) -> NumericColumn:
    """Cells of a target: one per value while there are at most 254, otherwise of equal frequency and equal width.

    Later values beyond the range belong to the outermost cells.

    >>> infer_target(np.array([1.0, 2.0, 2.0])).values
    array([1., 2.])
    """
    if len(values) <= ALL_ROWS:
        return infer_numeric(TARGET_NAME, values, weights, WIDTH_CELLS)
    # the extremes are always among the rows that edges are drawn from
    extremes = [np.argmin(values), np.argmax(values)]
    rows = np.union1d(choose_rows(len(values), SAMPLE_ROWS), extremes)  # type: ignore[arg-type]
    sample_weights = None if weights is None else weights[rows]
    target = infer_numeric(TARGET_NAME, values[rows], sample_weights, WIDTH_CELLS)
    if target.values is None:
        return target
    new = find_new_values(Table.of_matrix(values[:, None]), {0: target.values})
    return add_rare_values(target, new[0], NARROW_BINS) if new else target


def find_cells_of_target(described: NumericColumn, target: np.ndarray) -> np.ndarray:
    """The cell of each target, by the encoder of numeric columns; negative where it is missing."""
    alone = Coder(Schema((described,))).open(Table.of_matrix(target[:, None]))
    return alone.block(0, len(target)).narrow[:, 0].astype(np.int32) - np.int32(FIRST_BIN)
