"""Additive boosting of classes with rows that stay where they are.

What needs rows but not all of them is decided here, on the sample of 20,000 rows that is counted along: pairs of
columns that tell something only together, and what columns of many categories are worth beside each other. Rounds go
over all rows where they are. Some of the rows that models left out are shown here in the end, as many as cells are
counted by.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.base.notices import warn_about_columns
from bayfold.base.sources.fit import SourceFit
from bayfold.core.counts import RowSample, Statistics
from bayfold.core.counts.row_hashes import LARGEST_HASH
from bayfold.core.counts.survey import Survey
from bayfold.core.engine.kept_rows import KeptRows, StartPart
from bayfold.core.scoring.derive import find_group_factors
from bayfold.errors import rounds_cut_short, warn
from bayfold.families.boosting import kernels
from bayfold.families.boosting.collapse import COUNTED_ROWS
from bayfold.families.boosting.ensembles import AdditiveEnsemble
from bayfold.families.boosting.kept.part import (
    CodeKeptRows,
    KeptRules,
    KnownCells,
    ShownRows,
    find_folds,
    find_row_grid,
)
from bayfold.families.boosting.kept.rounds import KeptBoosting
from bayfold.families.boosting.learner import add_up, learn_collapsed, ready_rows
from bayfold.families.boosting.rounds.content_order import ContentOrder, find_content_order
from bayfold.families.boosting.rounds.cross_fit import CrossFit, choose_n_folds, choose_n_models
from bayfold.families.boosting.rounds.distinct_rows import (
    CollapsedRows,
    DistinctRows,
    find_count_hashes,
    weigh_copies,
)
from bayfold.families.boosting.rounds.task import Loss, make_log_loss
from bayfold.families.boosting.settings import BoostSettings
from bayfold.families.boosting.starts.categories import CrossFitStart, share_totals

HEAVY_SHARE = 1 / 64
"""Of a fold: a row that is repeated more often is dealt to all folds, so that none is made of few rows."""


def learn_where_rows_are(
    fit: SourceFit, survey: Survey, statistics: Statistics, settings: BoostSettings
) -> AdditiveEnsemble:
    """Boost the rows of a source where they are; here, if the sample is all of them."""
    counts = statistics.counts
    sample = statistics.sample
    schema = counts.schema
    assert schema is not None
    for j in schema.text:
        raise errors.text_needs_all_rows(schema.columns[j].name)
    group_of = sample.group_of.astype(np.int64)
    collapsed = weigh_copies(sample.block(), group_of, sample.weights, counts)
    if sample.threshold == LARGEST_HASH:
        return learn_collapsed(collapsed, schema, settings)
    share = collapsed.counts.n_rows / counts.n_rows
    row_hashes = find_count_hashes(collapsed)
    factors = np.ones(len(counts.groups))
    if settings.group_weights is not None:
        factors = find_group_factors(counts, settings.group_weights)
        collapsed = collapsed.weighed(factors)
    order = find_content_order(row_hashes, schema)
    code = CodeKeptRows(schema, row_hashes, order, settings.seed)
    loss = make_log_loss(len(factors))
    rules = make_rules(loss, collapsed, order, share * factors, settings)
    kept = KeptTable.read(fit, survey, code, rules, collapsed)
    with closing(kept.rows):
        trees, left_out, dealt = _boost(kept, sample.even, collapsed, settings)
    if trees.is_cut_short:
        warn(rounds_cut_short(settings.n_rounds))
    warn_about_columns(counts, collapsed.counts)
    return add_up(trees, left_out, dealt, (), collapsed, settings)


def make_rules(
    loss: Loss,
    collapsed: CollapsedRows,
    order: ContentOrder,
    factors: np.ndarray,
    settings: BoostSettings,
) -> KeptRules:
    """How many models, folds, and how rows are weighed."""
    counts = collapsed.counts
    assert counts.schema is not None
    n_rows = round(counts.n_rows)
    n_models = settings.n_models or choose_n_models(n_rows)
    n_folds = choose_n_folds(n_rows, n_models, settings.validation_fraction)
    columns = counts.schema.narrow[order.columns]
    n_codes = np.array([counts.schema.columns[j].n_codes for j in columns], np.int64)
    grid = find_row_grid(collapsed.given.n_rows)
    return KeptRules(loss, n_models, n_folds, n_codes, factors, grid)


@dataclass(frozen=True, eq=False)
class KeptTable:
    """Rows that stay where they are, coded.

    Attributes
    ----------
    rows : KeptRows
        Of ``KeptPart``.
    rules : KeptRules
    code : CodeKeptRows
    n_rows : float
        How many rows there are, where copies count once.
    """

    rows: KeptRows
    rules: KeptRules
    code: CodeKeptRows
    n_rows: float

    @classmethod
    def read(
        cls,
        fit: SourceFit,
        survey: Survey,
        code: CodeKeptRows,
        rules: KeptRules,
        collapsed: CollapsedRows,
    ) -> KeptTable:
        """Code the rows, and deal those to all folds that are repeated often."""
        rows = fit.keep(code, StartPart(rules.make), survey)
        try:
            code.check_same(collapsed.given, rows.reduce("count_codes"), rules.grid)
            weights = rows.reduce("count_keys")
            is_heavy = weights - np.median(weights) > HEAVY_SHARE * weights.sum() / rules.n_folds
            if is_heavy.any():
                rows.update("spread", is_heavy)
                rules = replace(rules, grid=rules.grid / rules.n_folds)
        except BaseException:
            rows.close()
            raise
        return cls(rows, rules, code, collapsed.counts.n_rows)

    def deal_sample(self, sample: RowSample) -> DistinctRows:
        """The rows of a sample, in the folds they are in and in the order of their content; as heavy as all rows."""
        code = self.code
        n_folds = self.rules.n_folds
        group_of = sample.group_of.astype(np.int64)
        keys = code.row_hashes.draw_keys(sample.block(), group_of, code.seed)
        fold_of = find_folds(keys, n_folds)
        order = np.lexsort((keys, fold_of))
        weights = sample.weights[order] * self.rules.factors[group_of[order]]
        return DistinctRows(
            code.order.arrange_codes(sample.narrow[order]),
            sample.wide[order],
            group_of[order],
            np.empty(0),
            weights * (self.n_rows / weights.sum()),
            np.searchsorted(fold_of[order], np.arange(n_folds + 1)),
        )

    def show_left_out(
        self, beyond: tuple[np.ndarray, np.ndarray]
    ) -> tuple[np.ndarray, DistinctRows]:
        """Scores of rows that models left out, without the trees that are not kept, and these rows."""
        rules = self.rules
        n_left_out = self.n_rows * rules.n_models / rules.n_folds
        limit = np.uint64(min(COUNTED_ROWS / n_left_out, 1.0 - 2.0**-53) * 2.0**64)
        shown: ShownRows = self.rows.reduce("show_left_out", limit).collapsed()
        rows = shown.rows
        scores = rules.loss.to_scores(shown.held)
        folds = np.searchsorted(shown.fold_of, np.arange(rules.n_models + 1))
        for k in range(rules.n_models):
            own = slice(*folds[k : k + 2])
            for splits, values in zip(beyond[0][k], beyond[1][k], strict=True):
                kernels.score_round(rows.codes[own], splits[None], -values[None], scores[own])
        weights = rows.weights * rules.grid * rules.factors[rows.labels]
        codes = self.code.order.restore_codes(rows.codes)
        dealt = DistinctRows(codes, rows.wide, rows.labels, rows.targets, weights, folds)
        return scores, dealt


def _boost(
    kept: KeptTable, sample: RowSample, collapsed: CollapsedRows, settings: BoostSettings
) -> tuple[CrossFit, np.ndarray, DistinctRows]:
    """Trees, and left-out rows with their scores."""
    schema = collapsed.counts.schema
    assert schema is not None
    order = kept.code.order
    rules = kept.rules
    # all bins: of so many rows each pays
    all_bins = replace(settings, coarse_first=False)
    prior = share_totals(collapsed.counts.totals)
    ready = ready_rows(kept.deal_sample(sample), order, schema, prior, all_bins)
    n_narrow = len(ready.n_codes)
    n_wide = [schema.columns[j].n_codes for j in schema.wide]
    n_codes = [*ready.n_codes.tolist(), *n_wide, *(int(np.prod(g.shape)) for g in ready.grids)]

    @cache
    def count(position: int) -> np.ndarray:
        which = find_which(position)
        counts = kept.rows.reduce("count_parts", which, n_codes[position])
        return counts * (rules.grid * rules.factors)

    def find_which(position: int) -> Any:
        n_columns = n_narrow + len(n_wide)
        return position if position < n_columns else ready.grids[position - n_columns]

    begun = CrossFitStart(ready.rows, prior, ready.many, (), ready.grids, count)
    known = [
        KnownCells(find_which(b.position), count(b.position), b.strength, b.factor)
        for b in begun.used
    ]
    kept.rows.update("begin", prior, known)
    boosting = KeptBoosting(kept.rows, rules, ready.task, all_bins)
    trees, beyond = boosting.run(begun.start)
    left_out, dealt = kept.show_left_out(beyond)
    return order.restore(trees), left_out, dealt
