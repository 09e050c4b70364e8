"""One of several models that are boosted in lockstep, each of which leaves out a fold of its own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from bayfold.core.engine import map_in_threads
from bayfold.core.long_arrays import sum_rows
from bayfold.families.boosting import kernels
from bayfold.families.boosting.kernels.inputs import (
    LOG_RATE,
    ROWS_MOVED_AT_ONCE,
    BoostRules,
    CodeRows,
)
from bayfold.families.boosting.rounds.distinct_rows import DistinctRows
from bayfold.families.boosting.rounds.task import Beginning, Loss, ModelStart, Task
from bayfold.families.boosting.settings import BoostSettings

FIRST_ROOM = 160
"""Trees that there is room for at first: as many as most models keep."""


class LockstepModel:
    """One of the models: what it holds of all rows, its random state and its trees so far."""

    def __init__(self, k: int, task: Task, beginning: Beginning, seed: int) -> None:
        self.task = task
        self.fold = task.rows.folds[k : k + 2]
        self._view = task.views[k] if task.views else None
        self.held = beginning.begin(k)
        self.state = np.random.SeedSequence([seed, k]).generate_state(1, np.uint64)
        n_blocks = -(-len(self.held) // ROWS_MOVED_AT_ONCE)
        self._n_rounds = 0
        self._moved = np.zeros(n_blocks, np.int64)
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


ROW_SHARE = 0.7
"""Of the rows each tree is grown on; half and nine tenths were no better (benchmarks/additive_notes.md)."""

COLUMNS_PER_DRAW = 3
"""Each tree looks at one column in three: a fifth was worse, half no better (benchmarks/additive_notes.md)."""

LEAST_COLUMNS = 3  # two that meet in a tree, and a choice
ROUNDS_AT_ONCE = 10
"""Rounds between two looks at the left-out loss: a call of the kernel for each would cost more than small trees."""

ENOUGH_LEFT_OUT = 1 << 18
"""Rows of a fold, at most: their mean log-loss is known to a thousandth, and how it changes from round to round much
better. The others are learnt from."""

MOST_FOLDS = 1 << 10
"""For the sake of few left-out rows, 270 million of them: a row of great weight is dealt to as many folds as there are,
and 300 rows of weight 1e9 would become 340 million entries."""

SLOW_PHASE_START = 1000
SLOW_PHASE_WINDOW = 100
SLOW_PHASE_MIN_GAIN = 0.001
"""From so many rounds on, the last hundred must have lowered the loss by so much: nursery and tic-tac-toe would go on
for twice the rounds for .0005 each hundred, a checkerboard of 8 x 8 gains .004."""

RECENT = 50
"""Rounds that must have lowered the loss by the share of it that ``find_least_gain`` names."""

CHANCE_ROWS = 9.0
"""A share g of the loss that n left-out rows gain has a standard error of about ``2 sqrt(g / n)``: squared errors e^2
that fall by g move by ``2 e`` times the root of ``g e^2``. It is one and a half of them where g is 9 / n."""

LARGEST_RATE = 0.5
"""Where growing steps end: half a Newton step is still a damped one."""

SIMPLE_ROUNDS = 200
"""Rounds of trees of two levels on coarse bins. Where the loss still falls there is much to learn: a checkerboard of
8 x 8 came from a log-loss of .51 to .21 by a third level, while small domains that are learnt sooner lost .006 by
having it at once (benchmarks/additive_notes.md)."""

THIRD_LEVEL_ROWS = 5_000
"""Fewer rows do not pay for a third level of trees of two columns: on 500 (balance-scale) the log-loss was .23 with
it and .19 without; the bound itself is a round number, not a measurement."""

NEARLY_NOTHING = 0.1
"""Of the first loss: sign(x0 x1) on 5,000 rows is left with .05 by 32 bins, with .014 by all of them."""

AVERAGE_LASTS = 1.2
"""An average of models over-fits later than each of them: so many times the rounds are kept."""
CELLS_WORTH_A_THREAD = 1 << 15
"""Smaller tables are done before threads have started."""


@dataclass(frozen=True, eq=False)
class CrossFit:
    """Trees of all models up to the best round.

    Attributes
    ----------
    splits : ndarray of int64 of shape (n_models, n_rounds, 7, 3)
        Column (its position among the codes), kind and cut of the root, of its children, left and right, and of theirs.
    values : ndarray of shape (n_models, n_rounds, 8, n_scores)
        What is added to the scores in each leaf.
    losses : ndarray
        Mean loss of the left-out rows after each round that was run.
    start : ModelStart
        What the models began with.
    is_cut_short : bool
        Whether the loss was still falling when the rounds were used up.
    blend_weights : tuple of float
        What the models that began with the prior, a linear model, and the models that began with that are worth.
    """

    splits: np.ndarray
    values: np.ndarray
    losses: np.ndarray
    start: ModelStart
    is_cut_short: bool = False
    blend_weights: tuple[float, float, float] = (1.0, 0.0, 0.0)


def choose_n_models(n_rows: int) -> int:
    """How many models are worth their cost.

    >>> [choose_n_models(n_rows) for n_rows in (1_000, 10_000, 50_000, 100_000, 10_000_000)]
    [16, 8, 4, 2, 1]
    """
    for n_models, most in ((16, 4_000), (8, 20_000), (4, 50_000), (2, 2_000_000)):
        if n_rows <= most:
            return n_models
    return 1


def choose_n_folds(n_rows: float, n_models: int, share: float) -> int:
    """How many folds of rows: one for each model, of a share of the rows, or of as many as are enough.

    >>> choose_n_folds(1_000, 16, 0.125), choose_n_folds(1_000_000, 2, 0.125), choose_n_folds(20_000_000, 1, 0.125)
    (16, 8, 77)
    """
    enough = min(math.ceil(n_rows / ENOUGH_LEFT_OUT), MOST_FOLDS)
    return max(n_models, round(1 / share), enough)


def count_drawn(n_columns: int) -> int:
    """How many columns a tree may choose from."""
    return min(n_columns, max(LEAST_COLUMNS, -(-n_columns // COLUMNS_PER_DRAW)))


def find_rate(first: float, n_rounds: int, rounds_to_double: float) -> float:
    """The rate after some rounds.

    >>> find_rate(0.1, 0, 200.0), find_rate(0.1, 200, 200.0), find_rate(0.1, 5000, 200.0)
    (0.1, 0.2, 0.5)
    """
    return min(first * (1 + n_rounds / rounds_to_double), max(first, LARGEST_RATE))


def choose_round(losses: np.ndarray, n_models: int) -> int:
    """How many rounds to keep: those up to the lowest loss, and some more where models are averaged.

    A row is left out by one model alone, and a model alone starts to over-fit earlier than the average of many.

    >>> losses = np.array([0.7, 0.6, 0.5, 0.4, 0.3, 0.4])
    >>> choose_round(losses, n_models=1), choose_round(losses, n_models=8)
    (5, 6)
    """
    best = int(losses.argmin()) + 1
    return best if n_models == 1 else min(round(AVERAGE_LASTS * best), len(losses))


def find_least_gain(loss: Loss, n_rows: int) -> float:
    """The share of the loss of so many left-out rows that some rounds must gain to be worth their time.

    >>> from bayfold.families.boosting.rounds.task import make_squared_loss
    >>> [find_least_gain(make_squared_loss(), n_rows) for n_rows in (100, 90_000)]
    [0.01, 0.0001]
    """
    return min(loss.least_gain, CHANCE_ROWS / max(n_rows, 1))


def is_enough(losses: np.ndarray, n_models: int, patience: int, least_gain: float = 0.0) -> bool:
    """Whether the loss has not fallen for a while, or not worth the time, and all rounds to be kept are there.

    >>> slow = 0.999 ** np.arange(200)  # 5 % in fifty rounds
    >>> is_enough(slow, 1, 30), is_enough(slow, 1, 30, least_gain=0.1)
    (False, True)
    >>> losses = np.array([3.0, 2.0, 2.5, 2.5, 2.5])  # three rounds without a lower loss
    >>> is_enough(losses, 1, 3), is_enough(losses, 1, 4)
    (True, False)
    """
    best = int(losses.argmin()) + 1
    lowest = losses[best - 1]
    if len(losses) >= 2 * RECENT and losses[-RECENT] - lowest < least_gain * lowest:
        return True
    if (
        len(losses) >= SLOW_PHASE_START
        and losses[-SLOW_PHASE_WINDOW] - lowest < SLOW_PHASE_MIN_GAIN
    ):
        return True
    return len(losses) - best >= patience and (n_models == 1 or len(losses) >= AVERAGE_LASTS * best)


def fit_trees(task: Task, n_models: int, beginning: Beginning, settings: BoostSettings) -> Grown:
    """Boost until the loss of left-out rows has not fallen for a while.

    Parameters
    ----------
    task : Task
    n_models : int
        Not more than there are folds.
    beginning : Beginning
    settings : BoostSettings
    """
    rows = task.rows
    models = [LockstepModel(k, task, beginning, settings.seed) for k in range(n_models)]
    plan = BoostPlan(task, settings)
    left_out = float(rows.information[rows.folds[0] : rows.folds[n_models]].sum())
    n_threads = settings.n_threads if rows.codes.size >= CELLS_WORTH_A_THREAD else 1
    least_gain = find_least_gain(task.loss, int(rows.folds[n_models] - rows.folds[0]))
    losses = np.empty(0)
    most = settings.n_rounds if len(task.n_codes) > 0 else 0
    is_done = False
    while len(losses) < most and not is_done:
        n_next = min(ROUNDS_AT_ONCE, most - len(losses))
        data, rules = plan.after(len(losses))
        advance = partial(LockstepModel.advance, data=data, rules=rules, n_rounds=n_next)
        parts = map_in_threads(advance, models, n_threads)
        losses = np.append(losses, np.sum(parts, axis=0) / left_out)
        if settings.callback is not None:
            settings.callback(len(losses), settings.n_rounds, float(losses[-1]))
        is_done = settings.early_stopping and is_enough(
            losses, n_models, settings.patience, least_gain
        )
        is_done = is_done and not plan.look_closer(losses)
    n_rounds = len(losses)
    if settings.early_stopping and n_rounds > 0:
        n_rounds = choose_round(losses, n_models)
    is_cut_short = settings.early_stopping and most > 0 and not is_done
    trees = [(plan.refine(splits), values) for splits, values in (m.trees() for m in models)]
    splits = np.stack([splits[:n_rounds] for splits, _ in trees])
    values = np.stack([values[:n_rounds] for _, values in trees])
    found = CrossFit(splits, values, losses, beginning.start, is_cut_short)
    beyond = [(splits[n_rounds:], values[n_rounds:]) for splits, values in trees]
    return Grown(found, models, beyond)


@dataclass(frozen=True, eq=False)
class Grown:
    """Trees, and what their models say of the rows they left out."""

    trees: CrossFit
    _models: list[LockstepModel]
    _beyond: list[tuple[np.ndarray, np.ndarray]]

    def score_left_out(self) -> np.ndarray:
        """Scores, of shape (n_rows, n_scores), of the rows of the models' folds, each by the model that left it out."""
        models = zip(self._models, self._beyond, strict=True)
        return np.concatenate([model.score_left_out(*beyond) for model, beyond in models])


