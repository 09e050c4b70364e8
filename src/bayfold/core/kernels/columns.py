"""Numbers to one-byte codes where each column lies in one piece, as files and data frames have them."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.codes import FIRST_CELL
from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.encode import last_cell_of

COLUMN_STRIP = 512
"""Rows of all columns before the next: their codes stay in the first-level cache until the last column is written."""


@kernel
def encode_columns(values, low, scale, first_code, edges, is_aligned, codes, minimum, maximum):
    """Write the code of ``values[j, i]`` to ``codes[i, j]`` as ``encode_rows`` does; no column may be crowded.

    What is computed is the same to the last bit, of numbers of four bytes too, which are exact in eight.
    """
    n_columns, n_rows = values.shape
    last = last_cell_of(first_code)
    cells = np.empty(COLUMN_STRIP, np.uint16)
    for start in range(0, n_rows, COLUMN_STRIP):
        stop = min(start + COLUMN_STRIP, n_rows)
        own = codes[start:stop]
        for j in range(n_columns):
            numbers = values[j, start:stop]
            if find_column_cells(numbers, low[j], scale[j], minimum[j], maximum[j], last, cells):
                for x in numbers:
                    minimum[j] = x if x < minimum[j] else minimum[j]
                    maximum[j] = x if x > maximum[j] else maximum[j]
            look_up_column(numbers, cells, first_code[j], edges[j], is_aligned[j], j, own)


@kernel
def find_column_cells(numbers, low, scale, smallest, largest, last, cells):
    """The cell of each number; whether one lies outside the range so far, which is rare."""
    outside = np.int64(0)
    for i in range(len(numbers)):
        x = np.float64(numbers[i])
        outside |= np.int64(x < smallest) | np.int64(x > largest)
        t = (x - low) * scale
        t = t if t > 0.0 else 0.0
        t = t if t < last else last
        cell = np.int32(t) + (np.int32(FIRST_CELL) if x >= low else np.int32(FIRST_CELL - 1))
        cells[i] = cell if x == x else np.int32(0)
    return outside != 0


@kernel
def look_up_column(numbers, cells, first_code, edges, is_aligned, j, codes):
    """The codes of one column of a strip of rows, whose cells are known."""
    n_rows = np.uint64(len(codes))
    if is_aligned:
        for i in range(n_rows):
            codes[i, j] = first_code[np.uint64(cells[i])]
        return
    for i in range(n_rows):
        code = first_code[np.uint64(cells[i])]
        codes[i, j] = code + np.uint8(np.float64(numbers[i]) >= edges[np.uint64(code)])
