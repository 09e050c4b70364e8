"""Weighted counts of (word, group), in a table that finds a pair by the hash of its word."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.hashing import mix
from bayfold.core.kernels.prefetch import prefetch

GROUP_STEP = np.uint64(0x9E3779B97F4A7C15)
"""Sets the pairs of a word with neighbouring groups far apart in the table: the golden ratio, as in splitmix64."""


WORDS_AHEAD = 8
"""Words for whose counts memory is asked before their turn: a table of a million pairs does not fit in a cache."""

ROWS_AHEAD = 8
"""Rows whose words are asked for before their turn: in the order of their hashes they lie anywhere."""

PARTS, LARGEST_TIMES = 2.0**60, 2.0**60
"""What is left of entries that are no whole numbers is told apart by so many steps; no word occurs more often."""


@kernel
def count_words(
    begins, hashes, starts, ends, group_of, weights, first, n_pairs, slots, sums, groups, texts
):
    """Add each row from ``first`` on to the pairs of its words and its group, until the table is half full.

    A pair is known by a key of 64 bits, the hash of the word moved by its group. A row of ``slots`` is a key and, next
    to it in memory, its count, which ``sums`` reads as a number: the same bytes. The count is zero where there is none.
    ``texts`` holds first byte and end of a word that made the pair. Returns the row that was not counted any more, and
    how many pairs, ``n_pairs`` before, are in the table.
    """
    mask, last = np.uint64(len(slots) - 1), len(hashes) - 1
    most, flat = len(slots) // 2, slots.reshape(2 * len(slots))
    for i in range(first, len(begins) - 1):
        if n_pairs + begins[i + 1] - begins[i] > most:
            return i, n_pairs
        if weights[i] <= 0.0:
            continue
        moved = np.uint64(group_of[i]) * GROUP_STEP
        for k in range(begins[i], begins[i + 1]):
            soon = np.int64((hashes[min(k + WORDS_AHEAD, last)] + moved) & mask)
            prefetch(flat, 2 * soon)
            key = hashes[k] + moved
            slot = key & mask
            while sums[slot, 1] > 0.0 and slots[slot, 0] != key:
                slot = (slot + np.uint64(1)) & mask
            if sums[slot, 1] == 0.0:
                slots[slot, 0], groups[slot] = key, group_of[i]
                texts[slot, 0], texts[slot, 1] = starts[k], ends[k]
                n_pairs += 1
            sums[slot, 1] += weights[i]
    return len(begins) - 1, n_pairs


@kernel
def list_pairs(slots, sums, groups, texts, hashes, group_of, counts, starts, ends):
    """Write the hash, group and count of each pair in the table of ``count_words``, and where its word stands."""
    n = 0
    for slot in range(len(slots)):
        if sums[slot, 1] > 0.0:
            hashes[n] = slots[slot, 0] - np.uint64(groups[slot]) * GROUP_STEP
            group_of[n], counts[n] = groups[slot], sums[slot, 1]
            starts[n], ends[n] = texts[slot, 0], texts[slot, 1]
            n += 1


@kernel
def take_words(begins, hashes, times, rows, new_begins, new_hashes, new_times):
    """Copy the words of some rows to where they are to begin."""
    last = len(rows) - 1
    for i in range(len(rows)):
        soon, start = begins[rows[min(i + ROWS_AHEAD, last)]], begins[rows[i]]
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
                part = np.uint64(min(times[k] - whole, 1.0) * PARTS)
                step *= np.uint64(whole) ^ part
            total += mix(hashes[k] ^ step)
        sums[i] = total


@kernel
def hash_words(sums, seed, row_hashes):
    """XOR into the hash of each row that of its words, by their sums."""
    for i in range(len(sums)):
        row_hashes[i] ^= mix(seed + sums[i])
