"""Losses of a number: its mean by squared error, or a rate by the deviance of Poisson, Tweedie or gamma.

Every row has one score: the mean itself, or the log of the rate. The spread of errors is a rate too: by the likelihood
of Laplace's distribution the size of an error has the deviance of a gamma distribution.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner
from bayfold.families.boosting.kernels.histograms import unpack_word
from bayfold.families.boosting.kernels.inputs import LOG_RATE
from bayfold.families.boosting.kernels.routes import LEAF, N_LEAVES, N_NODES

NOISE_ROWS = 1000  # from which it is taken what a split at random gains

LEAST_SURPRISE = 0.3
"""Targets that are a smaller share of the rate count as this share in its curvature: few rows must not move it far."""


@inner
def find_pull(loss, data, i, score):
    """How far a row pulls its score up, and how firmly: minus the gradient of the loss, and its curvature.

    The deviance of a rate m is ``m^(2-p) / (2-p) - target m^(1-p) / (1-p)``, of p = 2 (gamma) ``log m + target / m``.
    Its curvature in log m may be zero where p > 1; half of it is taken, half of what is expected of it.
    """
    if loss == LOG_RATE:
        surprise = data.targets[i] * np.exp(-score)
        firmness = data.exposures[i] * np.exp((2.0 - data.power) * score)
        half = 0.5 * (data.power - 1.0)
        firmly = (1.0 - half) + half * max(surprise, LEAST_SURPRISE)
        return firmness * (surprise - 1.0), firmness * firmly
    return data.targets[i] - score, 1.0


@inner
def find_number_loss(loss, data, i, score):
    """The squared error, or what of half the deviance depends on the rate."""
    target = data.targets[i]
    if loss == LOG_RATE:
        p = data.power
        if p == 2.0:
            return data.exposures[i] * (score + target * np.exp(-score))
        own = np.exp((2.0 - p) * score) / (2.0 - p)
        if p == 1.0:
            return data.exposures[i] * (own - target * score)
        return data.exposures[i] * (own - target * np.exp((1.0 - p) * score) / (1.0 - p))
    return (target - score) ** 2


@inner
def find_number_pulls(loss, data, scores, rows, n_rows, pulls):
    """Write how far and how firmly each of the given rows pulls, times its weight.

    Returns two units, multiplied with which pulls become whole numbers whose sums do not leave 31 bits, and what a
    split at random gains: the squared gradients by the curvature, from some of the rows, without their weights.
    """
    # whose unit, squared, is finite
    far = 1e-100
    firmly = 1e-100
    squares = 0.0
    curvature = 1e-12
    for r in range(n_rows):
        i = rows[r]
        g, h = find_pull(loss, data, i, scores[i, 0])
        pulls[r, 0] = data.weights[i] * g
        pulls[r, 1] = data.weights[i] * h
        far += abs(pulls[r, 0])
        firmly += pulls[r, 1]
        if r < NOISE_ROWS:
            squares += g * g
            curvature += h
    largest = 2.0**30
    units = 2.0 ** np.floor(np.log2(largest / far)), 2.0 ** np.floor(np.log2(largest / firmly))
    return units[0], units[1], squares / curvature


@inner
def pack_number_gradients(pulls, n_rows, units, words):
    """One word for each row: the gradient, then the curvature."""
    for r in range(n_rows):
        words[r, 0] = (np.int64(np.rint(units[0] * pulls[r, 0])) << 32) + np.int64(
            np.rint(units[1] * pulls[r, 1])
        )


@inner
def sum_number_leaves(scratch):
    """Per leaf: the sum of gradients and the curvature, from the whole numbers that trees are grown on.

    What rounding them to 2^-30 of their sum moves a leaf by is far below what its rows differ by.
    """
    for leaf in range(N_LEAVES):
        g, h = unpack_word(scratch.nodes[N_NODES + leaf])
        scratch.sums[leaf, 0, 0] = g / scratch.units[0]
        scratch.sums[leaf, 1, 0] = h / scratch.units[1]


@inner
def move_numbers(codes, tree, at_root, at_child, values, scores):
    """Add its leaf's value to the score of every row."""
    # unsigned, so that no index is asked whether it counts from the end
    root = np.uint64(tree[0, 0])
    first = np.uint64(tree[1, 0])
    second = np.uint64(tree[2, 0])
    for i in range(codes.shape[0]):
        x = at_root[codes[i, root]]
        side = x >> 2
        leaf = LEAF[x, at_child[side, codes[i, second if side else first]]]
        scores[i, 0] += values[leaf, 0]


@inner
def sum_number_loss(loss, data, scores, fold):
    """The loss of the rows of a fold, summed."""
    total = 0.0
    for i in range(fold[0], fold[1]):
        total += data.weights[i] * find_number_loss(loss, data, i, scores[i, 0])
    return total
