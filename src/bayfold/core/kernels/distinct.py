"""Distinct values of a column of numbers: whether there are few of them, which they are, and the code of each row."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel
from bayfold.core.kernels.hashing import mix


@kernel
def count_unknown(values, codes, known, counts):
    """Add to ``counts[j]`` how many of ``values[:, j]`` are not what their code stands for.

    ``known[j, code]`` is the value of each bin; NaN where a bin has none. A missing cell is never counted.
    """
    n_rows, n_columns = values.shape
    for i in range(n_rows):
        for j in range(n_columns):
            x = values[i, j]
            counts[j] += int(x == x) & int(known[j, codes[i, j]] != x)


DIGIT_BITS = 11
"""Bits of a digit: six passes over the 64 bits of a float, with counters that fit in the first-level cache. Eight and
thirteen bits are no faster, and a sort by comparison takes twice as long for 10,000 numbers."""

N_DIGITS = -(-64 // DIGIT_BITS)  # as many as cover all bits

DIGIT = np.uint64((1 << DIGIT_BITS) - 1)  # the bits of the last digit

SIGN = np.uint64(1 << 63)  # the bit of negative floats


@kernel
def count_distinct(values):
    """The distinct finite numbers in increasing order, and how often each occurs.

    Numbers become keys, whole numbers in the same order, which are sorted digit by digit from the last to the first.
    The bits of a positive float grow with it, those of a negative one against it. Adding zero makes one of two zeros.
    All in one function, however long, because every function more takes a new user's time.
    """
    keys = np.empty(len(values), np.uint64)
    moved = np.empty(len(values), np.uint64)
    starts = np.zeros((N_DIGITS, 1 << DIGIT_BITS), np.uint32)
    n_keys = 0
    for i in range(len(values)):
        x = values[i]
        if not -np.inf < x < np.inf:
            continue
        bits = np.float64(x + 0.0).view(np.uint64)
        key = ~bits if bits >= SIGN else bits | SIGN
        keys[n_keys] = key
        n_keys += 1
        for p in range(np.uint64(N_DIGITS)):
            starts[p, (key >> (np.uint64(DIGIT_BITS) * p)) & DIGIT] += np.uint32(1)
    n = np.uint64(n_keys)
    for p in range(np.uint64(N_DIGITS)):
        shift = np.uint64(DIGIT_BITS) * p
        if n == 0 or starts[p, (keys[0] >> shift) & DIGIT] == n:
            continue  # the digit is the same everywhere
        below = np.uint32(0)
        for digit in range(np.uint64(1 << DIGIT_BITS)):
            own = starts[p, digit]
            starts[p, digit] = below
            below += own
        for i in range(n):
            key = keys[i]
            digit = (key >> shift) & DIGIT
            moved[np.uint64(starts[p, digit])] = key
            starts[p, digit] += np.uint32(1)
        keys, moved = moved, keys
    distinct = np.empty(n_keys)
    counts = np.empty(n_keys)
    n_distinct = 0
    for i in range(n_keys):
        key = keys[i]
        if i == 0 or key != keys[i - 1]:
            bits = key & ~SIGN if key >= SIGN else ~key
            distinct[n_distinct] = np.uint64(bits).view(np.float64)
            counts[n_distinct] = 0.0
            n_distinct += 1
        counts[n_distinct - 1] += 1.0
    return distinct[:n_distinct], counts[:n_distinct]


@kernel
def cut_by_weight(weights, n_bins, tolerance):
    """Positions that cut a sequence of weights into ``n_bins`` parts of nearly equal weight.

    A cut at k lies between entries k-1 and k, wherever the cumulated weight comes nearest to the quantile, below it if
    the distances differ by no more than ``tolerance`` of the total. Entries without weight are passed over.
    """
    occupied = np.empty(len(weights), np.int64)
    cumulated = np.empty(len(weights))
    n = 0
    total = 0.0
    for i in range(len(weights)):
        if weights[i] > 0.0:
            total += weights[i]
            occupied[n] = i
            cumulated[n] = total
            n += 1
    cuts = np.empty(max(n_bins - 1, 0) if n else 0, np.int64)
    n_cuts = 0
    above = 0
    before = -1
    for k in range(1, len(cuts) + 1):
        goal = total * k / n_bins
        while above < n - 1 and cumulated[above] < goal:
            above += 1
        below = max(above - 1, 0)
        nearer = above
        if goal - cumulated[below] <= cumulated[above] - goal + tolerance * total:
            nearer = below
        if before < nearer < n - 1:
            cuts[n_cuts] = occupied[nearer] + 1
            before = nearer
            n_cuts += 1
    return cuts[:n_cuts]


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


@inner
def is_outside(values, span):
    """Whether a number lies outside the range so far, which is rare: asked without a branch, eight at a time."""
    low = span[0]
    high = span[1]
    outside = np.int64(0)
    for k in range(len(values)):
        outside |= np.int64(values[k] < low) | np.int64(values[k] > high)
    return outside != 0


@inner
def widen_span(values, span):
    """Widen the range to some numbers."""
    for x in values:
        span[0], span[1] = x if x < span[0] else span[0], x if x > span[1] else span[1]


@inner
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


@inner
def add_number(x, h, slots, known):
    """Whether a number was not in the table yet; now it is."""
    mask = np.uint64(len(slots) - 1)
    place = h & mask
    while slots[place] == slots[place] and slots[place] != x:
        place = (place + np.uint64(1)) & mask
    if slots[place] == x:
        return False
    slots[place] = x
    known[place] = h
    return True


@inner
def hash_number(x):
    """The hash that ``hash_numbers`` gives a row of this number alone."""
    h = np.float64(x).view(np.uint64) * ODD
    return mix(h ^ (h >> np.uint64(29)))


@inner
def drop_largest(limit, slots, known):
    """Leave the numbers with the ``limit`` smallest known, and give the largest of these."""
    used = np.flatnonzero(slots == slots)
    order = used[np.argsort(known[used])][:limit]
    kept = slots[order].copy()
    kept_known = known[order].copy()
    slots[:] = np.nan
    mask = np.uint64(len(slots) - 1)
    for k in range(limit):
        place = kept_known[k] & mask
        while slots[place] == slots[place]:
            place = (place + np.uint64(1)) & mask
        slots[place] = kept[k]
        known[place] = kept_known[k]
    return kept_known[limit - 1]
