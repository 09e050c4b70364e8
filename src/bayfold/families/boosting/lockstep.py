"""One of several models that are boosted in lockstep, each of which leaves out a fold of its own."""

from __future__ import annotations

import numpy as np

from bayfold.families.boosting import kernels
from bayfold.families.boosting.kernels.inputs import ROWS_MOVED_AT_ONCE, BoostRules, CodeRows
from bayfold.families.boosting.task import Beginning, Task

FIRST_ROOM = 160
"""Trees that there is room for at first: as many as most models keep."""


class LockstepModel:
    """One of the models: what it holds of all rows, its random state and its trees so far."""

    def __init__(self, k: int, task: Task, beginning: Beginning, seed: int) -> None:
        self.task, self.fold = task, task.rows.folds[k : k + 2]
        self._view = task.views[k] if task.views else None
        self.held = beginning.begin(k)
        self.state = np.random.SeedSequence([seed, k]).generate_state(1, np.uint64)
        n_blocks = -(-len(self.held) // ROWS_MOVED_AT_ONCE)
        self._n_rounds, self._moved = 0, np.zeros(n_blocks, np.int64)
        self._splits = np.zeros((0, 7, 3), np.int64)
        self._values = np.zeros((0, 8, self.held.shape[1]))
        self._data: CodeRows | None = None

    def advance(self, data: CodeRows, rules: BoostRules, n_rounds: int) -> np.ndarray:
        """Some more rounds; returns the summed loss of the left-out rows after each."""
        if self._view is not None:
            data = data._replace(codes=self._view.codes, n_codes=self._view.n_codes)
        if self._data is not None and data.codes is not self._data.codes:
            self._catch_up(self._data, rules)
        self._data = data
        self._make_room(self._n_rounds + n_rounds)
        losses = np.zeros(n_rounds)
        kernels.boost_rounds(
            data,
            rules,
            self.fold,
            self.state,
            self.held,
            self._moved,
            self._splits,
            self._values,
            self._n_rounds,
            losses,
        )
        self._n_rounds += n_rounds
        return losses

    def _catch_up(self, data: CodeRows, rules: BoostRules) -> None:
        """Move the rows that were left behind, by trees that know these codes."""
        trees = self._splits, self._values, self._n_rounds
        kernels.catch_up(
            rules.loss, data, self.fold, *trees, self.held, self._moved, 0, len(self.held)
        )

    def _make_room(self, n_rounds: int) -> None:
        """Room for so many trees; at least doubled, so that few are copied."""
        if n_rounds <= len(self._splits):
            return
        n_more = max(n_rounds, 2 * len(self._splits), FIRST_ROOM) - len(self._splits)
        self._splits = np.append(self._splits, np.zeros((n_more, 7, 3), np.int64), axis=0)
        more = np.zeros((n_more, 8, self.held.shape[1]))
        self._values = np.append(self._values, more, axis=0)

    def trees(self) -> tuple[np.ndarray, np.ndarray]:
        """Splits, in the codes of the task's rows, and values of all rounds that were run."""
        splits = self._splits[: self._n_rounds]
        if self._view is not None:
            splits = self._view.refine(splits)
        return splits, self._values[: self._n_rounds]

    def score_left_out(self, splits: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Scores of its left-out rows without some of its trees, those that are not kept."""
        chosen = slice(*self.fold)
        scores = self.task.loss.to_scores(self.held[chosen])
        for tree, leaves in zip(splits[:, None], -values[:, None], strict=True):
            kernels.score_round(self.task.rows.codes[chosen], tree, leaves, scores)
        return scores
