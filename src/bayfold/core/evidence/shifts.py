"""Why a mean was predicted: how far each column moved it, and how far it narrowed the distribution."""

from __future__ import annotations

import numpy as np

from bayfold.core.evidence.records import Records
from bayfold.core.evidence.rows import PRIOR, name_rows, shown_values
from bayfold.core.frames import Table
from bayfold.core.scoring import Scorer
from bayfold.core.scoring.distribution import triangle_means, triangle_variances
from bayfold.core.scoring.predictor import Predictor
from bayfold.core.scoring.regression import posterior

N_POWERS = 16
"""Gauss points of the integral over the power with which the evidence enters."""

BLOCK_ENTRIES = 1 << 20
"""Evidence of so many rows, columns and groups is held at once: 8 MB, whatever the number of rows."""


def explain_shifts(predictor: Predictor, grid: np.ndarray, table: Table) -> Records:
    """Records of row, column, value, shift and variance; the first of each row is the prior."""
    return record_shifts(predictor, table, triangle_means(grid), triangle_variances(grid))


def record_shifts(
    predictor: Predictor, table: Table, means: np.ndarray, variances: np.ndarray
) -> Records:
    """The records of a model over groups of the target with these means and variances."""
    model, coded = predictor.model, predictor.coder.open(table)
    n_rows, n_columns = table.n_rows, len(model.schema.columns)
    scorers = [
        Scorer(model, centred=False, columns=[j], with_prior=False) for j in range(n_columns)
    ]
    shifts, changes = np.empty((2, n_rows, 1 + n_columns))
    size = max(BLOCK_ENTRIES // max(n_columns * len(means), 1), 1)
    for start in range(0, n_rows, size):
        rows = slice(start, min(start + size, n_rows))
        block = coded.block(rows.start, rows.stop)
        evidence = np.stack([scorer.score(block) for scorer in scorers], axis=1)
        shifts[rows], changes[rows] = share_out(evidence, model.log_prior, means, variances)
    values = [np.full(n_rows, None, object)]
    values += [shown_values(column, table, j) for j, column in enumerate(model.schema.columns)]
    names = np.array([PRIOR, *model.schema.names], object)
    return Records(
        {
            **name_rows(table, np.repeat(np.arange(n_rows), 1 + n_columns)),
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
    n_rows, _, n_groups = evidence.shape
    together = evidence.sum(axis=1)
    prior = _moments(posterior(log_prior[None, :]), means, variances)
    full = _moments(posterior(log_prior + together), means, variances)
    # what each group's evidence does to mean and variance, averaged over the powers: the evidence itself stays the same
    to_mean, to_variance = np.zeros((2, n_rows, n_groups))
    nodes, lengths = np.polynomial.legendre.leggauss(N_POWERS)
    for t, length in zip((nodes + 1) / 2, lengths / 2, strict=True):
        mass = posterior(log_prior + t * together)
        centred = means - (mass * means).sum(axis=1, keepdims=True)
        square = centred**2 + variances
        spread = square - (mass * square).sum(axis=1, keepdims=True)
        to_mean += length * mass * centred
        to_variance += length * mass * spread
    shifts = close_shares(np.einsum("ng,njg->nj", to_mean, evidence), full[0] - prior[0])
    changes = close_shares(np.einsum("ng,njg->nj", to_variance, evidence), full[1] - prior[1])
    return (
        np.concatenate([np.tile(prior[0], (n_rows, 1)), shifts], axis=1),
        np.concatenate([np.tile(prior[1], (n_rows, 1)), changes], axis=1),
    )


def _moments(
    mass: np.ndarray, means: np.ndarray, variances: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    mean = (mass * means).sum(axis=1)  # not @: rounding would depend on the number of rows
    return mean, (mass * ((means - mean[:, None]) ** 2 + variances)).sum(axis=1)


def close_shares(shares: np.ndarray, total: np.ndarray) -> np.ndarray:
    """What the quadrature left over, given to the columns in proportion to what they did."""
    size = np.abs(shares)
    whole = size.sum(axis=1, keepdims=True)
    part = np.divide(size, whole, out=np.zeros_like(size), where=whole > 0)
    return shares + part * (total - shares.sum(axis=1))[:, None]
