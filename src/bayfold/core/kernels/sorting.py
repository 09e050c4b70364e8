"""Rows in the order of their hashes, or numbered by them, in time that grows with their number alone."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel
from bayfold.core.kernels.hashing import mix

PASS_BITS = 12
"""Of the hash that one pass sorts by: the ends of 4,096 runs stay in the cache while rows are dealt to them."""


@kernel
def sort_hashes(hashes, spare, keys, order):
    """Write the hashes in increasing order to ``keys``, and to ``order`` where they stood; equal ones as they stood.

    Two passes sort by the first 24 bits, which tell nearly all of some million hashes apart; what is left is put in
    order by moving each hash past its neighbours. ``spare`` has room for the hashes and, as a second row, for their
    places.
    """
    n_digits = 1 << PASS_BITS
    digit = np.uint64(n_digits - 1)
    high = np.uint64(64 - PASS_BITS)
    low = np.uint64(64 - 2 * PASS_BITS)
    ends = np.zeros((2, n_digits), np.int64)
    for i in range(len(hashes)):
        ends[0, (hashes[i] >> low) & digit] += 1
        ends[1, hashes[i] >> high] += 1
    for k in range(2):
        end = 0
        for d in range(n_digits):
            ends[k, d], end = end, end + ends[k, d]
    for i in range(len(hashes)):
        d = (hashes[i] >> low) & digit
        at = ends[0, d]
        ends[0, d] = at + 1
        spare[0, at], spare[1, at] = hashes[i], np.uint64(i)
    for i in range(len(hashes)):
        d = spare[0, i] >> high
        at = ends[1, d]
        ends[1, d] = at + 1
        keys[at], order[at] = spare[0, i], np.int64(spare[1, i])
    move_into_place(keys, order)


@inner
def move_into_place(keys, order):
    """Sort what is nearly sorted: each key moves down past larger ones."""
    for i in range(1, len(keys)):
        key = keys[i]
        place = order[i]
        at = i
        while at > 0 and keys[at - 1] > key:
            keys[at], order[at] = keys[at - 1], order[at - 1]
            at -= 1
        keys[at] = key
        order[at] = place


@kernel
def count_beginnings(hashes, shift, counts):
    """Add up how many hashes begin with the same bits, those that are left when ``shift`` others are cut off."""
    for i in range(len(hashes)):
        counts[hashes[i] >> shift] += 1


@kernel
def find_bucket_places(hashes, shift, ends, places):
    """Where each row goes if rows are put together whose hashes begin with the same bits, in the order they have.

    ``ends[bits]`` is the place of the next row whose hash begins so, and moves on.
    """
    for i in range(len(hashes)):
        bits = hashes[i] >> shift
        places[i] = ends[bits]
        ends[bits] += 1


@kernel
def scatter_rows(rows, places, target):
    """Write each row to its place."""
    if rows.shape[1] == 1:
        for i in range(rows.shape[0]):
            target[places[i], 0] = rows[i, 0]
        return
    for i in range(rows.shape[0]):
        place = places[i]
        for j in range(rows.shape[1]):
            target[place, j] = rows[i, j]


@kernel
def number_equal(hashes):
    """A number for each row that rows of equal hashes share, and the first row of each number; the first come first."""
    size = 2
    while size < 2 * len(hashes):
        size *= 2
    slots = np.full(size, -1, np.int32)
    mask = np.uint64(size - 1)
    numbers = np.empty(len(hashes), np.int64)
    first = np.empty(len(hashes), np.int64)
    n = 0
    for i in range(len(hashes)):
        # mixed, as keys may be no hashes: multiples of a power of two would share few places
        slot = mix(hashes[i]) & mask
        while slots[slot] >= 0 and hashes[first[slots[slot]]] != hashes[i]:
            slot = (slot + np.uint64(1)) & mask
        if slots[slot] < 0:
            slots[slot] = n
            first[n] = i
            n += 1
        numbers[i] = slots[slot]
    return numbers, first[:n].copy()
