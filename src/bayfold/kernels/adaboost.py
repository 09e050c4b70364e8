"""One round of AdaBoost on coded rows: which rows are wrong, then their new weights."""

from __future__ import annotations

import numpy as np

from bayfold.kernels.compiler import kernel


@kernel
def mark_wrong_tables(codes, offsets, tables, start, group_of, weights, wrong):
    """Score rows by tables, mark those whose best group is not their own, and sum up their weight.

    Scores never leave the row: that spares writing and reading one number per row and group. Of equal scores the first
    group's wins.
    """
    n_rows, n_columns = codes.shape
    n_scores = len(start)
    missed = 0.0
    if n_scores == 1:
        for i in range(n_rows):
            total = start[0]
            for j in range(n_columns):
                total += tables[np.uint64(offsets[j]) + np.uint64(codes[i, j])]
            wrong[i] = np.int32(total > 0.0) != group_of[i]
            missed += weights[i] if wrong[i] else 0.0
        return missed
    stride = np.uint64(n_scores)
    scores = np.empty(n_scores)
    for i in range(n_rows):
        for s in range(n_scores):
            scores[s] = start[s]
        for j in range(n_columns):
            first = np.uint64(offsets[j]) + np.uint64(codes[i, j]) * stride
            for s in range(stride):
                scores[s] += tables[first + s]
        wrong[i] = find_largest(scores) != group_of[i]
        missed += weights[i] if wrong[i] else 0.0
    return missed


@kernel
def find_largest(scores):
    """Position of the largest; of equal ones the first."""
    best = 0
    for s in range(1, len(scores)):
        if scores[s] > scores[best]:
            best = s
    return best


@kernel
def mark_wrong_scores(scores, group_of, weights, wrong):
    """The same from scores that are known already."""
    missed = 0.0
    n_scores = scores.shape[1]
    for i in range(len(scores)):
        best = 1 if n_scores == 1 and scores[i, 0] > 0.0 else 0
        for s in range(1, n_scores):
            if scores[i, s] > scores[i, best]:
                best = s
        wrong[i] = best != group_of[i]
        missed += weights[i] if wrong[i] else 0.0
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
    n_scores = scores.shape[1]
    for i in range(len(scores)):
        best = 1 if n_scores == 1 and scores[i, 0] > 0.0 else 0
        for s in range(1, n_scores):
            if scores[i, s] > scores[i, best]:
                best = s
        votes[i, best] += vote
