"""Columns of a row-major table, read strip by strip so that each cache line is loaded once."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel
from bayfold.core.kernels.encode import (
    FIRST_CELL,
    count_strip_rows,
    find_strip_cells,
    last_cell_of,
    tile_grid,
)
from bayfold.core.kernels.hashing import mix

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


@inner
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


@inner
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


COLUMNS_TOGETHER = 4
"""Columns counted side by side: two wait for their own sums, a seventh more time, and more tables leave the cache."""


@kernel
def count_numbers(values, grid, ranges, groups, n_groups, tables, factors, limits, found):
    """Count rows of numbers; write those with hashes up to their group's limit to ``found``; return how many.

    ``grid`` is (low, scale, first_code, edges, is_aligned) as in ``encode_rows``, and no column may be crowded;
    ``ranges`` is (minimum, maximum), which are widened; ``tables`` is (offsets, counts) as in ``count_codes``, but in
    whole numbers, because each row counts once; ``factors`` has one for each column, as in ``hash_multiples``, and
    ``limits`` one hash for each group; ``found`` takes the (place, hash, codes) of rows.
    """
    low, scale, first_code, edges, is_aligned = grid
    (minimum, maximum) = ranges
    (n_rows, n_columns) = values.shape
    last = last_cell_of(first_code)
    tiled = tile_grid(low, scale, minimum, maximum)
    rows_per_strip = count_strip_rows(n_columns)
    n_found = 0
    cells = np.empty(rows_per_strip * n_columns, np.uint16)
    codes = np.empty((n_columns, rows_per_strip), np.uint8)
    hashes = np.empty(rows_per_strip, np.uint64)
    numbers = values.reshape(values.size)
    for begin in range(0, n_rows, rows_per_strip):
        end = min(begin + rows_per_strip, n_rows)
        find_strip_cells(numbers, begin, end, tiled, last, minimum, maximum, cells)
        own_numbers = numbers[begin * n_columns : end * n_columns]
        own_groups = groups[begin:end]
        look_up_strip(own_numbers, cells, first_code, edges, is_aligned, codes)
        count_strip(codes, 0, own_groups, n_groups, tables)
        hash_strip(codes, np.uint64(end - begin), factors, hashes)
        n_found = keep_small(codes, hashes, begin, own_groups, limits, found, n_found)
    return n_found


@inner
def look_up_strip(numbers, cells, first_code, edges, is_aligned, codes):
    """The codes of a strip of rows, column by column: those of a column lie in one piece."""
    n_rows = np.uint64(len(numbers) // len(codes))
    for j in range(np.uint64(codes.shape[0])):
        if is_aligned[j]:
            look_up_aligned(cells, j, first_code, codes, n_rows)
        else:
            look_up_compared(numbers, cells, j, first_code, edges, codes, n_rows)


# The loops below take whole arrays and a column, not its part of them: a part of an array is counted as one more user
# of it, which for strips of rows takes a tenth of the time. Unsigned indices are not tested for being negative.


@inner
def look_up_aligned(cells, j, first_code, codes, n_rows):
    """The codes of a column by its cells alone."""
    step = np.uint64(codes.shape[0])
    p = j
    for i in range(n_rows):
        codes[j, i] = first_code[j, np.uint64(cells[p])]
        p += step


@inner
def look_up_compared(numbers, cells, j, first_code, edges, codes, n_rows):
    """The codes of a column by its cells and one edge in each."""
    step = np.uint64(codes.shape[0])
    p = j
    for i in range(n_rows):
        code = first_code[j, np.uint64(cells[p])]
        codes[j, i] = code + np.uint8(numbers[p] >= edges[j, np.uint64(code)])
        p += step


@inner
def count_strip(codes, begin, groups, n_groups, tables):
    """Count the rows of a strip, which begins at ``codes[:, begin]``, in the tables of all columns."""
    offsets, counts = tables
    n_columns = len(offsets)
    stride = np.uint64(n_groups)
    begin = np.uint64(begin)
    together = n_columns // COLUMNS_TOGETHER * COLUMNS_TOGETHER
    for j in range(np.uint64(0), np.uint64(together), np.uint64(COLUMNS_TOGETHER)):
        count_four(codes, j, begin, groups, stride, offsets, counts)
    for j in range(np.uint64(together), np.uint64(n_columns)):
        count_single(codes, j, begin, groups, stride, np.uint64(offsets[j]), counts)


@inner
def count_four(codes, j, begin, groups, stride, offsets, counts):
    """Count four columns, the first of which is ``j``."""
    k = j + np.uint64(1)
    m = j + np.uint64(2)
    n = j + np.uint64(3)
    one = np.uint32(1)
    first = np.uint64(offsets[j])
    second = np.uint64(offsets[k])
    third = np.uint64(offsets[m])
    fourth = np.uint64(offsets[n])
    for i in range(np.uint64(len(groups))):
        group = np.uint64(groups[i])
        p = begin + i
        counts[first + np.uint64(codes[j, p]) * stride + group] += one
        counts[second + np.uint64(codes[k, p]) * stride + group] += one
        counts[third + np.uint64(codes[m, p]) * stride + group] += one
        counts[fourth + np.uint64(codes[n, p]) * stride + group] += one


@inner
def count_single(codes, j, begin, groups, stride, offset, counts):
    """Count one column."""
    for i in range(np.uint64(len(groups))):
        group = np.uint64(groups[i])
        counts[offset + np.uint64(codes[j, begin + i]) * stride + group] += np.uint32(1)


@inner
def hash_strip(codes, n_rows, factors, hashes):
    """The content hash of each row of a strip, as ``hash_rows`` gives it from zero."""
    for i in range(n_rows):
        hashes[i] = np.uint64(0)
    for j in range(np.uint64(codes.shape[0])):
        add_code_hashes(codes, j, factors[j], n_rows, hashes)
    for i in range(n_rows):
        hashes[i] = mix(hashes[i])


@inner
def add_code_hashes(codes, j, factor, n_rows, hashes):
    """XOR the hashes of a column's codes into the hashes of the rows."""
    for i in range(n_rows):
        hashes[i] ^= np.uint64(codes[j, i]) * factor


