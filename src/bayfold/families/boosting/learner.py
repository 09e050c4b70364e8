"""Additive boosting: one- and two-column tables from cross-fitted shallow trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit, softmax

from bayfold.base.notices import warn_about_columns, warn_about_words
from bayfold.core.counts import JointCounts, LabelledRows
from bayfold.core.densities import WordDensity
from bayfold.core.kernels.encode import NARROW_BINS
from bayfold.core.long_arrays import sum_rows
from bayfold.core.schema import Schema, extend_schema
from bayfold.core.schema.given import count_special_codes
from bayfold.core.scoring import NaiveBayesModel
from bayfold.core.scoring.conformal import ConformalScores
from bayfold.core.scoring.derive import find_group_factors
from bayfold.core.scoring.errors import LeftOutErrors
from bayfold.errors import rounds_cut_short, warn
from bayfold.families.boosting.cells.search import FoundCells, find_cell_tables
from bayfold.families.boosting.collapse import AddedTables, Collapse
from bayfold.families.boosting.ensembles import AdditiveEnsemble, TreeRounds
from bayfold.families.boosting.linear.features import find_bin_values, make_features
from bayfold.families.boosting.linear.models import LOGISTIC, judge_log_loss
from bayfold.families.boosting.linear.start import (
    Blended,
    LinearSide,
    add_linear_start,
    can_start_linear,
)
from bayfold.families.boosting.monotone import OrderWanted, order_tables
from bayfold.families.boosting.rounds.content_order import ContentOrder, find_content_order
from bayfold.families.boosting.rounds.cross_fit import (
    CrossFit,
    Grown,
    choose_n_folds,
    choose_n_models,
    count_drawn,
    fit_trees,
)
from bayfold.families.boosting.rounds.distinct_rows import (
    CollapsedRows,
    DistinctRows,
    code_rows,
    collapse_coded_rows,
    deal_distinct_rows,
    find_count_hashes,
    sum_derivatives,
)
from bayfold.families.boosting.rounds.resolution import (
    Coarsening,
    choose_coarsening,
    count_fine_bins,
    merge_for_trees,
)
from bayfold.families.boosting.rounds.task import Task, make_log_loss
from bayfold.families.boosting.settings import BoostSettings
from bayfold.families.boosting.starts.categories import (
    CrossFitStart,
    find_columns,
    find_prior,
)
from bayfold.families.boosting.starts.pairs import find_hidden_pairs
from bayfold.families.boosting.starts.tables import PairGrid
from bayfold.families.boosting.starts.texts import (
    choose_word_densities,
    hear_texts,
    leave_out_texts,
)

MOST_BY_WORDS = 0.8
"""Where texts leave less of the loss, a linear model that knows no words does not come near: it only costs time."""


def learn_additive(rows: LabelledRows, schema: Schema, settings: BoostSettings) -> AdditiveEnsemble:
    """Code the rows, boost, and collapse the trees into tables."""
    schema = extend_schema(schema, rows.table)
    coded = code_rows(rows, schema, settings.n_threads)
    collapsed = collapse_coded_rows(coded, rows, schema)
    del coded  # its files are used again
    return learn_collapsed(collapsed, schema, settings)


def learn_collapsed(
    collapsed: CollapsedRows, schema: Schema, settings: BoostSettings
) -> AdditiveEnsemble:
    """Boost distinct rows."""
    n_models = settings.n_models or choose_n_models(collapsed.size)
    n_folds = choose_n_folds(collapsed.size, n_models, settings.validation_fraction)
    row_hashes = find_count_hashes(collapsed)
    if settings.group_weights is not None:
        collapsed = collapsed.weighed(find_group_factors(collapsed.given, settings.group_weights))
    dealt = deal_distinct_rows(collapsed, row_hashes, n_folds, settings.seed)
    n_models = min(n_models, dealt.most_models)
    texts = choose_word_densities(collapsed, dealt)
    trees, left_out = _grow_trees(
        dealt, texts, find_content_order(row_hashes, schema), collapsed.counts, n_models, settings
    )
    if trees.is_cut_short:
        warn(rounds_cut_short(settings.n_rounds))
    warn_about_columns(collapsed.given, collapsed.counts)
    warn_about_words(collapsed.given, collapsed.tables)
    return add_up(trees, left_out, dealt, texts, collapsed, settings)


def add_up(
    trees: CrossFit,
    left_out: np.ndarray,
    rows: DistinctRows,
    texts: Sequence[WordDensity],
    collapsed: CollapsedRows,
    settings: BoostSettings,
) -> AdditiveEnsemble:
    """The ensemble of boosted trees: the tables they add up to, and the trees for those who ask for rounds."""
    counts = collapsed.given
    effective = collapsed.counts

    def collapse(trees: CrossFit) -> AddedTables:
        return Collapse(trees, rows, effective).to_tables(settings.max_pairs)

    tables = collapse(trees)
    rule = None
    if settings.monotone:
        order = OrderWanted(settings.monotone, LOGISTIC.judge, rows.labels, effective)
        ordered = order_tables(trees, left_out, rows, collapse, order)
        free = order.judge_left_out(left_out, rows)
        left_out = ordered.left_out
        tables = ordered.tables
        loss = order.judge_left_out(left_out, rows)
        rule = replace(ordered.rule, ordered=loss, free=free)
    of_groups = make_log_loss(len(effective.groups))
    found = find_cell_tables(tables, rows, effective, left_out, of_groups, settings)
    if found.tables:
        tables = Collapse(trees, rows, effective, found.tables).to_tables(settings.max_pairs)
    model = hear_texts(tables.to_groups(), texts, getattr(trees.start, "texts", ()))
    # what people are shown is counted as it was given
    times = counts.n_rows / effective.n_rows
    pairs = tuple(replace(pair, counts=times * pair.counts) for pair in model.pairs)
    return AdditiveEnsemble(
        replace(
            model, pairs=pairs, monotone=rule, errors=_find_errors(found.left_out, rows, model)
        ),
        counts,
        trees.splits.shape[1],
        trees.losses,
        tables.left_out_share,
        np.array(trees.blend_weights),
        TreeRounds(trees, effective),
        _score_left_out(found.left_out, rows),
        _find_gain(found, rows),
    )


def _find_errors(left_out: np.ndarray, rows: DistinctRows, model: NaiveBayesModel) -> LeftOutErrors:
    """What the log-loss of rows that were left out says of the tables."""
    n = len(left_out)
    weights = rows.weights[:n, None]
    if left_out.shape[1] == 1:
        p = expit(left_out)
        truth = rows.labels[:n, None] == 1
    else:
        p = softmax(left_out, axis=1)
        truth = rows.labels[:n, None] == np.arange(left_out.shape[1])
    slopes = weights * (truth - p)
    return sum_derivatives(slopes, weights * p * (1.0 - p), rows, model.schema)


def _find_gain(found: FoundCells, rows: DistinctRows) -> float:
    """What the log-loss of rows that were left out is less by tables of three columns."""
    if found.of_two is None:
        return 0.0
    some = slice(0, len(found.left_out))
    weights = rows.weights[some]
    before, after = (
        float(weights @ judge_log_loss(scores, rows.labels[some])[0] / weights.sum())
        for scores in (found.of_two, found.left_out)
    )
    return before - after


def _score_left_out(left_out: np.ndarray, rows: DistinctRows) -> ConformalScores:
    """What sets of classes are made by, from scores of the first rows."""
    some = slice(0, len(left_out))
    weights = rows.weights[some]
    n_units = np.inf if rows.unit_of is None else len(np.unique(rows.unit_of[some]))
    return ConformalScores.of(left_out, rows.labels[some], weights, n_units)


def _grow_trees(
    rows: DistinctRows,
    texts: Sequence[WordDensity],
    order: ContentOrder,
    counts: JointCounts,
    n_models: int,
    settings: BoostSettings,
) -> tuple[CrossFit, np.ndarray]:
    """Trees that do not depend on the order of columns, and slopes if they help; and scores of rows left out."""
    assert counts.schema is not None
    ready = ready_rows(order.arrange(rows), order, counts.schema, find_prior(rows), settings)
    rows = ready.rows
    task = ready.task
    texts_left_out = leave_out_texts(rows, texts)
    start = CrossFitStart(rows, ready.prior, ready.many, texts_left_out, ready.grids)
    grown = fit_trees(task, n_models, start, settings)
    blended: Grown | Blended = grown
    values = find_bin_values(counts, counts.schema.narrow[order.columns])
    by_words = bool(texts) and start.loss_left < MOST_BY_WORDS
    if settings.linear and not by_words and can_start_linear(n_models, values):
        features = make_features(rows.codes, rows.weights, values, ready.n_codes)
        side = LinearSide(features, rows.codes, rows.labels, LOGISTIC, start.start.scores)
        blended = add_linear_start(grown, task, n_models, side, settings)
    trees = blended.trees
    restored = order.restore(replace(trees, splits=ready.merging.refine(trees.splits)))
    return restored, blended.score_left_out()


@dataclass(frozen=True, eq=False)
class ReadyRows:
    """Rows in the order of their content, and what is to be learnt of them.

    Attributes
    ----------
    rows : DistinctRows
    task : Task
        Of the columns that are not the same in all rows.
    merging : Coarsening
        The bins that its codes are.
    n_codes : ndarray of int64
        Of all one-byte columns.
    prior : ndarray of shape (n_groups,)
    many : list of int
        Where columns of many categories stand.
    grids : list of PairGrid
        Pairs that tell something only together.
    """

    rows: DistinctRows
    task: Task
    merging: Coarsening
    n_codes: np.ndarray
    prior: np.ndarray
    many: list[int]
    grids: list[PairGrid]


def ready_rows(
    rows: DistinctRows,
    order: ContentOrder,
    schema: Schema,
    prior: np.ndarray,
    settings: BoostSettings,
) -> ReadyRows:
    """See what rows that stand in the order of their content are to be boosted by."""
    places = schema.narrow[order.columns]
    n_codes = np.array([schema.columns[j].n_codes for j in places], np.int64)
    ordered = np.array([schema.columns[j].kind == "numeric" for j in places], bool)
    many = order.find_places(find_columns(schema))
    max_bins = count_fine_bins(sum_rows(rows.weights)) if settings.coarse_first else NARROW_BINS
    n_special = count_special_codes([schema.columns[j] for j in places])
    merging = merge_for_trees(rows, n_codes, ordered, n_special, max_bins)
    seen = replace(rows, codes=merging.coarsen(rows.codes))
    telling = slice(order.n_telling)
    columns = merging.n_codes[telling], ordered[telling], n_special[telling]
    task = _make_task(order.leave_telling(seen), *columns, prior, settings)
    task = replace(task, allowed=settings.allowed_among(places[telling]))
    grids = []
    if settings.interactions > 1:
        are_boards = (ordered & (n_special == 0))[telling]
        grids = find_hidden_pairs(rows, n_codes[telling], are_boards, prior, task.allowed)
    return ReadyRows(rows, task, merging, n_codes, prior, many, grids)


def _make_task(
    rows: DistinctRows,
    n_codes: np.ndarray,
    ordered: np.ndarray,
    n_special: np.ndarray,
    prior: np.ndarray,
    settings: BoostSettings,
) -> Task:
    """Groups to be telling apart, at first by few bins."""
    coarsening = None
    if settings.coarse_first:
        coarsening = choose_coarsening(rows, n_codes, ordered, n_special, prior)
    loss = make_log_loss(len(prior))
    return Task(rows, n_codes, ordered, loss, count_drawn(len(n_codes)), coarsening)
