"""The labels of a column: which there are, how much each weighs, their codes, and their part in the hashes of rows."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel


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
    last, n_rows, turns = len(words) - 1, np.uint64(len(indices)), np.uint64(4)
    rest = n_rows % turns
    for i in range(np.uint64(0), n_rows - rest, turns):
        j, k, m = i + np.uint64(1), i + np.uint64(2), i + np.uint64(3)
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
