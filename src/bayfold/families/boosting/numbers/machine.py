"""How far the scale of a number follows ranks: half-way, or as far as a quick look at left-out rows clearly prefers.

A long tail that no column tells of only disturbs, and ranks take it out; one that columns do tell of is worth keeping.
Only rows can say which of the two it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.kernels.encode import FIRST_BIN, NARROW_BINS
from bayfold.core.schema import Schema
from bayfold.core.schema.given import count_special_codes
from bayfold.core.scoring.located import MeanReader
from bayfold.core.scoring.shapes import find_shape
from bayfold.core.scoring.target_scale import RANK_SHARE, RankedTarget, TargetScale
from bayfold.families.boosting.cells.search import FoundCells, find_cell_tables
from bayfold.families.boosting.collapse import AddedTables, Collapse
from bayfold.families.boosting.kernels.inputs import LOG_LOSS, LOG_RATE
from bayfold.families.boosting.linear.features import add_curves, find_bin_values, make_features
from bayfold.families.boosting.linear.models import LOGISTIC, SQUARES, LinearLoss, make_log_linear
from bayfold.families.boosting.linear.start import (
    Blended,
    LinearSide,
    add_linear_start,
    can_start_linear,
)
from bayfold.families.boosting.numbers.start import NumberBeginning, NumberStart
from bayfold.families.boosting.rounds.content_order import ContentOrder
from bayfold.families.boosting.rounds.cross_fit import (
    CrossFit,
    Grown,
    count_drawn,
    fit_trees,
)
from bayfold.families.boosting.rounds.distinct_rows import (
    CollapsedRows,
    DistinctRows,
)
from bayfold.families.boosting.rounds.resolution import (
    count_fine_bins,
    look_alike,
    look_apart,
    merge_for_trees,
)
from bayfold.families.boosting.rounds.task import (
    Loss,
    Task,
    make_rate_loss,
    make_squared_loss,
)
from bayfold.families.boosting.settings import BoostSettings
from bayfold.families.boosting.starts.categories import find_columns
from bayfold.families.boosting.starts.tables import CellTable

OTHER_SHARES = (0.25, 0.75, 1.0)
"""What is tried besides ``RANK_SHARE``. Values alone had a higher RMSE and CRPS in the mean of 38 datasets than a
quarter of ranks."""

LAST_SHARE = OTHER_SHARES[-1]  # further than the one before it, and tried only where that gained

SCALE_FOLDS = 4
SCALE_ROUNDS = 40
SCALE_RATE = 0.25
SCALE_PATIENCE = 10
"""A quick look: few models, long steps. Two models decided worse (CRPS 52.71 instead of 52.66 %)."""

SCALE_ROWS = 4_096
LEAST_SCALE_ROWS = 40
"""Rows that are looked at, at most; with fewer than the least, folds of ten would decide by chance."""

ALIKE = 0.95
"""Correlation of values and normal scores from which on nothing is tried: all scales are nearly the same, and what was
chosen on 21 such datasets differed from fold to fold."""

LEAST_SCALE_GAIN = 0.02
CLEARLY = 1.5
"""Share of the error that another scale must gain, and times its standard error. On 38 datasets (three other deals of
folds than the benchmark's) RMSE and CRPS were 56.49 and 52.86 % without a choice; taking the best by a hair 56.47 and
52.66, by one standard error 56.43 and 52.59, by 1.5 56.37 and 52.66, by two 56.40 and 52.67."""


def may_matter(ranked: RankedTarget, n_rows: int) -> bool:
    """Whether scales differ, and there are rows enough to tell which is better."""
    share = ranked.weights / ranked.weights.sum()
    alike = share @ (ranked.find_places(0.0) * ranked.find_places(1.0))
    return n_rows >= LEAST_SCALE_ROWS and len(ranked.values) > 2 and bool(alike < ALIKE)


class RowLosses(NamedTuple):
    """Of each row: the squared error of its mean and the absolute error of its median, in the unit of the target."""

    squared: np.ndarray
    absolute: np.ndarray


def hurry(settings: BoostSettings) -> BoostSettings:
    """The same settings for a quick look."""
    return replace(
        settings,
        n_rounds=min(SCALE_ROUNDS, settings.n_rounds),
        learning_rate=SCALE_RATE,
        early_stopping=True,
        patience=SCALE_PATIENCE,
        callback=None,
    )


def judge_location(
    scale: TargetScale, places: np.ndarray, found: np.ndarray, weights: np.ndarray
) -> RowLosses:
    """How far means and medians are off, where all rows have the same spread.

    Parameters
    ----------
    scale : TargetScale
    places : ndarray of shape (n_rows,)
        Where the targets lie on it.
    found : ndarray of shape (n_rows,)
        Where models that left the rows out have them.
    weights : ndarray of shape (n_rows,)
    """
    shape = find_shape(places - found, weights)
    found = np.clip(found, scale.places[0], scale.places[-1])
    unit = float(np.abs(scale.values).max()) or 1.0  # squares of it may be too large
    target = scale.to_target(places) / unit
    means = MeanReader(scale, shape).read(found, np.ones(len(found))) / unit
    medians = scale.to_target(found + shape.ppf(np.array([0.5]))) / unit
    return RowLosses((target - means) ** 2, np.abs(target - medians))


def choose_rank_share(judge: Callable[[float], RowLosses], weights: np.ndarray) -> float:
    """The share of ranks with the lowest errors, if they are clearly lower than those of the usual one."""
    usual = judge(RANK_SHARE)
    share = weights / weights.sum()
    worst = [float(share @ losses) for losses in usual]
    best = RANK_SHARE
    best_gain = LEAST_SCALE_GAIN
    gain = 0.0
    if min(worst) == 0.0:
        return best
    for rank_share in OTHER_SHARES:
        if rank_share == LAST_SHARE and gain <= 0:
            break  # further the same way, where half of the way gained nothing
        losses = judge(rank_share)
        gains = (usual.squared - losses.squared) / worst[0] / 2
        gains += (usual.absolute - losses.absolute) / worst[1]
        gain = float(share @ gains)
        noise = float(np.sqrt(share**2 @ (gains - gain) ** 2))
        if gain > max(best_gain, CLEARLY * noise):
            best = rank_share
            best_gain = gain
    return best


LEAST_DRAWN = 8
"""Columns that a tree may choose from, at least: with fewer, columns that tell only together do not meet (puma8NH:
relative RMSE 68 instead of 61 %)."""

ALL_DRAWN_CELLS = 1 << 16
"""Rows times columns up to which trees choose from all columns: half of them had a relative RMSE of 56.49 % on 38
datasets, all of 56.44 %, in the same time. Of larger tables scanning them takes most of it."""

APART_ROWS = 2_000
"""Up to so many rows each model has 32 bins of its own of a numeric column (``look_apart``): on 38 datasets 56.42
instead of 56.49 %, CRPS 52.81 instead of 52.86 %. More rows see a step where it is: on 5,000 rows of y = [x > 0] the
error was .15 with the same 64 bins for all and .18 with 32 for each."""

SPREAD_MODELS = 4
"""Models of the spread, at most: it is a smaller matter than the location."""

SPREAD_ROWS = 1 << 16
"""Left-out rows that the spread is learnt from, at most: of 250,000 it took a third of the time of a fit."""

LEAST_SPREAD = 1e-4
"""Standard deviations of the target: where all errors are zero, the spread is this."""


def count_once(counts: JointCounts) -> JointCounts:
    """The counts of all groups together."""
    tables = tuple(table.sum(axis=1, keepdims=True) for table in counts.tables)
    totals = counts.totals.sum(keepdims=True)
    return replace(counts, groups=np.zeros(1, np.int64), tables=tables, totals=totals)


def count_drawn_for_numbers(n_columns: int, n_rows: int) -> int:
    """How many columns a tree may choose from.

    >>> count_drawn_for_numbers(20, 1_000), count_drawn_for_numbers(20, 100_000)
    (20, 10)
    """
    if n_rows * n_columns <= ALL_DRAWN_CELLS:
        return n_columns
    return min(n_columns, max(LEAST_DRAWN, -(-n_columns // 2)))


def find_linear_loss(loss: Loss) -> LinearLoss:
    """A loss of one score as linear models need it."""
    if loss.kind == LOG_RATE:
        return make_log_linear(loss.power)
    return LOGISTIC if loss.kind == LOG_LOSS else SQUARES


class NumberMachine:
    """Columns in an order of their own, and what is learnt of them."""

    def __init__(self, order: ContentOrder, schema: Schema, collapsed: CollapsedRows) -> None:
        self._order = order
        self._schema = schema
        self.counted = count_once(collapsed.counts)
        self._columns = schema.narrow[order.columns]
        columns = [schema.columns[j] for j in self._columns]
        self._n_codes = np.array([column.n_codes for column in columns], np.int64)
        self._ordered = np.array([column.kind == "numeric" for column in columns])
        self._n_special = count_special_codes(columns)

    def collapse(
        self,
        trees: CrossFit,
        rows: DistinctRows,
        counts: JointCounts | None = None,
        cells: Sequence[CellTable] = (),
    ) -> Collapse:
        """The tables of some trees; their cells are counted whatever the target, or by other counts."""
        rows = replace(rows, labels=np.zeros_like(rows.labels))
        return Collapse(trees, rows, counts or self.counted, cells)

    def add_up(
        self,
        trees: CrossFit,
        rows: DistinctRows,
        left_out: np.ndarray,
        loss: Loss,
        settings: BoostSettings,
        counts: JointCounts | None = None,
    ) -> tuple[AddedTables, FoundCells]:
        """The tables of some trees, with cells of three columns where these help."""
        counts = counts or self.counted
        tables = self.collapse(trees, rows, counts).to_tables(settings.max_pairs)
        found = find_cell_tables(tables, rows, counts, left_out[:, None], loss, settings)
        if found.tables:
            added = self.collapse(trees, rows, counts, found.tables)
            tables = added.to_tables(settings.max_pairs)
        return tables, found

    def _task(self, rows: DistinctRows, loss: Loss, n_models: int, settings: BoostSettings) -> Task:
        telling = slice(self._order.n_telling)
        rows = self._order.leave_telling(rows)
        n_codes = self._n_codes[telling]
        ordered = self._ordered[telling]
        n_special = self._n_special[telling]
        if settings.coarse_first and rows.n_rows <= APART_ROWS:
            views = look_apart(rows.codes, n_codes, ordered, n_special, n_models, settings.seed)
        else:
            max_bins = count_fine_bins(rows.n_rows) if settings.coarse_first else NARROW_BINS
            merging = merge_for_trees(rows, n_codes, ordered, n_special, max_bins)
            views = look_alike(rows.codes, merging, n_models)
        n_drawn = count_drawn_for_numbers(len(n_codes), rows.n_rows)
        if loss.kind == LOG_LOSS:  # as of classes
            n_drawn = count_drawn(len(n_codes))
        allowed = settings.allowed_among(self._columns[telling])
        return Task(rows, n_codes, ordered, loss, n_drawn, views=views, allowed=allowed)

    def choose_scale(
        self, ranked: RankedTarget, dealt: DistinctRows, settings: BoostSettings
    ) -> tuple[TargetScale, DistinctRows]:
        """The scale that a quick look at some rows prefers, and the rows with their targets on it."""
        rank = np.searchsorted(ranked.find_places(), dealt.targets)
        n_rows = min(len(rank), SCALE_ROWS)
        if not may_matter(ranked, n_rows):
            return ranked.make_scale(ranked.find_places()), dealt
        rows = _take_rows(self._order.arrange(dealt), n_rows, dealt.targets[:n_rows], SCALE_FOLDS)
        task = self._task(rows, make_squared_loss(), SCALE_FOLDS, settings)
        beginning = _Same(NumberStart(np.zeros(1)), n_rows)

        def judge(rank_share: float) -> RowLosses:
            places = ranked.find_places(rank_share)
            placed = replace(task.rows, targets=places[rank[:n_rows]])
            grown = fit_trees(replace(task, rows=placed), SCALE_FOLDS, beginning, hurry(settings))
            found = grown.score_left_out()[:, 0]
            return judge_location(ranked.make_scale(places), placed.targets, found, placed.weights)

        places = ranked.find_places(choose_rank_share(judge, rows.weights))
        return ranked.make_scale(places), replace(dealt, targets=places[rank])

    def locate(
        self, dealt: DistinctRows, n_models: int, settings: BoostSettings, loss: Loss
    ) -> tuple[CrossFit, np.ndarray]:
        """Trees of the location, and slopes if they help; where the models see rows that they left out."""
        rows = self._order.arrange(dealt)
        task = self._task(rows, loss, n_models, settings)
        many = self._order.find_places(find_columns(self._schema))
        n_codes = [self._count_codes(place) for place in many]
        beginning = NumberBeginning(rows, many, n_codes, loss)
        grown = fit_trees(task, n_models, beginning, settings)
        blended: Grown | Blended = grown
        values = find_bin_values(self.counted, self._schema.narrow[self._order.columns])
        if settings.linear and can_start_linear(n_models, values):
            side = self._make_side(rows, values, beginning.start.first, loss, settings)
            blended = add_linear_start(grown, task, n_models, side, settings)
        return self._order.restore(blended.trees), blended.score_left_out()[:, 0]

    def _make_side(
        self,
        rows: DistinctRows,
        values: list[np.ndarray | None],
        first: np.ndarray,
        loss: Loss,
        settings: BoostSettings,
    ) -> LinearSide:
        """What linear models are given; those of log-odds and of rates have slopes alone, as those of classes."""
        features = make_features(rows.codes, rows.weights, values, self._n_codes)
        linear = find_linear_loss(loss)
        if loss.kind == LOG_LOSS:
            return LinearSide(features, rows.codes, rows.labels, linear, first)
        if loss.kind == LOG_RATE:
            return LinearSide(features, rows.codes, rows.targets, linear, first)
        allowed = settings.allowed_among(self._columns)
        has_pairs = settings.interactions > 1 and not (
            len(allowed) and allowed.sum() == len(allowed)
        )
        curved = add_curves(features, rows.codes, rows.weights, values, has_pairs, allowed)
        return LinearSide(features, rows.codes, rows.targets, linear, first, curved)

    def say_nothing(self) -> AddedTables:
        """Tables of zeros for all columns."""
        columns = enumerate(self._schema.columns)
        single = {j: np.zeros((column.n_codes, 1)) for j, column in columns}
        return AddedTables(self._schema, np.zeros(1), single, [], 0.0)

    def _count_codes(self, place: int) -> int:
        """Codes of a column, by where it stands in the order."""
        n_narrow = len(self._n_codes)
        if place < n_narrow:
            return int(self._n_codes[place])
        return self._schema.columns[self._schema.wide[place - n_narrow]].n_codes

    def spread(
        self, dealt: DistinctRows, off: np.ndarray, settings: BoostSettings
    ) -> tuple[CrossFit, np.ndarray, np.ndarray, np.ndarray]:
        """Trees of the log-spread of errors; of some left-out rows, their log-spread, error and weight."""
        off = off[:SPREAD_ROWS]
        n_rows = len(off)
        n_folds = max(min(SPREAD_MODELS, n_rows), 1)
        sizes = np.maximum(
            np.abs(off), LEAST_SPREAD
        )  # no spread would be too small for errors of zero
        rows = _take_rows(self._order.arrange(dealt), n_rows, sizes, n_folds)
        if settings.monotone:  # quantiles follow the order of the location where the spread stays
            rows.codes[:, np.isin(self._columns, list(settings.monotone))] = FIRST_BIN
        typical = float(rows.weights @ rows.targets / rows.weights.sum())
        beginning = _Same(NumberStart(np.array([np.log(typical)])), n_rows)
        plain = replace(settings, interactions=1, max_pairs=None, callback=None)
        task = self._task(rows, make_rate_loss(2.0), n_folds, settings)
        grown = fit_trees(task, n_folds, beginning, plain)
        log_spread = np.maximum(grown.score_left_out()[:, 0], np.log(LEAST_SPREAD))
        return self._order.restore(grown.trees), log_spread, off, rows.weights


def _take_rows(rows: DistinctRows, n_rows: int, targets: np.ndarray, n_folds: int) -> DistinctRows:
    """The first rows with another target, in folds of equally many."""
    return DistinctRows(
        rows.codes[:n_rows],
        rows.wide[:n_rows],
        rows.labels[:n_rows],
        targets,
        rows.weights[:n_rows],
        rows.cut_evenly(n_rows, n_folds),
    )


@dataclass(frozen=True, eq=False)
class _Same:
    """All rows begin with the same score."""

    start: NumberStart
    n_rows: int

    def begin(self, fold: int) -> np.ndarray:
        """What the model that leaves out a fold holds of all rows."""
        return np.tile(self.start.scores, (self.n_rows, 1))
