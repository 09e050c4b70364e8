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


def take_odds(evidence, places):
    """The only number at each place."""
    return evidence[places][..., 0]


def join_odds(odds, weights):
    """The sum of each row's odds, times the weights of the columns."""
    return odds @ weights


def find_code_places(codes, rows, fold_of, columns, starts, n_codes, places):
    """Where the evidence of each cell lies, beside what the places of other columns are."""
    found = places.copy()
    for i, (row, fold) in enumerate(zip(rows, fold_of, strict=True)):
        for k, j in enumerate(columns):
            if fold >= 0:
                found[i, j] = starts[k] + fold * n_codes[k] + codes[row, k]
    return found
