"""Rows whose columns lie in one piece each, coded column by column, then counted and hashed at once.

Codes are kept column by column too, for as many rows as a core's cache holds: what reads and writes them goes straight
on, and no copy of the numbers is made.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.columns import COLUMN_STRIP, find_column_cells
from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.encode import last_cell_of
from bayfold.core.kernels.hashing import mix
from bayfold.core.kernels.number_strips import count_strip

HASHED_ROWS = 1024
"""Rows of all columns before the next: their hashes and groups, twelve kilobytes, stay in the first-level cache."""


@kernel
def encode_column(numbers, j, grid, ranges, codes):
    """Write the codes of column ``j`` to ``codes[j]``, as ``encode_columns`` does; it may not be crowded.

    ``grid`` is (low, scale, first_code, edges, is_aligned), ``ranges`` is (minimum, maximum), which are widened.
    """
    low, scale, first_code, edges, is_aligned = grid
    minimum, maximum = ranges
    last, own, cells = last_cell_of(first_code), codes[j], np.empty(COLUMN_STRIP, np.uint16)
    for start in range(0, len(numbers), COLUMN_STRIP):
        strip = numbers[start : start + COLUMN_STRIP]
        if find_column_cells(strip, low[j], scale[j], minimum[j], maximum[j], last, cells):
            for x in strip:
                minimum[j] = x if x < minimum[j] else minimum[j]
                maximum[j] = x if x > maximum[j] else maximum[j]
        own_codes = own[start : start + len(strip)]
        write_strip(strip, cells, first_code[j], edges[j], is_aligned[j], own_codes)


@kernel
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
def count_columns(narrow, wide, groups, n_groups, tables, words, threshold, found):
    """Count rows that count once each; write those with a hash of at most ``threshold`` to ``found``: how many.

    ``narrow[j, i]`` and ``wide[j, i]`` are codes, of as many rows as ``groups`` has. ``tables`` is (offsets, counts)
    of narrow columns and of wide ones, as in ``count_codes``, but in whole numbers. ``words`` is one word for each
    group, the factors of the first narrow columns (``hash_multiples``), where the words of each narrow and of each wide
    column begin, and these words. ``found`` takes the (place, hash) of rows.
    """
    of_narrow, of_wide = tables
    hashes, n_found = np.empty(HASHED_ROWS, np.uint64), 0
    for begin in range(0, len(groups), HASHED_ROWS):
        own = groups[begin : begin + HASHED_ROWS]
        count_strip(narrow, begin, own, n_groups, of_narrow)
        count_strip(wide, begin, own, n_groups, of_wide)
        hash_columns(narrow, wide, begin, own, words, hashes)
        n_found = keep_places(hashes[: len(own)], begin, threshold, found, n_found)
    return n_found


@kernel
def hash_columns(narrow, wide, begin, groups, words, hashes):
    """The content hash of each row of a strip, as ``hash_rows`` gives it."""
    group_words, factors, narrow_words, wide_words, all_words = words
    n_rows, n_factors = len(groups), len(factors)
    for i in range(n_rows):
        hashes[i] = group_words[groups[i]]
    for j in range(n_factors):
        factor, codes = factors[j], narrow[j][begin : begin + n_rows]
        for i in range(n_rows):
            hashes[i] ^= np.uint64(codes[i]) * factor
    for j in range(n_factors, len(narrow_words)):
        add_words_of_codes(narrow[j][begin : begin + n_rows], all_words[narrow_words[j] :], hashes)
    for j in range(len(wide_words)):
        add_words_of_codes(wide[j][begin : begin + n_rows], all_words[wide_words[j] :], hashes)
    for i in range(n_rows):
        hashes[i] = mix(hashes[i])


@kernel
def add_words_of_codes(codes, words, hashes):
    """XOR the word of each code into the hash of its row."""
    for i in range(np.uint64(len(codes))):
        hashes[i] ^= words[np.uint64(codes[i])]


@kernel
def keep_places(hashes, begin, threshold, found, n_found):
    """Put the places and hashes of rows with small hashes behind those found so far; how many there are now."""
    places, found_hashes = found
    for i in range(len(hashes)):
        if hashes[i] <= threshold:
            places[n_found], found_hashes[n_found] = begin + i, hashes[i]
            n_found += 1
    return n_found
