"""Kernels of naive Bayes models in leaves: counts to evidence, scores of rows, and how often a model is right on a row
left out of its counts.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel
from bayfold.core.kernels.encode import FIRST_BIN

ALMOST_NOTHING = 1e-9
"""A value left by the row itself only; above zero because weights are subtracted in floating point."""


@kernel
def score_left_out(
    codes,
    rows,
    nodes,
    weights,
    shares,
    group_of,
    starts,
    counts,
    known,
    is_used,
    m,
    all_rows,
    right,
):
    """Add to ``right[node]`` the weight of rows that the node's other rows predict.

    An entry stands for all rows like it, of which ``shares[row]`` are left out at once.

    Taking an entry out of ``counts[node, starts[j] + code, g]`` is a subtraction, so nothing is fitted again.
    ``known[node, j, g]`` is the weight with a known cell, and its last column (j = number of columns) that of all
    rows.
    """
    n_columns = codes.shape[1]
    n_groups = counts.shape[2]
    scores = np.empty(n_groups)
    for e in range(len(rows)):
        i = rows[e]
        p = nodes[e]
        weight = weights[e]
        own = group_of[i]
        out = weight * shares[i]
        for g in range(n_groups):
            scores[g] = np.log(max(known[p, n_columns, g] - (out if g == own else 0.0), 0.0) + 1)
        for j in range(n_columns):
            if codes[i, j] < FIRST_BIN or is_used[p, j]:
                continue
            k = starts[j] + np.int64(codes[i, j])
            of = n_columns if all_rows else j
            add_left_out_column(counts, p, k, known, of, own, out, m, scores)
        best = 0
        for g in range(1, n_groups):
            if scores[g] > scores[best]:
                best = g
        right[p] += weight if best == own else 0.0


@inner
def add_left_out_column(counts, p, k, known, of, own, weight, m, scores):
    """Add the log-probability of one value in each group, the entry itself taken out."""
    of_value = -weight
    total = -weight
    for g in range(len(scores)):
        of_value += counts[p, k, g]
        total += known[p, of, g]
    if of_value <= ALMOST_NOTHING:
        return
    expected = m * of_value / total
    for g in range(len(scores)):
        out = weight if g == own else 0.0
        both = max(counts[p, k, g] - out, 0.0) + expected
        scores[g] += np.log(both / (max(known[p, of, g] - out, 0.0) + m))


@kernel
def estimate_leaves(counts, starts, n_codes, is_used, m, all_rows, evidence, prior):
    """Write the weights of evidence of every leaf, and its prior to ``prior[l, 0]``.

    ``counts[l, starts[j] + code, g]`` is the weight of a leaf's rows. The probability of a value is
    ``(n_vg + m n_v / n) / (n_g + m)``, where n and n_g count all rows of the leaf if ``all_rows`` and
    otherwise those in which the cell is known; the prior is by Laplace's rule. ``is_used[l, j]`` marks columns that
    were split by on the way to the leaf: like missing cells and values that do not occur in it, they say nothing.
    """
    n_leaves, _, n_groups = counts.shape
    weights = np.empty(n_groups)
    of_group = np.empty(n_groups)
    for leaf in range(n_leaves):
        sum_codes(counts, leaf, 0, n_codes[0], of_group)
        for g in range(n_groups):
            weights[g] = np.log(of_group[g] + 1.0)
        write_contrast(weights, prior, leaf, 0)
        for j in range(len(starts)):
            if is_used[leaf, j]:
                continue
            start = starts[j] + FIRST_BIN
            stop = starts[j] + n_codes[j]
            sum_codes(counts, leaf, start if not all_rows else starts[j], stop, of_group)
            estimate_column(counts, leaf, start, stop, of_group, m, weights, evidence)


@inner
def sum_codes(counts, leaf, start, stop, of_group):
    """Weight of each group over a range of codes."""
    of_group[:] = 0.0
    for k in range(start, stop):
        for g in range(len(of_group)):
            of_group[g] += counts[leaf, k, g]


@inner
def estimate_column(counts, leaf, start, stop, of_group, m, weights, evidence):
    """Evidence of the values of one column."""
    n_groups = len(of_group)
    total = 0.0
    for g in range(n_groups):
        total += of_group[g]
    for k in range(start, stop):
        of_value = 0.0
        for g in range(n_groups):
            of_value += counts[leaf, k, g]
        if of_value > 0.0:
            expected = m * of_value / total
            for g in range(n_groups):
                weights[g] = np.log((counts[leaf, k, g] + expected) / (of_group[g] + m))
            write_contrast(weights, evidence, leaf, k)


@inner
def write_contrast(log_values, out, leaf, k):
    """Two groups: their difference; more: each less the mean over groups."""
    n_groups = len(log_values)
    if out.shape[2] == 1 and n_groups == 2:
        out[leaf, k, 0] = log_values[1] - log_values[0]
    else:
        mean = 0.0
        for g in range(n_groups):
            mean += log_values[g]
        mean /= n_groups
        for g in range(n_groups):
            out[leaf, k, g] = log_values[g] - mean


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
        n_pending = 1
        n_mixed = 0
        nodes[0] = 0
        fractions[0] = 1.0
        mixture[:] = 0.0
        while n_pending > 0:
            n_pending -= 1
            node = nodes[n_pending]
            fraction = fractions[n_pending]
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


@inner
def score_leaf(codes, i, leaf, starts, evidence, prior, scores):
    """Prior plus evidence of one row in one leaf."""
    n_scores = scores.shape[1]
    for s in range(n_scores):
        scores[i, s] = prior[leaf, s]
    for j in range(codes.shape[1]):
        k = starts[j] + np.int64(codes[i, j])
        for s in range(n_scores):
            scores[i, s] += evidence[leaf, k, s]


@inner
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


@inner
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
