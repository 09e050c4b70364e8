"""Counts of codes by group, of pairs of codes, and of labels."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel

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
        own_codes = codes[rows]
        own_groups = groups[rows]
        own_weights = weights[rows]
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
            table = counts[offsets[j] :]
            own_words_of_last = words[word_offsets[j] :]
            count_one(own_codes, j, own_groups, own_weights, n_groups, table, own_words_of_last, h)


@inner
def count_both(codes, j, groups, weights, n_groups, tables):
    """Count columns j and j + 1."""
    first, second = np.uint64(j), np.uint64(j + 1)
    stride = np.uint64(n_groups)
    for i in range(np.uint64(len(codes))):
        group = np.uint64(groups[i])
        weight = weights[i]
        tables[0][np.uint64(codes[i, first]) * stride + group] += weight
        tables[1][np.uint64(codes[i, second]) * stride + group] += weight


@inner
def count_two(codes, j, groups, weights, n_groups, tables, words, unmixed):
    """Count and hash columns j and j + 1."""
    first, second = np.uint64(j), np.uint64(j + 1)
    stride = np.uint64(n_groups)
    for i in range(np.uint64(len(codes))):
        group = np.uint64(groups[i])
        weight = weights[i]
        a = np.uint64(codes[i, first])
        b = np.uint64(codes[i, second])
        unmixed[i] ^= words[0][a] ^ words[1][b]
        tables[0][a * stride + group] += weight
        tables[1][b * stride + group] += weight


@inner
def count_one(codes, j, groups, weights, n_groups, table, words, unmixed):
    """Count and hash column j."""
    column = np.uint64(j)
    stride = np.uint64(n_groups)
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


SCORED_ROWS = 256
"""Rows whose codes and scores stay in the first-level cache while the pairs pass by."""

LARGE_TABLES = 1 << 17
ROWS_OF_LARGE = 4096
"""Entries that do not stay in a cache of a megabyte: so many rows then pay for fetching each table (1.7 times as fast
for 190 pairs of 4 MB)."""


@kernel
def score_pairs(codes, positions, steps, offsets, tables, n_moved, scores):
    """Add ``tables[offsets[k] + steps[k, 0, code a] + steps[k, 1, code b] + s]`` over the pairs to the first scores."""
    n_rows = scores.shape[0]
    n_at_once = ROWS_OF_LARGE if tables.shape[0] > LARGE_TABLES else SCORED_ROWS
    for start in range(0, n_rows, n_at_once):
        stop = min(start + n_at_once, n_rows)
        for k in range(positions.shape[0]):
            a = positions[k, 0]
            b = positions[k, 1]
            offset = offsets[k]
            if n_moved == 1:
                for i in range(start, stop):
                    at = offset + steps[k, 0, codes[i, a]] + steps[k, 1, codes[i, b]]
                    scores[i, 0] += tables[np.uint64(at)]
            else:
                for i in range(start, stop):
                    at = np.uint64(offset + steps[k, 0, codes[i, a]] + steps[k, 1, codes[i, b]])
                    for s in range(np.uint64(n_moved)):
                        scores[i, s] += tables[at + s]


@kernel
def count_labels(indices, weights, words, totals, hashes):
    """Add each row's weight to ``totals`` at its label, and XOR the label's word into the hash of the row.

    Labels are indices from 0 on; -1, a missing cell, has the last entry of ``words`` and of ``totals``.
    """
    last = len(words) - 1
    for i in range(len(indices)):
        label = indices[i] if indices[i] >= 0 else last
        totals[label] += weights[i]
        hashes[i] ^= words[label]


@kernel
def count_equal_labels(indices, words, totals, hashes):
    """The same of rows that weigh one each, in four tables by turns.

    A label that comes again and again would have to wait for its own last sum.
    """
    last = len(words) - 1
    n_rows = np.uint64(len(indices))
    turns = np.uint64(4)
    rest = n_rows % turns
    for i in range(np.uint64(0), n_rows - rest, turns):
        j = i + np.uint64(1)
        k = i + np.uint64(2)
        m = i + np.uint64(3)
        first = np.uint64(indices[i] if indices[i] >= 0 else last)
        second = np.uint64(indices[j] if indices[j] >= 0 else last)
        third = np.uint64(indices[k] if indices[k] >= 0 else last)
        fourth = np.uint64(indices[m] if indices[m] >= 0 else last)
        totals[0, first] += np.uint32(1)
        totals[1, second] += np.uint32(1)
        totals[2, third] += np.uint32(1)
        totals[3, fourth] += np.uint32(1)
        hashes[i] ^= words[first]
        hashes[j] ^= words[second]
        hashes[k] ^= words[third]
        hashes[m] ^= words[fourth]
    for i in range(n_rows - rest, n_rows):
        label = np.uint64(indices[i] if indices[i] >= 0 else last)
        totals[0, label] += np.uint32(1)
        hashes[i] ^= words[label]


@kernel
def mark_used(indices, used):
    """Set ``used`` to true wherever an index points to; -1 is a missing cell. Nothing is read once all are true."""
    n_left = len(used) - np.count_nonzero(used)
    for i in range(np.uint64(len(indices) if n_left else 0)):
        if indices[i] >= 0 and not used[np.uint64(indices[i])]:
            used[np.uint64(indices[i])] = True
            n_left -= 1
            if n_left == 0:
                return


@kernel
def write_codes(indices, lookup, position, codes):
    """Write the code of each row's label to ``codes[:, position]``; that of -1, a missing cell, is the last."""
    last = len(lookup) - 1
    for i in range(np.uint64(len(indices))):
        codes[i, position] = lookup[np.uint64(indices[i] if indices[i] >= 0 else last)]
