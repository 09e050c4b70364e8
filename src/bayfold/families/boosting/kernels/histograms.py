"""Histograms of gradients over one-byte codes, as whole numbers: two sums of 32 bits in each word of 64.

A word holds ``(a << 32) + b`` and words are added as they are; one addition does for two sums. Sums of whole numbers do
not depend on the order of rows, and a side of a split is the node less the other side, exactly. Only the choice of a
split reads histograms; the steps are computed from sums in double precision.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner

# two signed sums share a word of 64 bits
LOW_WORD = np.int64((1 << 32) - 1)  # masks the lower one
HALF_WORD = np.int64(1 << 31)  # restores its sign


@inner
def find_unit(weight):
    """Multiplied with which a gradient becomes a whole number: no sum can then leave 31 bits."""
    return 2.0 ** np.floor(np.log2(2.0**30 / weight))


@inner
def unpack_word(word):
    """The two sums in a word."""
    low = ((word + HALF_WORD) & LOW_WORD) - HALF_WORD
    return (word - low) >> 32, low


@inner
def unpack_words(words, start, n_words, sums):
    """Add the sums in some words to ``sums`` (an even number of entries)."""
    for k in range(n_words):
        high, low = unpack_word(words[start + k])
        sums[2 * k] += high
        sums[2 * k + 1] += low


@inner
def sum_histogram(histogram, start, n_words, n_codes, sums):
    """Add the sums of all codes of a column to ``sums``."""
    for k in range(n_words):
        word = np.int64(0)
        for code in range(n_codes):
            word += histogram[start + code * n_words + k]
        high, low = unpack_word(word)
        sums[2 * k] += high
        sums[2 * k + 1] += low


@inner
def find_most_codes(n_codes):
    """How many codes the column with the most has."""
    most = n_codes[0]
    for j in range(1, len(n_codes)):
        most = n_codes[j] if n_codes[j] > most else most
    return most


@inner
def clear(words, size):
    """Set the first words to zero: an assignment to a part of an array is compiled for any two shapes."""
    for k in range(size):
        words[k] = 0


@inner
def count_up(n):
    """The numbers from 0 to n - 1."""
    numbers = np.empty(n, np.int64)
    for k in range(n):
        numbers[k] = k
    return numbers


@inner
def place_histograms(columns, n_codes, n_words, places):
    """Where the histogram of each column begins; returns how long all are together."""
    end = 0
    for k in range(places.shape[0]):
        places[k] = end
        end += n_codes[columns[k]] * n_words
    return end


@inner
def fill_histograms(codes, rows, words, picked, n_picked, columns, places, histogram):
    """Add the words of the picked among the drawn rows to their codes' entries in every column."""
    if words.shape[1] == 1:
        fill_one_word(codes, rows, words, picked, n_picked, columns, places, histogram)
        return
    stride = np.uint64(words.shape[1])
    for k in range(n_picked):
        r = np.uint64(picked[k])
        i = np.uint64(rows[r])
        for j in range(places.shape[0]):
            at = np.uint64(places[j]) + np.uint64(codes[i, np.uint64(columns[j])]) * stride
            for word in range(stride):
                histogram[at + word] += words[r, word]


@inner
def fill_one_word(codes, rows, words, picked, n_picked, columns, places, histogram):
    """The same for one word per row, which stays in a register."""
    for k in range(n_picked):
        r = np.uint64(picked[k])
        i = np.uint64(rows[r])
        word = words[r, 0]
        for j in range(places.shape[0]):
            at = np.uint64(places[j]) + np.uint64(codes[i, np.uint64(columns[j])])
            histogram[at] += word
