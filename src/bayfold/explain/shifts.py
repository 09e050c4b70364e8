"""Why a mean was predicted: how far each column moved it, and how far it narrowed the distribution."""

from __future__ import annotations

import numpy as np

from bayfold.explain.records import Records
from bayfold.explain.rows import PRIOR, shown_values
from bayfold.frames import Table
from bayfold.learners.regression_predictor import RegressionPredictor
from bayfold.model import Scorer
from bayfold.model.distribution import GridDistribution
from bayfold.model.regression import posterior

N_POWERS = 16
"""Gauss points of the integral over the power with which the evidence enters."""


def explain_shifts(predictor: RegressionPredictor, table: Table) -> Records:
    """Records of row, column, value, shift and variance; the first of each row is the prior."""
    model = predictor.model
    block = predictor.coder.open(table).block(0, table.n_rows)
    evidence = np.stack(
        [
            Scorer(model, centred=False, columns=[j], with_prior=False).score(block)
            for j in range(len(model.terms))
        ],
        axis=1,
    )
    shifts, variances = share_out(evidence, model.log_prior, predictor.regression.grid)
    n_rows, n_columns = shifts.shape
    values = [np.full(n_rows, None, object)]
    values += [shown_values(column, table, j) for j, column in enumerate(model.schema.columns)]
    names = np.array([PRIOR, *model.schema.names], object)
    return Records(
        {
            "row": np.repeat(np.arange(n_rows), n_columns),
            "column": np.tile(names, n_rows),
            "value": np.stack(values, axis=1).ravel(),
            "shift": shifts.ravel(),
            "variance": variances.ravel(),
        }
    )


def share_out(
    evidence: np.ndarray, log_prior: np.ndarray, grid: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Shifts of the mean and changes of the variance by the prior and each column.

    Parameters
    ----------
    evidence : ndarray of shape (n_rows, n_columns, n_grid)
    log_prior, grid : ndarray of shape (n_grid,)

    Returns
    -------
    shifts, variances : ndarray of shape (n_rows, 1 + n_columns)
        Adding up to the mean and the variance of each row's distribution.
    """
    n_rows, n_columns, _ = evidence.shape
    together = evidence.sum(axis=1)
    prior = GridDistribution(grid, posterior(log_prior[None, :]))
    full = GridDistribution(grid, posterior(log_prior + together))
    shifts, variances = np.zeros((2, n_rows, n_columns))
    nodes, lengths = np.polynomial.legendre.leggauss(N_POWERS)
    for t, length in zip((nodes + 1) / 2, lengths / 2, strict=True):
        mass = posterior(log_prior + t * together)
        centred = grid - (mass @ grid)[:, None]
        spread = centred**2 - (mass * centred**2).sum(axis=1, keepdims=True)
        shifts += length * np.einsum("ng,njg->nj", mass * centred, evidence)
        variances += length * np.einsum("ng,njg->nj", mass * spread, evidence)
    shifts = _close(shifts, full.mean() - prior.mean())
    variances = _close(variances, full.var() - prior.var())
    return (
        np.concatenate([np.tile(prior.mean(), (n_rows, 1)), shifts], axis=1),
        np.concatenate([np.tile(prior.var(), (n_rows, 1)), variances], axis=1),
    )


def _close(shares: np.ndarray, total: np.ndarray) -> np.ndarray:
    """What the quadrature left over, given to the columns in proportion to what they did."""
    size = np.abs(shares)
    whole = size.sum(axis=1, keepdims=True)
    part = np.divide(size, whole, out=np.zeros_like(size), where=whole > 0)
    return shares + part * (total - shares.sum(axis=1))[:, None]
