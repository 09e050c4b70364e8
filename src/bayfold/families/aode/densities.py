"""Smoothed frequencies of pairs of values: of a value with its group, and of a value given another one."""

from __future__ import annotations

import numpy as np

from bayfold.core.densities.frequency import Smoothing
from bayfold.families.aode import kernels


def estimate_joint(counts: np.ndarray, starts: np.ndarray, smoothing: Smoothing) -> np.ndarray:
    """Log-probability of every value together with every group, column by column.

    Parameters
    ----------
    counts : ndarray of shape (n_values, n_groups)
        Over the values of all columns, one column behind the other.
    starts : ndarray of int
        The position of each column's first value.
    smoothing : Smoothing
        The values that occur and the groups share its pseudo-rows evenly.
    """
    column_of = _columns(starts, len(counts))
    n_cells = _occurring(counts, starts) * counts.shape[1]
    known = np.add.reduceat(counts.sum(axis=1), starts)
    strength = smoothing.strength
    if smoothing.kind == "additive":
        added, total = np.full(len(known), strength), known + strength * n_cells
    else:
        added, total = strength / np.maximum(n_cells, 1), known + strength
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(counts + added[column_of][:, None]) - np.log(total)[column_of][:, None]


def update_to_given(
    pairs: np.ndarray,
    counts: np.ndarray,
    starts: np.ndarray,
    log_naive: np.ndarray,
    smoothing: Smoothing,
) -> np.ndarray:
    """Turn counts of pairs into the log-probability of value q given value p of another column and the group.

    In their place, because a table of pairs is the largest thing here.

    Parameters
    ----------
    pairs : ndarray of shape (n_values, n_values, n_groups)
        Counts of pairs, both halves; after this the log-probabilities at ``[p, q, group]``, which are returned too.
    counts : ndarray of shape (n_values, n_groups)
    starts : ndarray of int
        The position of each column's first value.
    log_naive : ndarray of shape (n_values, n_groups)
        Log-probability of q given the group alone: what is left where p tells nothing of q.
    smoothing : Smoothing
        Additive: the same for every value of q's column that occurs. M-estimate: pseudo-rows
        spread as q is within the group, so that few rows of p fall back to naive Bayes.
    """
    of_parent = np.add.reduceat(pairs, starts, axis=1)
    if smoothing.kind == "additive":
        added = np.full(log_naive.shape, smoothing.strength)
        of_parent += smoothing.strength * _occurring(counts, starts)[:, None]
    else:
        added = smoothing.strength * np.exp(log_naive)
        of_parent += smoothing.strength
    with np.errstate(divide="ignore"):
        logs = np.log(added), np.log(of_parent)
    kernels.update_to_log_given(pairs, _columns(starts, len(counts)), added, *logs, log_naive)
    return pairs


def _columns(starts: np.ndarray, n_values: int) -> np.ndarray:
    return np.repeat(np.arange(len(starts)), np.diff(np.append(starts, n_values)))


def _occurring(counts: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """How many values of each column occur."""
    return np.add.reduceat((counts.sum(axis=1) > 0).astype(np.float64), starts)
