"""Counts smoothed along the ranks of a column: a kernel density that is wide where data are sparse.

The evidence of a number is a ratio of densities, which no increasing change of scale alters. So kernels are put on
ranks instead of values: heavy tails and outliers need no special care, and one bandwidth serves dense and
sparse stretches alike.
"""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter1d

from bayfold.core.densities.frequency import Smoothing, estimate_frequencies
from bayfold.core.densities.table import find_widths
from bayfold.core.densities.terms import TableTerm
from bayfold.core.kernels.codes import FIRST_BIN, MISSING
from bayfold.core.schema import NumericColumn

DEFAULT_RANK_WIDTH = 0.2
"""In units of n^(-1/5) of the ranks: the middle one of three that are tried (docs/decisions/0005)."""

N_RANK_NODES = 257
"""More than the fine bins a column can have, so that none is blurred."""

RANK_KERNEL_REACH = 4.0
"""Bandwidths after which a kernel ends."""

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
    smoothed = smooth_along_ranks(table, width * n**-0.2)
    pooled = np.maximum(smoothed.sum(axis=1, keepdims=True), 1e-300)
    total = of_group + strength
    ratio = (smoothed * n / pooled + strength) / np.where(total > 0, total, 1.0)
    ratio = np.maximum(ratio, LEAST_RATIO)
    ratio[:, total <= 0] = 1.0  # a group without rows is like all together
    return np.log(ratio) - np.log((share[:, None] * ratio).sum(axis=0))


def smooth_along_ranks(table: np.ndarray, bandwidth: float) -> np.ndarray:
    """Counts of every bin (rows) replaced by kernel sums around the middle of its ranks.

    Counts are shared out between the two of 257 equally spaced nodes around their rank, convolved, and read off again.
    """
    of_bin = table.sum(axis=1)
    middle = (np.cumsum(of_bin) - 0.5 * of_bin) / of_bin.sum()
    place = middle * (N_RANK_NODES - 1)
    left = np.minimum(place.astype(np.int64), N_RANK_NODES - 2)
    share = (place - left)[:, None]
    mass = np.zeros((N_RANK_NODES, table.shape[1]))
    np.add.at(mass, left, table * (1.0 - share))
    np.add.at(mass, left + 1, table * share)
    sigma = max(bandwidth * (N_RANK_NODES - 1), 0.5)
    mass = gaussian_filter1d(mass, sigma, axis=0, mode="constant", truncate=RANK_KERNEL_REACH)
    return (1.0 - share) * mass[left] + share * mass[left + 1]
