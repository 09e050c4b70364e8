"""What the words of a cell say: a sum over words, each by its share (docs/decisions/0012)."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.dot import add_numbers, dot, find_highest
from bayfold.core.kernels.exponential import exponentiate
from bayfold.core.kernels.posterior import JUDGED_TOGETHER


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


@kernel
def to_power(x, power):
    """``x ** power``, at once for the powers that are chosen most: a power takes as long as ten additions."""
    if power == 0.0:
        return 1.0
    if power == 1.0:
        return np.float64(x)
    return np.sqrt(np.float64(x)) if power == 0.5 else np.float64(x) ** power


@kernel
def share_words(begin, end, places, times, information, powers, shares):
    """How much each known word of a row counts: ``times^r information^a``, adding up to ``n^b`` for n known words."""
    total, n = 0.0, 0
    for k in range(begin, end):
        shares[k] = 0.0
        if places[k] >= 0:
            shares[k] = to_power(times[k], powers[2]) * to_power(information[places[k]], powers[0])
            total += shares[k]
            n += 1
    factor = to_power(n, powers[1]) / total if total > 0.0 else 0.0
    for k in range(begin, end):
        shares[k] *= factor


@kernel
def add_entries(begin, end, places, shares, table, sums):
    """Add the entries of the words of a row, each by its share; two at a time, as sums are soon made and begun anew."""
    whole = end - (end - begin) % 2
    for k in range(begin, whole, 2):
        first, second = table[max(places[k], 0)], table[max(places[k + 1], 0)]
        of_first, of_second = shares[k], shares[k + 1]
        for s in range(len(sums)):
            sums[s] = sums[s] + of_first * first[s] + of_second * second[s]
    for k in range(whole, end):
        entry, share = table[max(places[k], 0)], shares[k]
        for s in range(len(sums)):
            sums[s] += share * entry[s]


@kernel
def score_words(begins, places, times, information, table, powers, shares, scores):
    """Add to the scores of each row the entries of its words, each by its share."""
    if len(table) == 0:
        return
    for i in range(len(begins) - 1):
        share_words(begins[i], begins[i + 1], places, times, information, powers, shares)
        add_entries(begins[i], begins[i + 1], places, shares, table, scores[i])


@kernel
def score_left_out_words(
    begins, entries, known, times, information, table, own, group_of, powers, shares, scores
):
    """The same where each word of a row has its own evidence for the row's own group; ``known`` is -1 or its number."""
    if len(table) == 0:
        return
    for i in range(len(begins) - 1):
        share_words(begins[i], begins[i + 1], known, times, information, powers, shares)
        add_entries(begins[i], begins[i + 1], entries, shares, table, scores[i])
        of_own = 0.0
        for k in range(begins[i], begins[i + 1]):
            of_own += shares[k] * own[k]
        scores[i, group_of[i]] = of_own


@kernel
def judge_factor(scores, log_prior, group_of, weights, factor):
    """The log-loss of rows under the prior and their scores times a factor, with its slope and bend in the factor."""
    loss, slope, bend = 0.0, 0.0, 0.0
    n_rows, n_groups = scores.shape
    size = JUDGED_TOGETHER * n_groups
    below, p, scratch = np.empty(size), np.empty(size), np.empty(size)
    of_truth = np.empty(JUDGED_TOGETHER)
    for start in range(0, n_rows, JUDGED_TOGETHER):
        stop = min(start + JUDGED_TOGETHER, n_rows)
        for i in range(start, stop):
            row, own = scores[i], below[(i - start) * n_groups : (i - start + 1) * n_groups]
            for g in range(n_groups):
                own[g] = log_prior[g] + factor * row[g]
            highest = find_highest(own)
            of_truth[i - start] = own[group_of[i]] - highest
            for g in range(n_groups):
                own[g] -= highest
        size = (stop - start) * n_groups
        exponentiate(below[:size], p[:size], scratch[:size])
        for i in range(start, stop):
            row, own = scores[i], p[(i - start) * n_groups : (i - start + 1) * n_groups]
            total = add_numbers(own)
            for g in range(n_groups):
                own[g] *= row[g]
            mean = add_numbers(own) / total
            loss += weights[i] * (np.log(total) - of_truth[i - start])
            slope += weights[i] * (mean - row[group_of[i]])
            bend += weights[i] * (dot(own, row) / total - mean * mean)
    return loss, slope, bend
