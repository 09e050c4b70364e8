"""The labels of a column: how much each weighs, and their part in the hashes of rows."""

from __future__ import annotations

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
