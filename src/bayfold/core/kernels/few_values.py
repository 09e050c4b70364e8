"""The distinct numbers of a column with the smallest hashes: all of them while there are few."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.hashing import mix

ODD = np.uint64(0x9E3779B97F4A7C15)  # of the golden ratio: what hash_numbers multiplies with
NO_NUMBER = np.uint64(0x7FF8000000000000)  # the bits of NaN: what missing cells are hashed as


@kernel
def collect_values(values, limit, slots, known, span, hashes):
    """Put distinct finite numbers into a hash table, those with the smallest hashes where there are too many.

    ``slots`` holds the numbers, NaN where a slot is free, and ``known`` their hashes; both are a power of two long,
    four times ``limit`` or more. ``span`` is widened to the smallest and largest number, infinite ones included. Every
    cell goes into the hash of its row in ``hashes``: one pass for all, since the hash of the number serves twice.
    """
    n_kept, threshold = 0, np.uint64(0xFFFFFFFFFFFFFFFF)
    mask, last = np.uint64(len(slots) - 1), np.nan
    low, high = span[0], span[1]
    for i in range(len(values)):
        x = values[i] + 0.0  # minus zero is zero
        h = hash_number(x) if x == x else NO_NUMBER
        hashes[i] = (hashes[i] ^ h) * ODD
        low, high = x if x < low else low, x if x > high else high
        if h > threshold or x == last or not -np.inf < x < np.inf:
            continue
        last = x
        place = h & mask
        while slots[place] == slots[place] and slots[place] != x:
            place = (place + np.uint64(1)) & mask
        if slots[place] == x:
            continue
        slots[place], known[place] = x, h
        n_kept += 1
        if n_kept > 2 * limit:
            threshold = drop_largest(limit, slots, known)
            n_kept = limit
    span[0], span[1] = low, high


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
