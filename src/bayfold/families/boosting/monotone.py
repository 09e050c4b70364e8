"""Boosted tables made monotone: the nearest sum of tables whose scores have the order that was asked for.

What a column and a table of two columns say along the ordered column is taken together, cell by cell of the other
column, and pooled where it goes the wrong way. Isotonic regressions with equal weights keep the order of what they are
given, so ordering one column never disorders another. What pooling took from the scores of the training rows is then
given to the other columns as far as they can say it, so that correlated columns take over from each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy.optimize import isotonic_regression

from bayfold.core.counts import JointCounts
from bayfold.core.densities import PairTerm
from bayfold.core.discretize import AUTO, DECREASING, INCREASING, PEAK
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import NumericColumn
from bayfold.core.scoring.monotone import MonotoneRule, find_least_steps, find_signs
from bayfold.families.boosting.collapse import AddedTables
from bayfold.families.boosting.linear.models import Judge
from bayfold.families.boosting.rounds.cross_fit import CrossFit
from bayfold.families.boosting.rounds.distinct_rows import DistinctRows

FITTED_TO_ROWS = 1 << 16
"""Rows whose scores the tables are drawn back to: enough for some hundred bins of each column."""

FITTING_SWEEPS = 10
"""Over all columns; each takes over most of what its neighbours could not say."""

ROWS_OF_NOTHING = 20.0
"""Rows without a change that each code has besides its own: a rare code does not follow a few rows."""

NO_STEP = 1e-12
"""Smaller steps are rounding, and made none, so that pooled bins are shown as one."""

SCORE_STEP = 1e-4  # of a score, for the curvature of a loss by differences
LEAST_CURVATURE = 1e-6  # of a row that is certain


@dataclass(frozen=True, eq=False)
class OrderedTables:
    """Tables in order.

    Attributes
    ----------
    tables : AddedTables
    left_out : ndarray
        Scores of the left-out rows, each from ordered tables of models that left it out.
    rule : MonotoneRule
        Without its price.
    """

    tables: AddedTables
    left_out: np.ndarray
    rule: MonotoneRule


@dataclass(frozen=True, eq=False)
class OrderWanted:
    """Which columns are to be in order, and what tables are measured by.

    Attributes
    ----------
    directions : mapping of int to str
        By column; ``"auto"`` is decided by the loss of left-out rows.
    judge : Judge
    targets : ndarray of shape (n_rows,)
    counts : JointCounts
        Of the rows.
    """

    directions: Mapping[int, str]
    judge: Judge
    targets: np.ndarray
    counts: JointCounts

    def judge_left_out(self, scores: np.ndarray, rows: DistinctRows) -> float:
        """The mean loss of the first rows."""
        n = len(scores)
        losses = self.judge(scores, self.targets[:n])[0]
        return float(np.average(losses, weights=rows.information[:n]))

    def find_curvature(self, tables: AddedTables, rows: DistinctRows) -> np.ndarray:
        """How strongly the loss of some rows holds their scores in place."""
        some = slice(0, FITTED_TO_ROWS)
        scores = add_up_tables(tables, _take(rows, some))
        low, high = (
            self.judge(scores + step, self.targets[some])[1][:, 0]
            for step in (-SCORE_STEP, SCORE_STEP)
        )
        return rows.information[some] * np.maximum((high - low) / (2 * SCORE_STEP), LEAST_CURVATURE)


def order_tables(
    trees: CrossFit,
    left_out: np.ndarray,
    rows: DistinctRows,
    added: Callable[[CrossFit], AddedTables],
    order: OrderWanted,
) -> OrderedTables:
    """The tables of trees in order, and what models of a part of the rows in the same order say of those left out.

    Parameters
    ----------
    trees : CrossFit
    left_out : ndarray of shape (n_left_out, 1)
        Scores of the first rows, each by models that left it out.
    rows : DistinctRows
    added : callable
        From trees to tables.
    order : OrderWanted
    """
    tables = added(trees)
    n_models = int(np.searchsorted(rows.folds, len(left_out)))
    curvature = order.find_curvature(tables, rows)
    parts = [added(take_model(trees, k, n_models)) for k in range(n_models)]
    folds = [slice(*rows.folds[k : k + 2]) for k in range(n_models)]

    def move(made: Callable[[AddedTables], AddedTables]) -> np.ndarray:
        moved = left_out.copy()
        for part, fold in zip(parts, folds, strict=True):
            some = _take(rows, fold)
            moved[fold] += add_up_tables(made(part), some) - add_up_tables(part, some)
        return moved

    settled = {j: _Along(tables, j, d) for j, d in order.directions.items() if d != AUTO}
    found = tuple(j for j, d in order.directions.items() if d == AUTO)
    for j in found:
        ways = [_Along(tables, j, direction) for direction in (INCREASING, DECREASING)]
        losses = [
            order.judge_left_out(move(partial(_order_one, j, way, order.counts)), rows)
            for way in ways
        ]
        settled[j] = ways[int(np.argmin(losses))]
    rule = MonotoneRule(
        {j: settled[j].direction for j in sorted(settled)},
        {j: settled[j].turn for j in sorted(settled) if settled[j].turn},
        found,
    )

    def put_in_order(part: AddedTables) -> AddedTables:
        return _Ordering(part, settled, order.counts).fit_to(rows, curvature)

    return OrderedTables(put_in_order(tables), move(put_in_order), rule)


def _order_one(j: int, along: _Along, counts: JointCounts, part: AddedTables) -> AddedTables:
    return _Ordering(part, {j: along}, counts).tables


def take_model(trees: CrossFit, k: int, n_models: int) -> CrossFit:
    """The models that left out fold k: one, and one of those that began with a linear model."""
    n_all = len(trees.splits)
    n_second = n_all - n_models
    chosen = [k]
    shares = [n_models / n_all]
    if n_second:
        starts = np.arange(n_second + 1) * n_models // n_second
        chosen.append(n_models + int(np.searchsorted(starts, k, "right")) - 1)
        shares.append(n_second / n_all)
    values = trees.values[chosen] * (len(chosen) * np.array(shares))[:, None, None, None]
    return replace(trees, splits=trees.splits[chosen], values=values)


def add_up_tables(tables: AddedTables, rows: DistinctRows) -> np.ndarray:
    """What tables say of rows."""
    places = [*tables.schema.narrow.tolist(), *tables.schema.wide.tolist()]
    scores = np.tile(tables.intercept, (rows.n_rows, 1))
    for k, j in enumerate(places):
        if tables.single[j].any():
            scores += tables.single[j][rows.column(k)]
    for pair in tables.pairs:
        cells = tuple(
            merge[rows.column(places.index(j))]
            for j, merge in zip(pair.columns, pair.merges, strict=True)
        )
        scores += pair.log_table[cells]
    return scores


def _take(rows: DistinctRows, chosen: slice) -> DistinctRows:
    return replace(rows, codes=rows.codes[chosen], wide=rows.wide[chosen])


class _Along:
    """The order along a column; a peak or a valley turns where the column's own table fits it best."""

    def __init__(self, tables: AddedTables, j: int, direction: str) -> None:
        column = tables.schema.columns[j]
        assert isinstance(column, NumericColumn)
        self.bins = slice(FIRST_BIN, column.first_special)
        self.direction = direction
        n_bins = column.first_special - FIRST_BIN
        self.turn = 0
        if direction not in (INCREASING, DECREASING):
            own = tables.single[j][self.bins, 0] * (1 if direction == PEAK else -1)
            self.turn = _find_turn(own)
        self.untied = slice(self.turn, self.turn)
        self.signs = find_signs(direction, n_bins, self.turn)

    def pool(self, values: np.ndarray, weights: np.ndarray, tied: slice) -> np.ndarray:
        """The nearest values in order, each of the columns of values on its own.

        Those of the bins ``tied`` at the turn are equal, and the largest of a peak.
        """
        up = self.direction in (INCREASING, PEAK)
        if self.direction in (INCREASING, DECREASING):
            return _pool_run(values, weights, up)
        first = tied.start
        end = tied.stop
        left = _pool_run(values[:end], weights[:end], up)
        right = _pool_run(values[first:], weights[first:], not up)
        either = np.maximum if up else np.minimum
        top = either(left[first:], right[: end - first])
        return np.concatenate([left[:first], top, right[end - first :]])

    def find_tied(self, merge: np.ndarray) -> slice:
        """The bins of numbers that a coarser bin holds together across the turn."""
        if not 0 < self.turn < len(merge) or merge[self.turn - 1] != merge[self.turn]:
            return self.untied
        places = np.flatnonzero(merge == merge[self.turn])
        return slice(int(places[0]), int(places[-1]) + 1)


