"""How much each column tells about a numeric target: mutual information, as a sum of integrals over intervals."""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from bayfold.core.densities import TableTerm, Term
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.families.mte.learner import MTEModel
from bayfold.families.mte.term import ExponentialTerm, OwnExponentialTerm

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
        density, lengths = find_piece_shares(term)
        information[term.column] = lengths @ _divergence(density, prior)
    return np.maximum(information, 0.0)


@singledispatch
def find_piece_shares(term: Term) -> tuple[np.ndarray, np.ndarray]:
    """Densities of every group at some points, and the lengths that add these points up to an integral."""
    raise NotImplementedError(term.kind)


@find_piece_shares.register
def _at_gauss_points(term: ExponentialTerm) -> tuple[np.ndarray, np.ndarray]:
    z, lengths = _find_gauss_points(term.cuts)
    return term.mixtures.density(z), lengths


@find_piece_shares.register
def _at_gauss_points_of_all(term: OwnExponentialTerm) -> tuple[np.ndarray, np.ndarray]:
    z, lengths = _find_gauss_points(np.unique(term.cuts))
    return term.density(z), lengths


def _find_gauss_points(cuts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    nodes, weights = np.polynomial.legendre.leggauss(N_GAUSS_POINTS)
    width = np.diff(cuts)[:, None]
    z = cuts[:-1, None] + width * (nodes + 1) / 2
    return z.ravel(), (width * weights / 2).ravel()


@find_piece_shares.register
def _of_categories(term: TableTerm) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of the categories that occur: rows of zeros stand for the others."""
    rows = term.log_table[FIRST_BIN:]
    rows = rows[(rows != 0).any(axis=1)]
    return np.exp(rows), np.ones(len(rows))


def _divergence(density: np.ndarray, prior: np.ndarray) -> np.ndarray:
    marginal = density @ prior
    return (density * (np.log(density) - np.log(marginal)[:, None])) @ prior
