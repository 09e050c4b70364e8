"""Why a mean was predicted: how far each column moved it, and how far it narrowed the distribution."""

from __future__ import annotations

import numpy as np

from bayfold.core.evidence.records import Records
from bayfold.core.evidence.rows import PRIOR, shown_values
from bayfold.core.frames import Table
from bayfold.core.scoring import Scorer
from bayfold.core.scoring.distribution import triangle_means, triangle_variances
from bayfold.core.scoring.predictor import Predictor
from bayfold.core.scoring.regression import posterior

N_POWERS = 16
"""Gauss points of the integral over the power with which the evidence enters."""


def explain_shifts(predictor: Predictor, grid: np.ndarray, table: Table) -> Records:
    """Records of row, column, value, shift and variance; the first of each row is the prior."""
    return record_shifts(predictor, table, triangle_means(grid), triangle_variances(grid))


def record_shifts(
    predictor: Predictor, table: Table, means: np.ndarray, variances: np.ndarray
) -> Records:
    """The records of a model over groups of the target with these means and variances."""
    model = predictor.model
    block = predictor.coder.open(table).block(0, table.n_rows)
    n_columns = len(model.schema.columns)
    evidence = np.stack(
        [
            Scorer(model, centred=False, columns=[j], with_prior=False).score(block)
            for j in range(n_columns)
        ],
        axis=1,
    )
    shifts, changes = share_out(evidence, model.log_prior, means, variances)
    n_rows = table.n_rows
    values = [np.full(n_rows, None, object)]
    values += [shown_values(column, table, j) for j, column in enumerate(model.schema.columns)]
    names = np.array([PRIOR, *model.schema.names], object)
    return Records(
        {
            "row": np.repeat(np.arange(n_rows), 1 + n_columns),
            "column": np.tile(names, n_rows),
            "value": np.stack(values, axis=1).ravel(),
            "shift": shifts.ravel(),
            "variance": changes.ravel(),
        }
    )


def share_out(
    evidence: np.ndarray, log_prior: np.ndarray, means: np.ndarray, variances: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Shifts of the mean and changes of the variance by the prior and each column.

    Parameters
    ----------
    evidence : ndarray of shape (n_rows, n_columns, n_groups)
    log_prior : ndarray of shape (n_groups,)
    means, variances : ndarray of shape (n_groups,)
        Of the target within each group.

    Returns
    -------
    shifts, changes : ndarray of shape (n_rows, 1 + n_columns)
        Adding up to the mean and the variance of each row's distribution.
    """
    n_rows, n_columns, _ = evidence.shape
    together = evidence.sum(axis=1)
    prior = _moments(posterior(log_prior[None, :]), means, variances)
    full = _moments(posterior(log_prior + together), means, variances)
    shifts, changes = np.zeros((2, n_rows, n_columns))
    nodes, lengths = np.polynomial.legendre.leggauss(N_POWERS)
    for t, length in zip((nodes + 1) / 2, lengths / 2, strict=True):
        mass = posterior(log_prior + t * together)
        centred = means - (mass @ means)[:, None]
        square = centred**2 + variances
        spread = square - (mass * square).sum(axis=1, keepdims=True)
        shifts += length * np.einsum("ng,njg->nj", mass * centred, evidence)
        changes += length * np.einsum("ng,njg->nj", mass * spread, evidence)
    shifts = _close(shifts, full[0] - prior[0])
    changes = _close(changes, full[1] - prior[1])
    return (
        np.concatenate([np.tile(prior[0], (n_rows, 1)), shifts], axis=1),
        np.concatenate([np.tile(prior[1], (n_rows, 1)), changes], axis=1),
    )


def _moments(
    mass: np.ndarray, means: np.ndarray, variances: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    mean = mass @ means
    return mean, (mass * ((means - mean[:, None]) ** 2 + variances)).sum(axis=1)


def _close(shares: np.ndarray, total: np.ndarray) -> np.ndarray:
    """What the quadrature left over, given to the columns in proportion to what they did."""
    size = np.abs(shares)
    whole = size.sum(axis=1, keepdims=True)
    part = np.divide(size, whole, out=np.zeros_like(size), where=whole > 0)
    return shares + part * (total - shares.sum(axis=1))[:, None]