def _find_exposures(rows: DistinctRows, loss: Loss) -> np.ndarray:
    """How firmly each row speaks of a rate, which kernels read of every row; of other losses they read nothing."""
    if rows.exposures is not None:
        return rows.exposures
    return np.ones(rows.n_rows if loss.kind == LOG_RATE else 0)


class BoostPlan:
    """What rounds are given: first coarse bins and trees of two levels, then whatever there is to learn from."""

    def __init__(self, task: Task, settings: BoostSettings) -> None:
        rows = task.rows
        loss = task.loss
        n_rows = sum_rows(rows.weights)
        self._fine = self._coarse = CodeRows(
            rows.codes,
            rows.labels,
            rows.targets,
            rows.weights,
            task.n_codes,
            task.ordered,
            n_rows,
            _find_exposures(rows, loss),
            loss.power,
            task.allowed,
        )
        self._coarsening = task.coarsening
        if task.coarsening is not None:
            codes = task.coarsening.coarsen(rows.codes)
            self._coarse = self._fine._replace(codes=codes, n_codes=task.coarsening.n_codes)
        self._rules = BoostRules(
            loss=loss.kind,
            row_share=ROW_SHARE,
            most_rows=loss.rows_per_tree,
            n_drawn=task.n_drawn,
            rate=float(settings.learning_rate),
            ridge=loss.ridge,
            largest_step=loss.largest_step,
            stretch=loss.stretch,
            two_columns=settings.interactions > 1,
            third_level=False,
            pair_bins=loss.pair_bins,
        )
        self._n_simple = SIMPLE_ROUNDS if n_rows < loss.deep_rows else 0
        self._rounds_to_double = loss.rounds_to_double
        self._may_go_deeper = n_rows >= THIRD_LEVEL_ROWS or settings.interactions == 1

    def after(self, n_rounds: int) -> tuple[CodeRows, BoostRules]:
        """The data and the rules after so many rounds."""
        much_to_learn = n_rounds >= self._n_simple
        rate = find_rate(self._rules.rate, n_rounds, self._rounds_to_double)
        deeper = much_to_learn and self._may_go_deeper
        rules = self._rules._replace(rate=rate, third_level=deeper)
        return (self._fine if much_to_learn else self._coarse), rules

    def look_closer(self, losses: np.ndarray) -> bool:
        """Go on with all bins where few have left so little of the loss that the rest must lie within them."""
        coarsening = self._coarsening
        is_coarse = coarsening is not None and (coarsening.n_codes < self._fine.n_codes).any()
        is_nearly_learnt = losses[0] > 0 and losses.min() < NEARLY_NOTHING * losses[0]
        if len(losses) >= self._n_simple or not is_coarse or not is_nearly_learnt:
            return False
        self._n_simple = len(losses)
        return True

    def refine(self, splits: np.ndarray) -> np.ndarray:
        """The splits of all rounds of a model, in fine codes."""
        if self._coarsening is None:
            return splits
        first = self._coarsening.refine(splits[: self._n_simple])
        return np.concatenate([first, splits[self._n_simple :]])
