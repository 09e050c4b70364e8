"""What words say of each group, by their counts of all rows or of all rows but one (docs/decisions/0012).

Most words are in few groups. What a word says of all groups it is not in depends on nothing but its total, so it is
found once for words of equal totals, and logarithms are taken only where a word was counted, of many words at once.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel
from bayfold.core.kernels.elementary import take_logarithms

LEAST_WORD_WEIGHT = 1e-9
"""What is left of the weight of a word without its only row is rounding."""

TOTALS_KEPT = 256
"""Totals of which the evidence for groups without the word is kept: those of rare words, which are most. All larger
ones share the last place, so that they do not drive these out."""

LISTED_TOGETHER = 1 << 9
LESSENED_TOGETHER = 1 << 8
"""Counts of words, and words of rows, whose logarithms are taken in one go, two or three of each: they stay in the
cache."""

NOTHING_LEFT = 0.0
"""In place of the sum of a word without rows; that of others is more than the strength."""


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
    n_groups = len(prior)
    width = np.uint64(len(prior))
    log_strength = np.log(strength)
    log_prior = np.log(prior)
    log_rest = np.log(1.0 - prior)
    kept = np.full(TOTALS_KEPT, -1.0)
    bases = np.empty(TOTALS_KEPT * n_groups)
    room = LISTED_TOGETHER + n_groups
    flat = table.reshape(table.size)
    one = np.uint64(1)
    # x and what is outside of each count, and the sum of each word
    numbers = np.ones((3, room))
    logs = np.empty((3, room))
    scratch = np.empty(3 * room)
    rest = np.empty((3, n_groups))
    least_outside = strength * (1.0 - prior)
    stop = 0
    while stop < len(words):
        first = stop
        stop = list_shares(
            begins, groups, counts, words, lessened, prior, strength, least_outside, first, numbers
        )
        take_logarithms(numbers.reshape(-1), logs.reshape(-1), scratch)
        at = np.uint64(0)
        for e in range(first, stop):
            whole = numbers[2, e - first]
            log_whole = logs[2, e - first]
            own = np.uint64(e) * width
            sums[e, 0] = whole
            sums[e, 1] = log_whole
            sums[e, 2] = 0.0
            if whole == NOTHING_LEFT:
                sums[e, 1] = 0.0
                table[e, :] = 0.0
                continue
            slot = np.uint64(0)  # also of a total that cannot be: it must not lead out of the table
            if whole > 0.0:
                slot = np.uint64(min(whole, TOTALS_KEPT - 1.0))
            base = slot * width
            surplus = 0.0
            elsewhere = 1.0
            if kept[slot] != whole:
                kept[slot] = whole
                weigh_absence(whole, prior, log_rest, strength, is_complement, rest, bases, base)
            for other in range(width):
                flat[own + other] = bases[base + other]
            for k in range(np.uint64(begins[words[e]]), np.uint64(begins[words[e] + 1])):
                g = np.uint64(groups[k])
                log_ratio = logs[0, at] - log_prior[g]
                surplus += numbers[0, at] * log_ratio
                elsewhere -= prior[g]
                flat[own + g] = weigh_share(
                    log_ratio, log_whole, logs[1, at], log_rest[g], is_complement, n_groups
                )
                at += one
            sums[e, 2] = surplus + max(elsewhere, 0.0) * strength * log_strength


@inner
def list_shares(
    begins, groups, counts, words, lessened, prior, strength, least_outside, first, numbers
):
    """Write of what logarithms are taken: x and what is outside for each count of a word, and the sum of the word.

    From ``first`` on as many words as there is room for; returns the next one. A word of which nothing is left has a
    mark alone.
    """
    size = np.uint64(0)
    one = np.uint64(1)
    e = first
    last = min(len(words), first + LISTED_TOGETHER)
    while e < last and size < LISTED_TOGETHER:
        begin = np.uint64(begins[words[e]])
        end = np.uint64(begins[words[e] + 1])
        total = 0.0
        for k in range(begin, end):
            total += counts[k]
        if len(prior) < 2 or total - lessened[e] <= LEAST_WORD_WEIGHT * total:
            numbers[2, e - first] = NOTHING_LEFT
            e += 1
            continue
        whole = total - lessened[e] + strength
        numbers[2, e - first] = whole
        for k in range(begin, end):
            g = np.uint64(groups[k])
            x = counts[k] + strength * prior[g]
            numbers[0, size], numbers[1, size] = x, max(whole - x, least_outside[g])
            size += one
        e += 1
    return e


@inner
def weigh_absence(whole, prior, log_rest, strength, is_complement, rest, bases, base):
    """The evidence of a word for each group that it was not counted in, to ``bases`` from ``base`` on."""
    n_groups = len(prior)
    log_strength = np.log(strength)
    log_whole = np.log(whole)
    for g in range(n_groups):
        rest[0, g] = whole - strength * prior[g]
    take_logarithms(rest[0], rest[1], rest[2])
    for g in range(np.uint64(n_groups)):
        bases[base + g] = weigh_share(
            log_strength, log_whole, rest[1, g], log_rest[g], is_complement, n_groups
        )


@inner
def weigh_share(log_ratio, log_whole, log_outside, log_rest, is_complement, n_groups):
    """Evidence for a group by the logarithms of ``x/p``, of all rows, of those outside, and of ``1 - p``."""
    if is_complement:
        return (log_ratio - log_outside + log_rest) * (1.0 - 1.0 / n_groups)
    return log_ratio - log_whole


@kernel
def inform_words(sums, information):
    """The information of words as they were weighed."""
    for e in range(len(sums)):
        information[e] = 0.0
        if sums[e, 0] > 0.0:
            information[e] = max(sums[e, 2] / sums[e, 0] - sums[e, 1], 0.0)


@inner
def find_count(groups, counts, begin, end, group):
    """The count of a word in a group; its groups are in increasing order. Places have no sign."""
    low = begin
    n_left = end - begin
    one = np.uint64(1)
    while n_left > one:  # no branches, which would be guessed wrong every other time
        half = n_left >> one
        low += half if groups[low + half - one] < group else np.uint64(0)
        n_left -= half
    return counts[low] if n_left > 0 and groups[low] == group else 0.0


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
    n_groups = len(prior)
    n_listed = len(entries)
    one = np.uint64(1)
    log_prior = np.log(prior)
    log_rest = np.log(1.0 - prior)
    # what logarithms are taken of: x with the row, x without it, and what is outside
    numbers = np.ones((3, LESSENED_TOGETHER))
    logs = np.empty((3, LESSENED_TOGETHER))
    scratch = np.empty(3 * LESSENED_TOGETHER)
    own_of = np.empty(LESSENED_TOGETHER, np.uint64)
    row = np.uint64(0)
    for start in range(0, n_listed, LESSENED_TOGETHER):
        size = np.uint64(min(LESSENED_TOGETHER, n_listed - start))
        for at in range(size):
            k = np.uint64(start) + at
            while rows[row + one] <= np.int64(k):
                row += one
            e = entries[k]
            own = np.uint64(group_of[row])
            own_of[at] = own
            if e < 0 or sums[e, 0] == 0.0:
                continue
            of_prior = strength * prior[own]
            word = np.uint64(words[e])
            begin = np.uint64(begins[word])
            end = np.uint64(begins[word + one])
            n = find_count(groups, counts, begin, end, group_of[row])
            x = max(n - lessened[e], 0.0) + of_prior
            numbers[0, at] = n + of_prior
            numbers[1, at] = x
            numbers[2, at] = max(sums[e, 0] - x, strength * (1.0 - prior[own]))
        take_logarithms(numbers.reshape(-1), logs.reshape(-1), scratch)
        for at in range(size):
            k = np.uint64(start) + at
            own = own_of[at]
            e = entries[k]
            evidence[k] = information[k] = 0.0
            if e < 0 or sums[e, 0] == 0.0:
                continue
            log_ratio = logs[1, at] - log_prior[own]
            before = numbers[0, at] * (logs[0, at] - log_prior[own])
            surplus = sums[e, 2] - before + numbers[1, at] * log_ratio
            evidence[k] = weigh_share(
                log_ratio, sums[e, 1], logs[2, at], log_rest[own], is_complement, n_groups
            )
            information[k] = max(surplus / sums[e, 0] - sums[e, 1], 0.0)
