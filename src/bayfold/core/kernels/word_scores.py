"""What the words of a cell say: a sum over words, each by its share (docs/decisions/0012)."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.dot import add_numbers, dot, find_highest
from bayfold.core.kernels.exponential import exponentiate


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
    factor = n ** powers[1] / total if total > 0.0 else 0.0
    for k in range(begin, end):
        shares[k] *= factor


@kernel
def score_words(begins, places, times, information, table, powers, shares, scores):
    """Add to the scores of each row the entries of its words, each by its share."""
    for i in range(len(begins) - 1):
        share_words(begins[i], begins[i + 1], places, times, information, powers, shares)
        row = scores[i]
        for k in range(begins[i], begins[i + 1]):
            if shares[k] > 0.0:
                entry = table[places[k]]
                for s in range(len(row)):
                    row[s] += shares[k] * entry[s]


@kernel
def score_left_out_words(
    begins, entries, known, times, information, table, own, group_of, powers, shares, scores
):
    """The same where each word of a row has its own evidence for the row's own group; ``known`` is -1 or its number."""
    for i in range(len(begins) - 1):
        share_words(begins[i], begins[i + 1], known, times, information, powers, shares)
        row, group, of_own = scores[i], group_of[i], 0.0
        for k in range(begins[i], begins[i + 1]):
            if shares[k] > 0.0:
                entry = table[entries[k]]
                of_own += shares[k] * own[k]
                for s in range(len(row)):
                    row[s] += shares[k] * entry[s]
        row[group] = of_own


@kernel
def judge_factor(scores, log_prior, group_of, weights, factor):
    """The log-loss of rows under the prior and their scores times a factor, with its slope and bend in the factor."""
    loss, slope, bend = 0.0, 0.0, 0.0
    n_groups = len(log_prior)
    log_joint, p, scratch = np.empty(n_groups), np.empty(n_groups), np.empty(n_groups)
    for i in range(len(scores)):
        row = scores[i]
        for g in range(n_groups):
            log_joint[g] = log_prior[g] + factor * row[g]
        highest = find_highest(log_joint)
        for g in range(n_groups):
            log_joint[g] -= highest
        of_group = log_joint[group_of[i]]
        exponentiate(log_joint, p, scratch)
        total = add_numbers(p)
        for g in range(n_groups):
            p[g] *= row[g]
        mean = add_numbers(p) / total
        loss += weights[i] * (np.log(total) - of_group)
        slope += weights[i] * (mean - row[group_of[i]])
        bend += weights[i] * (dot(p, row) / total - mean * mean)
    return loss, slope, bend
