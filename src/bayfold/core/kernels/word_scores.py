"""What the words of a cell say: a sum over words, each by its share (docs/decisions/0012)."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel

LEAST_WORD_WEIGHT = 1e-9
"""What is left of the weight of a word without its only row is rounding."""


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
def weigh_words(counts, totals, prior, strength, is_complement, table, information):
    """Evidence of words with so many rows in each group, and the information of each word.

    ``q = (n_wg + m p_g) / (n_w + m)``. The evidence is ``log q/p``, or, from the complement too, the change of the
    log-odds times ``1 - 1/groups``; the information is the divergence of q from p.
    """
    n_groups, log_rest = len(prior), np.log(1.0 - prior)
    for k in range(len(totals)):
        information[k] = weigh_word(
            counts[k], totals[k], prior, log_rest, strength, is_complement, -1, 0.0, table[k]
        )
        if n_groups < 2:
            table[k, :] = 0.0


@kernel
def weigh_word(counts, total, prior, log_rest, strength, is_complement, own, weight, evidence):
    """The evidence of a word without ``weight`` rows of the group ``own``; returns its information.

    ``log_rest`` is the logarithm of what the prior of each group leaves to all others. Most words are in few groups:
    the ratio is the same in all others.
    """
    n_groups = len(prior)
    whole, divergence = total - weight + strength, 0.0
    share = strength / whole
    log_share = np.log(share)
    for g in range(n_groups):
        n = max(counts[g] - weight, 0.0) if g == own else counts[g]
        q, log_ratio = share * prior[g], log_share
        if n > 0.0:
            q = n / whole + q
            log_ratio = np.log(q / prior[g])
        divergence += q * log_ratio
        evidence[g] = log_ratio
        if is_complement:
            rest = log_complement(q) - log_rest[g]
            evidence[g] = (log_ratio - rest) * (1.0 - 1.0 / n_groups)
    return max(divergence, 0.0)


@kernel
def log_complement(q):
    """``log(1 - q)``, by its series where q is small: the next term is below 1e-13."""
    if q < 0.01:
        return -q * (1.0 + q * (1.0 / 2 + q * (1.0 / 3 + q * (1.0 / 4 + q / 5.0))))
    return np.log(1.0 - q)


@kernel
def judge_factor(scores, log_prior, group_of, weights, factor):
    """The log-loss of rows under the prior and their scores times a factor, with its slope and bend in the factor."""
    loss, slope, bend = 0.0, 0.0, 0.0
    log_joint = np.empty(len(log_prior))
    for i in range(len(scores)):
        row, highest = scores[i], -np.inf
        for g in range(len(log_prior)):
            log_joint[g] = log_prior[g] + factor * row[g]
            highest = max(highest, log_joint[g])
        total, first, second = 0.0, 0.0, 0.0
        for g in range(len(log_prior)):
            p = np.exp(log_joint[g] - highest)
            total += p
            first += p * row[g]
            second += p * row[g] * row[g]
        mean = first / total
        loss += weights[i] * (highest + np.log(total) - log_joint[group_of[i]])
        slope += weights[i] * (mean - row[group_of[i]])
        bend += weights[i] * (second / total - mean * mean)
    return loss, slope, bend


@kernel
def leave_out_words(
    begins,
    places,
    counts,
    totals,
    prior,
    strength,
    is_complement,
    group_of,
    weights,
    evidence,
    information,
):
    """The evidence of each word of each row, and its information, from all other rows; nothing from a word of no other.

    ``evidence`` has a row and ``information`` an entry for each word of each row; that of an unknown word is zero.
    """
    log_rest = np.log(1.0 - prior)
    for i in range(len(begins) - 1):
        for k in range(begins[i], begins[i + 1]):
            word = places[k]
            information[k] = 0.0
            evidence[k, :] = 0.0
            if word >= 0 and totals[word] - weights[i] > LEAST_WORD_WEIGHT * totals[word]:
                information[k] = weigh_word(
                    counts[word],
                    totals[word],
                    prior,
                    log_rest,
                    strength,
                    is_complement,
                    group_of[i],
                    weights[i],
                    evidence[k],
                )
