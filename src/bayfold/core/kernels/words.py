"""The words of texts, straight from UTF-8: hashes of lower-cased letters and digits, each word of a row once.

``kinds`` and ``lowers`` say of every code point what it is and what it is in lower case (schema/letters.py). Scripts
that put no spaces between words give two neighbouring characters at a time.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel
from bayfold.core.kernels.encode import BEYOND_PLAIN, LETTER, SEPARATOR, UNSPACED
from bayfold.core.kernels.hashing import mix

LAST_UNSPACED = 0x323AF
"""Code points beyond the tables are Chinese characters up to here."""

USUAL_WORD = 6
"""Bytes of a word and what follows it: room for so many words is asked for at first."""

FEWEST_SLOTS = 1 << 8
"""Where the distinct words of a text are looked up: with some dozen words hardly two share a slot."""

PLAIN_LETTERS = np.uint64(BEYOND_PLAIN - 1)
"""Less one, bytes of ASCII letters are below this; zero, which separates words, is far above."""

SEED = np.uint64(0xCBF29CE484222325)
STEP = np.uint64(0x100000001B3)
"""The constants of FNV-1a with 64 bits."""

ORDER = np.uint64(0x9E3779B97F4A7C15)
"""Sets the first word of several apart from the next: the golden ratio, as in splitmix64."""


@inner
def read_point(data, i, stop):
    """The code point at a byte and its length; a byte that begins none is a separator."""
    first = np.int64(data[i])
    if first < 0x80:
        return first, 1
    if first < 0xC0 or first > 0xF7:
        return 0, 1
    length = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    if i + length > stop:
        return 0, 1
    point = first & (0x7F >> length)
    for k in range(1, length):
        if data[i + k] & 0xC0 != 0x80:
            return 0, 1
        point = (point << 6) | (np.int64(data[i + k]) & 0x3F)
    return point, length


@inner
def find_letter_kind(point, kinds):
    """What a code point is."""
    if point < len(kinds):
        return np.int64(kinds[point])
    return UNSPACED if point <= LAST_UNSPACED else SEPARATOR


@inner
def find_lower(point, lowers):
    """The code point in lower case, as a word of 64 bits."""
    return np.uint64(lowers[point]) if point < len(lowers) else np.uint64(point)


@inner
def find_text_words(data, start, stop, kinds, lowers, plain, hashes, places):
    """Hash, first byte and end of every word of a text; returns how many there are.

    Most bytes are ASCII, for which ``plain`` says all in one look. Places have no sign, so that none is looked for.
    """
    i = np.uint64(start)
    end = np.uint64(stop)
    one = np.uint64(1)
    n = 0
    while i < end:
        byte = plain[data[i]]
        if byte == 0:
            i += one
            continue
        begin = i
        h = SEED
        while np.uint64(byte) - one < PLAIN_LETTERS:
            h = (h ^ np.uint64(byte)) * STEP
            i += one
            if i == end:
                break
            byte = plain[data[i]]
        if i < end and byte == BEYOND_PLAIN:
            h, at, kind = read_rest(data, np.int64(i), stop, kinds, lowers, plain, h)
            i = np.uint64(at)
            if i == begin:  # no letter
                if kind == UNSPACED:
                    at, n = find_pairs(data, at, stop, kinds, lowers, hashes, places, n)
                else:
                    at += read_point(data, at, stop)[1]
                i = np.uint64(at)
                continue
        hashes[n] = mix(h)
        places[n, 0] = begin
        places[n, 1] = i
        n += 1
    return n


@inner
def read_rest(data, i, stop, kinds, lowers, plain, h):
    """Go on with a word from a byte beyond ASCII; returns its hash and end, and what the last such character was."""
    byte = plain[data[i]]
    kind = LETTER
    length = 1
    while byte != 0:
        lower = np.uint64(byte)
        if byte == BEYOND_PLAIN:
            point, length = read_point(data, i, stop)
            kind = find_letter_kind(point, kinds)
            if kind != LETTER:
                break
            lower = find_lower(point, lowers)
        h = (h ^ lower) * STEP
        i += length
        length = 1
        if i >= stop:
            break
        byte = plain[data[i]]
    return h, i, kind


@inner
def find_pairs(data, start, stop, kinds, lowers, hashes, places, n):
    """Two neighbouring characters at a time of a run without spaces, or its only one; returns its end and ``n``."""
    i = start
    before = start
    n_before = n
    last = np.uint64(0)
    while i < stop:
        point, length = read_point(data, i, stop)
        if find_letter_kind(point, kinds) != UNSPACED:
            break
        lower = find_lower(point, lowers)
        if i > start:
            hashes[n] = mix((((SEED ^ last) * STEP) ^ lower) * STEP)
            places[n, 0] = before
            places[n, 1] = i + length
            n += 1
        before = i
        last = lower
        i += length
    if n == n_before:
        hashes[n] = mix((SEED ^ last) * STEP)
        places[n, 0] = start
        places[n, 1] = i
        n += 1
    return i, n


@inner
def add_sequences(hashes, places, n, low, high):
    """Put sequences of ``low`` to ``high`` words behind the ``n`` words, or in their place; returns their number."""
    end = n
    for size in range(max(low, 2), high + 1):
        for k in range(n - size + 1):
            h = hashes[k]
            for word in range(k + 1, k + size):
                h = mix(h * ORDER + hashes[word])
            hashes[end], places[end, 0], places[end, 1] = h, places[k, 0], places[k + size - 1, 1]
            end += 1
    if low == 1:
        return end
    hashes[: end - n] = hashes[n:end]
    places[: end - n] = places[n:end]
    return end - n


@inner
def enlarge(array, size):
    """An array with room for ``size`` entries and more, beginning with the old ones."""
    larger = np.empty(max(size, 2 * len(array)), array.dtype)
    larger[: len(array)] = array
    return larger


@inner
def keep_distinct(hashes, places, n, begin, slots, kept, times, starts, ends):
    """Put each word behind the first ``begin`` entries once, with how often it occurs; returns the new end.

    ``slots`` points at entries; whatever earlier texts left there points before ``begin``.
    """
    end = np.uint64(begin)
    mask = np.uint64(len(slots) - 1)
    one = np.uint64(1)
    for k in range(n):
        h = hashes[k]
        slot = h & mask
        at = slots[slot]
        while at >= begin and kept[np.uint64(at)] != h:
            slot = (slot + one) & mask
            at = slots[slot]
        if at >= begin:
            times[np.uint64(at)] += np.float32(1.0)
        else:
            slots[slot] = np.int64(end)
            kept[end] = h
            times[end] = 1
            starts[end] = places[k, 0]
            ends[end] = places[k, 1]
            end += one
    return np.int64(end)


@kernel
def split_texts(data, bounds, known, kinds, lowers, plain, low, high):
    """The distinct words of texts: where those of each row begin, hashes, how often, and first byte and end of each.

    Row i is the bytes ``bounds[i]`` to ``bounds[i + 1]``, unless it is not ``known``. Arrays are made outside of the
    loop over rows: whoever holds one is counted, and counting as many rows took a quarter of the time.
    """
    n_rows = len(known)
    longest = 0
    for i in range(n_rows):
        longest = max(longest, bounds[i + 1] - bounds[i])
    most = (longest // 2 + 1) * (1 + high)
    hashes = np.empty(most, np.uint64)
    places = np.empty((most, 2), np.int64)
    begins = np.zeros(n_rows + 1, np.int64)
    room = (bounds[n_rows] - bounds[0]) // USUAL_WORD + n_rows
    kept = np.empty(room, np.uint64)
    times = np.empty(room, np.float32)
    starts = np.empty(room, np.int64)
    ends = np.empty(room, np.int64)
    slots = np.full(FEWEST_SLOTS, -1, np.int64)
    texts = (data, bounds, known, kinds, lowers, plain)
    scratch = (hashes, places, slots)
    row, n = split_some_texts(*texts, low, high, 0, begins, *scratch, kept, times, starts, ends)
    while row < n_rows:  # its n words want more room
        size = begins[row] + n
        if size > len(kept):
            kept = enlarge(kept, size)
            times = enlarge(times, size)
            starts = enlarge(starts, size)
            ends = enlarge(ends, size)
        if 2 * n > len(slots):
            slots = np.full(2 ** int(np.ceil(np.log2(4.0 * n))), -1, np.int64)
            scratch = (hashes, places, slots)
        row, n = split_some_texts(
            *texts, low, high, row, begins, *scratch, kept, times, starts, ends
        )
    end = begins[n_rows]
    return begins, kept[:end], times[:end], starts[:end], ends[:end]


@inner
def split_some_texts(
    data,
    bounds,
    known,
    kinds,
    lowers,
    plain,
    low,
    high,
    first,
    begins,
    hashes,
    places,
    slots,
    kept,
    times,
    starts,
    ends,
):
    """The words of rows from ``first`` on; returns the row for which there is no room, and how many words it has."""
    end = begins[first]
    for i in range(first, len(known)):
        if known[i]:
            n = find_text_words(
                data, bounds[i], bounds[i + 1], kinds, lowers, plain, hashes, places
            )
            if high > 1:
                n = add_sequences(hashes, places, n, low, high)
            if end + n > len(kept) or 2 * n > len(slots):
                return i, n
            end = keep_distinct(hashes, places, n, end, slots, kept, times, starts, ends)
        begins[i + 1] = end
    return len(known), 0


@kernel
def copy_cells(data, begins, bounds, out):
    """Copy cells that begin at some bytes to where they are to lie, one behind the other."""
    for i in range(len(begins)):
        # places without a sign let the compiler copy many bytes at once
        source = np.uint64(begins[i])
        place = np.uint64(bounds[i])
        for k in range(np.uint64(bounds[i + 1] - bounds[i])):
            out[place + k] = data[source + k]


@kernel
def hash_cells(data, bounds, rows, hashes):
    """A hash of the bytes of each of some rows, eight bytes at a time."""
    one = np.uint64(1)
    eight = np.uint64(8)
    for k in range(len(rows)):
        i = np.uint64(bounds[rows[k]])
        stop = np.uint64(bounds[rows[k] + 1])
        h = mix(SEED ^ (stop - i))
        while i + eight <= stop:
            low = read_half(data, i)
            high = read_half(data, i + np.uint64(4))
            h = (h ^ (low | (high << np.uint64(32)))) * ORDER
            h ^= h >> np.uint64(32)
            i += eight
        while i < stop:
            h = (h ^ np.uint64(data[i])) * ORDER
            h ^= h >> np.uint64(32)
            i += one
        hashes[k] = mix(h)


@inner
def read_half(data, i):
    """Four bytes as one number; places without a sign let the compiler read them at once."""
    first = np.uint64(data[i])
    second = np.uint64(data[i + np.uint64(1)])
    third = np.uint64(data[i + np.uint64(2)])
    fourth = np.uint64(data[i + np.uint64(3)])
    low = first | (second << np.uint64(8))
    return low | (third << np.uint64(16)) | (fourth << np.uint64(24))


@inner
def write_point(point, out, at):
    """Write a code point in UTF-8; returns where the next one goes."""
    if point < 0x80:
        out[at] = point
        return at + 1
    length = 2 if point < 0x800 else 3 if point < 0x10000 else 4
    for k in range(length - 1, 0, -1):
        out[at + k] = 0x80 | (point & 0x3F)
        point >>= 6
    out[at] = ((0xF00 >> length) & 0xFF) | point
    return at + length


@kernel
def copy_words(data, starts, ends, kinds, lowers):
    """The words themselves in lower case, one behind the other, and where each begins; in sequences spaces between."""
    size = 0
    for k in range(len(starts)):
        size += 2 * (ends[k] - starts[k])  # lower case takes three bytes instead of two at most
    out = np.empty(size, np.uint8)
    bounds = np.zeros(len(starts) + 1, np.int64)
    at = 0
    for k in range(len(starts)):
        i = starts[k]
        is_apart = False
        while i < ends[k]:
            point, length = read_point(data, i, ends[k])
            i += length
            if find_letter_kind(point, kinds) == SEPARATOR:
                is_apart = True
                continue
            if is_apart:
                at = write_point(32, out, at)
                is_apart = False
            at = write_point(np.int64(find_lower(point, lowers)), out, at)
        bounds[k + 1] = at
    return out[:at], bounds
