"""Counts smoothed along the ranks of a column: a kernel density that is wide where data are sparse.

The evidence of a number is a ratio of densities, which no increasing change of scale alters. So kernels are put on
ranks instead of values: heavy tails and outliers need no special care, and one bandwidth serves dense and
sparse stretches alike.
"""

from __future__ import annotations

import numpy as np

from bayfold.core import kernels
from bayfold.core.densities.frequency import Smoothing, estimate_frequencies
from bayfold.core.densities.table import find_widths
from bayfold.core.densities.terms import TableTerm
from bayfold.core.kernels.codes import FIRST_BIN, MISSING
from bayfold.core.schema import NumericColumn

DEFAULT_RANK_WIDTH = 0.2
"""In units of n^(-1/5) of the ranks: the middle one of three that are tried (docs/decisions/0005)."""

LEAST_RATIO = 1e-9
"""No group is ruled out where its kernels have ended: a Gaussian never quite does."""


def estimate_smooth(
    column: int,
    described: NumericColumn,
    bounds: tuple[float, float],
    counts: np.ndarray,
    smoothing: Smoothing,
    missing_is_value: bool,
    width: float = DEFAULT_RANK_WIDTH,
) -> TableTerm:
    """The term of a numeric column whose counts are smoothed along its ranks.

    Parameters
    ----------
    column : int
    described : NumericColumn
    bounds : tuple of float
        Smallest and largest training value.
    counts : ndarray of shape (n_codes, n_groups)
    smoothing : Smoothing
        Its strength is the number of pseudo-rows that every group takes from all groups together.
    missing_is_value : bool
    width : float
        The bandwidth is ``width n^(-1/5)`` of the ranks, which run from 0 to 1.

    Notes
    -----
    Empty bins get the evidence of their neighbourhood, unlike those of a discretized column.
    """
    table = counts[FIRST_BIN:]
    log_table = np.zeros(counts.shape)
    log_unit = np.zeros(len(counts))
    of_bin = table.sum(axis=1)
    share = (of_bin + 1.0 / len(of_bin)) / (of_bin.sum() + 1.0)
    log_table[FIRST_BIN:] = _log_ratios(table, share, width, smoothing.strength)
    every_bin = np.arange(len(table))
    log_unit[FIRST_BIN:] = np.log(share) - np.log(find_widths(described, every_bin, *bounds))
    if missing_is_value:
        missing, known = estimate_frequencies(
            np.stack([counts[MISSING], table.sum(axis=0)]), smoothing
        )
        log_table[MISSING] = missing
        log_table[FIRST_BIN:] += known
    return TableTerm(column, log_table, None, log_unit)


def _log_ratios(table: np.ndarray, share: np.ndarray, width: float, strength: float) -> np.ndarray:
    """Log-density of each group relative to all groups together, at every bin."""
    of_group = table.sum(axis=0)
    n = of_group.sum()
    if n <= 0 or len(table) < 2:
        return np.zeros(table.shape)
    smoothed = np.empty(table.shape)
    kernels.smooth_along_ranks(np.ascontiguousarray(table), width * n**-0.2, smoothed)
    pooled = np.maximum(smoothed.sum(axis=1, keepdims=True), 1e-300)
    total = of_group + strength
    ratio = (smoothed * n / pooled + strength) / np.where(total > 0, total, 1.0)
    ratio = np.maximum(ratio, LEAST_RATIO)
    ratio[:, total <= 0] = 1.0  # a group without rows is like all together
    return np.log(ratio) - np.log((share[:, None] * ratio).sum(axis=0))
