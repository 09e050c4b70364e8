"""What words say of each group, by their counts of all rows or of all rows but one (docs/decisions/0012).

Most words are in few groups. What a word says of all groups it is not in depends on nothing but its total, so it is
found once for words of equal totals, and logarithms are taken only where a word was counted.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel

LEAST_WORD_WEIGHT = 1e-9
"""What is left of the weight of a word without its only row is rounding."""

TOTALS_KEPT = 256
"""Totals of which the evidence for groups without the word is kept: those of rare words, which are most."""


@kernel
def weigh_words(
    begins, groups, counts, words, lessened, prior, strength, is_complement, table, sums
):
    """The evidence of words, less ``lessened`` rows of no group, for each group that these rows are not in.

    ``q = (n_wg + m p_g) / (n_w + m)``. The evidence is ``log q/p``, or, from the complement too, the change of the
    log-odds times ``1 - 1/groups``. The three ``sums`` of a word become ``n_w + m``, zero if nothing is left; its
    logarithm; and the sum over groups of ``x log x/p`` with ``x = n_wg + m p_g`` of all rows. The information, the
    divergence of q from p, is the third over the first less the second.
    """
    log_prior, log_rest = np.log(prior), np.log(1.0 - prior)
    kept, bases = np.full(TOTALS_KEPT, -1.0), np.empty((TOTALS_KEPT, len(prior)))
    log_strength = np.log(strength)
    for e in range(len(words)):
        begin, end = begins[words[e]], begins[words[e] + 1]
        total = counts[begin:end].sum()
        if len(prior) < 2 or total - lessened[e] <= LEAST_WORD_WEIGHT * total:
            sums[e, :] = 0.0
            table[e, :] = 0.0
            continue
        whole = total - lessened[e] + strength
        slot = np.int64(min(total, 1e9)) % TOTALS_KEPT
        if kept[slot] != whole:
            kept[slot] = whole
            weigh_absence(whole, prior, log_rest, strength, is_complement, bases[slot])
        table[e, :] = bases[slot]
        log_whole, surplus, elsewhere = np.log(whole), 0.0, 1.0
        for k in range(begin, end):
            g = groups[k]
            x = counts[k] + strength * prior[g]
            log_ratio = np.log(x) - log_prior[g]
            surplus += x * log_ratio
            elsewhere -= prior[g]
            rest = max(whole - x, strength * (1.0 - prior[g]))
            table[e, g] = weigh_share(
                log_ratio, log_whole, rest, log_rest[g], is_complement, len(prior)
            )
        sums[e, 0], sums[e, 1] = whole, log_whole
        sums[e, 2] = surplus + max(elsewhere, 0.0) * strength * log_strength


@kernel
def weigh_absence(whole, prior, log_rest, strength, is_complement, evidence):
    """The evidence of a word for each group that it was not counted in."""
    log_strength, log_whole = np.log(strength), np.log(whole)
    for g in range(len(prior)):
        rest = whole - strength * prior[g]
        evidence[g] = weigh_share(
            log_strength, log_whole, rest, log_rest[g], is_complement, len(prior)
        )


@kernel
def weigh_share(log_ratio, log_whole, rest, log_rest, is_complement, n_groups):
    """Evidence for a group with ``x`` of all rows and ``rest`` outside, by ``log x/p`` and ``log (1 - p)``."""
    if is_complement:
        return (log_ratio - np.log(rest) + log_rest) * (1.0 - 1.0 / n_groups)
    return log_ratio - log_whole


@kernel
def inform_words(sums, information):
    """The information of words as they were weighed."""
    for e in range(len(sums)):
        information[e] = 0.0
        if sums[e, 0] > 0.0:
            information[e] = max(sums[e, 2] / sums[e, 0] - sums[e, 1], 0.0)


@kernel
def find_count(groups, counts, begin, end, group):
    """The count of a word in a group; its groups are in increasing order."""
    low, high = begin, end
    while low < high:
        middle = (low + high) // 2
        if groups[middle] < group:
            low = middle + 1
        else:
            high = middle
    return counts[low] if low < end and groups[low] == group else 0.0


@kernel
def leave_out_words(
    rows,
    entries,
    group_of,
    begins,
    groups,
    counts,
    words,
    lessened,
    prior,
    strength,
    is_complement,
    sums,
    evidence,
    information,
):
    """The evidence of each word of each row for the row's own group, and the word's information, without the row.

    Words were weighed as ``entries``, with ``lessened`` the weight of the row; -1 is an unknown one. ``rows`` is where
    the words of each row begin.
    """
    for i in range(len(rows) - 1):
        own = group_of[i]
        p = prior[own]
        log_p, log_rest = np.log(p), np.log(1.0 - p)
        for k in range(rows[i], rows[i + 1]):
            e = entries[k]
            evidence[k] = information[k] = 0.0
            if e < 0 or sums[e, 0] == 0.0:
                continue
            word, whole = words[e], sums[e, 0]
            n = find_count(groups, counts, begins[word], begins[word + 1], own)
            before = n + strength * p
            x = max(n - lessened[e], 0.0) + strength * p
            log_ratio = np.log(x) - log_p
            surplus = sums[e, 2] - before * (np.log(before) - log_p) + x * log_ratio
            rest = max(whole - x, strength * (1.0 - p))
            evidence[k] = weigh_share(
                log_ratio, sums[e, 1], rest, log_rest, is_complement, len(prior)
            )
            information[k] = max(surplus / whole - sums[e, 1], 0.0)
