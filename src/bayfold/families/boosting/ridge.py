"""Ridge regressions that each leave out some rows, from sums over rows that are added up once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from bayfold.core.engine.blas import on_one_thread
from bayfold.families.boosting.linear_models import (
    PENALTIES,
    LinearLoss,
    LinearModel,
    LinearRows,
)

CURVED_PENALTIES = (1000.0, 300.0, 100.0, 30.0, 10.0, 3.0, *PENALTIES[2:])
"""Where products and squares make hundreds of features of a few hundred rows, penalties are stronger."""


@dataclass(frozen=True, eq=False)
class Moments:
    """Weighted sums over rows.

    Attributes
    ----------
    weight : float
    features, target : ndarray of shape (n_features,), float
    squares, cross : ndarray of shape (n_features, n_features), ndarray of shape (n_features,)
        Of products of features, and of features with the target.
    """

    weight: float
    features: np.ndarray
    target: float
    squares: np.ndarray
    cross: np.ndarray

    @classmethod
    def of(cls, rows: LinearRows, part: slice) -> Moments:
        """Of some rows."""
        design, targets, weights = rows.design[part], rows.targets[part], rows.weights[part]
        weighted = weights[:, None] * design
        return cls(
            float(weights.sum()),
            weighted.sum(axis=0),
            float(weights @ targets),
            weighted.T @ design,
            targets @ weighted,
        )

    def plus(self, other: Moments, sign: float = 1.0) -> Moments:
        """With other rows, or, where the sign is -1, without them."""
        mine, theirs = vars(self), vars(other)
        return Moments(**{name: mine[name] + sign * theirs[name] for name in mine})


class NormalEquations:
    """Those of centred features, for any penalty."""

    def __init__(self, moments: Moments) -> None:
        self._mean, self._level = moments.features / moments.weight, moments.target / moments.weight
        self._squares = moments.squares - np.outer(moments.features, self._mean)
        self._cross = moments.cross - self._level * moments.features

    def solve(self, penalty: float) -> LinearModel:
        """Least squares plus the penalty times the squared coefficients."""
        ridged = self._squares.copy()
        ridged[np.diag_indices_from(ridged)] += penalty
        slopes = cho_solve(cho_factor(ridged, overwrite_a=True), self._cross)
        return LinearModel(slopes[:, None], np.array([self._level - self._mean @ slopes]))


def follow_ridge(
    rows: LinearRows, n_models: int, begin: LinearModel, penalties: tuple[float, ...]
) -> Iterator[list[LinearModel]]:
    """Models for weaker and weaker penalties; ``begin`` is not needed."""
    step, bounds = rows.find_step(), rows.bounds.tolist()
    with on_one_thread():
        parts = [Moments.of(rows, slice(a, b, step)) for a, b in pairwise(bounds)]
        total = Moments.of(rows, slice(bounds[-1], None, step))  # rows that no model leaves out
        for part in parts:
            total = total.plus(part)
        equations = [NormalEquations(total.plus(part, -1.0)) for part in parts[:n_models]]
    for penalty in penalties:
        with on_one_thread():
            models = [of_model.solve(penalty) for of_model in equations]
        yield models


def judge_squared_error(scores: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The squared error of each row, and its derivative."""
    excess = scores - targets[:, None]
    return excess[:, 0] ** 2, 2.0 * excess


MORE_MODELS = 8
"""Each knows seven eighths of the rows; four, that know three quarters, had a relative RMSE of 56.35 % on 38 datasets
and six deals of the folds, eight 56.30, in the same time."""

SQUARES = LinearLoss(follow_ridge, judge_squared_error, np.inf, MORE_MODELS)
"""Numbers have no gate: it raised the relative RMSE of 38 datasets from 56.6 to 56.8 % and saved a sixth of the
time."""
