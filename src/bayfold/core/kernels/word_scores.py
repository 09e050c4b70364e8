"""What the words of a cell say: a sum over words, each by its share (docs/decisions/0012)."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel
from bayfold.core.kernels.dot import add_numbers, dot, find_highest
from bayfold.core.kernels.elementary import exponentiate
from bayfold.core.kernels.score import JUDGED_TOGETHER


@kernel
def index_words(hashes, slots):
    """Fill an open table, -1 where it is free, with the positions of hashes that all differ."""
    mask = np.uint64(len(slots) - 1)
    for k in range(len(hashes)):
        slot = hashes[k] & mask
        while slots[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = k


@kernel
def find_word_places(hashes, known, slots, places):
    """The position of each hash among the known ones that ``slots`` indexes, -1 where it is not one of them."""
    mask = np.uint64(len(slots) - 1)
    for k in range(len(hashes)):
        slot = hashes[k] & mask
        while slots[slot] >= 0 and known[slots[slot]] != hashes[k]:
            slot = (slot + np.uint64(1)) & mask
        places[k] = slots[slot]


@inner
def to_power(x, power):
    """``x ** power``, at once for the powers that are chosen most: a power takes as long as ten additions."""
    if power == 0.0:
        return 1.0
    if power == 1.0:
        return np.float64(x)
    return np.sqrt(np.float64(x)) if power == 0.5 else np.float64(x) ** power


@inner
def share_words(begin, end, places, times, information, powers, shares):
    """How much each known word of a row counts: ``times^r information^a``, adding up to ``n^b`` for n known words."""
    total = 0.0
    n = 0
    for k in range(begin, end):
        share = 0.0
        if places[k] >= 0:
            informed = to_power(information[np.uint64(places[k])], powers[0])
            share = to_power(times[k], powers[2]) * informed
            total += share
            n += 1
        shares[k] = share
    factor = to_power(n, powers[1]) / total if total > 0.0 else 0.0
    for k in range(begin, end):
        shares[k] *= factor


@inner
def add_entries(begin, end, places, shares, table, width, sums, own):
    """Add the entries of the words of a row, each by its share; two at a time, as sums are soon made and begun anew.

    ``table`` and ``sums`` are flat, with ``width`` numbers an entry; the row's begin at ``own``. Views of entries
    would be counted by whoever holds them, which takes as long as to add them.
    """
    one = np.uint64(1)
    two = np.uint64(2)
    whole = end - (end - begin) % two
    for k in range(begin, whole, two):
        first = np.uint64(max(places[k], 0)) * width
        second = np.uint64(max(places[k + one], 0)) * width
        of_first = shares[k]
        of_second = shares[k + one]
        for s in range(width):
            both = sums[own + s] + of_first * table[first + s]
            sums[own + s] = both + of_second * table[second + s]
    for k in range(whole, end):
        entry = np.uint64(max(places[k], 0)) * width
        share = shares[k]
        for s in range(width):
            sums[own + s] += share * table[entry + s]


@kernel
def score_words(begins, entries, known, times, information, table, powers, shares, scores):
    """Add to the scores of each row the entries of its words, each by its share; ``known`` is -1 or a word's number."""
    if len(table) == 0:
        return
    flat = table.reshape(-1)
    sums = scores.reshape(-1)
    width = np.uint64(table.shape[1])
    for i in range(len(begins) - 1):
        begin = np.uint64(begins[i])
        end = np.uint64(begins[i + 1])
        share_words(begin, end, known, times, information, powers, shares)
        add_entries(begin, end, entries, shares, flat, width, sums, np.uint64(i) * width)


@kernel
def score_left_out_words(
    begins, entries, known, times, information, table, own, group_of, powers, shares, scores
):
    """The same where each word of a row has its own evidence for the row's own group."""
    if len(table) == 0:
        return
    score_words(begins, entries, known, times, information, table, powers, shares, scores)
    for i in range(len(begins) - 1):
        of_own = 0.0
        for k in range(begins[i], begins[i + 1]):
            of_own += shares[k] * own[k]
        scores[i, group_of[i]] = of_own


@kernel
def judge_factor(scores, log_prior, group_of, weights, factor):
    """The log-loss of rows under the prior and their scores times a factor, with its slope and bend in the factor."""
    loss = 0.0
    slope = 0.0
    bend = 0.0
    n_rows, n_groups = scores.shape
    size = JUDGED_TOGETHER * n_groups
    below = np.empty(size)
    p = np.empty(size)
    scratch = np.empty(size)
    of_truth = np.empty(JUDGED_TOGETHER)
    for start in range(0, n_rows, JUDGED_TOGETHER):
        stop = min(start + JUDGED_TOGETHER, n_rows)
        for i in range(start, stop):
            row = scores[i]
            own = below[(i - start) * n_groups : (i - start + 1) * n_groups]
            for g in range(n_groups):
                own[g] = log_prior[g] + factor * row[g]
            highest = find_highest(own)
            of_truth[i - start] = own[group_of[i]] - highest
            for g in range(n_groups):
                own[g] -= highest
        size = (stop - start) * n_groups
        exponentiate(below[:size], p[:size], scratch[:size])
        for i in range(start, stop):
            row = scores[i]
            own = p[(i - start) * n_groups : (i - start + 1) * n_groups]
            total = add_numbers(own)
            for g in range(n_groups):
                own[g] *= row[g]
            mean = add_numbers(own) / total
            loss += weights[i] * (np.log(total) - of_truth[i - start])
            slope += weights[i] * (mean - row[group_of[i]])
            bend += weights[i] * (dot(own, row) / total - mean * mean)
    return loss, slope, bend
