"""The content hash of a coded row: tabulation hashing, one random word per column and code."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel

HASHES_BETWEEN_LOOKS = 64
"""Hashes between two looks at whether one was small, which few are: without a branch for each."""


@kernel
def hash_rows(narrow, wide, narrow_offsets, wide_offsets, words, hashes):
    """XOR the words of a row's codes into ``hashes[i]``, then mix.

    ``hashes`` comes in holding the word of the row's group. XOR makes the order of columns
    irrelevant; the final mix (splitmix64) makes a small hash say nothing about any one column.
    """
    for i in range(narrow.shape[0]):
        h = hashes[i]
        for j in range(narrow.shape[1]):
            h ^= words[np.uint64(narrow_offsets[j]) + np.uint64(narrow[i, j])]
        for j in range(wide.shape[1]):
            h ^= words[np.uint64(wide_offsets[j]) + np.uint64(wide[i, j])]
        hashes[i] = mix(h)


@kernel
def hash_multiples(codes, factors, unmixed):
    """XOR the words of the first columns into ``unmixed[i]`` where a code's word is so many times a factor.

    No table is looked up, and several columns are multiplied at a time: half the time of ``hash_rows``.
    """
    for i in range(codes.shape[0]):
        h = unmixed[i]
        for j in range(len(factors)):
            h ^= np.uint64(codes[i, j]) * factors[j]
        unmixed[i] = h


@kernel
def mix_hashes(hashes):
    """The last step of ``hash_rows``, for words that were put together elsewhere."""
    for i in range(len(hashes)):
        hashes[i] = mix(hashes[i])


@kernel
def begin_hashes(groups, words, hashes):
    """Let the hash of each row begin with the word of its group."""
    for i in range(np.uint64(len(groups))):
        hashes[i] = words[np.uint64(groups[i])]


@kernel
def mix_and_find(hashes, threshold, places):
    """``mix_hashes``; write the places of hashes of at most ``threshold`` to ``places``: how many."""
    n_found = 0
    for start in range(0, len(hashes), HASHES_BETWEEN_LOOKS):
        own = hashes[start : start + HASHES_BETWEEN_LOOKS]
        any_small = np.int64(0)
        for i in range(len(own)):
            own[i] = mix(own[i])
            any_small |= np.int64(own[i] <= threshold)
        if any_small == 0:
            continue
        for i in range(len(own)):
            if own[i] <= threshold:
                places[n_found] = start + i
                n_found += 1
    return n_found


@inner
def mix(h):
    """The finalizer of splitmix64."""
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return h ^ (h >> np.uint64(31))


@kernel
def hash_numbers(numbers, hashes):
    """Mix the bits of each row's numbers into ``hashes[i]``, one after the other.

    Adding zero turns -0.0 into 0.0; missing cells share one pattern of bits whatever their NaN was.
    """
    bits = (numbers + 0.0).view(np.uint64)
    for i in range(numbers.shape[0]):
        h = hashes[i]
        for j in range(numbers.shape[1]):
            word = bits[i, j] if numbers[i, j] == numbers[i, j] else np.uint64(0x7FF8000000000000)
            h = (h ^ word) * np.uint64(0x9E3779B97F4A7C15)
            h = h ^ (h >> np.uint64(29))
        hashes[i] = mix(h)


@kernel
def add_number_hashes(numbers, hashes):
    """Add a hash of each number to that of its row: a sum is the same in any order of columns.

    Zeros and missing cells are alike as in ``hash_numbers``, which takes all columns of a row at once.
    """
    for i in range(len(numbers)):
        x = numbers[i] + 0.0
        h = np.float64(x).view(np.uint64) if x == x else np.uint64(0x7FF8000000000000)
        h = h * np.uint64(0x9E3779B97F4A7C15)
        h = (h ^ (h >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        hashes[i] += h ^ (h >> np.uint64(32))


@kernel
def add_to_codes(codes, offsets, mixed_rows, sums):
    """Add each row's word to the entry of each of its codes: where the entries of a column begin is in ``offsets``."""
    for i in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            sums[np.uint64(offsets[j]) + np.uint64(codes[i, j])] += mixed_rows[i]


@kernel
def add_groups_to_codes(counts, tells, unit, words, sums):
    """Add to ``sums[code]`` the words of the groups in which the code occurs, each mixed with its count there.

    Counts are told apart by how many units they have. Codes that do not tell are left out.
    """
    for code in range(counts.shape[0]):
        if tells[code]:
            total = np.uint64(0)  # in a register: what is written might change what is read
            for group in range(counts.shape[1]):
                word = mix_count(words[group], counts[code, group], unit)
                total += word if counts[code, group] != 0.0 else np.uint64(0)
            sums[code] += total


@kernel
def add_codes_to_groups(counts, tells, unit, words, sums):
    """Add to ``sums[group]`` the words of the codes that occur in it, each mixed with its count there."""
    for code in range(counts.shape[0]):
        if tells[code]:
            for group in range(counts.shape[1]):
                if counts[code, group] != 0.0:
                    sums[group] += mix_count(words[code], counts[code, group], unit)


@inner
def mix_count(word, count, unit):
    """A word mixed with a number of units."""
    return mix(word + np.uint64(np.rint(count / unit)) * np.uint64(0x9E3779B97F4A7C15))
