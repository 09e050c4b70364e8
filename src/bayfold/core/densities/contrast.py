"""From log-probabilities per group to weights of evidence."""

from __future__ import annotations

import numpy as np


def centre_groups(log_values: np.ndarray) -> np.ndarray:
    """Weights of evidence from log-probabilities with one entry per group along the last axis.

    Two groups: ``log p(v | second) - log p(v | first)``, one column. More: each group's value less the mean over
    groups. Either way the weights of a row's cells add up to the decision function.

    Impossible values (minus infinity, only without smoothing) are left out of the mean, so that they
    rule out their own group and no other.

    Examples
    --------
    >>> centre_groups(np.log(np.array([[0.2, 0.4]]))).round(4)
    array([[0.6931]])
    """
    if log_values.shape[-1] == 2:
        impossible = np.isneginf(log_values).all(axis=-1, keepdims=True)
        both = np.where(impossible, 0.0, log_values)
        return both[..., 1:] - both[..., :1]
    finite = np.isfinite(log_values)
    total = np.where(finite, log_values, 0.0).sum(axis=-1, keepdims=True)
    return log_values - total / np.maximum(finite.sum(axis=-1, keepdims=True), 1)
