"""Weighted counts of (word, group), in a table that finds a pair by the hash of its word."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.hashing import mix

GROUP_STEP = np.uint64(0x9E3779B97F4A7C15)
"""Sets the pairs of a word with neighbouring groups far apart in the table: the golden ratio, as in splitmix64."""


PARTS, LARGEST_TIMES = 2.0**60, 2.0**60
"""What is left of entries that are no whole numbers is told apart by so many steps; no word occurs more often."""


@kernel
def count_words(
    begins, hashes, starts, ends, group_of, weights, first, n_pairs, pairs, groups, counts, texts
):
    """Add each row from ``first`` on to the pairs of its words and its group, until the table is half full.

    ``counts`` is zero where there is no pair; ``texts`` holds first byte and end of a word that made the pair. Returns
    the row that was not counted any more, and how many pairs, ``n_pairs`` before, are in the table.
    """
    mask = np.uint64(len(pairs) - 1)
    most = len(pairs) // 2
    for i in range(first, len(begins) - 1):
        if n_pairs + begins[i + 1] - begins[i] > most:
            return i, n_pairs
        if weights[i] <= 0.0:
            continue
        for k in range(begins[i], begins[i + 1]):
            slot = (hashes[k] + np.uint64(group_of[i]) * GROUP_STEP) & mask
            while counts[slot] > 0.0 and (pairs[slot] != hashes[k] or groups[slot] != group_of[i]):
                slot = (slot + np.uint64(1)) & mask
            if counts[slot] == 0.0:
                pairs[slot], groups[slot] = hashes[k], group_of[i]
                texts[slot, 0], texts[slot, 1] = starts[k], ends[k]
                n_pairs += 1
            counts[slot] += weights[i]
    return len(begins) - 1, n_pairs


@kernel
def hash_words(begins, hashes, times, seed, row_hashes):
    """XOR into the hash of each row that of its words and how often they occur, in whatever order."""
    for i in range(len(begins) - 1):
        total = seed
        for k in range(begins[i], begins[i + 1]):
            whole = np.floor(min(np.float64(times[k]), LARGEST_TIMES))
            part = np.uint64(min(times[k] - whole, 1.0) * PARTS)
            total += mix(hashes[k] ^ ((np.uint64(whole) ^ part) * GROUP_STEP))
        row_hashes[i] ^= mix(total)
