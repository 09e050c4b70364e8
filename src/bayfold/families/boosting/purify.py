"""Tables of several columns without what fewer of them say: weighted means along columns move to smaller tables."""

from __future__ import annotations

import numpy as np

from bayfold.families.boosting import kernels

SWEEPS = 100
"""A bound on the purification of a table, which ends by PURE_ENOUGH."""

PURE_ENOUGH = 1e-6
"""Means this small beside the largest entry stay where they are."""


def purify(table: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Subtract weighted means of rows and columns in turn until they are negligible; returns what was subtracted.

    Parameters
    ----------
    table : ndarray of shape (n_rows, n_columns, n_scores)
        Changed in place. Row 0 and column 0 stay as they are: they give no evidence.
    weights : ndarray of shape (n_rows, n_columns)

    Returns
    -------
    of_row, of_column : ndarray
        ``table + of_row[:, None] + of_column[None]`` is what the table was.
    """
    of_row = np.zeros((len(table), table.shape[2]))
    of_column = np.zeros((table.shape[1], table.shape[2]))
    tolerance = PURE_ENOUGH * float(np.abs(table).max(initial=0.0))
    kernels.purify_table(table, weights, of_row, of_column, SWEEPS, tolerance)
    return of_row, of_column


def purify_cells(table: np.ndarray, weights: np.ndarray) -> list[np.ndarray]:
    """Subtract weighted means along each column in turn until they are negligible; returns what was subtracted.

    Parameters
    ----------
    table : ndarray of shape (n_bins, n_bins, [n_bins,] n_scores)
        Changed in place; bin 0 of each column, which gives no evidence, stays as it is.
    weights : ndarray of the same shape without scores

    Returns
    -------
    margins : list of ndarray
        For each column the table of the others that has its means: ``table`` and all of them, each repeated along its
        column, add up to what the table was.
    """
    known = (slice(1, None),) * weights.ndim
    inner = table[known]
    rows = weights[known][..., None]
    margins = [np.zeros(np.delete(table.shape, axis)) for axis in range(weights.ndim)]
    tolerance = PURE_ENOUGH * float(np.abs(table).max(initial=0.0))
    for _ in range(SWEEPS):
        largest = 0.0
        for axis, margin in enumerate(margins):
            total = rows.sum(axis=axis)
            mean = (rows * inner).sum(axis=axis) / np.where(total > 0, total, 1.0)
            inner -= np.expand_dims(mean, axis)
            margin[known[1:]] += mean
            largest = max(largest, float(np.abs(mean).max(initial=0.0)))
        if largest <= tolerance:
            break
    return margins
