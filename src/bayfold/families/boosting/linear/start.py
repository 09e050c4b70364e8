"""How much each of several predictors is worth in their sum, by rows that none of them was fitted on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

from bayfold.core.engine.reduce import on_one_thread
from bayfold.core.scoring.score_scale import GAIN_BY_CHANCE
from bayfold.families.boosting.kernels.inputs import NO_SPLIT
from bayfold.families.boosting.linear.features import LinearFeatures
from bayfold.families.boosting.linear.models import (
    CURVED_PENALTIES,
    PENALTIES,
    LinearLoss,
    LinearModel,
    LinearRows,
    cross_fit_linear,
    score_apart,
)
from bayfold.families.boosting.rounds.cross_fit import CrossFit, Grown, fit_trees
from bayfold.families.boosting.rounds.task import Loss, ModelStart, Task
from bayfold.families.boosting.settings import BoostSettings
from bayfold.families.boosting.starts.tables import LinearTables, add_linear

LossAndPull = Callable[[np.ndarray], tuple[float, np.ndarray]]
"""The mean loss of scores, and its derivative by each score."""


def choose_weights(
    start: np.ndarray, predictors: list[np.ndarray], loss: LossAndPull, charge: float = 0.0
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
    charge : float
        What a weight of one gains by chance, in units of the loss.
    """
    moves = np.stack([scores - start for scores in predictors])

    def of_weights(weights: np.ndarray) -> tuple[float, np.ndarray]:
        value, pull = loss(start + np.tensordot(weights, moves, 1))
        return value + charge * weights.sum(), (moves * pull).sum(axis=(1, 2)) + charge

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


@dataclass(frozen=True, eq=False)
class GivenScores:
    """A beginning with scores that were found elsewhere: for each model, of all rows.

    Attributes
    ----------
    start : ModelStart
        What of it is part of the model.
    loss : Loss
    scores : sequence of ndarray of shape (n_rows, n_scores)
        One for each model, none of which may know the model's own fold.
    """

    start: ModelStart
    loss: Loss
    scores: Sequence[np.ndarray]

    def begin(self, fold: int) -> np.ndarray:
        """What the model that leaves out a fold holds of all rows."""
        return self.loss.from_scores(self.scores[fold])


def blend_trees(parts: Sequence[CrossFit], weights: Sequence[float], start: ModelStart) -> CrossFit:
    """Trees whose average is the weighted sum of the averages of all parts.

    Parameters
    ----------
    parts : sequence of CrossFit
        Each an average of its own models.
    weights : sequence of float
    start : ModelStart
        What all models together began with: the weighted sum of what the parts began with.

    Returns
    -------
    trees : CrossFit
        With the models of all parts; parts of fewer rounds have trees that add nothing. The losses are those of the
        first part, which stay what they are where another part has more rounds.
    """
    n_models = sum(len(part.splits) for part in parts)
    n_rounds = max(part.splits.shape[1] for part in parts)
    splits = []
    values = []
    for part, weight in zip(parts, weights, strict=True):
        beyond = [(0, 0), (0, n_rounds - part.splits.shape[1]), (0, 0), (0, 0)]
        nothing = np.pad(part.splits, beyond)
        nothing[:, part.splits.shape[1] :, :, 1] = NO_SPLIT
        splits.append(nothing)
        share = weight * n_models / len(part.splits)
        values.append(np.pad(share * part.values, beyond))
    return CrossFit(
        np.concatenate(splits),
        np.concatenate(values),
        np.pad(parts[0].losses, (0, max(n_rounds - len(parts[0].losses), 0)), "edge"),
        start,
        any(part.is_cut_short for part in parts),
    )


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
    most = side.loss.gate * least if np.isfinite(side.loss.gate) else np.inf
    straight = _fit_linear(task, side, side.features, bounds, most, PENALTIES)
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
    rows = LinearRows(features.design(side.codes), side.targets, task.rows.information, bounds)
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
    total = task.rows.information[:n_rows].sum()
    share = task.rows.information[:n_rows] / total

    def judge(scores: np.ndarray) -> tuple[float, np.ndarray]:
        losses, pull = side.loss.judge(scores, targets)
        return float(share @ losses), share[:, None] * pull

    charge = GAIN_BY_CHANCE / total if side.loss.is_surprise else 0.0
    weights = np.zeros(3)
    weights[: len(predictors)] = choose_weights(side.first, predictors, judge, charge)
    return weights
