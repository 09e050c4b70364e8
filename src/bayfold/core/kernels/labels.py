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
    last, turns = len(words) - 1, np.uint64(totals.shape[0] - 1)
    for i in range(np.uint64(len(indices))):
        label = np.uint64(indices[i] if indices[i] >= 0 else last)
        totals[i & turns, label] += np.uint32(1)
        hashes[i] ^= words[label]


@kernel
def mark_used(indices, used):
    """Set ``used`` to true wherever an index points to; -1, a missing cell, points to the last entry."""
    last = len(used) - 1
    for i in range(len(indices)):
        used[indices[i] if indices[i] >= 0 else last] = True


@kernel
def write_codes(indices, lookup, position, codes):
    """Write the code of each row's label to ``codes[:, position]``; that of -1, a missing cell, is the last."""
    last = len(lookup) - 1
    for i in range(len(indices)):
        codes[i, position] = lookup[indices[i] if indices[i] >= 0 else last]
