"""A second group of models that begin with a linear one, and both groups as one sum of trees and tables.

The models of the first group begin with the prior. Where a linear model does nearly as well on rows it has not seen,
half as many models begin with it instead, and left-out rows say what each group, and the linear model alone, is worth
in their sum. Where it does not, the first group is all there is. Where squares and products of columns help the linear
model, every other of these models begins with them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bayfold.families.boosting.blend import GivenScores, blend_trees
from bayfold.families.boosting.blend_weights import choose_weights
from bayfold.families.boosting.cross_fit import CrossFit, Grown, fit_trees
from bayfold.families.boosting.linear_features import LinearFeatures
from bayfold.families.boosting.linear_models import (
    PENALTIES,
    LinearLoss,
    LinearModel,
    LinearRows,
    cross_fit_linear,
    score_apart,
)
from bayfold.families.boosting.linear_tables import LinearTables, add_linear
from bayfold.families.boosting.ridge import CURVED_PENALTIES
from bayfold.families.boosting.settings import BoostSettings
from bayfold.families.boosting.task import Task

LEAST_MODELS = 4
"""With fewer there are 50,000 rows or more: trees have enough to draw oblique lines with, and as many models again
would double the cost."""

LEAST_ROWS = 20
"""Of fewer, a fold may be empty or hold all that there is to know."""

FOLDS_PER_MODEL = 2
"""Folds that a model of the second group leaves out: half as many models, at half the cost."""

MOST_FEATURES = 1000
"""Of a linear model: the normal equations of more would take longer than the trees."""

MOST_SCORES = 1 << 22
"""Of rows times groups: each step of a linear model takes exponentials of them, and some copies are kept. 20,000 rows
of a thousand groups took 5 GB, and the linear models alone more than a minute; the trees of all took six seconds."""

MOST_CURVED_CELLS = 1 << 22
"""Rows times features, 32 MB, up to which squares and products are tried: normal equations take a tenth of a second.
More rows let trees draw curves."""

MARGIN_OF_ONE = 1.1
"""How much more the first of the linear models may lose than the gate allows before the others are fitted."""


@dataclass(frozen=True, eq=False)
class LinearSide:
    """What linear models are given.

    Attributes
    ----------
    features : LinearFeatures
    codes : ndarray of shape (n_rows, n_columns)
        Of the task's rows, in all bins.
    targets : ndarray
        Labels or numbers.
    loss : LinearLoss
    first : ndarray of shape (n_scores,)
        Scores before anything is known.
    curved : LinearFeatures or None
        With squares and products, if they are to be tried.
    """

    features: LinearFeatures
    codes: np.ndarray
    targets: np.ndarray
    loss: LinearLoss
    first: np.ndarray
    curved: LinearFeatures | None = None


@dataclass(frozen=True, eq=False)
class FittedLinear:
    """Linear models of the same features, each without some folds.

    Attributes
    ----------
    loss : float
        Of the rows that they left out.
    scores : list of ndarray of shape (n_rows, n_scores)
        What each says of all rows.
    tables : LinearTables
        Their mean; the intercept is what it adds to the scores of the prior.
    """

    loss: float
    scores: list[np.ndarray]
    tables: LinearTables


def can_start_linear(n_models: int, values: list[np.ndarray | None]) -> bool:
    """Whether there are models enough, and two numeric columns of more than two values."""
    slopes = sum(numbers is not None and len(numbers) > 2 for numbers in values)
    return n_models >= LEAST_MODELS and slopes > 1


def add_linear_start(
    plain: Grown, task: Task, n_models: int, side: LinearSide, settings: BoostSettings
) -> Grown | Blended:
    """The first group of models and, behind the gate, the second.

    Parameters
    ----------
    plain : Grown
        The first group.
    task : Task
    n_models : int
        Of the first group.
    side : LinearSide
    settings : BoostSettings
    """
    if not 0 < side.features.n_features <= MOST_FEATURES or len(plain.trees.losses) == 0:
        return plain
    if not LEAST_ROWS <= task.rows.n_rows <= MOST_SCORES // len(side.first):
        return plain
    folds = task.rows.folds[_cut_evenly(n_models, n_models // FOLDS_PER_MODEL)]
    model_bounds = _cut_evenly(len(folds) - 1, min(side.loss.n_models, len(folds) - 1))
    kinds = _fit_kinds(task, side, folds[model_bounds], float(plain.trees.losses.min()))
    if not kinds:
        return plain
    # models begin with each kind in turn
    of_fold = np.repeat(np.arange(len(model_bounds) - 1), np.diff(model_bounds))
    scores = [kinds[i % len(kinds)].scores[g] for i, g in enumerate(of_fold)]
    wider = replace(task, rows=replace(task.rows, folds=folds))
    given = GivenScores(plain.trees.start, task.loss, scores)
    second = fit_trees(wider, len(scores), given, replace(settings, callback=None))
    best = [kinds[-1].scores[g] for g in of_fold]
    alone = [part[a:b] for part, a, b in zip(best, folds, folds[1:], strict=False)]
    predictors = [plain.score_left_out(), np.concatenate(alone)]
    if second.trees.losses.min() < kinds[-1].loss:
        predictors.append(second.score_left_out())
    weights = _weigh(predictors, task, side)
    shares = weights[2] * np.bincount(np.arange(len(scores)) % len(kinds)) / len(scores)
    shares[-1] += weights[1]
    slopes = add_linear([kind.tables for kind in kinds], shares.tolist())
    start = replace(plain.trees.start.scaled(weights[0]), linear=slopes)
    parts = [plain.trees, second.trees] if weights[2] > 0 else [plain.trees]
    trees = blend_trees(parts, weights[[0, 2]][: len(parts)].tolist(), start)
    trees = replace(trees, blend_weights=tuple(weights.tolist()))
    moves = [w * (scores - side.first) for w, scores in zip(weights, predictors, strict=False)]
    return Blended(trees, side.first + np.sum(moves, axis=0))


@dataclass(frozen=True, eq=False)
class Blended:
    """Both groups of models as one, and what it says of the rows that its models left out."""

    trees: CrossFit
    left_out: np.ndarray

    def score_left_out(self) -> np.ndarray:
        """Scores, of shape (n_rows, n_scores), of the rows of the models' folds, each by models that left it out."""
        return self.left_out


