"""Posterior means, and their squared error with a gradient by differences."""

from __future__ import annotations

import numpy as np
from scipy.special import softmax


def read_means(scores, values):
    """The expectation of ``values`` under each row's posterior."""
    return np.array([softmax(row) @ values for row in scores])


def score_squared_error(evidence, log_prior, column_weights, values, target, row_weights):
    """The loss alone: its gradient is checked by differences."""
    scores = log_prior + np.einsum("ijg,j->ig", evidence, column_weights)
    return float(row_weights @ (read_means(scores, values) - target) ** 2)
