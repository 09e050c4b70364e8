"""Evidence of two groups: one number for each cell, for the second of them."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel


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


@kernel
def score_four(odds, weights, intercept, scores):
    """The scores of four rows, side by side: each sum waits for its last summand."""
    first = second = third = fourth = intercept
    for j in range(odds.shape[1]):
        weight = weights[j]
        first += weight * odds[0, j]
        second += weight * odds[1, j]
        third += weight * odds[2, j]
        fourth += weight * odds[3, j]
    scores[0], scores[1], scores[2], scores[3] = first, second, third, fourth
