"""Weighted counts of (column, code) x group. The tables lie one behind the other in a flat array.

``offsets[j]`` is where the table of column j begins, and its entry for a code and a group is
``offsets[j] + code * n_groups + group``. One source serves one-byte and two-byte codes.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel


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
def count_and_hash(codes, groups, weights, offsets, n_groups, counts, word_offsets, words, unmixed):
    """Count as ``count_codes`` does, and XOR the words of a row's codes into ``unmixed[i]``, as ``hash_rows`` begins.

    Both wait for the same codes: together they take three quarters of the time.
    """
    n_rows, n_columns = codes.shape
    stride = np.uint64(n_groups)
    for i in range(n_rows):
        group = np.uint64(groups[i])
        weight, h = weights[i], unmixed[i]
        for j in range(n_columns):
            code = np.uint64(codes[i, j])
            counts[np.uint64(offsets[j]) + code * stride + group] += weight
            h ^= words[np.uint64(word_offsets[j]) + code]
        unmixed[i] = h


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
