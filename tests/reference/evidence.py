"""Weights of evidence, by definition."""

from __future__ import annotations

import numpy as np

from bayfold.core.densities import centre_groups


def centre_evidence(log_values, most):
    """Evidence within bounds; where nothing is known, none."""
    with np.errstate(invalid="ignore"):
        return np.clip(np.nan_to_num(centre_groups(log_values)), -most, most)


def join_evidence(evidence, places, weights):
    """The sum of each row's cells, times the weights of the columns."""
    return np.einsum("ijs,j->is", evidence[places], weights)
