"""Pairs of cells, one at a time; averaged one-dependence estimators with plain logarithms and sums."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np


def count_pairs(positions, groups, weights, shape):
    """The table of pairs in the order of the columns."""
    counts = np.zeros(shape)
    for row, group, weight in zip(positions, groups, weights, strict=True):
        for p, q in combinations([p for p in row if p >= 0], 2):
            counts[p, q, group] += weight
    return counts


def score_one_dependence(positions, is_parent, log_joint, log_given, log_prior, log_naive, scores):
    """The scores with the log of the mean over parents added."""
    found = scores.copy()
    for i, row in enumerate(positions):
        known = [p for p in row if p >= 0]
        for g in range(scores.shape[1]):
            parents = [
                log_joint[p, g] + math.fsum(log_given[p, q, g] for q in known if q != p)
                for p in known
                if is_parent[p]
            ]
            naive = log_prior[g] + math.fsum(log_naive[q, g] for q in known)
            found[i, g] += log_mean(parents) if parents else naive
    return found


def log_mean(logs):
    """The log of the mean of exponentials."""
    top = max(logs)
    if top == -math.inf:
        return top
    return top + math.log(math.fsum(math.exp(x - top) for x in logs) / len(logs))
