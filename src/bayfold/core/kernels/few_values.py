"""The distinct numbers of a column with the smallest hashes: all of them while there are few."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.hashing import mix

ODD = np.uint64(0x9E3779B97F4A7C15)  # of the golden ratio: what hash_numbers multiplies with
NO_NUMBER = np.uint64(0x7FF8000000000000)  # the bits of NaN: what missing cells are hashed as

HASHED_AT_ONCE = 256
"""Numbers that are hashed together before any of them is looked for: without a branch, and within the first cache."""


@kernel
def collect_values(values, limit, slots, known, state, span, hashes):
    """Put distinct finite numbers into a hash table, those with the smallest hashes where there are too many.

    ``slots`` holds the numbers, NaN where a slot is free, and ``known`` their hashes; both are a power of two long,
    four times ``limit`` or more. ``state`` holds how many there are and the largest hash that is wanted, for the next
    call to go on from. ``span`` is widened to the smallest and largest number, infinite ones included. Every cell goes
    into the hash of its row in ``hashes``: one pass for all, since the hash of the number serves twice.
    """
    own = np.empty(HASHED_AT_ONCE, np.uint64)
    last = np.nan
    for start in range(0, len(values), HASHED_AT_ONCE):
        tile = values[start : start + HASHED_AT_ONCE]
        if is_outside(tile, span):
            widen_span(tile, span)
        if not hash_tile(tile, state[1], own, hashes[start : start + HASHED_AT_ONCE]):
            continue
        for k in range(len(tile)):
            if own[k] > state[1] or tile[k] == last or not -np.inf < tile[k] < np.inf:
                continue
            last = tile[k] + 0.0
            if add_number(last, own[k], slots, known):
                state[0] += np.uint64(1)
            if state[0] > np.uint64(2 * limit):
                state[0], state[1] = np.uint64(limit), drop_largest(limit, slots, known)


@kernel
def is_outside(values, span):
    """Whether a number lies outside the range so far, which is rare: asked without a branch, eight at a time."""
    low, high, outside = span[0], span[1], np.int64(0)
    for k in range(len(values)):
        outside |= np.int64(values[k] < low) | np.int64(values[k] > high)
    return outside != 0


@kernel
def widen_span(values, span):
    """Widen the range to some numbers."""
    for x in values:
        span[0], span[1] = x if x < span[0] else span[0], x if x > span[1] else span[1]


@kernel
def hash_tile(values, threshold, own, hashes):
    """The hash of each number, into that of its row too; whether one is as small as the threshold."""
    any_small = np.int64(0)
    for k in range(len(values)):
        x = values[k] + 0.0  # minus zero is zero
        h = hash_number(x)
        h = h if x == x else NO_NUMBER
        own[k] = h
        hashes[k] = (hashes[k] ^ h) * ODD
        any_small |= np.int64(h <= threshold)
    return any_small != 0


@kernel
def add_number(x, h, slots, known):
    """Whether a number was not in the table yet; now it is."""
    mask = np.uint64(len(slots) - 1)
    place = h & mask
    while slots[place] == slots[place] and slots[place] != x:
        place = (place + np.uint64(1)) & mask
    if slots[place] == x:
        return False
    slots[place], known[place] = x, h
    return True


@kernel
def hash_number(x):
    """The hash that ``hash_numbers`` gives a row of this number alone."""
    h = np.float64(x).view(np.uint64) * ODD
    return mix(h ^ (h >> np.uint64(29)))


@kernel
def drop_largest(limit, slots, known):
    """Leave the numbers with the ``limit`` smallest known, and give the largest of these."""
    used = np.flatnonzero(slots == slots)
    order = used[np.argsort(known[used])][:limit]
    kept, kept_known = slots[order].copy(), known[order].copy()
    slots[:] = np.nan
    mask = np.uint64(len(slots) - 1)
    for k in range(limit):
        place = kept_known[k] & mask
        while slots[place] == slots[place]:
            place = (place + np.uint64(1)) & mask
        slots[place], known[place] = kept[k], kept_known[k]
    return kept_known[limit - 1]
