"""The cells of a numeric target."""

from __future__ import annotations

import numpy as np

from bayfold.core.frames import Table
from bayfold.core.kernels.codes import FIRST_BIN
from bayfold.core.schema.coding import Coder
from bayfold.core.schema.infer import ALL_ROWS, SAMPLE_ROWS, choose_rows, infer_numeric
from bayfold.core.schema.types import TARGET_NAME, NumericColumn, Schema

WIDTH_CELLS = 128
"""Half of the cells have equal width, so that the tails are resolved; the others hold equally many rows."""


def infer_target(values: np.ndarray, weights: np.ndarray | None = None) -> NumericColumn:
    """Cells of a target: one per value while there are at most 254, otherwise of equal frequency and equal width.

    Later values beyond the range belong to the outermost cells.

    >>> infer_target(np.array([1.0, 2.0, 2.0])).values
    array([1., 2.])
    """
    rows = choose_rows(len(values), SAMPLE_ROWS) if len(values) > ALL_ROWS else None
    if rows is not None:
        # the extremes are always among the rows that edges are drawn from
        rows = np.union1d(rows, [np.argmin(values), np.argmax(values)])
        values, weights = values[rows], None if weights is None else weights[rows]
    return infer_numeric(TARGET_NAME, values, weights, WIDTH_CELLS)


def find_cells_of_target(described: NumericColumn, target: np.ndarray) -> np.ndarray:
    """The cell of each target, by the encoder of numeric columns; negative where it is missing."""
    alone = Coder(Schema((described,))).open(Table.of_matrix(target[:, None]))
    return alone.block(0, len(target)).narrow[:, 0].astype(np.int32) - np.int32(FIRST_BIN)
