"""Boosting of cells: every round adds a smoothed Newton step to the tables of all grids, fold by fold.

Each of some models leaves out a fold of rows; all keep the rounds after which rows that were left out lose least.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from bayfold.families.boosting import kernels
from bayfold.families.boosting.cells.grids import CellGrid
from bayfold.families.boosting.kernels.inputs import LOG_LOSS, SQUARED
from bayfold.families.boosting.linear.models import (
    judge_log_loss,
    judge_rate,
    judge_squared_error,
)
from bayfold.families.boosting.rounds.cross_fit import find_least_gain, is_enough
from bayfold.families.boosting.rounds.distinct_rows import DistinctRows
from bayfold.families.boosting.rounds.task import Loss

CELL_RATE = 0.1
"""Of a Newton step of each grid: with at most ten grids, all together are no longer than one."""

CELL_RIDGE = 20.0
"""Rows that pull a step towards zero. With 2, 20 and 50 the relative RMSE of kin8nm was the same within .1 %, and
california housing over-fitted with 2."""

MOMENTUM = 0.5
"""Share of the last step that the next one adds: rounds go twice as far. Mean relative RMSE of bank8FM and house-8L on
three splits with 0, .5 and .75: 37.57, 37.56, 37.64 %; of kin8nm on two 46.86, 46.83, 46.65."""

MOST_CELL_ROUNDS = 300
CELL_PATIENCE = 10
"""Rounds, at most, and without a lower loss: kin8nm takes 30 to 50."""

EVERYTHING = slice(None)


class RowLoss:
    """The loss of rows, the pull on their scores, and its curvature.

    Parameters
    ----------
    loss : Loss
    rows : DistinctRows
        With labels or targets.
    """

    def __init__(self, loss: Loss, rows: DistinctRows) -> None:
        self.loss = loss
        self.weights = rows.information
        self.targets = rows.labels if loss.kind == LOG_LOSS else rows.targets
        judges = {LOG_LOSS: judge_log_loss, SQUARED: judge_squared_error}
        self.judge = judges.get(loss.kind, partial(judge_rate, power=loss.power))

    def find_pull(
        self, scores: np.ndarray, chosen: slice
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The weighted losses of some rows, minus their derivatives by each score, and the second derivatives."""
        targets = self.targets[chosen]
        weights = self.weights[chosen, None]
        losses, excess = self.judge(scores, targets)
        if self.loss.kind == SQUARED:
            curvature = np.full_like(excess, 2.0)
        elif self.loss.kind == LOG_LOSS:
            share = excess.copy()
            share[np.arange(len(share)), targets if share.shape[1] > 1 else 0] += (
                1.0 if share.shape[1] > 1 else targets
            )
            curvature = share * (1.0 - share)
        else:  # the derivative of the derivative, whose two parts are a level and what was observed
            power = self.loss.power
            level = np.exp((2.0 - power) * scores)
            curvature = (2.0 - power) * level + (power - 1.0) * (level - excess)
        return weights[:, 0] * losses, -weights * excess, weights * curvature


@dataclass(frozen=True, eq=False)
class BoostedCells:
    """Tables of all grids, and what they add to rows that were left out.

    Attributes
    ----------
    tables : list of ndarray of shape (n_cells, n_scores)
        The mean of the models; empty where no round lowered the loss.
    left_out : ndarray of shape (n_left_out, n_scores)
        What is added to the scores of the rows that models left out, each by the model that did.
    """

    tables: list[np.ndarray]
    left_out: np.ndarray


