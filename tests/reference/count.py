"""Counts, one dictionary entry at a time."""

from __future__ import annotations

import numpy as np


def count_codes(codes, groups, weights, offsets, n_groups, size):
    """The flat tables of all columns."""
    membership = np.zeros((len(codes), n_groups))
    for i, group in enumerate(groups):
        membership[i, group] = weights[i]
    return count_fractional(codes, membership, offsets, size)


def count_and_hash(
    codes, groups, weights, offsets, n_groups, size, word_offsets, words, n_hashed, start
):
    """The flat tables, and what the rows' hashes are before they are mixed, if they know the first columns."""
    unmixed = []
    for i in range(len(codes)):
        h = int(start[i])
        for j in range(n_hashed, codes.shape[1]):
            h ^= int(words[int(word_offsets[j]) + int(codes[i, j])])
        unmixed.append(h)
    counts = count_codes(codes, groups, weights, offsets, n_groups, size)
    return counts, np.array(unmixed, np.uint64)


def count_fractional(codes, membership, offsets, size):
    """The flat tables of all columns, a row belonging to several groups in part."""
    n_groups = membership.shape[1]
    counts = [0.0] * size
    for i in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            for g in range(n_groups):
                cell = int(offsets[j]) + int(codes[i, j]) * n_groups + g
                counts[cell] += float(membership[i, g])
    return np.array(counts, np.float64)
