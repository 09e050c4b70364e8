"""Weights of evidence: log odds of counts, tables of terms, and their leave-one-out versions."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel
from bayfold.core.kernels.dot import add_numbers
from bayfold.core.kernels.elementary import multiply_add
from bayfold.core.kernels.encode import FIRST_BIN


@kernel
def take_odds(evidence, places, odds):
    """Write to ``odds[i, j]`` the evidence at ``places[i, j]``."""
    for i in range(places.shape[0]):
        for j in range(places.shape[1]):
            odds[i, j] = evidence[np.uint64(places[i, j]), 0]


@kernel
def join_odds(odds, weights, joined):
    """Write for every row the sum of its odds, times the weights of the columns: ``join_evidence`` of two groups."""
    n_rows = len(odds)
    whole = n_rows - n_rows % 4
    for i in range(0, whole, 4):
        score_four(odds[i : i + 4], weights, 0.0, joined[i : i + 4])
    for i in range(whole, n_rows):
        joined[i] = 0.0
        for j in range(len(weights)):
            joined[i] += weights[j] * odds[i, j]


@inner
def score_four(odds, weights, intercept, scores):
    """The scores of four rows, side by side: each sum waits for its last summand."""
    first = second = third = fourth = intercept
    for j in range(odds.shape[1]):
        weight = weights[j]
        first += weight * odds[0, j]
        second += weight * odds[1, j]
        third += weight * odds[2, j]
        fourth += weight * odds[3, j]
    scores[0] = first
    scores[1] = second
    scores[2] = third
    scores[3] = fourth


GROUPS_FOR_EIGHT = 64
"""From so many groups on eight columns are read together: more than a cache line of each, and few are still near."""


@kernel
def centre_evidence(log_values, most, evidence):
    """Write the weights of evidence of log-probabilities with one column per group, none beyond ``most``.

    Two groups: the second less the first, one column. More: each less the mean of those that are finite. What is
    impossible in all groups says nothing.
    """
    n_entries, n_groups = log_values.shape
    for e in range(n_entries):
        own = log_values[e]
        if n_groups == 2:
            evidence[e, 0] = clip(own[1] - own[0], most)
            continue
        total = add_numbers(own)
        n_finite = n_groups
        if np.isfinite(total):  # as nearly always
            mean = total / n_groups
            to = evidence[e]
            for g in range(n_groups):
                number = own[g] - mean
                number = most if number > most else number
                to[g] = -most if number < -most else number
            continue
        total = 0.0
        n_finite = 0
        for g in range(n_groups):
            if np.isfinite(own[g]):
                total += own[g]
                n_finite += 1
        mean = total / max(n_finite, 1)
        for g in range(n_groups):
            evidence[e, g] = clip(own[g] - mean, most)


@kernel
def find_code_places(codes, rows, fold_of, columns, starts, n_codes, places):
    """Write to ``places[i, columns[k]]`` where the evidence of ``codes[rows[i], k]`` in the fold of row i lies.

    The tables of column k, one for each fold, begin at ``starts[k]``. Rows of no fold (-1) are left out.
    """
    for i in range(len(rows)):
        fold = fold_of[i]
        own = codes[rows[i]]
        if fold < 0:
            continue
        for k in range(len(columns)):
            places[i, columns[k]] = starts[k] + fold * n_codes[k] + own[k]


@kernel
def join_evidence(evidence, places, weights, joined):
    """Write for every row the sum of the evidence at its places, times the weights of the columns."""
    joined[:] = 0.0
    for i in range(len(places)):
        add_evidence(evidence, places[i], weights, joined[i])


@inner
def add_evidence(evidence, places, weights, sums):
    """Add to ``sums`` the evidence at the places of one row, times the weights of the columns.

    Several columns at a time, in their order: sums of a few groups are soon made, and starting on them is what takes
    time; the evidence of many groups is far away, and that of eight columns is on its way together.
    """
    n_columns = len(places)
    n_scores = len(sums)
    by_eight = n_columns - n_columns % 8 if n_scores >= GROUPS_FOR_EIGHT else 0
    for j in range(0, by_eight, 8):
        a = evidence[places[j]]
        b = evidence[places[j + 1]]
        c = evidence[places[j + 2]]
        d = evidence[places[j + 3]]
        e = evidence[places[j + 4]]
        f = evidence[places[j + 5]]
        g = evidence[places[j + 6]]
        h = evidence[places[j + 7]]
        of_a = weights[j]
        of_b = weights[j + 1]
        of_c = weights[j + 2]
        of_d = weights[j + 3]
        of_e = weights[j + 4]
        of_f = weights[j + 5]
        of_g = weights[j + 6]
        of_h = weights[j + 7]
        for s in range(n_scores):
            half = multiply_add(of_b, b[s], multiply_add(of_a, a[s], sums[s]))
            half = multiply_add(of_d, d[s], multiply_add(of_c, c[s], half))
            half = multiply_add(of_f, f[s], multiply_add(of_e, e[s], half))
            sums[s] = multiply_add(of_h, h[s], multiply_add(of_g, g[s], half))
    whole = n_columns - n_columns % 4
    for j in range(by_eight, whole, 4):
        a = evidence[places[j]]
        b = evidence[places[j + 1]]
        c = evidence[places[j + 2]]
        d = evidence[places[j + 3]]
        of_a = weights[j]
        of_b = weights[j + 1]
        of_c = weights[j + 2]
        of_d = weights[j + 3]
        for s in range(n_scores):
            half = multiply_add(of_b, b[s], multiply_add(of_a, a[s], sums[s]))
            sums[s] = multiply_add(of_d, d[s], multiply_add(of_c, c[s], half))
    for j in range(whole, n_columns):
        own = evidence[places[j]]
        weight = weights[j]
        for s in range(n_scores):
            sums[s] = multiply_add(weight, own[s], sums[s])


@inner
def clip(number, most):
    """The number, or the bound that is nearest; zero for none."""
    if number != number:
        return 0.0
    return min(max(number, -most), most)


@kernel
def find_left_out_gains(counts, starts, n_codes, m, few_values, many_rows, gain):
    """Write the gain of each column in each part, in nats: zero and below is what chance gives.

    ``counts[p, starts[j] + code, g]`` are the weights of a part's rows. A row of value v and group g, left out, has the
    probability ``(n_vg - 1 + m s_g) / (n_v - 1 + m)``, where ``s_g`` is the share of the group among known cells; the
    gain sums up its logarithm against that of ``s_g``. A value that occurs once says nothing: of an identifier the gain
    is zero. Where values are few, or have many rows on average, chance gives next to nothing, so none is asked for:
    the gain is infinite.
    """
    n_parts, _, n_groups = counts.shape
    share = np.empty(n_groups)
    for p in range(n_parts):
        for j in range(len(starts)):
            first = starts[j] + FIRST_BIN
            stop = starts[j] + n_codes[j]
            known = 0.0
            share[:] = 0.0
            for k in range(first, stop):
                for g in range(n_groups):
                    share[g] += counts[p, k, g]
                    known += counts[p, k, g]
            total = 0.0
            n_values = 0
            for k in range(first, stop):
                weight = 0.0
                for g in range(n_groups):
                    weight += counts[p, k, g]
                if weight <= 0.0:
                    continue
                n_values += 1
                others = max(weight - 1.0, 0.0) + m
                for g in range(n_groups):
                    inside = counts[p, k, g]
                    if inside > 0.0:
                        expected = m * share[g] / known
                        left = max(inside - 1.0, 0.0) + expected
                        total += inside * np.log(left * m / (others * expected))
            is_safe = n_values <= few_values or known >= many_rows * n_values
            gain[p, j] = np.inf if is_safe else total
