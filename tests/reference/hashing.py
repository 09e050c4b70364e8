"""The content hash in Python integers, which do not overflow but are cut to 64 bits."""

from __future__ import annotations

import numpy as np

LOW_64_BITS = (1 << 64) - 1


def hash_rows(narrow, wide, narrow_offsets, wide_offsets, words, start):
    """XOR the words of a row, then splitmix64's final mix."""
    hashes = []
    for i in range(len(narrow)):
        h = int(start[i])
        for j in range(narrow.shape[1]):
            h ^= int(words[int(narrow_offsets[j]) + int(narrow[i, j])])
        for j in range(wide.shape[1]):
            h ^= int(words[int(wide_offsets[j]) + int(wide[i, j])])
        hashes.append(mix(h))
    return np.array(hashes, np.uint64)


def hash_multiples(codes, factors, start):
    """The words of the first columns, each so many times a factor, without the mix."""
    unmixed = []
    for row, h in zip(codes, start, strict=True):
        word = int(h)
        for code, factor in zip(row[: len(factors)], factors, strict=True):
            word ^= int(code) * int(factor) % 2**64
        unmixed.append(word)
    return np.array(unmixed, np.uint64)


def mix_hashes(hashes):
    """The last step alone."""
    return np.array([mix(int(h)) for h in hashes], np.uint64)


def begin_hashes(groups, words):
    """The word of each row's group."""
    return np.array([words[group] for group in groups], np.uint64)


def mix_and_find(hashes, threshold):
    """The hashes mixed, and where they are small."""
    mixed = mix_hashes(hashes)
    return mixed, [i for i, h in enumerate(mixed.tolist()) if h <= threshold]


def mix(h):
    """The finalizer of splitmix64 (Steele, Lea and Flood 2014)."""
    h = ((h ^ (h >> 30)) * 0xBF58476D1CE4E5B9) & LOW_64_BITS
    h = ((h ^ (h >> 27)) * 0x94D049BB133111EB) & LOW_64_BITS
    return h ^ (h >> 31)


def hash_numbers(numbers, start):
    """Multiply and shift the bits of each number in, then mix; one pattern for missing, one for both zeros."""
    hashes = []
    for i in range(len(numbers)):
        h = int(start[i])
        for value in numbers[i]:
            positive = np.float64(0.0) if value == 0 else np.float64(value)
            word = 0x7FF8000000000000 if value != value else int(positive.view(np.uint64))
            h = ((h ^ word) * 0x9E3779B97F4A7C15) & LOW_64_BITS
            h ^= h >> 29
        hashes.append(mix(h))
    return np.array(hashes, np.uint64)


def add_number_hashes(numbers, start):
    """Multiply and shift the bits of each number, and add."""
    hashes = []
    for value, h in zip(numbers, start.tolist(), strict=True):
        positive = np.float64(0.0) if value == 0 else np.float64(value)
        word = 0x7FF8000000000000 if value != value else int(positive.view(np.uint64))
        word = (word * 0x9E3779B97F4A7C15) & LOW_64_BITS
        word = ((word ^ (word >> 29)) * 0xBF58476D1CE4E5B9) & LOW_64_BITS
        hashes.append((h + (word ^ (word >> 32))) & LOW_64_BITS)
    return np.array(hashes, np.uint64)


def sort_hashes(hashes):
    """The hashes in order and where they stood; equal ones as they stood."""
    pairs = sorted((int(h), i) for i, h in enumerate(hashes))
    return [h for h, _ in pairs], [i for _, i in pairs]


def number_equal(hashes):
    """A number for each hash, and the first row of each number, in the order in which they come."""
    first = {}
    for i, h in enumerate(hashes.tolist()):
        first.setdefault(h, i)
    number = {h: n for n, h in enumerate(first)}
    return [number[h] for h in hashes.tolist()], list(first.values())


def add_to_codes(codes, offsets, told, n_entries):
    """The sum of the words of all rows at each entry, cut to 64 bits."""
    sums = [0] * n_entries
    for i, row in enumerate(codes.tolist()):
        for j, code in enumerate(row):
            at = int(offsets[j]) + code
            sums[at] = (sums[at] + int(told[i])) & LOW_64_BITS
    return sums


def add_groups_to_codes(counts, tells, unit, words):
    """For every code that tells the sum of the mixed words of its groups, as Python integers modulo 2^64."""
    sums = [0] * len(counts)
    for code, group in zip(*np.nonzero(counts), strict=True):
        if tells[code]:
            n_units = round(float(counts[code, group]) / unit)
            sums[code] += mix((int(words[group]) + n_units * 0x9E3779B97F4A7C15) & LOW_64_BITS)
    return [found & LOW_64_BITS for found in sums]


def add_codes_to_groups(counts, tells, unit, words):
    """The same the other way round."""
    told = np.where(tells[:, None], counts, 0.0).T
    return add_groups_to_codes(told, np.ones(len(told), bool), unit, words)