def _pool_run(values: np.ndarray, weights: np.ndarray, rising: bool) -> np.ndarray:
    pooled = values.copy()
    steps = np.diff(values, axis=0)
    wrong = ((steps < 0) if rising else (steps > 0)).any(axis=0)
    for c in np.flatnonzero(wrong).tolist():
        pooled[:, c] = isotonic_regression(values[:, c], weights=weights, increasing=rising).x
    return pooled


def _find_turn(values: np.ndarray) -> int:
    """How many values rise, best, before the others fall."""
    errors = []
    for turn in range(len(values) + 1):
        up = isotonic_regression(values[:turn]).x if turn else np.empty(0)
        down = (
            isotonic_regression(values[turn:], increasing=False).x
            if turn < len(values)
            else np.empty(0)
        )
        errors.append(float(((np.append(up, down) - values) ** 2).sum()))
    return int(np.argmin(errors))


class _Ordering:
    """Tables whose columns are put in order one after the other."""

    def __init__(
        self, tables: AddedTables, along: Mapping[int, _Along], counts: JointCounts
    ) -> None:
        self._counts = counts
        self.tables = replace(
            tables,
            intercept=tables.intercept.copy(),
            single={j: table.copy() for j, table in tables.single.items()},
            pairs=[replace(pair, log_table=pair.log_table.copy()) for pair in tables.pairs],
        )
        self._target = tables
        self._along = along
        for j in along:
            self._order(j)

    def _order(self, j: int) -> None:
        """Put a column in order, by its own table and those it shares."""
        along = self._along[j]
        single = self.tables.single[j]
        shared = [pair for pair in self.tables.pairs if j in pair.columns]
        sides = [_Side(pair, j, along.bins) for pair in shared]
        own = single[along.bins, 0]
        steps = np.diff(own)
        needs = [-find_least_steps(side.values, along.signs) for side in sides]
        total = np.sum(needs, axis=0) if sides else np.zeros_like(steps)
        weights = np.maximum(self._counts.tables[j].sum(axis=1)[along.bins], NO_STEP)
        if not ((along.signs * steps < total) & (along.signs != 0)).any():
            return
        lent = np.zeros_like(steps)
        ordered = np.zeros_like(own)
        for side, need in zip(sides, needs, strict=True):
            part = steps * need / np.where(total > 0, total, 1.0)
            lent += part
            base = np.append(0.0, np.cumsum(part))
            # the first column of these is that of rows whose other cell is unknown
            values = np.column_stack([base, base[:, None] + side.values])
            pooled = along.pool(values, weights, along.find_tied(side.merge))
            ordered += pooled[:, 0]
            of_own, of_other = side.write(pooled[:, 1:] - pooled[:, :1], weights)
            single[:, 0] += of_own
            ordered += of_own[along.bins]
            self.tables.single[side.other][:, 0] += of_other
        rest = own[0] + np.append(0.0, np.cumsum(steps - lent))
        ordered += along.pool(rest[:, None], weights, along.untied)[:, 0]
        single[along.bins, 0] = _level_steps(ordered)

    def fit_to(self, rows: DistinctRows, weights: np.ndarray) -> AddedTables:
        """Draw the scores of the first rows back to what they were before, as far as the order allows.

        Tables of two columns stay as they are. Those of one column are fitted in turn to what is missing, by least
        squares: along an ordered column their steps are at least as long as its shared tables need.
        """
        rows = _take(rows, slice(0, len(weights)))
        ridge = ROWS_OF_NOTHING * float(weights.mean())
        places = [*self.tables.schema.narrow.tolist(), *self.tables.schema.wide.tolist()]
        told = [k for k, j in enumerate(places) if self._target.single[j].any()]
        missing = add_up_tables(self._target, rows)[:, 0] - add_up_tables(self.tables, rows)[:, 0]
        sums = {k: np.bincount(rows.column(k), weights) + ridge for k in told}
        needs = {j: self._find_needs(j) for j in self._along}
        for k in told * FITTING_SWEEPS:
            j = places[k]
            codes = rows.column(k)
            table = self.tables.single[j]
            before = table[:, 0].copy()
            n_codes = len(sums[k])
            table[:n_codes, 0] += np.bincount(codes, weights * missing) / sums[k]
            if j in self._along:
                along = self._along[j]
                firmness = np.pad(sums[k], (0, len(table) - n_codes), constant_values=ridge)
                beyond = table[along.bins] - needs[j][:, None]
                pooled = along.pool(beyond, firmness[along.bins], along.untied)[:, 0]
                table[along.bins, 0] = _level_steps(pooled + needs[j])
            missing -= (table[:, 0] - before)[codes]
        self.tables.intercept[0] += float(weights @ missing / weights.sum())
        return self.tables

    def _find_needs(self, j: int) -> np.ndarray:
        """The least table of a column that its shared tables allow."""
        along = self._along[j]
        shared = [pair for pair in self.tables.pairs if j in pair.columns]
        sides = (_Side(pair, j, along.bins).values for pair in shared)
        steps = np.zeros(len(along.signs))
        for values in sides:
            steps -= along.signs * find_least_steps(values, along.signs)
        return np.append(0.0, np.cumsum(steps))


