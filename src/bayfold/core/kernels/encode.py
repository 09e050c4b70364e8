"""Codes of cells: the bin of a number, the category of a label, one code for missing."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel
from bayfold.core.kernels.memory import CACHE_LINE, prefetch

MISSING = 0
"""The cell is empty."""

UNSEEN = 1
"""The cell holds a category that did not occur in training."""

FIRST_BIN = 2
"""Bins and categories are numbered from here."""

NARROW_BINS = 256 - FIRST_BIN
"""How many bins a one-byte code can tell apart."""

WIDE_BINS = 65536 - FIRST_BIN
"""How many bins a two-byte code can tell apart."""

CELLS = 4096
"""Cells of the grid that finds the bin of a number (see encode.py)."""

FIRST_CELL = 2
"""The cells of the grid are numbered from here: before them come missing cells and numbers below the grid."""

STAGGER = 64
"""Bytes by which the tables of neighbouring columns are shifted. Their sizes are powers of two, and columns of a kind
are looked up in the same places, which would compete for the same few lines of the first-level cache."""

SEPARATOR = 0
LETTER = 1
UNSPACED = 2
"""What a character is to those who split texts into words; letters are digits and marks too, unspaced ones belong to
scripts without spaces between words."""

BEYOND_PLAIN = 255
"""Of a byte that is not ASCII: what it belongs to is found by its code point."""


LAST_CELL = CELLS - 1  # where numbers above all edges go

TILE = 160
"""Numbers whose cells are found together. The arrays beside them stay in the first-level cache; 320 took a sixth more
time."""

TILES_AHEAD = 2
"""How early numbers are asked for: a tile takes longer than main memory to answer."""

STRIP = 5120
"""Numbers whose cells are found before they are looked up, column by column: with the tables of one column they stay in
the first-level cache. Half as many and twice as many took some hundredths more time."""

LEAST_STRIP_ROWS = 16
"""Of wide tables, whose numbers stay in the second-level cache: a column is worth turning to for some rows."""

CROWDED_ROWS = 512
"""Rows of a crowded column between the passes over it."""


@kernel
def encode_rows(numbers, low, scale, first_code, edges, is_aligned, codes, minimum, maximum):
    """Write the code of number ``i * n_columns + j`` to ``codes[i, j]``; widen ``minimum`` and ``maximum``.

    ``codes`` may have more columns, which stay as they are.

    The cell of x is ``floor((x - low) * scale)`` clipped to the grid and counted from ``FIRST_CELL``, which never
    decreases in x, rounding included; cell 1 is that of x below ``low``, cell 0 that of NaN. ``first_code[j, cell]``
    is the code of the numbers below all edges of the cell, and ``edges[j, code]`` the edge at which that code ends, so
    that one comparison is left; none in columns where every edge begins a cell (``is_aligned``). Columns in which some
    cell holds more than one edge are coded by ``encode_crowded`` afterwards.
    """
    n_columns = len(low)
    n_rows = len(codes)
    last = last_cell_of(first_code)
    tiled = tile_grid(low, scale, minimum, maximum)
    rows_per_strip = count_strip_rows(n_columns)
    cells = np.empty(rows_per_strip * n_columns, np.uint16)
    for begin in range(0, n_rows, rows_per_strip):
        end = begin + rows_per_strip if begin + rows_per_strip < n_rows else n_rows
        find_strip_cells(numbers, begin, end, tiled, last, minimum, maximum, cells)
        look_up(numbers, begin, end, cells, first_code, edges, is_aligned, codes)


@inner
def last_cell_of(first_code):
    """Where numbers above all edges go.

    Not the constant it is: knowing it, the compiler clips by masks instead of taking minima, a fifth more time.
    """
    return np.float64(first_code.shape[1] - STAGGER - 1)


@inner
def count_strip_rows(n_columns):
    """Rows whose cells are found before they are looked up."""
    rows = STRIP // n_columns if n_columns > 0 else STRIP
    return rows if rows > LEAST_STRIP_ROWS else LEAST_STRIP_ROWS


@inner
def tile_grid(low, scale, minimum, maximum):
    """What the cells of a tile of rows are found by: four numbers for each, in as many rows of an array.

    Repeated for some rows, because loops over columns alone are too short to vectorise.
    """
    n_columns = len(low)
    n_rows = TILE // n_columns if 0 < n_columns < TILE else 1
    tiled = np.empty((4, n_rows * n_columns))
    for i in range(n_rows):
        for j in range(n_columns):
            tiled[0, i * n_columns + j] = low[j]
            tiled[1, i * n_columns + j] = scale[j]
            tiled[2, i * n_columns + j] = minimum[j]
            tiled[3, i * n_columns + j] = maximum[j]
    return tiled


@inner
def find_strip_cells(numbers, begin, end, tiled, last, minimum, maximum, cells):
    """The cells of rows ``begin`` to ``end``, tile by tile; the range so far is widened to their numbers."""
    n_columns = len(minimum)
    n_tile = tiled.shape[1]
    first = begin * n_columns
    if n_tile == 0:
        return
    for start in range(first, end * n_columns, n_tile):
        stop = start + n_tile if start + n_tile < end * n_columns else end * n_columns
        soon = start + TILES_AHEAD * n_tile
        for ahead in range(soon, soon + n_tile, CACHE_LINE):
            prefetch(numbers, ahead)
        if find_cells(numbers, start, stop - start, tiled, last, cells, start - first):
            widen_ranges(numbers, start, stop, minimum, maximum)
            for p in range(n_tile):
                tiled[2, p] = minimum[p % n_columns]
                tiled[3, p] = maximum[p % n_columns]


@inner
def find_cells(numbers, start, n_tile, tiled, last, cells, place):
    """The cell of each number of a tile; whether one lies outside the range so far, which is rare."""
    # unsigned indices are not tested for being negative
    start = np.uint64(start)
    place = np.uint64(place)
    outside = np.int64(0)
    for p in range(np.uint64(n_tile)):
        x = numbers[start + p]
        low = tiled[0, p]
        outside |= np.int64(x < tiled[2, p]) | np.int64(x > tiled[3, p])
        t = (x - low) * tiled[1, p]
        t = t if t > 0.0 else 0.0
        t = t if t < last else last
        # by way of 32 bits, which the processor has an instruction for
        cell = np.int32(t) + (np.int32(FIRST_CELL) if x >= low else np.int32(FIRST_CELL - 1))
        cells[place + p] = cell if x == x else np.int32(0)
    return outside != 0


@inner
def look_up(numbers, begin, end, cells, first_code, edges, is_aligned, codes):
    """The codes of a strip of rows, whose cells are known, column by column."""
    # unsigned indices are not tested for being negative
    step = np.uint64(len(is_aligned))
    first = np.uint64(begin)
    stop = np.uint64(end)
    shift = first * step
    for j in range(step):
        p = np.uint64(j)
        if is_aligned[j]:
            for i in range(first, stop):
                codes[i, j] = first_code[j, np.uint64(cells[p])]
                p += step
            continue
        for i in range(first, stop):
            code = first_code[j, np.uint64(cells[p])]
            # no edge is at or below NaN, whose first code is that of a missing cell
            codes[i, j] = code + np.uint8(numbers[shift + p] >= edges[j, np.uint64(code)])
            p += step


@inner
def widen_ranges(numbers, start, stop, minimum, maximum):
    """Widen the ranges of all columns to the numbers of some whole rows."""
    for at in range(start, stop, len(minimum)):
        for j in range(len(minimum)):
            x = numbers[at + j]
            minimum[j] = x if x < minimum[j] else minimum[j]
            maximum[j] = x if x > maximum[j] else maximum[j]


@kernel
def encode_crowded(values, low, scale, first_code, edges, crowded, codes):
    """Code the columns in which cells hold several edges: find the cell, then bisect.

    A row of ``crowded`` is (column, base, shift, steps). With a shift the grid is logarithmic: the bits of a positive
    float, read as an integer, grow with it and about like its logarithm, which is where the
    edges of a skewed column are evenly spread.

    The steps are enough for the fullest cell, whatever a cell holds: edges of later cells and the
    infinite ones behind the last are above x. A comparison is added as a shifted bit because a branch on
    the data, or what the compiler takes for one, would be mispredicted half of the time.
    """
    above_low = np.empty(CROWDED_ROWS)
    bits = above_low.view(np.int64)
    for c in range(crowded.shape[0]):
        j = crowded[c, 0]
        base = crowded[c, 1]
        shift = crowded[c, 2]
        n_steps = crowded[c, 3]
        lowest = low[j]
        cells_per_unit = scale[j]
        for start in range(0, len(values), CROWDED_ROWS):
            n = len(values) - start
            n = n if n < CROWDED_ROWS else CROWDED_ROWS
            for i in range(n):
                above_low[i] = values[start + i, j] - lowest
            if shift < 0:
                for i in range(n):
                    t = above_low[i] * cells_per_unit
                    t = t if t > 0.0 else 0.0
                    bits[i] = np.int64(t if t < LAST_CELL else LAST_CELL)
            else:
                for i in range(n):
                    bits[i] = min((max(bits[i], base) - base) >> shift, LAST_CELL)
            for i in range(n):
                x = values[start + i, j]
                k = np.uint64(first_code[j, np.uint64(bits[i] + 1)])
                for step in range(n_steps - 1, -1, -1):
                    ahead = np.uint64(1) << np.uint64(step)
                    k += np.uint64(x >= edges[j, k + ahead - np.uint64(1)]) << np.uint64(step)
                codes[start + i, j] = k if x == x else np.uint64(MISSING)
