"""What model files hold of models: a prior and terms that fit the schema."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.densities.terms import (
    CurveTerm,
    InterpolatedTerm,
    PairTerm,
    QuadraticTerm,
    TableTerm,
)
from bayfold.core.densities.terms.pair import N_CODES
from bayfold.core.discretize import AUTO, DIRECTIONS
from bayfold.core.evidence import Records, TrainingFacts
from bayfold.core.evidence.editing import EDIT_ACTIONS
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import ColumnSchema, NumericColumn, Schema
from bayfold.core.scoring import NaiveBayesModel
from bayfold.core.scoring.conformal import ConformalScores
from bayfold.core.scoring.edits import UNDO, Edit
from bayfold.core.scoring.errors import CountErrors, LeftOutErrors, ShiftErrors
from bayfold.core.scoring.levels import LevelCorrection
from bayfold.core.scoring.monotone import MonotoneRule
from bayfold.core.scoring.naive_bayes import Calibration, Dropped
from bayfold.core.scoring.predictor import Predictor
from bayfold.core.scoring.quality import HeldOutScore
from bayfold.core.scoring.regression import RegressionModel
from bayfold.persist import checks
from bayfold.persist.kinds import register

TermCheck = Callable[[Any, ColumnSchema, int], None]

_CHECK_OF_TERM: dict[type, TermCheck] = {}


def register_term(cls: type, check: TermCheck) -> None:
    """Let model files hold terms of a kind, if they fit their column and the number of groups."""
    register(cls)
    _CHECK_OF_TERM[cls] = check


def check_table_term(term: TableTerm, column: ColumnSchema, n_groups: int) -> None:
    """A row for each code."""
    checks.expect_group_logs(term.log_table, (column.n_codes, n_groups), "the table of a term")
    if term.merge is not None:
        n_bins = column.n_codes - FIRST_BIN
        checks.expect_places(term.merge, (n_bins,), 0, n_bins, "the bins of a term")
        held = np.unique(term.merge)  # no bin may be empty
        checks.expect(np.array_equal(held, np.arange(len(held))), "the bins of a term")
        if isinstance(column, NumericColumn):  # an interval has one lower and one upper bound
            checks.expect(bool((np.diff(term.merge) >= 0).all()), "the bins of a term")
    if term.log_unit is not None:
        checks.expect_logs(term.log_unit, (column.n_codes,), "the units of a term")


def check_quadratic(term: QuadraticTerm, column: ColumnSchema, n_groups: int) -> None:
    """One parabola per group."""
    checks.expect(isinstance(column, NumericColumn), "the column of a term")
    for numbers in (term.mean, term.inverse_sd, term.constant):
        checks.expect_floats(numbers, (n_groups,), "the parabolas of a term")
    checks.expect_group_logs(term.missing, (n_groups,), "the parabolas of a term")


def check_interpolated(term: InterpolatedTerm, column: ColumnSchema, n_groups: int) -> None:
    """Two nodes at least, over a domain that has a width."""
    checks.expect(isinstance(column, NumericColumn), "the column of a term")
    checks.expect(-math.inf < term.low < term.high < math.inf, "the domain of a term")
    checks.expect_group_logs(term.log_nodes, (None, n_groups), "the nodes of a term")
    checks.expect(len(term.log_nodes) > 1, "the nodes of a term")
    checks.expect_group_logs(term.missing, (n_groups,), "the nodes of a term")


def check_curve(term: CurveTerm, column: ColumnSchema, n_groups: int) -> None:
    """One place in each bin."""
    checks.expect(isinstance(column, NumericColumn), "the column of a term")
    checks.expect_finite(term.places, (column.n_bins,), "the places of a term")
    checks.expect_group_logs(term.log_nodes, (column.n_bins, n_groups), "the nodes of a term")
    checks.expect_group_logs(term.missing, (n_groups,), "the nodes of a term")
    if term.alone is not None:
        checks.expect_array(term.alone, checks.FLAG, (column.n_bins,), "the bins of a term")


def check_pair(pair: PairTerm, model: NaiveBayesModel) -> None:
    """A bin of its table for each code of two columns, or of three."""
    n_columns = len(pair.columns)
    coded = [*model.schema.narrow.tolist(), *model.schema.wide.tolist()]
    checks.expect(n_columns in (2, 3) and len(pair.merges) == n_columns, "the columns of a pair")
    checks.expect(list(pair.columns) == sorted(set(pair.columns)), "the columns of a pair")
    checks.expect(all(j in coded for j in pair.columns), "the columns of a pair")
    checks.expect(pair.log_table.ndim == n_columns + 1, "the table of a pair")
    checks.expect_logs(pair.log_table, (*[None] * n_columns, model.n_groups), "the table of a pair")
    if not pair.is_plain(model.schema):
        n_cells = max(math.prod(pair.shape[:-1]), pair.shape[-1])
        checks.expect(0 < n_cells <= N_CODES, "the table of a pair")
    # of rows, or of each group
    checks.expect(pair.counts.ndim - n_columns in (0, 1), "the counts of a pair")
    checks.expect_counts(
        pair.counts, pair.log_table.shape[: pair.counts.ndim], "the counts of a pair"
    )
    for j, merge, n_bins in zip(pair.columns, pair.merges, pair.log_table.shape, strict=False):
        n_codes = model.schema.n_codes[j]
        checks.expect_bins(merge, (n_codes,), n_bins, "the bins of a pair")


def check_model(model: NaiveBayesModel) -> None:
    """Terms of different columns that all speak of the same groups."""
    n_columns = len(model.schema.columns)
    checks.expect_group_logs(model.log_prior, (None,), "the prior")
    checks.expect(model.n_groups > 0, "the prior")
    columns = [term.column for term in model.terms]
    checks.expect(columns == sorted(set(columns)), "the columns of terms")
    for term in model.terms:
        checks.expect(type(term) in _CHECK_OF_TERM, "a term")
        checks.expect_whole(term.column, 0, n_columns, "the column of a term")
        _CHECK_OF_TERM[type(term)](term, model.schema.columns[term.column], model.n_groups)
    for pair in model.pairs:
        check_pair(pair, model)
    if model.calibration is not None:
        checks.expect(columns == list(range(n_columns)), "the columns of terms")
        check_calibration(model.calibration, n_columns, model.n_groups)
    if model.unedited is not None:
        checks.expect(model.unedited.unedited is None, "the model before edits")
        checks.expect(model.unedited.schema == model.schema, "the model before edits")
        checks.expect(model.unedited.n_groups == model.n_groups, "the model before edits")
    checks.expect((model.unedited is None) == (not model.edits), "the model before edits")
    for number, edit in enumerate(model.edits):
        check_edit(edit, number, n_columns)
    if isinstance(model.errors, ShiftErrors):
        for numbers in (model.errors.weights, model.errors.relative):
            checks.expect_weights(numbers, (n_columns,), "the errors of weights")
    if isinstance(model.errors, LeftOutErrors):
        check_left_out(model.errors, model.schema)
    if model.monotone is not None:
        check_monotone_rule(model.monotone, model)
    for known in (model.methods, model.widths):
        checks.expect(set(known) <= set(range(n_columns)), "the columns of a model")


def check_monotone_rule(rule: MonotoneRule, model: NaiveBayesModel) -> None:
    """Directions of columns of numbers that have tables."""
    for j, direction in rule.directions.items():
        checks.expect_whole(j, 0, len(model.schema.columns), "the monotone columns")
        column = model.schema.columns[j]
        checks.expect(isinstance(column, NumericColumn), "the monotone columns")
        checks.expect(isinstance(model.terms[j], TableTerm), "the monotone columns")
        checks.expect(direction in DIRECTIONS and direction != AUTO, "the directions of columns")
        checks.expect_whole(rule.turns.get(j, 0), 0, column.n_codes, "the turns of columns")
    checks.expect({*rule.turns, *rule.found} <= set(rule.directions), "the monotone columns")


def check_edit(edit: Edit, number: int, n_columns: int) -> None:
    """An action there is, about columns there are; an undo is of an earlier edit."""
    checks.expect(edit.action in {*EDIT_ACTIONS, UNDO}, "the edits")
    for j in edit.columns:
        checks.expect_whole(j, 0, n_columns, "the edits")
    if edit.action == UNDO:
        checks.expect(len(edit.values) == 1 and 1 <= edit.values[0] <= number, "the edits")
    checks.expect(len(edit.places) == len(edit.labels), "the edits")
    for shown in (edit.before, edit.after):
        checks.expect_array(shown, np.float64, (len(edit.labels), None), "the edits")


def check_calibration(calibration: Calibration, n_columns: int, n_groups: int) -> None:
    """A weight per column, none negative, and as many intercepts as scores."""
    checks.expect_weights(calibration.weights, (n_columns,), "the weights of columns")
    checks.expect_logs(calibration.intercept, (checks.count_scores(n_groups),), "the intercept")
    if calibration.errors is not None:
        checks.expect_weights(calibration.errors, (n_columns,), "the errors of weights")
    for dropped in calibration.dropped:
        checks.expect_whole(dropped.column, 0, n_columns, "the dropped columns")


def check_count_errors(errors: CountErrors) -> None:
    """A rule of smoothing, and a share of rows."""
    checks.expect(errors.kind in ("additive", "m_estimate", "shrinkage"), "the rule of smoothing")
    checks.expect(
        0 <= errors.strength <= checks.LARGEST_SUM and 0 < errors.share <= 1, "the share of rows"
    )


def check_left_out(errors: LeftOutErrors, schema: Schema) -> None:
    """Sums by code and score of each column."""
    n_scores = errors.information[0].shape[-1] if errors.information else 1
    checks.expect(1 <= errors.times <= checks.LARGEST_SUM, "the rows that were left out")
    for tables in (errors.information, errors.residuals):
        checks.expect(len(tables) == len(schema.columns), "the rows that were left out")
        for table, n_codes in zip(tables, schema.n_codes, strict=True):
            checks.expect_finite(table, (n_codes, n_scores), "the rows that were left out")


def check_regression(model: RegressionModel) -> None:
    """A point of the grid for each group."""
    n_columns = len(model.naive.schema.columns)
    checks.expect_finite(model.grid, (model.naive.n_groups,), "the grid")
    checks.expect(bool((np.diff(model.grid) >= 0).all()), "the grid")
    checks.expect(bool(model.grid[0] < model.grid[-1]), "the grid")
    checks.expect_weights(model.column_weights, (n_columns,), "the weights of columns")
    checks.expect_array(model.bandwidths, np.float64, (n_columns, 2), "the bandwidths")


def check_counted(model: NaiveBayesModel, counts: JointCounts) -> None:
    """Refuse counts of other columns or groups than a model has."""
    checks.expect(counts.schema is not None and len(counts.groups) == model.n_groups, "the counts")
    checks.expect(counts.schema == model.schema, "the schema of counts")


def check_records(records: Records) -> None:
    """Columns of one length."""
    lengths = {column.shape for column in records.columns.values()}
    checks.expect(
        len(lengths) <= 1 and all(len(shape) == 1 for shape in lengths), "a table of records"
    )


register_term(TableTerm, check_table_term)
register_term(QuadraticTerm, check_quadratic)
register_term(InterpolatedTerm, check_interpolated)
register_term(CurveTerm, check_curve)


def check_facts(facts: TrainingFacts) -> None:
    """As much of each column."""
    shape = (len(facts.values),)
    for numbers in (facts.n_values, facts.missing):
        checks.expect_array(numbers, np.float64, shape, "the facts of columns")
    known = len(facts.notes) == len(facts.kinds) == len(facts.values)
    checks.expect(known, "the facts of columns")
    checks.expect(not (facts.n_rows < 0 or math.isinf(facts.n_rows)), "the number of rows")
    if facts.importances is not None:
        checks.expect_finite(facts.importances, (None,), "the importances of columns")
        checks.expect(len(facts.importances) <= len(facts.values), "the importances of columns")


def check_conformal(conformal: ConformalScores) -> None:
    """A group, a score and a weight of each row."""
    shape = (len(conformal.scores),)
    checks.expect_finite(conformal.scores, shape, "the conformal scores")
    checks.expect_weights(conformal.weights, shape, "the weights of conformal scores")
    checks.expect_places(
        conformal.group_of, shape, 0, sys.maxsize, "the classes of conformal scores"
    )


def check_levels(correction: LevelCorrection) -> None:
    """Two increasing lists from 0 to 1."""
    checks.expect_increasing(correction.knots, (None,), "the knots of a correction")
    checks.expect_increasing(
        correction.levels, correction.knots.shape, "the levels of a correction"
    )
    for numbers in (correction.knots, correction.levels):
        checks.expect(
            len(numbers) > 1 and numbers[0] == 0 and numbers[-1] == 1, "the levels of a correction"
        )


register(PairTerm)
register(Dropped)
register(
    HeldOutScore, lambda s: checks.expect(s.model.keys() == s.prior.keys(), "the held-out score")
)
register(TrainingFacts, check_facts)
register(Calibration)
register(CountErrors, check_count_errors)
register(LeftOutErrors)
register(ShiftErrors)
register(ConformalScores, check_conformal)
register(LevelCorrection, check_levels)
register(Edit)
register(MonotoneRule)
register(NaiveBayesModel, check_model)
register(RegressionModel, check_regression)
register(Predictor, model=NaiveBayesModel)
register(Records, check_records)