def _level_steps(values: np.ndarray) -> np.ndarray:
    """The values with steps that are rounding made none."""
    steps = np.diff(values)
    steps[np.abs(steps) < NO_STEP] = 0.0
    return values[0] + np.append(0.0, np.cumsum(steps))


class _Side:
    """A table of two columns as seen along one of them."""

    def __init__(self, pair: PairTerm, j: int, bins: slice) -> None:
        self._pair = pair
        self._side = pair.columns.index(j)
        self.other = pair.columns[1 - self._side]
        self.merge = pair.merges[self._side][bins]
        self._table = np.moveaxis(pair.log_table[..., 0], self._side, 0)
        self.values = self._table[self.merge, 1:]

    def write(self, values: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Write values, without what either column says alone; returns that, by code of this one and of the other."""
        counts = np.moveaxis(self._pair.counts.sum(axis=2), self._side, 0)
        of_other = counts.sum(axis=0)[1:] + NO_STEP
        own = values @ of_other / of_other.sum()
        values = values - own[:, None]
        other = weights @ values / weights.sum()
        self._table[1:, 1:] -= other
        self._table[self.merge, 1:] = values - other
        by_bin = np.zeros(len(self._table))
        by_bin[self.merge] = own
        merges = self._pair.merges
        return by_bin[merges[self._side]], np.append(0.0, other)[merges[1 - self._side]]
