"""Boosting of a number: where it lies by squared error, how far off that may be, and the shape of what is left.

All of it on a scale of the target (``core/scoring/target_scale``). Location and spread are sums of tables; errors of
rows that a model left out, in units of their spread, are taken to have one distribution.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayfold.base.folded_regressor import summarise_numbers
from bayfold.base.notices import warn_about_columns, warn_about_target
from bayfold.core.counts import JointCounts, LabelledRows
from bayfold.core.frames import Table
from bayfold.core.kernels.codes import NARROW_BINS
from bayfold.core.schema import Schema, extend_schema
from bayfold.core.schema.target import merge_rounding
from bayfold.core.scoring.located import ErrorShape
from bayfold.core.scoring.quality import HeldOutScore
from bayfold.core.scoring.shapes import find_shape, find_shape_between
from bayfold.core.scoring.target_scale import RankedTarget, TargetScale, rank_target
from bayfold.core.stored import Stored
from bayfold.errors import no_statistics, rounds_cut_short, warn
from bayfold.families.boosting.categories import find_columns
from bayfold.families.boosting.collapse import AddedTables, Collapse
from bayfold.families.boosting.content_order import ContentOrder, find_content_order
from bayfold.families.boosting.cross_fit import (
    CrossFit,
    Grown,
    choose_n_models,
    count_drawn,
    fit_trees,
    warn_about_many,
)
from bayfold.families.boosting.distinct_rows import (
    CollapsedRows,
    DistinctRows,
    code_rows,
    collapse_coded_rows,
    deal_distinct_rows,
    find_words,
)
from bayfold.families.boosting.kernels.inputs import LOG_LOSS
from bayfold.families.boosting.linear_features import add_curves, find_bin_values, make_features
from bayfold.families.boosting.linear_models import LOGISTIC
from bayfold.families.boosting.linear_start import (
    Blended,
    LinearSide,
    add_linear_start,
    can_start_linear,
)
from bayfold.families.boosting.losses import (
    Loss,
    make_log_loss,
    make_spread_loss,
    make_squared_loss,
)
from bayfold.families.boosting.number_model import LOCATION, NumberPredictor, join_tables
from bayfold.families.boosting.number_odds import (
    label_larger,
    make_odds_scale,
    make_odds_shape,
)
from bayfold.families.boosting.number_quality import judge_left_out
from bayfold.families.boosting.number_scale import (
    SCALE_FOLDS,
    SCALE_ROWS,
    RowLosses,
    choose_rank_share,
    hurry,
    judge_location,
    may_matter,
)
from bayfold.families.boosting.number_start import NumberBeginning, NumberStart
from bayfold.families.boosting.resolution import (
    look_alike,
    look_apart,
    merge_for_trees,
)
from bayfold.families.boosting.ridge import SQUARES
from bayfold.families.boosting.settings import BoostSettings
from bayfold.families.boosting.task import Task
from bayfold.families.boosting.tree_rounds import TreeRounds

TARGET_GROUPS = 8
"""Groups of equally many rows by their target: each fold has its share of each."""

LEAST_DRAWN = 8
"""Columns that a tree may choose from, at least: with fewer, columns that tell only together do not meet (puma8NH:
relative RMSE 68 instead of 61 %)."""

ALL_DRAWN_CELLS = 1 << 16
"""Rows times columns up to which trees choose from all columns: half of them had a relative RMSE of 56.49 % on 38
datasets, all of 56.44 %, in the same time. Of larger tables scanning them takes most of it."""

TREE_BINS, APART_ROWS = 64, 2_000
"""Most bins of a numeric column that trees of many rows cut at, the same in all models: 32 had a relative RMSE of
56.4 % on 38 datasets, 64 and 128 of 56.2 %. Up to so many rows each model has 32 of its own (``look_apart``): 56.42
instead of 56.49 %, CRPS 52.81 instead of 52.86 %. More rows see a step where it is: on 5,000 rows of y = [x > 0] the
error was .15 with the same 64 bins for all and .18 with 32 for each."""

MANY_MODELS_ROWS, FEWER_MODELS = 800, 8
"""Beyond so many rows eight models do as well as sixteen in half the time: on twelve datasets of 1,000 rows the
relative RMSE was higher by .03 % (standard error .08), on eight of 2,000 by .05."""

SPREAD_MODELS = 4
"""Models of the spread, at most: it is a smaller matter than the location."""

SPREAD_ROWS = 1 << 16
"""Left-out rows that the spread is learnt from, at most: of 250,000 it took a third of the time of a fit."""

LEAST_SPREAD = 1e-4
"""Standard deviations of the target: where all errors are zero, the spread is this."""


def learn_number(rows: LabelledRows, schema: Schema, settings: BoostSettings) -> NumberEnsemble:
    """Code the rows, boost location and spread, and collapse the trees into tables."""
    assert rows.target is not None
    warn_about_target(rows.target)
    ranked = rank_target(rows.target, rows.weights)
    places = ranked.find_places()
    target = summarise_numbers(*merge_rounding(rows.target, rows.weights))
    schema = extend_schema(schema, rows.table)
    rows = _group_targets(rows, ranked.rank)
    coded = code_rows(rows, schema, settings.n_threads).with_targets(ranked.rank, places)
    collapsed = collapse_coded_rows(coded, rows, schema)
    del coded  # a fifth of the input, while trees grow
    n_models = settings.n_models or choose_n_models_of_numbers(collapsed.size)
    n_folds = max(n_models, round(1 / settings.validation_fraction))
    words = find_words(collapsed)
    dealt = deal_distinct_rows(collapsed, words, n_folds, settings.seed)
    machine = _Machine(find_content_order(words, schema), schema, collapsed)
    learnt = _learn_odds if ranked.has_two_values else _learn_size
    location, parts = learnt(machine, ranked, dealt, n_models, settings)
    if location.is_cut_short:
        warn(rounds_cut_short(settings.n_rounds))
    warn_about_many(location, schema, settings)
    warn_about_columns(collapsed.given, collapsed.counts)
    tables = machine.collapse(location, dealt).to_tables(settings.max_pairs)
    times = collapsed.given.n_rows / collapsed.counts.n_rows
    predictor = NumberPredictor(
        join_tables(tables, parts.spread, times),
        parts.scale,
        parts.shape,
        np.exp([parts.log_spread.min(), parts.log_spread.max()]),
    )
    return NumberEnsemble(
        predictor,
        _count_once(collapsed.given),
        location.splits.shape[1],
        location.losses,
        tables.left_out_share,
        np.array(location.blend_weights),
        target,
        judge_left_out(predictor, parts.places, parts.off, parts.log_spread, times * parts.weights),
        TreeRounds(location, machine.counted),
    )


@dataclass(frozen=True, eq=False)
class _Parts:
    """What is learnt beside the location, and left-out rows to judge it by.

    Attributes
    ----------
    scale : TargetScale
    spread : AddedTables
    shape : ErrorShape
    places, off, log_spread, weights : ndarray of shape (n_rows,)
        Of left-out rows: where their targets lie, how far above the location, and how far that was to be expected.
    """

    scale: TargetScale
    spread: AddedTables
    shape: ErrorShape
    places: np.ndarray
    off: np.ndarray
    log_spread: np.ndarray
    weights: np.ndarray


def _learn_size(
    machine: _Machine,
    ranked: RankedTarget,
    dealt: DistinctRows,
    n_models: int,
    settings: BoostSettings,
) -> tuple[CrossFit, _Parts]:
    """Where a number lies by squared error, how far off that may be, and the shape of what is left."""
    scale, dealt = machine.choose_scale(ranked, dealt, settings)
    location, left_out = machine.locate(dealt, n_models, settings)
    off = dealt.targets[: len(left_out)] - left_out
    spread, log_spread, off, weights = machine.spread(dealt, off, settings)
    places = dealt.targets[: len(off)]
    shape = _find_shape(scale, places, off, np.exp(log_spread), weights)
    tables = machine.collapse(spread, dealt).to_tables()
    return location, _Parts(scale, tables, shape, places, off, log_spread, weights)


def _learn_odds(
    machine: _Machine,
    ranked: RankedTarget,
    dealt: DistinctRows,
    n_models: int,
    settings: BoostSettings,
) -> tuple[CrossFit, _Parts]:
    """The log-odds of the larger of two values; they have no spread."""
    scale = make_odds_scale(ranked.values)
    labelled = label_larger(dealt, ranked.find_places())
    location, left_out = machine.locate(labelled, n_models, settings, of_odds=True)
    places = scale.places[labelled.labels[: len(left_out)]]
    weights = labelled.weights[: len(left_out)]
    none = np.zeros_like(left_out)
    parts = _Parts(
        scale, machine.say_nothing(), make_odds_shape(), places, places - left_out, none, weights
    )
    return location, parts


def _group_targets(rows: LabelledRows, rank: np.ndarray) -> LabelledRows:
    """The rows in groups of nearly equal weight by their target."""
    summed = np.bincount(rank, rows.weights)
    middle = (np.cumsum(summed) - summed / 2) / summed.sum()
    group_of = np.floor(TARGET_GROUPS * middle).astype(np.int32)[rank]
    grouped = replace(rows, groups=np.arange(TARGET_GROUPS), group_of=group_of)
    return grouped.without_empty_groups()


def _find_shape(
    scale: TargetScale,
    places: np.ndarray,
    errors: np.ndarray,
    spread: np.ndarray,
    weights: np.ndarray,
) -> ErrorShape:
    """The shape of errors in units of their spread; those of a discrete target are known up to its cells."""
    if not scale.is_discrete or len(scale.values) == 1:
        return find_shape(errors / spread, weights)
    low, high = ((bound - places + errors) / spread for bound in scale.find_cell(places))
    return find_shape_between(low, high, weights)


def _count_once(counts: JointCounts) -> JointCounts:
    """The counts of all groups together."""
    tables = tuple(table.sum(axis=1, keepdims=True) for table in counts.tables)
    totals = counts.totals.sum(keepdims=True)
    return replace(counts, groups=np.zeros(1, np.int64), tables=tables, totals=totals)


def choose_n_models_of_numbers(n_rows: int) -> int:
    """How many models are worth their cost: as many as for groups, but not sixteen of more than a few rows.

    >>> [choose_n_models_of_numbers(n_rows) for n_rows in (500, 2_000, 30_000)]
    [16, 8, 4]
    """
    n_models = choose_n_models(n_rows)
    return n_models if n_rows <= MANY_MODELS_ROWS else min(n_models, FEWER_MODELS)


def count_drawn_for_numbers(n_columns: int, n_rows: int) -> int:
    """How many columns a tree may choose from.

    >>> count_drawn_for_numbers(20, 1_000), count_drawn_for_numbers(20, 100_000)
    (20, 10)
    """
    if n_rows * n_columns <= ALL_DRAWN_CELLS:
        return n_columns
    return min(n_columns, max(LEAST_DRAWN, -(-n_columns // 2)))


class _Machine:
    """Columns in an order of their own, and what is learnt of them."""

    def __init__(self, order: ContentOrder, schema: Schema, collapsed: CollapsedRows) -> None:
        self._order, self._schema, self.counted = order, schema, _count_once(collapsed.counts)
        columns = [schema.columns[schema.narrow[k]] for k in order.columns]
        self._n_codes = np.array([column.n_codes for column in columns], np.int64)
        self._ordered = np.array([column.kind == "numeric" for column in columns])

    def collapse(self, trees: CrossFit, rows: DistinctRows) -> Collapse:
        """The tables of some trees; their cells are counted whatever the target."""
        return Collapse(trees, replace(rows, labels=np.zeros_like(rows.labels)), self.counted)

    def _task(self, rows: DistinctRows, loss: Loss, n_models: int, settings: BoostSettings) -> Task:
        told = slice(self._order.n_telling)
        rows = self._order.leave_telling(rows)
        n_codes, ordered = self._n_codes[told], self._ordered[told]
        if settings.coarse_first and rows.n_rows <= APART_ROWS:
            views = look_apart(rows.codes, n_codes, ordered, n_models, settings.seed)
        else:
            max_bins = TREE_BINS if settings.coarse_first else NARROW_BINS
            merging = merge_for_trees(rows, n_codes, ordered, max_bins)
            views = look_alike(rows.codes, merging, n_models)
        n_drawn = count_drawn_for_numbers(len(n_codes), rows.n_rows)
        if loss.kind == LOG_LOSS:  # as of classes
            n_drawn = count_drawn(len(n_codes))
        return Task(rows, n_codes, ordered, loss, n_drawn, views=views)

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
        self,
        dealt: DistinctRows,
        n_models: int,
        settings: BoostSettings,
        of_odds: bool = False,
    ) -> tuple[CrossFit, np.ndarray]:
        """Trees of the location, and slopes if they help; where the models see rows that they left out."""
        rows = self._order.arrange(dealt)
        loss = make_log_loss(2) if of_odds else make_squared_loss()
        task = self._task(rows, loss, n_models, settings)
        many = self._order.find_places(find_columns(self._schema))
        n_codes = [self._count_codes(place) for place in many]
        beginning = NumberBeginning(rows, many, n_codes, of_odds)
        grown = fit_trees(task, n_models, beginning, settings)
        blended: Grown | Blended = grown
        values = find_bin_values(self.counted, self._schema.narrow[self._order.columns])
        if settings.linear and can_start_linear(n_models, values):
            side = self._make_side(rows, values, beginning.start.first, of_odds, settings)
            blended = add_linear_start(grown, task, n_models, side, settings)
        return self._order.restore(blended.trees), blended.score_left_out()[:, 0]

    def _make_side(
        self,
        rows: DistinctRows,
        values: list[np.ndarray | None],
        first: np.ndarray,
        of_odds: bool,
        settings: BoostSettings,
    ) -> LinearSide:
        """What linear models are given; those of log-odds have slopes alone, as those of classes."""
        features = make_features(rows.codes, rows.weights, values, self._n_codes)
        if of_odds:
            return LinearSide(features, rows.codes, rows.labels, LOGISTIC, first)
        has_pairs = settings.interactions > 1
        curved = add_curves(features, rows.codes, rows.weights, values, has_pairs)
        return LinearSide(features, rows.codes, rows.targets, SQUARES, first, curved)

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
        typical = float(rows.weights @ rows.targets / rows.weights.sum())
        beginning = _Same(NumberStart(np.array([np.log(typical)])), n_rows)
        plain = replace(settings, interactions=1, max_pairs=None, callback=None)
        task = self._task(rows, make_spread_loss(), n_folds, settings)
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
        np.linspace(0, n_rows, n_folds + 1).round().astype(np.int64),
    )


@dataclass(frozen=True, eq=False)
class _Same:
    """All rows begin with the same score."""

    start: NumberStart
    n_rows: int

    def begin(self, fold: int) -> np.ndarray:
        """What the model that leaves out a fold holds of all rows."""
        return np.tile(self.start.scores, (self.n_rows, 1))


class NumberEnsemble(Stored):
    """The tables that boosted trees of a number add up to.

    Parameters
    ----------
    predictor : NumberPredictor
    counts : JointCounts
        Of the training rows as they were given, in one group.
    n_rounds : int
    losses : ndarray
        Mean squared error of the left-out rows on the scale after each round that was run; log-loss of two values.
    left_out_share : float
        What is lost by leaving out pairs.
    blend_weights : ndarray of shape (3,)
        Of trees, of a linear model, and of trees that began with it.
    target : dict of str to float
        Mean, standard deviation, quartiles and range of the training targets.
    held_out : HeldOutScore
        How well rows were predicted by the models that left them out.
    rounds : TreeRounds or None
        Of the location; None in a model that was saved without them.
    """

    def __init__(
        self,
        predictor: NumberPredictor,
        counts: JointCounts,
        n_rounds: int,
        losses: np.ndarray,
        left_out_share: float,
        blend_weights: np.ndarray,
        target: dict[str, float],
        held_out: HeldOutScore,
        rounds: TreeRounds | None,
    ) -> None:
        self.predictor, self.counts, self.rounds = predictor, counts, rounds
        self.n_rounds, self.losses, self.left_out_share = n_rounds, losses, left_out_share
        self.blend_weights, self.target, self.held_out = blend_weights, target, held_out
        self.learnt: dict[str, Any] = {
            "schema_": predictor.model.schema,
            "n_rounds_": n_rounds,
            "validation_loss_": losses,
            "left_out_share_": left_out_share,
            "blend_weights_": blend_weights,
        }

    def staged_means(self, table: Table, n_threads: int = 1) -> Iterator[np.ndarray]:
        """Means after each round; the last are those of the tables."""
        if self.rounds is None:
            raise no_statistics("the predictions of each round")
        predictor = self.predictor
        block = predictor.coder.open(table, warn_unseen=False).block(0, table.n_rows)
        last = predictor.score(table, n_threads=n_threads)
        for located in self.rounds.walk_to(last[:, :1].copy(), block):
            last[:, LOCATION] = located[:, 0]
            yield predictor.read_means(last)
