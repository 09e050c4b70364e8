"""Counts smoothed along the ranks of a column: a kernel density that is wide where data are sparse.

The evidence of a number is a ratio of densities, which no increasing change of scale alters. So kernels are put on
ranks instead of values: heavy tails and outliers need no special care, and one bandwidth serves dense and
sparse stretches alike.
"""

from __future__ import annotations

import numpy as np

from bayfold.core import kernels
from bayfold.core.densities.frequency import Smoothing, estimate_frequencies
from bayfold.core.densities.table import measure_widths
from bayfold.core.densities.terms import TableTerm
from bayfold.core.kernels.encode import FIRST_BIN, MISSING
from bayfold.core.schema import NumericColumn

DEFAULT_RANK_WIDTH = 0.2
"""In units of n^(-1/5) of the ranks: the middle one of those above zero that are tried (docs/decisions/0005)."""


def estimate_smooth(
    column: int,
    column_schema: NumericColumn,
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
    column_schema : NumericColumn
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
    of_bin = counts[FIRST_BIN:].sum(axis=1)
    share = (of_bin + 1.0 / len(of_bin)) / (of_bin.sum() + 1.0)
    widths = measure_widths(column_schema.edges, *bounds)
    log_unit = np.concatenate([np.zeros(FIRST_BIN), np.log(share) - np.log(widths)])
    log_table = smooth_log_tables(counts[None], smoothing, missing_is_value, width)[0]
    return TableTerm(column, log_table, None, log_unit)


def smooth_log_tables(
    counts: np.ndarray,
    smoothing: Smoothing,
    missing_is_value: bool,
    width: float,
) -> np.ndarray:
    """Log-densities relative to all groups together, of counts of the shape (n_tables, n_codes, n_groups)."""
    known = np.ascontiguousarray(counts[:, FIRST_BIN:])
    log_tables = np.empty(counts.shape)
    log_tables[:, :FIRST_BIN] = 0.0
    odds = np.empty(known.shape)
    kernels.estimate_rank_odds(known, width, smoothing.strength, odds)
    np.log(odds, out=log_tables[:, FIRST_BIN:])
    if missing_is_value:
        both = np.stack([counts[:, MISSING], known.sum(axis=1)], axis=1)
        frequencies = estimate_frequencies(both, smoothing)
        log_tables[:, MISSING] = frequencies[:, 0]
        log_tables[:, FIRST_BIN:] += frequencies[:, 1:]
    return log_tables
