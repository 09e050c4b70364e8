"""Additive boosting: one- and two-column tables from cross-fitted shallow trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from bayfold.core.counts import LabelledRows
from bayfold.core.frames import Table
from bayfold.core.schema import RowBlock, Schema, extend_schema
from bayfold.core.scoring.predictor import Predictor
from bayfold.errors import rounds_cut_short, warn
from bayfold.families.boosting import kernels
from bayfold.families.boosting.categories import find_columns, start_scores
from bayfold.families.boosting.collapse import (
    Collapse,
    centre_scores,
)
from bayfold.families.boosting.cross_fit import CrossFit, choose_n_models, fit_trees
from bayfold.families.boosting.distinct_rows import (
    CollapsedRows,
    DistinctRows,
    code_rows,
    collapse_coded_rows,
    deal_distinct_rows,
)
from bayfold.families.boosting.settings import BoostSettings


def learn_additive(rows: LabelledRows, schema: Schema, settings: BoostSettings) -> AdditiveEnsemble:
    """Code the rows, boost, and collapse the trees into tables."""
    schema = extend_schema(schema, rows.table)
    coded = code_rows(rows, schema, settings.n_threads)
    collapsed = collapse_coded_rows(coded, rows, schema)
    n_models = settings.n_models or choose_n_models(collapsed.size)
    n_folds = max(n_models, round(1 / settings.validation_fraction))
    dealt = deal_distinct_rows(collapsed, n_folds, settings.seed)
    columns = [schema.columns[j] for j in schema.narrow]
    n_codes = np.array([column.n_codes for column in columns], np.int64)
    ordered = np.array([column.kind == "numeric" for column in columns])
    many = find_columns(schema)
    trees = fit_trees(dealt, n_models, n_codes, ordered, many, settings, settings.n_threads)
    if trees.is_cut_short:
        warn(rounds_cut_short(settings.n_rounds))
    return AdditiveEnsemble(trees, dealt, collapsed, settings.max_pairs)


class AdditiveEnsemble:
    """Boosted trees and the tables they add up to."""

    def __init__(
        self, trees: CrossFit, rows: DistinctRows, collapsed: CollapsedRows, max_pairs: int | None
    ) -> None:
        self.trees, self.counts, self._effective = trees, collapsed.given, collapsed.counts
        model, left_out = Collapse(trees, rows, self._effective).to_model(max_pairs)
        # what people are shown is counted as it was given
        times = self.counts.n_rows / self._effective.n_rows
        pairs = tuple(replace(pair, counts=times * pair.counts) for pair in model.pairs)
        self.model = replace(model, pairs=pairs)
        self.log_prior = self.model.log_prior
        self._predictor = Predictor(self.model)
        self.learnt: dict[str, Any] = {
            "schema_": self.model.schema,
            "n_rounds_": trees.splits.shape[1],
            "validation_loss_": trees.losses,
            "left_out_share_": left_out,
        }

    def score(
        self, table: Table, *, readout: Callable | None = None, n_threads: int = 1
    ) -> np.ndarray:
        """Scores of all rows from the tables."""
        return self._predictor.score(table, readout=readout, n_threads=n_threads)

    def staged_scores(self, table: Table, n_threads: int = 1) -> Iterator[np.ndarray]:
        """Scores after each round, by walking the trees; the last are those of the tables.

        Where a cell gives no evidence, or pairs were left out, trees and tables differ. The difference comes in with
        the rounds, in proportion to the size of their steps.
        """
        trees = self.trees
        block = self._predictor.coder.open(table, warn_unseen=False).block(0, table.n_rows)
        last = self.score(table, n_threads=n_threads)
        sizes = np.abs(trees.values).sum(axis=(0, 2, 3))
        shares = np.cumsum(sizes) / max(sizes.sum(), 1e-300)
        difference = np.zeros_like(last)
        for scores in self._walk(block):
            difference = last - scores
        for scores, share in zip(self._walk(block), shares, strict=True):
            yield scores + share * difference

    def _walk(self, block: RowBlock) -> Iterator[np.ndarray]:
        """Scores after each round as the trees alone have them."""
        trees, codes = self.trees, block.narrow
        scores = np.tile(start_scores(trees.start.prior), (len(codes), 1))
        for k, table in trees.start.tables(self._effective).items():
            n_narrow = codes.shape[1]
            scores += table[codes[:, k] if k < n_narrow else block.wide[:, k - n_narrow]]
        for t in range(trees.splits.shape[1]):
            kernels.score_round(
                codes,
                np.ascontiguousarray(trees.splits[:, t]),
                np.ascontiguousarray(trees.values[:, t]),
                scores,
            )
            yield scores - centre_scores(scores)