@inner
def keep_small(codes, hashes, begin, groups, limits, found, n_found):
    """Put the rows of a strip with small hashes behind those found so far; how many there are now."""
    places, found_hashes, found_codes = found
    for i in range(np.uint64(len(groups))):
        if hashes[i] <= limits[np.uint64(groups[i])]:
            places[n_found] = begin + i
            found_hashes[n_found] = hashes[i]
            for j in range(codes.shape[0]):
                found_codes[n_found, j] = codes[j, i]
            n_found += 1
    return n_found


HASHED_ROWS = 1024
"""Rows of all columns before the next: their hashes and groups, twelve kilobytes, stay in the first-level cache."""


@kernel
def encode_column(numbers, j, grid, ranges, codes):
    """Write the codes of column ``j`` to ``codes[j]``, as ``encode_columns`` does; it may not be crowded.

    ``grid`` is (low, scale, first_code, edges, is_aligned), ``ranges`` is (minimum, maximum), which are widened.
    """
    low, scale, first_code, edges, is_aligned = grid
    minimum, maximum = ranges
    last = last_cell_of(first_code)
    own = codes[j]
    cells = np.empty(COLUMN_STRIP, np.uint16)
    for start in range(0, len(numbers), COLUMN_STRIP):
        strip = numbers[start : start + COLUMN_STRIP]
        if find_column_cells(strip, low[j], scale[j], minimum[j], maximum[j], last, cells):
            for x in strip:
                minimum[j] = x if x < minimum[j] else minimum[j]
                maximum[j] = x if x > maximum[j] else maximum[j]
        own_codes = own[start : start + len(strip)]
        write_strip(strip, cells, first_code[j], edges[j], is_aligned[j], own_codes)


@inner
def write_strip(numbers, cells, first_code, edges, is_aligned, codes):
    """The codes of numbers whose cells are known."""
    n_rows = np.uint64(len(codes))
    if is_aligned:
        for i in range(n_rows):
            codes[i] = first_code[np.uint64(cells[i])]
        return
    for i in range(n_rows):
        code = first_code[np.uint64(cells[i])]
        codes[i] = code + np.uint8(np.float64(numbers[i]) >= edges[np.uint64(code)])


@kernel
def count_columns(narrow, wide, groups, n_groups, tables, hashing, limits, found):
    """Count rows that count once each; write those with a hash of at most their group's limit to ``found``: how many.

    ``narrow[j, i]`` and ``wide[j, i]`` are codes, of as many rows as ``groups`` has. ``tables`` is (offsets, counts)
    of narrow columns and of wide ones, as in ``count_codes``, but in whole numbers. ``hashing`` is the
    factors of the first narrow columns (``hash_multiples``), where the hashes of each narrow and of each
    wide column begin, and these hashes. ``found`` takes the (place, hash) of rows.
    """
    of_narrow, of_wide = tables
    hashes = np.empty(HASHED_ROWS, np.uint64)
    n_found = 0
    for begin in range(0, len(groups), HASHED_ROWS):
        own = groups[begin : begin + HASHED_ROWS]
        count_strip(narrow, begin, own, n_groups, of_narrow)
        count_strip(wide, begin, own, n_groups, of_wide)
        hash_columns(narrow, wide, begin, len(own), hashing, hashes)
        n_found = keep_places(hashes, begin, own, limits, found, n_found)
    return n_found


@inner
def hash_columns(narrow, wide, begin, n_rows, hashing, hashes):
    """The content hash of each row of a strip, as ``hash_rows`` gives it from zero."""
    factors, narrow_starts, wide_starts, code_hashes = hashing
    n_factors = len(factors)
    for i in range(n_rows):
        hashes[i] = np.uint64(0)
    for j in range(n_factors):
        factor = factors[j]
        codes = narrow[j][begin : begin + n_rows]
        for i in range(n_rows):
            hashes[i] ^= np.uint64(codes[i]) * factor
    for j in range(n_factors, len(narrow_starts)):
        look_up_code_hashes(
            narrow[j][begin : begin + n_rows], code_hashes[narrow_starts[j] :], hashes
        )
    for j in range(len(wide_starts)):
        look_up_code_hashes(wide[j][begin : begin + n_rows], code_hashes[wide_starts[j] :], hashes)
    for i in range(n_rows):
        hashes[i] = mix(hashes[i])


@inner
def look_up_code_hashes(codes, table, hashes):
    """XOR the hash of each code into the hash of its row."""
    for i in range(np.uint64(len(codes))):
        hashes[i] ^= table[np.uint64(codes[i])]


@inner
def keep_places(hashes, begin, groups, limits, found, n_found):
    """Put the places and hashes of rows with small hashes behind those found so far; how many there are now."""
    places, found_hashes = found
    for i in range(np.uint64(len(groups))):
        if hashes[i] <= limits[np.uint64(groups[i])]:
            places[n_found] = begin + i
            found_hashes[n_found] = hashes[i]
            n_found += 1
    return n_found
