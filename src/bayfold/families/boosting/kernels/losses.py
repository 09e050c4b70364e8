"""What boosting asks of a loss, whichever it is.

``scores`` are what the rows have so far: probabilities of groups (``classes``), or numbers (``numbers``).
"""

from __future__ import annotations

from bayfold.core.kernels.compiler import inner
from bayfold.families.boosting.kernels.classes import (
    find_class_shares,
    move_odds,
    normalise_rows,
    pack_class_gradients,
    sum_class_leaves,
    sum_log_loss,
)
from bayfold.families.boosting.kernels.histograms import find_unit
from bayfold.families.boosting.kernels.inputs import LOG_LOSS
from bayfold.families.boosting.kernels.numbers import (
    find_number_pulls,
    move_numbers,
    pack_number_gradients,
    sum_number_leaves,
    sum_number_loss,
)

SHARE_ROWS = 1000  # rows from which the scores' shares of the curvature are taken


@inner
def pack_gradients(loss, data, total, scores, scratch, n_rows):
    """Write the words of the drawn rows and the scores' shares of the curvature.

    ``total`` is the weight of all rows. Returns the unit of the curvature, and what a split at random is expected to
    gain, in the unit of gains.
    """
    rows = scratch.rows
    if loss == LOG_LOSS:
        unit = find_unit(total)
        n_some = min(n_rows, SHARE_ROWS)
        pack_class_gradients(scores, data.labels, data.weights, rows, n_rows, unit, scratch.words)
        return unit, unit * find_class_shares(scores, data.labels, rows, n_some, scratch.shares)
    unit, firm_unit, noise = find_number_pulls(loss, data, scores, rows, n_rows, scratch.pulls)
    pack_number_gradients(scratch.pulls, n_rows, (unit, firm_unit), scratch.words)
    scratch.shares[0] = 1.0
    scratch.units[0] = unit
    scratch.units[1] = firm_unit
    return firm_unit, unit * unit / firm_unit * noise


@inner
def make_ready(loss, scores, rows, n_rows):
    """Make the scores of the drawn rows ready to be read."""
    if loss == LOG_LOSS and scores.shape[1] > 1:
        normalise_rows(scores, rows, n_rows)


@inner
def sum_leaves(loss, data, scores, scratch, n_rows, tree):
    """Per leaf and score, the sums of gradients and of curvatures of the drawn rows: ``sums[leaf, 0 or 1, score]``."""
    if loss == LOG_LOSS:
        sum_class_leaves(data, scores, scratch, n_rows, tree)
    else:
        sum_number_leaves(scratch)


@inner
def move_rows(loss, codes, tree, at_root, at_child, values, scores):
    """Move every row by its leaf's values."""
    if loss == LOG_LOSS:
        move_odds(codes, tree, at_root, at_child, values, scores)
    else:
        move_numbers(codes, tree, at_root, at_child, values, scores)


@inner
def sum_loss(loss, data, scores, fold):
    """The loss of the rows of a fold, summed."""
    if loss == LOG_LOSS:
        return sum_log_loss(scores, data.labels, data.weights, fold)
    return sum_number_loss(loss, data, scores, fold)
