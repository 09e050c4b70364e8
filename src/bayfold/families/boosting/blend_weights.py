"""How much each of several predictors is worth in their sum, by rows that none of them was fitted on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from bayfold.core.engine.blas import on_one_thread

LossAndPull = Callable[[np.ndarray], tuple[float, np.ndarray]]
"""The mean loss of scores, and its derivative by each score."""


def choose_weights(
    start: np.ndarray, predictors: list[np.ndarray], loss: LossAndPull
) -> np.ndarray:
    """Weights of predictors that lower the loss most: none negative, and not more than one together.

    Without the cap, weights explode where rows can be separated; below one, they shrink towards the start.

    Parameters
    ----------
    start : ndarray of shape (n_scores,)
        What is predicted without any of them.
    predictors : list of ndarray of shape (n_rows, n_scores)
        Scores of rows that were left out.
    loss : callable
    """
    moves = np.stack([scores - start for scores in predictors])

    def of_weights(weights: np.ndarray) -> tuple[float, np.ndarray]:
        value, pull = loss(start + np.tensordot(weights, moves, 1))
        return value, (moves * pull).sum(axis=(1, 2))

    n = len(predictors)
    begin = np.zeros(n)
    begin[0] = 1.0
    cap = {"type": "ineq", "fun": lambda w: 1.0 - w.sum(), "jac": lambda w: -np.ones(n)}
    with on_one_thread():
        found = minimize(
            of_weights,
            begin,
            jac=True,
            method="SLSQP",
            bounds=[(0.0, 1.0)] * n,
            constraints=[cap],
            options={"ftol": 1e-9},
        )
    weights = np.clip(found.x, 0.0, 1.0)
    return weights / max(weights.sum(), 1.0)
