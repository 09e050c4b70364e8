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


def update_other_half(pairs):
    """Both halves of a table of which one is empty."""
    return pairs + pairs.transpose(1, 0, 2)


def update_to_log_given(pairs, column_of, added, log_added, log_of_parent, log_naive):
    """Log-probabilities of one value given another; the logarithm of what is added is taken anew."""
    with np.errstate(divide="ignore", invalid="ignore"):
        log_given = np.log(pairs + added) - log_of_parent[:, column_of]
    return np.where(np.isnan(log_given), log_naive, log_given)


def log_mean(logs):
    """The log of the mean of exponentials."""
    top = max(logs)
    if top == -math.inf:
        return top
    return top + math.log(math.fsum(math.exp(x - top) for x in logs) / len(logs))