class _FoldModel:
    """Tables from all rows outside a fold."""

    def __init__(
        self,
        grids: Sequence[CellGrid],
        cells: np.ndarray,
        loss: RowLoss,
        begin: np.ndarray,
        fold: slice,
    ) -> None:
        self._grids = grids
        self._ends = np.cumsum([grid.n_cells for grid in grids]).tolist()
        self._cells = cells
        self._loss = loss
        self._fold = fold
        self._scores = begin.copy()
        self.tables = np.zeros((self._ends[-1], begin.shape[1]))
        self._steps = np.zeros_like(self.tables)
        self._looked = loss.find_pull(begin, EVERYTHING)
        self._firmness: np.ndarray | None = None

    def advance(self) -> float:
        """One more round; returns the loss of the rows that were left out."""
        self._steps = MOMENTUM * self._steps + CELL_RATE * self._find_steps()
        self.tables += self._steps
        kernels.add_from_cells(self._cells, self._steps, self._scores)
        self._looked = self._loss.find_pull(self._scores, EVERYTHING)
        return float(self._looked[0][self._fold].sum())

    def _find_steps(self) -> np.ndarray:
        """Newton steps of all cells."""
        _, pull, curvature = self._looked
        if self._firmness is None or self._loss.loss.kind != SQUARED:
            n_inside = len(curvature) - (self._fold.stop - self._fold.start)
            total = curvature.sum(axis=0) - curvature[self._fold].sum(axis=0)
            self._firmness = self._share(curvature) + CELL_RIDGE * total / n_inside
        return self._share(pull) / self._firmness

    def _share(self, pulls: np.ndarray) -> np.ndarray:
        """Sums of the rows that are not left out, by cell and shared with neighbouring cells."""
        sums = np.zeros_like(self.tables)
        for first, last in ((0, self._fold.start), (self._fold.stop, len(pulls))):
            kernels.sum_in_cells(self._cells, pulls, first, last, sums)
        parts = zip(self._grids, np.split(sums, self._ends[:-1]), strict=True)
        return np.concatenate([grid.smooth(part) for grid, part in parts])

    @property
    def left_out(self) -> np.ndarray:
        """Scores of the rows that were left out."""
        return self._scores[self._fold]


def boost_cells(
    grids: Sequence[CellGrid],
    rows: DistinctRows,
    loss: RowLoss,
    begin: np.ndarray,
    bounds: np.ndarray,
) -> BoostedCells:
    """Boost until rows that were left out gain no more.

    Parameters
    ----------
    grids : sequence of CellGrid
    rows : DistinctRows
    loss : RowLoss
    begin : ndarray of shape (n_rows, n_scores)
        Scores without the cells.
    bounds : ndarray of int
        Model k leaves out rows ``bounds[k]`` to ``bounds[k + 1]``; rows beyond the last are learnt from by all.
    """
    cells = _join_cells(grids, rows)
    folds = [slice(a, b) for a, b in pairwise(bounds.tolist())]
    models = [_FoldModel(grids, cells, loss, begin, fold) for fold in folds]
    left_out = slice(0, int(bounds[-1]))
    losses = [float(loss.find_pull(begin[left_out], left_out)[0].sum())]
    least_gain = find_least_gain(loss.loss, left_out.stop)
    best = BoostedCells([], np.zeros_like(begin[left_out]))
    ends = np.cumsum([grid.n_cells for grid in grids])[:-1]
    for _ in range(MOST_CELL_ROUNDS):
        losses.append(sum(model.advance() for model in models))
        if losses[-1] == min(losses):
            mean = np.mean([model.tables for model in models], axis=0)
            added = np.concatenate([model.left_out for model in models]) - begin[left_out]
            best = BoostedCells(np.split(mean, ends), added)
        if is_enough(np.array(losses), 1, CELL_PATIENCE, least_gain):
            break
    return best


def _join_cells(grids: Sequence[CellGrid], rows: DistinctRows) -> np.ndarray:
    """The cell of each row in each grid, numbered from grid to grid: of shape (n_rows, n_grids)."""
    first = np.cumsum([0, *(grid.n_cells for grid in grids[:-1])])
    places = [n + grid.find_cells(rows) for n, grid in zip(first, grids, strict=True)]
    return np.stack(places, axis=1).astype(np.uint16)
