"""Numbers to one-byte codes: a look-up in a grid of cells, then a comparison with an edge or two."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.codes import CELLS, FIRST_BIN, MISSING
from bayfold.core.kernels.compiler import kernel

LAST_CELL = CELLS - 1
"""Numbers above the grid share its last cell."""

ENCODED_ROWS = 512  # rows whose numbers stay in the first-level cache between the passes over them


@kernel
def encode_rows(values, low, scale, first_edge, edges, crowded, codes, minimum, maximum):
    """Write the code of ``values[i, j]`` to ``codes[i, j]``; widen ``minimum`` and ``maximum``.

    The cell of x is ``floor((x - low) * scale)`` clipped to the grid, which never decreases in x,
    rounding included. ``first_edge[j, cell]`` counts the edges in lower cells, so only the
    edges in x's own cell are left to compare with. Columns in which some cell holds more than one
    edge are listed in ``crowded`` (column, base and shift of a logarithmic grid or -1, steps of a
    bisection) and searched further.

    """
    n_rows, n_columns = values.shape
    cells = np.empty(n_columns, np.int32)
    above_low = np.empty(ENCODED_ROWS)
    for start in range(0, n_rows, ENCODED_ROWS):
        stop = min(start + ENCODED_ROWS, n_rows)
        encode_plain(
            values, start, stop, low, scale, first_edge, edges, cells, codes, minimum, maximum
        )
        for c in range(crowded.shape[0]):
            encode_crowded(
                values, start, stop, low, scale, first_edge, edges, crowded, c, above_low, codes
            )


@kernel
def encode_plain(
    values, start, stop, low, scale, first_edge, edges, cells, codes, minimum, maximum
):
    """Code a chunk of rows as if every cell held one edge at most.

    Cells of a row are found in a loop of their own because that loop vectorises; the
    dependent look-ups that follow do not.
    """
    n_columns = values.shape[1]
    for i in range(start, stop):
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


@kernel
def encode_crowded(
    values, start, stop, low, scale, first_edge, edges, crowded, c, above_low, codes
):
    """Code a column in which cells hold several edges: find the cell, then bisect.

    ``crowded[c]`` is (column, base, shift, steps). With a shift the grid is logarithmic: the bits of a positive
    float, read as an integer, grow with it and about like its logarithm, which is where the
    edges of a skewed column are evenly spread.

    The steps are enough for the fullest cell, whatever a cell holds: edges of later cells and the
    infinite ones behind the last are above x. A comparison is added as a shifted bit because a branch on
    the data, or what the compiler takes for one, would be mispredicted half of the time.
    """
    j, base, shift, n_steps = crowded[c, 0], crowded[c, 1], crowded[c, 2], crowded[c, 3]
    lowest, cells_per_unit = low[j], scale[j]
    bits = above_low.view(np.int64)
    for i in range(stop - start):
        above_low[i] = values[start + i, j] - lowest
    if shift < 0:
        for i in range(stop - start):
            t = above_low[i] * cells_per_unit
            t = t if t > 0.0 else 0.0
            bits[i] = np.int64(t if t < LAST_CELL else LAST_CELL)
    else:
        for i in range(stop - start):
            bits[i] = min((max(bits[i], base) - base) >> shift, LAST_CELL)
    for i in range(stop - start):
        x = values[start + i, j]
        k = np.uint64(first_edge[j, np.uint64(bits[i])])
        for step in range(n_steps - 1, -1, -1):
            ahead = np.uint64(1) << np.uint64(step)
            k += np.uint64(x >= edges[j, k + ahead - np.uint64(1)]) << np.uint64(step)
        codes[start + i, j] = k + np.uint64(FIRST_BIN) if x == x else np.uint64(MISSING)
