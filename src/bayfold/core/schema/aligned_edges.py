"""Edges where cells of the encoder's grid begin, so that the cell of a number alone tells its bin.

The quantiles of a sample are estimates, and with some hundredths of a bin more or less they are no worse. Coding takes
a quarter less time when no number need be compared with an edge.
"""

from __future__ import annotations

import numpy as np

from bayfold.core import kernels
from bayfold.core.schema.grids import find_scale

MOST_MOVED = 0.2
"""Of the rows of a bin, the share that may come to the bin beside it. Of 20,000 normal numbers it is 0.12 at most; a
value that many rows have is never passed."""


def align_edges(edges: np.ndarray, values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The edges, moved to the nearest beginnings of cells where this is possible and hardly moves rows.

    Parameters
    ----------
    edges : ndarray
        In increasing order.
    values, weights : ndarray
        Distinct values in increasing order, from which the edges were estimated, and their weights.
    """
    scale = find_scale(edges) if len(edges) else 0.0
    if scale == 0.0:
        return edges
    starts = np.empty_like(edges)
    is_possible = kernels.move_to_cells(edges, scale, values, weights, MOST_MOVED, starts)
    # with another last edge the grid may be another one, of which they begin no cells
    return starts if is_possible and find_scale(starts) == scale else edges
