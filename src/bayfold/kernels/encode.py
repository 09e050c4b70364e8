"""Numbers to one-byte codes: a look-up in a uniform grid, then a comparison with one edge."""

from __future__ import annotations

import numpy as np

from bayfold.kernels.codes import CELLS, FIRST_BIN, MISSING
from bayfold.kernels.compiler import kernel

LAST_CELL = CELLS - 1


@kernel
def encode_rows(values, low, scale, first_edge, edges, crowded, codes, minimum, maximum):  # type: ignore[no-untyped-def]
    """Write the code of ``values[i, j]`` to ``codes[i, j]``; widen ``minimum`` and ``maximum``.

    The cell of x is ``floor((x - low) * scale)`` clipped to the grid, which never decreases in x,
    rounding included. ``first_edge[j, cell]`` counts the edges in lower cells, so only the
    edges in x's own cell are left to compare with. Columns in which some cell holds
    more than one edge are listed in ``crowded`` and finished by a search.

    Cells of a row are found in a loop of their own because that loop vectorises; the
    dependent look-ups that follow do not.
    """
    n_rows, n_columns = values.shape
    cells = np.empty(n_columns, np.int32)
    for i in range(n_rows):
        for j in range(n_columns):
            x = values[i, j]
            minimum[j] = x if x < minimum[j] else minimum[j]
            maximum[j] = x if x > maximum[j] else maximum[j]
            t = (x - low[j]) * scale[j]
            t = t if t > 0.0 else 0.0  # NaN goes to cell 0 here
            t = t if t < LAST_CELL else LAST_CELL
            cells[j] = np.int32(t)
        for j in range(n_columns):
            x = values[i, j]
            # unsigned indices spare the test for negative ones
            k = first_edge[j, np.uint32(cells[j])]
            code = k + np.uint8(x >= edges[j, k]) + np.uint8(FIRST_BIN)
            codes[i, j] = code if x == x else np.uint8(MISSING)
        for j in crowded:
            x = values[i, j]
            if x == x:
                codes[i, j] = search_edges(edges[j], first_edge[j], cells[j], x) + FIRST_BIN


@kernel
def search_edges(edges, first_edge, cell, x):  # type: ignore[no-untyped-def]
    """The number of edges at or below x, by bisection among the edges of its cell."""
    low = np.int64(first_edge[cell])
    high = np.int64(first_edge[cell + 1])
    while low < high:
        middle = (low + high) // 2
        if x >= edges[middle]:
            low = middle + 1
        else:
            high = middle
    return low
