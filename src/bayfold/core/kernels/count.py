"""Weighted counts of (column, code) x group. The tables lie one behind the other in a flat array.

``offsets[j]`` is where the table of column j begins, and its entry for a code and a group is
``offsets[j] + code * n_groups + group``. One source serves one-byte and two-byte codes.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel

STRIP_ROWS = 256
"""Rows between turning from two columns to the next: what is kept for each row fits beside the tables."""


@kernel
def count_codes(codes, groups, weights, offsets, n_groups, counts):
    """Add the weight of each row to its cell of every column's table."""
    n_rows, n_columns = codes.shape
    stride = np.uint64(n_groups)
    for i in range(n_rows):
        group = np.uint64(groups[i])
        weight = weights[i]
        for j in range(n_columns):
            counts[np.uint64(offsets[j]) + np.uint64(codes[i, j]) * stride + group] += weight


@kernel
def count_and_hash(
    codes, groups, weights, offsets, n_groups, counts, word_offsets, words, n_hashed, unmixed
):
    """Count as ``count_codes`` does, and XOR the words of a row's codes into ``unmixed[i]``, as ``hash_rows`` begins.

    The words of the first ``n_hashed`` columns, an even number, are in ``unmixed`` already, by ``hash_multiples``.
    Those of the others wait for the same codes as their counts: together they take three quarters of the time. Two
    columns are counted over a strip of rows before the next two, so that their tables stay in the first-level cache;
    one alone would wait for its own sums where values are few.
    """
    n_rows, n_columns = codes.shape
    for start in range(0, n_rows, STRIP_ROWS):
        rows = slice(start, min(start + STRIP_ROWS, n_rows))
        own_codes, own_groups, own_weights = codes[rows], groups[rows], weights[rows]
        h = unmixed[rows]
        for j in range(0, n_hashed, 2):
            tables = counts[offsets[j] :], counts[offsets[j + 1] :]
            count_both(own_codes, j, own_groups, own_weights, n_groups, tables)
        for j in range(n_hashed, n_columns - 1, 2):
            tables = counts[offsets[j] :], counts[offsets[j + 1] :]
            own_words = words[word_offsets[j] :], words[word_offsets[j + 1] :]
            count_two(own_codes, j, own_groups, own_weights, n_groups, tables, own_words, h)
        if n_columns % 2:
            j = n_columns - 1
            table, own_words_of_last = counts[offsets[j] :], words[word_offsets[j] :]
            count_one(own_codes, j, own_groups, own_weights, n_groups, table, own_words_of_last, h)


@kernel
def count_both(codes, j, groups, weights, n_groups, tables):
    """Count columns j and j + 1."""
    first, second, stride = np.uint64(j), np.uint64(j + 1), np.uint64(n_groups)
    for i in range(np.uint64(len(codes))):
        group, weight = np.uint64(groups[i]), weights[i]
        tables[0][np.uint64(codes[i, first]) * stride + group] += weight
        tables[1][np.uint64(codes[i, second]) * stride + group] += weight


@kernel
def count_two(codes, j, groups, weights, n_groups, tables, words, unmixed):
    """Count and hash columns j and j + 1."""
    first, second, stride = np.uint64(j), np.uint64(j + 1), np.uint64(n_groups)
    for i in range(np.uint64(len(codes))):
        group, weight = np.uint64(groups[i]), weights[i]
        a, b = np.uint64(codes[i, first]), np.uint64(codes[i, second])
        unmixed[i] ^= words[0][a] ^ words[1][b]
        tables[0][a * stride + group] += weight
        tables[1][b * stride + group] += weight


@kernel
def count_one(codes, j, groups, weights, n_groups, table, words, unmixed):
    """Count and hash column j."""
    column, stride = np.uint64(j), np.uint64(n_groups)
    for i in range(np.uint64(len(codes))):
        code = np.uint64(codes[i, column])
        unmixed[i] ^= words[code]
        table[code * stride + np.uint64(groups[i])] += weights[i]


@kernel
def count_fractional(codes, membership, offsets, counts):
    """Add ``membership[i, g]`` instead: a row may belong to several groups in part."""
    n_rows, n_columns = codes.shape
    n_groups = membership.shape[1]
    for i in range(n_rows):
        for j in range(n_columns):
            start = offsets[j] + np.int64(codes[i, j]) * n_groups
            for g in range(n_groups):
                counts[start + g] += membership[i, g]
