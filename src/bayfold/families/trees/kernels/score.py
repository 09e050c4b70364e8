"""Scores of rows by a tree with naive Bayes leaves."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel


@kernel
def score_tree(
    split_codes,
    codes,
    column,
    code_offset,
    child_of_code,
    first_child,
    n_children,
    share,
    leaf_of,
    starts,
    evidence,
    prior,
    scores,
):
    """Scores of rows by the leaf they fall into; by the mixture of leaves where a cell says nothing.

    ``split_codes`` and ``codes`` are the same rows, in the bins of the splits and in those of the leaves. The nodes are
    numbered so that the children of one follow each other.
    """
    n_scores = scores.shape[1]
    nodes = np.empty(len(column), np.int64)
    fractions = np.empty(len(column))
    mixture = np.empty(max(n_scores, 2))
    for i in range(len(split_codes)):
        n_pending, n_mixed = 1, 0
        nodes[0], fractions[0] = 0, 1.0
        mixture[:] = 0.0
        while n_pending > 0:
            n_pending -= 1
            node, fraction = nodes[n_pending], fractions[n_pending]
            while column[node] >= 0:
                child = child_of_code[code_offset[node] + np.int64(split_codes[i, column[node]])]
                if child < 0:
                    child = first_child[node]
                    for other in range(child + 1, child + n_children[node]):
                        nodes[n_pending] = other
                        fractions[n_pending] = fraction * share[other]
                        n_pending += 1
                    fraction *= share[child]
                node = child
            score_leaf(codes, i, leaf_of[node], starts, evidence, prior, scores)
            if n_pending > 0 or n_mixed > 0:
                add_probabilities(scores, i, fraction, mixture)
                n_mixed += 1
        if n_mixed > 0:
            write_log_mixture(mixture, scores, i)


@kernel
def score_leaf(codes, i, leaf, starts, evidence, prior, scores):
    """Prior plus evidence of one row in one leaf."""
    n_scores = scores.shape[1]
    for s in range(n_scores):
        scores[i, s] = prior[leaf, s]
    for j in range(codes.shape[1]):
        k = starts[j] + np.int64(codes[i, j])
        for s in range(n_scores):
            scores[i, s] += evidence[leaf, k, s]


@kernel
def add_probabilities(scores, i, fraction, mixture):
    """Add a fraction of the probabilities that the scores of a row stand for."""
    n_scores = scores.shape[1]
    if n_scores == 1:
        mixture[0] += fraction / (1.0 + np.exp(scores[i, 0]))
        mixture[1] += fraction / (1.0 + np.exp(-scores[i, 0]))
        return
    top = scores[i, 0]
    for s in range(1, n_scores):
        top = max(top, scores[i, s])
    total = 0.0
    for s in range(n_scores):
        total += np.exp(scores[i, s] - top)
    for s in range(n_scores):
        mixture[s] += fraction * np.exp(scores[i, s] - top) / total


@kernel
def write_log_mixture(mixture, scores, i):
    """The scores that stand for mixed probabilities."""
    n_scores = scores.shape[1]
    smallest = 1e-300  # of a probability that left the floats
    if n_scores == 1:
        scores[i, 0] = np.log(max(mixture[1], smallest)) - np.log(max(mixture[0], smallest))
        return
    mean = 0.0
    for s in range(n_scores):
        scores[i, s] = np.log(max(mixture[s], smallest))
        mean += scores[i, s] / n_scores
    for s in range(n_scores):
        scores[i, s] -= mean
