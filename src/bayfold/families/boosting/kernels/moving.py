"""Rows that are moved by trees only when they are looked at.

Where a tree looks at some blocks of rows out of many more, the others need not move until their turn comes: then all
trees since are gone through at once, while a block of rows is in the cache.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel
from bayfold.families.boosting.kernels.histograms import find_most_codes
from bayfold.families.boosting.kernels.inputs import BYTE_CODES, ROWS_MOVED_AT_ONCE
from bayfold.families.boosting.kernels.losses import move_rows
from bayfold.families.boosting.kernels.routes import find_routes


@kernel
def catch_up(loss, data, fold, splits, values, n_rounds, scores, moved, first, last):
    """What ``move_by_new_trees`` does, for Python."""
    move_by_new_trees(loss, data, fold, splits, values, n_rounds, scores, moved, first, last)


@inner
def move_by_new_trees(loss, data, fold, splits, values, n_rounds, scores, moved, first, last):
    """Move rows ``first`` to ``last`` outside ``fold``, and those beside them, by the trees they have not met.

    ``moved`` holds for each block of rows how many of the ``n_rounds`` trees it has met.
    """
    at_root = np.empty(BYTE_CODES, np.uint8)
    at_child = np.empty((2, BYTE_CODES), np.uint8)
    n_codes = find_most_codes(data.n_codes)
    for block in range(first // ROWS_MOVED_AT_ONCE, -(-last // ROWS_MOVED_AT_ONCE)):
        start = block * ROWS_MOVED_AT_ONCE
        stop = min(start + ROWS_MOVED_AT_ONCE, len(scores))
        for t in range(moved[block], n_rounds):
            find_routes(splits[t], n_codes, at_root, at_child)
            for side in range(2):  # before the fold and behind it
                low = start
                high = stop
                if side == 0 and fold[0] < stop:
                    high = fold[0]
                if side == 1 and fold[1] > start:
                    low = fold[1]
                if low < high:
                    move_rows(
                        loss,
                        data.codes[low:high],
                        splits[t],
                        at_root,
                        at_child,
                        values[t],
                        scores[low:high],
                    )
        moved[block] = n_rounds
