"""How much each column tells about a numeric target: mutual information, as a sum of integrals over intervals."""

from __future__ import annotations

import numpy as np

from bayfold.core.densities import ExponentialTerm, TableTerm
from bayfold.core.kernels.codes import FIRST_BIN
from bayfold.families.mte.curves import Mixtures
from bayfold.families.mte.learner import MTEModel

N_GAUSS_POINTS = 32
"""Gauss points per interval: the densities are smooth within one, so this is exact to rounding."""


def mutual_information(model: MTEModel, n_columns: int) -> np.ndarray:
    """Mutual information of each column and the target, in nats; zero for columns without a term.

    Within a piece a column and the target are independent, so this is what the column tells about the piece.
    """
    prior = np.exp(model.naive.log_prior)
    prior = prior / prior.sum()
    information = np.zeros(n_columns)
    for term in model.naive.terms:
        if isinstance(term, ExponentialTerm):
            density, lengths = _at_gauss_points(Mixtures(term.cuts, term.coefficients))
        else:
            assert isinstance(term, TableTerm)
            density, lengths = _shares(term)
        information[term.column] = lengths @ _divergence(density, prior)
    return np.maximum(information, 0.0)


def _at_gauss_points(mixtures: Mixtures) -> tuple[np.ndarray, np.ndarray]:
    nodes, weights = np.polynomial.legendre.leggauss(N_GAUSS_POINTS)
    width = np.diff(mixtures.cuts)[:, None]
    z = mixtures.cuts[:-1, None] + width * (nodes + 1) / 2
    return mixtures.density(z.ravel()), (width * weights / 2).ravel()


def _shares(term: TableTerm) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of the categories that occur: rows of zeros stand for the others."""
    rows = term.log_table[FIRST_BIN:]
    rows = rows[(rows != 0).any(axis=1)]
    return np.exp(rows), np.ones(len(rows))


def _divergence(density: np.ndarray, prior: np.ndarray) -> np.ndarray:
    marginal = density @ prior
    return (density * (np.log(density) - np.log(marginal)[:, None])) @ prior
