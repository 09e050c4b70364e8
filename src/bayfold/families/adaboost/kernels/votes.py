"""Kernels of one round of AdaBoost on coded rows: which rows are wrong, then their new weights."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel

SCORES_AT_ONCE = 4
"""As many doubles as fit into a vector register; tables of more groups are padded to a multiple."""


@kernel
def mark_wrong_odds(codes, offsets, tables, start, group_of, weights, wrong):
    """Score rows of two groups by tables, mark those whose group is not the better one, and sum up their weight.

    Scores never leave the row, which spares writing and reading them. A product in place of a condition spares a branch
    that would be mispredicted about as often as rows are wrong.
    """
    n_rows, n_columns = codes.shape
    missed = 0.0
    for i in range(n_rows):
        total = start
        for j in range(n_columns):
            total += tables[np.uint64(offsets[j]) + np.uint64(codes[i, j])]
        is_wrong = (total > 0.0) != (group_of[i] == 1)
        wrong[i] = is_wrong
        missed += weights[i] * is_wrong
    return missed


@kernel
def mark_wrong_tables(codes, offsets, tables, start, group_of, weights, wrong):
    """The same for more groups; of equal scores the first group's wins.

    The tables have a multiple of four entries per code. Going over the columns once for every four groups keeps four
    sums in registers, where all groups at once would be read and written for every cell.
    """
    n_rows, n_columns = codes.shape
    stride = np.uint64(len(start))
    one = np.uint64(1)
    two = np.uint64(2)
    three = np.uint64(3)
    missed = 0.0
    for i in range(n_rows):
        best = 0
        most = -np.inf
        for b in range(0, len(start), SCORES_AT_ONCE):
            s0 = start[b]
            s1 = start[b + 1]
            s2 = start[b + 2]
            s3 = start[b + 3]
            for j in range(n_columns):
                k = np.uint64(offsets[j]) + np.uint64(codes[i, j]) * stride + np.uint64(b)
                s0 += tables[k]
                s1 += tables[k + one]
                s2 += tables[k + two]
                s3 += tables[k + three]
            if s0 > most:
                best = b
                most = s0
            if s1 > most:
                best = b + 1
                most = s1
            if s2 > most:
                best = b + 2
                most = s2
            if s3 > most:
                best = b + 3
                most = s3
        is_wrong = best != group_of[i]
        wrong[i] = is_wrong
        missed += weights[i] * is_wrong
    return missed


@inner
def find_best_group(scores):
    """The group with the highest score, the first of equal ones; a single score is the odds of the second."""
    if len(scores) == 1:
        return 1 if scores[0] > 0.0 else 0
    best = 0
    for s in range(1, len(scores)):
        if scores[s] > scores[best]:
            best = s
    return best


@kernel
def mark_wrong_scores(scores, group_of, weights, wrong):
    """The same from scores that are known already."""
    missed = 0.0
    for i in range(len(scores)):
        is_wrong = find_best_group(scores[i]) != group_of[i]
        wrong[i] = is_wrong
        missed += weights[i] * is_wrong
    return missed


@kernel
def reweigh_rows(weights, wrong, if_wrong, if_right, floor):
    """Multiply the weights of wrong and of right rows, lift them to the floor, and return their sum."""
    total = 0.0
    for i in range(len(weights)):
        weight = weights[i] * (if_wrong if wrong[i] else if_right)
        weight = weight if weight > floor else floor
        weights[i] = weight
        total += weight
    return total


@kernel
def add_votes(scores, vote, votes):
    """Give the vote to the best group of each row."""
    for i in range(len(scores)):
        votes[i, find_best_group(scores[i])] += vote
