"""Rows of numbers coded, counted and hashed at once: their codes never leave the first-level cache.

``encode_rows``, ``hash_multiples`` and ``count_and_hash`` one after the other give the same to the last bit, in four
thirds of the time.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.encode import count_strip_rows, find_strip_cells, last_cell_of, tile_grid
from bayfold.core.kernels.hashing import mix

COLUMNS_TOGETHER = 4
"""Columns counted side by side: two wait for their own sums, a seventh more time, and more tables leave the cache."""


@kernel
def fold_numbers(values, grid, ranges, groups, n_groups, tables, words, threshold, found):
    """Count rows of numbers; write those with a hash of at most ``threshold`` to ``found``, and return how many.

    ``grid`` is (low, scale, first_code, edges, is_aligned) as in ``encode_rows``, and no column may be crowded;
    ``ranges`` is (minimum, maximum), which are widened; ``tables`` is (offsets, counts) as in ``count_codes``, but in
    whole numbers, because each row counts once; ``words`` is one word for each group and, as in ``hash_multiples``, one
    factor for each column; ``found`` takes the (place, hash, codes) of rows.
    """
    low, scale, first_code, edges, is_aligned = grid
    (minimum, maximum), (n_rows, n_columns) = ranges, values.shape
    last, tiled = last_cell_of(first_code), tile_grid(low, scale, minimum, maximum)
    rows_per_strip, n_found = count_strip_rows(n_columns), 0
    cells = np.empty(rows_per_strip * n_columns, np.uint16)
    codes = np.empty((n_columns, rows_per_strip), np.uint8)
    hashes = np.empty(rows_per_strip, np.uint64)
    numbers = values.reshape(values.size)
    for begin in range(0, n_rows, rows_per_strip):
        end = min(begin + rows_per_strip, n_rows)
        find_strip_cells(values, begin, end, tiled, last, minimum, maximum, cells)
        own_numbers, own_groups = numbers[begin * n_columns : end * n_columns], groups[begin:end]
        look_up_strip(own_numbers, cells, first_code, edges, is_aligned, codes)
        count_strip(codes, 0, own_groups, n_groups, tables)
        hash_strip(codes, own_groups, words, hashes)
        n_found = keep_small(codes, hashes[: end - begin], begin, threshold, found, n_found)
    return n_found


@kernel
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


@kernel
def look_up_aligned(cells, j, first_code, codes, n_rows):
    """The codes of a column by its cells alone."""
    step, p = np.uint64(codes.shape[0]), j
    for i in range(n_rows):
        codes[j, i] = first_code[j, np.uint64(cells[p])]
        p += step


@kernel
def look_up_compared(numbers, cells, j, first_code, edges, codes, n_rows):
    """The codes of a column by its cells and one edge in each."""
    step, p = np.uint64(codes.shape[0]), j
    for i in range(n_rows):
        code = first_code[j, np.uint64(cells[p])]
        codes[j, i] = code + np.uint8(numbers[p] >= edges[j, np.uint64(code)])
        p += step


@kernel
def count_strip(codes, begin, groups, n_groups, tables):
    """Count the rows of a strip, which begins at ``codes[:, begin]``, in the tables of all columns."""
    offsets, counts = tables
    n_columns, stride, begin = len(offsets), np.uint64(n_groups), np.uint64(begin)
    together = n_columns // COLUMNS_TOGETHER * COLUMNS_TOGETHER
    for j in range(np.uint64(0), np.uint64(together), np.uint64(COLUMNS_TOGETHER)):
        count_four(codes, j, begin, groups, stride, offsets, counts)
    for j in range(np.uint64(together), np.uint64(n_columns)):
        count_single(codes, j, begin, groups, stride, np.uint64(offsets[j]), counts)


@kernel
def count_four(codes, j, begin, groups, stride, offsets, counts):
    """Count four columns, the first of which is ``j``."""
    k, m, n, one = j + np.uint64(1), j + np.uint64(2), j + np.uint64(3), np.uint32(1)
    first, second = np.uint64(offsets[j]), np.uint64(offsets[k])
    third, fourth = np.uint64(offsets[m]), np.uint64(offsets[n])
    for i in range(np.uint64(len(groups))):
        group, p = np.uint64(groups[i]), begin + i
        counts[first + np.uint64(codes[j, p]) * stride + group] += one
        counts[second + np.uint64(codes[k, p]) * stride + group] += one
        counts[third + np.uint64(codes[m, p]) * stride + group] += one
        counts[fourth + np.uint64(codes[n, p]) * stride + group] += one


@kernel
def count_single(codes, j, begin, groups, stride, offset, counts):
    """Count one column."""
    for i in range(np.uint64(len(groups))):
        group = np.uint64(groups[i])
        counts[offset + np.uint64(codes[j, begin + i]) * stride + group] += np.uint32(1)


@kernel
def hash_strip(codes, groups, words, hashes):
    """The content hash of each row of a strip, as ``hash_rows`` gives it."""
    group_words, factors = words
    n_rows = np.uint64(len(groups))
    for i in range(n_rows):
        hashes[i] = group_words[groups[i]]
    for j in range(np.uint64(codes.shape[0])):
        add_words(codes, j, factors[j], n_rows, hashes)
    for i in range(n_rows):
        hashes[i] = mix(hashes[i])


@kernel
def add_words(codes, j, factor, n_rows, hashes):
    """XOR the words of a column's codes into the hashes of the rows."""
    for i in range(n_rows):
        hashes[i] ^= np.uint64(codes[j, i]) * factor


@kernel
def keep_small(codes, hashes, begin, threshold, found, n_found):
    """Put the rows of a strip with small hashes behind those found so far; how many there are now."""
    places, found_hashes, found_codes = found
    for i in range(len(hashes)):
        if hashes[i] <= threshold:
            places[n_found], found_hashes[n_found] = begin + i, hashes[i]
            for j in range(codes.shape[0]):
                found_codes[n_found, j] = codes[j, i]
            n_found += 1
    return n_found
