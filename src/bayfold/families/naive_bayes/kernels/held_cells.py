"""Where the rows of a fold lie in the table of a column, and sums of logarithms over them."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.ranks import sum_bins, sum_groups

MULTIPLIED_TOGETHER = 16
"""Ratios between 1e-9 and the number of rows: so many of them multiplied are far from the largest float."""

MOST_LISTED = 3
"""Rows of a place that are listed one by one."""


@kernel
def list_held_out(inside):
    """The bins of a fold that hold rows, its cells (``bin * n_groups + group``) that do, and the rows of each group."""
    of_bin, of_group = np.empty(len(inside)), np.zeros(inside.shape[1])
    sum_bins(inside, of_bin)
    sum_groups(inside, of_group)
    return list_filled(of_bin), list_filled(inside.reshape(inside.size)), of_group


@kernel
def list_filled(rows):
    """Places that hold rows: once for each row where they are one to three, then the others and how many they hold."""
    n_single = n_several = 0
    for i in range(len(rows)):
        if rows[i] > 0.0:
            if is_listed_singly(rows[i]):
                n_single += int(rows[i])
            else:
                n_several += 1
    single, several = np.empty(n_single, np.int64), np.empty(n_several, np.int64)
    n_rows = np.empty(n_several)
    n_single = n_several = 0
    for i in range(len(rows)):
        if rows[i] > 0.0:
            if is_listed_singly(rows[i]):
                for _ in range(int(rows[i])):
                    single[n_single] = i
                    n_single += 1
            else:
                several[n_several], n_rows[n_several] = i, rows[i]
                n_several += 1
    return single, several, n_rows


@kernel
def is_listed_singly(rows):
    """Whether so many rows are few and whole."""
    return rows <= MOST_LISTED and rows == np.floor(rows)


@kernel
def sum_logs(filled, values):
    """The logarithms of the values at some places, one for each row that is there.

    Most places hold a row or two: their values are multiplied, and the logarithm is taken of some at a time.
    """
    single, several, rows = filled
    total = 0.0
    for start in range(0, len(single), MULTIPLIED_TOGETHER):
        product = 1.0
        for i in range(start, min(start + MULTIPLIED_TOGETHER, len(single))):
            product *= values[single[i]]
        total += np.log(product)
    for i in range(len(several)):
        total += rows[i] * np.log(values[several[i]])
    return total
