"""A Gaussian kernel on every training value, per group: on the values, as a curve between nodes, or on their ranks.

The evidence of a number is a ratio of densities, which no increasing change of scale alters. So kernels are by default
put on ranks instead of values: heavy tails and outliers need no special care, and one bandwidth serves dense and
sparse stretches alike.
"""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter1d

from bayfold.core import kernels
from bayfold.core.densities.frequency import Smoothing, estimate_frequencies
from bayfold.core.densities.table import measure_widths
from bayfold.core.densities.terms import InterpolatedTerm, TableTerm
from bayfold.core.kernels.encode import FIRST_BIN, MISSING
from bayfold.core.schema import NumericColumn

N_VALUE_NODES = 513
"""Twice the fine bins: the narrowest kernel spans NODES_PER_BANDWIDTH of them."""

NODES_PER_BANDWIDTH = 2
"""A kernel narrower than its nodes' spacing would fall between them."""

VALUE_KERNEL_REACH = 5.0
"""Bandwidths after which a kernel ends."""

FARTHEST = 8e307
"""Numbers beyond are taken for this one, so that their distances stay finite."""

LEAST_DENSITY = 1e-9
"""Of the largest: kernels that end would rule groups out."""

SPREAD_FLOOR = 0.02
"""A group of equal values still gets a kernel: this share of the spread of the whole column."""


def estimate_kernel(
    column: int,
    column_schema: NumericColumn,
    bounds: tuple[float, float],
    counts: np.ndarray,
    smoothing: Smoothing,
    missing_is_value: bool,
) -> InterpolatedTerm:
    """The term of a numeric column with a kernel density per group.

    Parameters
    ----------
    column : int
    column_schema : NumericColumn
    bounds : tuple of float
        Smallest and largest training value. The density is normalised between them; beyond them the outermost
        node counts.
    counts : ndarray of shape (n_codes, n_groups)
        Each fine bin counts at its middle, which is its value where every value has a bin of its own.
    smoothing : Smoothing
        Its strength is the number of pseudo-rows that every group takes from the density of all groups together.
    missing_is_value : bool

    Notes
    -----
    John and Langley's flexible naive Bayes. Bandwidths follow the normal-reference rate, ``sd n^(-1/5)`` within
    the group, which is consistent, unlike the ``1 / sqrt(n)`` of the paper.
    """
    low, high = np.clip(bounds, -FARTHEST, FARTHEST).tolist()
    n_groups = counts.shape[1]
    missing = np.zeros(n_groups)
    known = np.zeros(n_groups)
    table = counts[FIRST_BIN:]
    if missing_is_value:
        shares = np.stack([counts[MISSING], table.sum(axis=0)])
        missing, known = estimate_frequencies(shares, smoothing)
    if not high > low:
        return InterpolatedTerm(column, 0.0, 1.0, np.tile(known, (2, 1)), missing)
    centres = np.clip(column_schema.centres(low, high), low, high)
    places = (centres - low) / (high - low)
    log_nodes = np.log(_densities(places, table, smoothing.strength)) + known
    return InterpolatedTerm(column, low, high, log_nodes, missing, -float(np.log(high - low)))


def _densities(places: np.ndarray, table: np.ndarray, strength: float) -> np.ndarray:
    """Density of every group at the nodes, each integrating to one from the first to the last."""
    of_group = table.sum(axis=0)
    bandwidths = find_bandwidths(places, table)
    pooled_bandwidth = find_bandwidths(places, table.sum(axis=1, keepdims=True))[0]
    pooled = _normalised(_convolve(places, table.sum(axis=1), pooled_bandwidth))
    density = np.empty((N_VALUE_NODES, table.shape[1]))
    for g, bandwidth in enumerate(bandwidths):
        density[:, g] = pooled
        if of_group[g] > 0:
            own = _normalised(_convolve(places, table[:, g], bandwidth))
            density[:, g] = (of_group[g] * own + strength * pooled) / (of_group[g] + strength)
    return density


def find_bandwidths(places: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Bandwidth of each group: ``sd n^(-1/5)``, bounded below by the grid."""
    of_group = np.maximum(table.sum(axis=0), 1e-300)
    mean = (places[:, None] * table).sum(axis=0) / of_group
    spread = np.sqrt((((places[:, None] - mean) ** 2) * table).sum(axis=0) / of_group)
    whole = table.sum(axis=1)
    centre = (places * whole).sum() / max(whole.sum(), 1e-300)
    all_spread = np.sqrt((((places - centre) ** 2) * whole).sum() / max(whole.sum(), 1e-300))
    spread = np.maximum(spread, SPREAD_FLOOR * all_spread)
    return np.maximum(
        spread * np.maximum(of_group, 1.0) ** -0.2, NODES_PER_BANDWIDTH / N_VALUE_NODES
    )


def _convolve(places: np.ndarray, weights: np.ndarray, bandwidth: float) -> np.ndarray:
    """Kernels on values that are first shared out between the two nodes around each: a convolution."""
    position = places * (N_VALUE_NODES - 1)
    left = np.minimum(position.astype(np.int64), N_VALUE_NODES - 2)
    right_share = weights * (position - left)
    mass = np.bincount(left, weights - right_share, N_VALUE_NODES)
    mass += np.bincount(left + 1, right_share, N_VALUE_NODES)
    return gaussian_filter1d(
        mass, bandwidth * (N_VALUE_NODES - 1), mode="constant", truncate=VALUE_KERNEL_REACH
    )


def _normalised(density: np.ndarray) -> np.ndarray:
    """Integral one by the trapezoid rule over nodes from 0 to 1; nowhere quite zero, as no Gaussian is."""
    density = np.maximum(density, LEAST_DENSITY * density.max())
    total = (density.sum() - 0.5 * (density[0] + density[-1])) / (len(density) - 1)
    return density / total


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
