"""Any term as a table over codes."""

from __future__ import annotations

import numpy as np

from bayfold.core.densities.terms import (
    CurveTerm,
    ExponentialTerm,
    InterpolatedTerm,
    QuadraticTerm,
    TableTerm,
    Term,
)
from bayfold.core.kernels.codes import FIRST_BIN, MISSING, UNSEEN


def tabulate(term: Term, centres: np.ndarray | None) -> np.ndarray:
    """Log-probability by code and group, for curves taken at ``centres``, one number per code (of a numeric column)."""
    if isinstance(term, TableTerm):
        return term.log_table
    assert centres is not None
    if isinstance(term, ExponentialTerm):
        return _exponential(term, centres)
    if isinstance(term, QuadraticTerm):
        table = _quadratic(term, centres)
    elif isinstance(term, CurveTerm):  # given at one place within each bin
        table = np.concatenate([np.zeros((FIRST_BIN, term.log_nodes.shape[1])), term.log_nodes])
    else:
        table = _curve(term, centres)
    table[MISSING] = term.missing
    table[UNSEEN] = 0.0
    return table


def _quadratic(term: QuadraticTerm, centres: np.ndarray) -> np.ndarray:
    z = (centres[:, None] - term.mean) * term.inverse_sd
    return term.constant - 0.5 * z * z


def _curve(term: InterpolatedTerm, centres: np.ndarray) -> np.ndarray:
    last = len(term.log_nodes) - 1
    place = np.nan_to_num((centres - term.low) / (term.high - term.low)) * last
    place = np.clip(place, 0.0, last)
    node = np.minimum(place.astype(np.int64), last - 1)
    share = (place - node)[:, None]
    return (1.0 - share) * term.log_nodes[node] + share * term.log_nodes[node + 1]


def _exponential(term: ExponentialTerm, centres: np.ndarray) -> np.ndarray:
    from bayfold.families.mte.curves import Mixtures

    z = np.nan_to_num((centres - term.low) / (term.high - term.low))
    table = term.weight * np.log(Mixtures(term.cuts, term.coefficients).density(z))
    table[:FIRST_BIN] = 0.0
    return table