def _cut_evenly(n: int, n_parts: int) -> np.ndarray:
    """Where ``n_parts`` of nearly equal length begin and the last one ends."""
    return np.arange(n_parts + 1) * n // n_parts


def _fit_kinds(
    task: Task, side: LinearSide, bounds: np.ndarray, least: float
) -> list[FittedLinear]:
    """Linear models, unless they lose more than the gate allows; then curved ones, if they lose less."""
    straight = _fit_linear(task, side, side.features, bounds, side.loss.gate * least, PENALTIES)
    if straight is None:
        return []
    features = side.curved
    if features is None or len(side.codes) * features.n_features > MOST_CURVED_CELLS:
        return [straight]
    curved = _fit_linear(task, side, features, bounds, straight.loss, CURVED_PENALTIES)
    return [straight] if curved is None else [straight, curved]


def _fit_linear(
    task: Task,
    side: LinearSide,
    features: LinearFeatures,
    bounds: np.ndarray,
    most: float,
    penalties: tuple[float, ...],
) -> FittedLinear | None:
    """The linear models of some features, unless their left-out loss is above a bound."""
    rows = LinearRows(features.design(side.codes), side.targets, task.rows.weights, bounds)
    begin = LinearModel(np.zeros((features.n_features, len(side.first))), side.first)
    if np.isfinite(side.loss.gate):  # one model often shows it
        first, _ = cross_fit_linear(rows, begin, side.loss, 1, penalties)
        if first > MARGIN_OF_ONE * most:
            return None
    loss, models = cross_fit_linear(rows, begin, side.loss, None, penalties)
    if loss > most:
        return None
    scores = score_apart(models, [rows.design] * len(models))
    coefficients = np.mean([model.coefficients for model in models], axis=0)
    intercept = np.mean([model.intercept for model in models], axis=0) - side.first
    return FittedLinear(loss, scores, features.tabulate(LinearModel(coefficients, intercept)))


def _weigh(predictors: list[np.ndarray], task: Task, side: LinearSide) -> np.ndarray:
    """What the trees, the linear model, and the trees that begin with it are worth."""
    n_rows = len(predictors[0])
    targets = side.targets[:n_rows]
    share = task.rows.weights[:n_rows] / task.rows.weights[:n_rows].sum()

    def judge(scores: np.ndarray) -> tuple[float, np.ndarray]:
        losses, pull = side.loss.judge(scores, targets)
        return float(share @ losses), share[:, None] * pull

    weights = np.zeros(3)
    weights[: len(predictors)] = choose_weights(side.first, predictors, judge)
    return weights
