"""The distinct numbers of a column with the smallest hashes: all of them while there are few."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.hashing import mix


@kernel
def collect_values(values, limit, slots, hashes, span):
    """Put distinct finite numbers into a hash table, those with the smallest hashes where there are too many.

    ``slots`` holds the numbers, NaN where a slot is free, and ``hashes`` their hashes; both are a power of two long,
    four times ``limit`` or more. ``span`` is widened to the smallest and largest number, infinite ones included.
    Returns the hash above which numbers were not kept: the largest there is while there are few.
    """
    n_kept, threshold = 0, np.uint64(0xFFFFFFFFFFFFFFFF)
    mask, last = np.uint64(len(slots) - 1), np.nan
    for i in range(len(values)):
        x = values[i] + 0.0  # minus zero is zero
        if x != x or x == last:
            continue
        last = x
        span[0], span[1] = min(span[0], x), max(span[1], x)
        if x == np.inf or x == -np.inf:
            continue
        h = hash_number(x)
        if h > threshold:
            continue
        place = h & mask
        while slots[place] == slots[place] and slots[place] != x:
            place = (place + np.uint64(1)) & mask
        if slots[place] == x:
            continue
        slots[place], hashes[place] = x, h
        n_kept += 1
        if n_kept > 2 * limit:
            threshold = drop_largest(limit, slots, hashes)
            n_kept = limit
    return threshold


@kernel
def hash_number(x):
    """The hash that ``hash_numbers`` gives a row of this number alone."""
    h = np.float64(x).view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return mix(h ^ (h >> np.uint64(29)))


@kernel
def drop_largest(limit, slots, hashes):
    """Leave the numbers with the ``limit`` smallest hashes, and give the largest of these."""
    used = np.flatnonzero(slots == slots)
    order = used[np.argsort(hashes[used])][:limit]
    kept, kept_hashes = slots[order].copy(), hashes[order].copy()
    slots[:] = np.nan
    mask = np.uint64(len(slots) - 1)
    for k in range(limit):
        place = kept_hashes[k] & mask
        while slots[place] == slots[place]:
            place = (place + np.uint64(1)) & mask
        slots[place], hashes[place] = kept[k], kept_hashes[k]
    return kept_hashes[limit - 1]
