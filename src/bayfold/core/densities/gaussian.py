"""One normal distribution per group, from exact moments."""

from __future__ import annotations

import numpy as np

from bayfold.core.densities.frequency import Smoothing, estimate_frequencies
from bayfold.core.densities.terms import QuadraticTerm
from bayfold.core.schema import NumericColumn

POINT_VARIANCE = 1e-60
"""Without a floor a group with a single value is a point: as good as this, which stays in range."""

MAX_INVERSE_SD = 1e300
"""Infinity times a distance of zero would not be a number."""


def estimate_gaussian(
    column: int,
    column_schema: NumericColumn,
    moments: np.ndarray,
    variance_floor: float,
    missing_counts: np.ndarray | None = None,
    smoothing: Smoothing | None = None,
) -> QuadraticTerm:
    """The term of a numeric column with a Gaussian per group.

    Parameters
    ----------
    column : int
    column_schema : NumericColumn
    moments : ndarray of shape (3, n_groups)
        Sums of w, w d and w d^2 with ``d = (x - shift) / scale``.
    variance_floor : float
        Smallest variance of a group, as a share of this column's own variance. Never coupled across
        columns: rescaling one column must not change what another one says.
    missing_counts : ndarray of shape (n_groups,) or None
        Weight of missing cells per group if a missing cell is a value of its own.
    smoothing : Smoothing, optional
        For the probability of a missing cell.

    Notes
    -----
    A group without a known cell gets the distribution of all groups together. A column with a
    single value has variance zero: it gives no evidence.
    """
    n_groups = moments.shape[1]
    mean, variance = mean_and_variance(moments)
    all_mean, all_variance = mean_and_variance(moments.sum(axis=1, keepdims=True))
    missing = np.zeros(n_groups)
    known = np.zeros(n_groups)
    if missing_counts is not None and smoothing is not None:
        log_share = estimate_frequencies(np.stack([missing_counts, moments[0]]), smoothing)
        missing, known = log_share
    if not all_variance[0] > 0:
        nothing = np.zeros(n_groups)
        return QuadraticTerm(column, nothing, nothing, known, missing)
    empty = moments[0] <= 0
    mean = np.where(empty, all_mean, mean)
    floor = max(variance_floor * all_variance[0], POINT_VARIANCE)
    variance = np.where(empty, all_variance, np.maximum(variance, floor))
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        # the inverse standard deviation: a variance of 1e-320 or 1e320 would leave the floats
        inverse_sd = np.minimum(1.0 / np.sqrt(variance) / column_schema.scale, MAX_INVERSE_SD)
        constant = known - 0.5 * np.log(2.0 * np.pi * variance)
    centre = column_schema.shift + column_schema.scale * mean
    log_unit = -float(np.log(column_schema.scale))
    return QuadraticTerm(column, centre, inverse_sd, constant, missing, log_unit)


def mean_and_variance(moments: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance per group of sums of w, w d and w d^2; zero where there is no weight."""
    weight, first, second = moments
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(weight > 0, first / weight, 0.0)
        variance = np.where(weight > 0, second / weight - mean**2, 0.0)
    # rounding leaves a constant column with a variance of about 1e-16 of its mean square
    noise = 4 * np.finfo(float).eps * np.where(weight > 0, second / np.maximum(weight, 1e-300), 0.0)
    return mean, np.where(variance > noise, variance, 0.0)
