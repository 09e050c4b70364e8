"""Weighted counts of (word, group), in a table that finds a pair by the hash of its word."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.hashing import mix
from bayfold.core.kernels.memory import prefetch

GROUP_STEP = np.uint64(0x9E3779B97F4A7C15)
"""Sets the pairs of a word with neighbouring groups far apart in the table: the golden ratio, as in splitmix64."""

ROWS_AHEAD = 8
"""Rows whose words are asked for before their turn: in the order of their hashes they lie anywhere."""

STEPS_BETWEEN_WHOLE = 2.0**60
LARGEST_TIMES = 2.0**60
"""What is left of entries that are no whole numbers is told apart by so many steps; no word occurs more often."""


@kernel
def count_words(
    begins,
    hashes,
    starts,
    ends,
    group_of,
    weights,
    first,
    n_pairs,
    slots,
    listed,
    groups,
    counts,
    texts,
):
    """Add each row from ``first`` on to the pairs of its words and its group, as long as there is room for new ones.

    Pairs are listed by hash and group in the order in which they were met, so that those of frequent words lie
    together, and ``slots``, -1 where free, finds them in the list: less memory to be looked through than a table of the
    pairs themselves. ``texts`` holds first byte and end of a word that made the pair. Returns the row that was not
    counted any more, and how many pairs, ``n_pairs`` before, are listed.
    """
    mask = np.uint64(len(slots) - 1)
    one = np.uint64(1)
    n = np.uint64(n_pairs)
    for i in range(first, len(begins) - 1):
        if np.int64(n) + begins[i + 1] - begins[i] > len(listed):
            return i, np.int64(n)
        weight = weights[i]
        group = group_of[i]
        if weight <= 0.0:
            continue
        moved = np.uint64(group) * GROUP_STEP
        for k in range(np.uint64(begins[i]), np.uint64(begins[i + 1])):
            h = hashes[k]
            slot = (h + moved) & mask
            at = slots[slot]
            while at >= 0 and (listed[np.uint64(at)] != h or groups[np.uint64(at)] != group):
                slot = (slot + one) & mask
                at = slots[slot]
            if at >= 0:
                counts[np.uint64(at)] += weight
                continue
            slots[slot] = n
            listed[n] = h
            groups[n] = group
            counts[n] = weight
            texts[n, 0] = starts[k]
            texts[n, 1] = ends[k]
            n += one
    return len(begins) - 1, np.int64(n)


@kernel
def take_words(begins, hashes, times, rows, new_begins, new_hashes, new_times):
    """Copy the words of some rows to where they are to begin."""
    last = len(rows) - 1
    for i in range(len(rows)):
        soon = begins[rows[min(i + ROWS_AHEAD, last)]]
        start = begins[rows[i]]
        prefetch(hashes, soon)
        prefetch(times, soon)
        for k in range(new_begins[i + 1] - new_begins[i]):
            new_hashes[new_begins[i] + k] = hashes[start + k]
            new_times[new_begins[i] + k] = times[start + k]


@kernel
def sum_words(begins, hashes, times, sums):
    """Write for each row a number of its words and how often they occur, in whatever order."""
    for i in range(len(begins) - 1):
        total = np.uint64(0)
        for k in range(begins[i], begins[i + 1]):
            step = GROUP_STEP
            if times[k] != 1.0:  # as few words do
                whole = np.floor(min(np.float64(times[k]), LARGEST_TIMES))
                part = np.uint64(min(times[k] - whole, 1.0) * STEPS_BETWEEN_WHOLE)
                step *= np.uint64(whole) ^ part
            total += mix(hashes[k] ^ step)
        sums[i] = total


@kernel
def hash_words(sums, seed, row_hashes):
    """XOR into the hash of each row that of its words, by their sums."""
    for i in range(len(sums)):
        row_hashes[i] ^= mix(seed + sums[i])
