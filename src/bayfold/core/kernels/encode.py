"""Codes of cells: the bin of a number, the category of a label, one code for missing."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
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
def encode_rows(
    values, low, scale, first_code, edges, is_aligned, crowded, codes, minimum, maximum
):
    """Write the code of ``values[i, j]`` to ``codes[i, j]``; widen ``minimum`` and ``maximum``.

    ``codes`` may have more columns, which stay as they are.

    The cell of x is ``floor((x - low) * scale)`` clipped to the grid and counted from ``FIRST_CELL``, which never
    decreases in x, rounding included; cell 1 is that of x below ``low``, cell 0 that of NaN. ``first_code[j, cell]``
    is the code of the numbers below all edges of the cell, and ``edges[j, code]`` the edge at which that code ends, so
    that one comparison is left; none in columns where every edge begins a cell (``is_aligned``). Columns in which some
    cell holds more than one edge are listed in ``crowded`` (column, base and shift of a logarithmic grid or -1, steps
    of a bisection) and searched further.
    """
    n_rows, n_columns = values.shape
    last = last_cell_of(first_code)
    tiled = tile_grid(low, scale, minimum, maximum)
    rows_per_strip = count_strip_rows(n_columns)
    cells = np.empty(rows_per_strip * n_columns, np.uint16)
    numbers = values.reshape(values.size)
    for begin in range(0, n_rows, rows_per_strip):
        end = min(begin + rows_per_strip, n_rows)
        find_strip_cells(values, begin, end, tiled, last, minimum, maximum, cells)
        own_numbers = numbers[begin * n_columns :]
        own_codes = codes[begin:end]
        look_up(own_numbers, n_columns, cells, first_code, edges, is_aligned, own_codes)
    above_low = np.empty(CROWDED_ROWS)
    for c in range(crowded.shape[0]):
        for start in range(0, n_rows, CROWDED_ROWS):
            part = slice(start, min(start + CROWDED_ROWS, n_rows))
            encode_crowded(
                values[part], low, scale, first_code, edges, crowded[c], above_low, codes[part]
            )


@kernel
def last_cell_of(first_code):
    """Where numbers above all edges go.

    Not the constant it is: knowing it, the compiler clips by masks instead of taking minima, a fifth more time.
    """
    return np.float64(first_code.shape[1] - STAGGER - 1)


@kernel
def count_strip_rows(n_columns):
    """Rows whose cells are found before they are looked up."""
    return max(STRIP // max(n_columns, 1), LEAST_STRIP_ROWS)


@kernel
def tile_grid(low, scale, minimum, maximum):
    """What the cells of a tile of rows are found by, one number for each of its cells."""
    n_rows = max(TILE // max(len(low), 1), 1)
    smallest = tile_columns(minimum, n_rows)
    largest = tile_columns(maximum, n_rows)
    return tile_columns(low, n_rows), tile_columns(scale, n_rows), smallest, largest


@kernel
def tile_columns(of_column, n_rows):
    """One number per column, repeated for so many rows: loops over columns alone are too short to vectorise."""
    tiled = np.empty(n_rows * len(of_column))
    repeat_columns(of_column, tiled)
    return tiled


@kernel
def repeat_columns(of_column, tiled):
    """Write one number per column again and again."""
    for start in range(0, len(tiled), max(len(of_column), 1)):
        for j in range(len(of_column)):
            tiled[start + j] = of_column[j]


@kernel
def find_strip_cells(values, begin, end, tiled, last, minimum, maximum, cells):
    """The cells of rows ``begin`` to ``end``, tile by tile; the range so far is widened to their numbers."""
    numbers = values.reshape(values.size)
    n_columns = values.shape[1]
    low, scale, smallest, largest = tiled
    first = begin * n_columns
    n_tile = max(len(low), 1)
    for start in range(first, end * n_columns, n_tile):
        stop = min(start + n_tile, end * n_columns)
        soon = start + TILES_AHEAD * n_tile
        for ahead in range(soon, soon + n_tile, CACHE_LINE):
            prefetch(numbers, ahead)
        own = cells[start - first :]
        if find_cells(numbers[start:stop], low, scale, smallest, largest, last, own):
            widen_ranges(values[start // n_columns : stop // n_columns], minimum, maximum)
            repeat_columns(minimum, smallest)
            repeat_columns(maximum, largest)


@kernel
def find_cells(numbers, low, scale, smallest, largest, last, cells):
    """The cell of each number of a tile; whether one lies outside the range so far, which is rare."""
    outside = np.int64(0)
    for p in range(len(numbers)):
        x = numbers[p]
        outside |= np.int64(x < smallest[p]) | np.int64(x > largest[p])
        t = (x - low[p]) * scale[p]
        t = t if t > 0.0 else 0.0
        t = t if t < last else last
        # by way of 32 bits, which the processor has an instruction for
        cell = np.int32(t) + (np.int32(FIRST_CELL) if x >= low[p] else np.int32(FIRST_CELL - 1))
        cells[p] = cell if x == x else np.int32(0)
    return outside != 0


@kernel
def look_up(numbers, n_columns, cells, first_code, edges, is_aligned, codes):
    """The codes of a strip of rows, whose cells are known, column by column."""
    # unsigned indices are not tested for being negative
    step = np.uint64(n_columns)
    n_rows = np.uint64(len(codes))
    for j in range(step):
        p = np.uint64(j)
        if is_aligned[j]:
            for i in range(n_rows):
                codes[i, j] = first_code[j, np.uint64(cells[p])]
                p += step
            continue
        for i in range(n_rows):
            code = first_code[j, np.uint64(cells[p])]
            # no edge is at or below NaN, whose first code is that of a missing cell
            codes[i, j] = code + np.uint8(numbers[p] >= edges[j, np.uint64(code)])
            p += step


@kernel
def widen_ranges(values, minimum, maximum):
    """Widen the ranges of all columns to the numbers of some rows."""
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            x = values[i, j]
            minimum[j] = x if x < minimum[j] else minimum[j]
            maximum[j] = x if x > maximum[j] else maximum[j]


@kernel
def encode_crowded(values, low, scale, first_code, edges, crowded, above_low, codes):
    """Code a column in which cells hold several edges: find the cell, then bisect.

    ``crowded`` is (column, base, shift, steps). With a shift the grid is logarithmic: the bits of a positive
    float, read as an integer, grow with it and about like its logarithm, which is where the
    edges of a skewed column are evenly spread.

    The steps are enough for the fullest cell, whatever a cell holds: edges of later cells and the
    infinite ones behind the last are above x. A comparison is added as a shifted bit because a branch on
    the data, or what the compiler takes for one, would be mispredicted half of the time.
    """
    j = crowded[0]
    base = crowded[1]
    shift = crowded[2]
    n_steps = crowded[3]
    lowest = low[j]
    cells_per_unit = scale[j]
    bits = above_low.view(np.int64)
    for i in range(len(values)):
        above_low[i] = values[i, j] - lowest
    if shift < 0:
        for i in range(len(values)):
            t = above_low[i] * cells_per_unit
            t = t if t > 0.0 else 0.0
            bits[i] = np.int64(t if t < LAST_CELL else LAST_CELL)
    else:
        for i in range(len(values)):
            bits[i] = min((max(bits[i], base) - base) >> shift, LAST_CELL)
    for i in range(len(values)):
        x = values[i, j]
        k = np.uint64(first_code[j, np.uint64(bits[i] + 1)])
        for step in range(n_steps - 1, -1, -1):
            ahead = np.uint64(1) << np.uint64(step)
            k += np.uint64(x >= edges[j, k + ahead - np.uint64(1)]) << np.uint64(step)
        codes[i, j] = k if x == x else np.uint64(MISSING)
