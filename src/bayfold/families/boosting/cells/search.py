"""Which columns say more by three, or by many categories and another column, than tables of two columns say.

What is looked at are rows that no model had seen when it predicted them, and the pull of the loss on their scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.families.boosting.cells.grids import (
    CellGrid,
    GridSide,
    find_column_at,
    group_alike,
    make_side,
)
from bayfold.families.boosting.cells.rounds import CELL_RIDGE, RowLoss, boost_cells
from bayfold.families.boosting.collapse import AddedTables, find_live_codes
from bayfold.families.boosting.rounds.cross_fit import choose_n_models
from bayfold.families.boosting.rounds.distinct_rows import DistinctRows
from bayfold.families.boosting.rounds.task import Loss
from bayfold.families.boosting.settings import BoostSettings
from bayfold.families.boosting.starts.tables import CellTable

CELL_ROWS = 1 << 18
"""Rows that tables of cells are learnt from, at most: 500 for each of 512 cells."""

LEAST_CELL_ROWS = 1_000
"""Fewer rows are not looked at unless ``interactions=3``: less than two for each of 512 cells."""

STRONGEST_PAIRS = 30
MOST_THREES = 200
"""Tables of two columns whose columns are joined by three, and threes that are looked at: some milliseconds each."""

MOST_GRIDS_BOOSTED = 10
"""On kin8nm five grids had a relative RMSE of 50.3 %, ten of 46.9 and twenty of 46.7."""

MOST_PARTNERS = 10
"""Columns that one of many categories is looked at together with, those that say most."""

CELL_FOLDS = 4
"""Models of cells, each of which leaves out a part of the rows."""

CLEAR_CELLS = 2.0
LEAST_CELL_GAIN = 0.005
"""Standard errors, and share of the loss, that rows which were left out must gain by cells: half a per cent of a
squared error is a quarter of a per cent of its root."""


@dataclass(frozen=True, eq=False)
class CellRows:
    """Rows that cells are learnt from.

    Attributes
    ----------
    rows : DistinctRows
        Those that models left out come first.
    counts : JointCounts
    begin : ndarray of shape (n_rows, n_scores)
        Scores without cells; of the first rows by models that left them out.
    n_left_out : int
    loss : RowLoss
    """

    rows: DistinctRows
    counts: JointCounts
    begin: np.ndarray
    n_left_out: int
    loss: RowLoss

    @property
    def left_out(self) -> slice:
        """The first rows."""
        return slice(0, self.n_left_out)

    def cut(self, n_rows: int) -> CellRows:
        """The first rows alone."""
        rows = take_first(self.rows, n_rows)
        n_left_out = min(self.n_left_out, n_rows)
        loss = RowLoss(self.loss.loss, rows)
        return CellRows(rows, self.counts, self.begin[:n_rows], n_left_out, loss)

    def bounds(self) -> np.ndarray:
        """Folds of the rows that were left out; by time they are all later than the others."""
        n_folds = 1 if self.rows.is_forward else min(choose_n_models(self.rows.n_rows), CELL_FOLDS)
        return self.rows.cut_evenly(self.n_left_out, n_folds)

    def find_gains(self, added: np.ndarray) -> tuple[float, float, float]:
        """What rows that were left out gain by other scores: the sum, its standard error, and what there is to gain."""
        targets = self.loss.targets[self.left_out]
        weights = self.loss.weights[self.left_out]
        begin = self.begin[self.left_out]
        mean = np.tile(np.average(begin, axis=0, weights=weights), (len(begin), 1))
        before, after, nothing = (
            weights * self.loss.judge(scores, targets)[0] for scores in (begin, begin + added, mean)
        )
        gains = before - after
        if self.rows.unit_of is not None:
            gains = np.bincount(self.rows.unit_of[self.left_out], gains)
        left = float(before.sum())
        told = float(nothing.sum()) - left
        return float(gains.sum()), float(np.sqrt(gains @ gains)), min(abs(left), abs(told))


def take_first(rows: DistinctRows, n_rows: int) -> DistinctRows:
    """The first rows, in one fold."""
    return DistinctRows(
        rows.codes[:n_rows],
        rows.wide[:n_rows],
        rows.labels[:n_rows],
        rows.targets[:n_rows],
        rows.weights[:n_rows],
        np.array([0, n_rows]),
        exposures=None if rows.exposures is None else rows.exposures[:n_rows],
        unit_of=None if rows.unit_of is None else rows.unit_of[:n_rows],
        is_forward=rows.is_forward,
    )


@dataclass(frozen=True, eq=False)
class FoundCells:
    """Tables of cells, and scores of rows that were left out, each by models that left it out.

    Attributes
    ----------
    tables : list of CellTable
    left_out : ndarray of shape (n_left_out, n_scores)
    of_two : ndarray of the same shape or None
        The same without tables of three columns; None where there are none.
    """

    tables: list[CellTable]
    left_out: np.ndarray
    of_two: np.ndarray | None = None


def find_cell_tables(
    added: AddedTables,
    rows: DistinctRows,
    counts: JointCounts,
    left_out: np.ndarray,
    loss: Loss,
    settings: BoostSettings,
) -> FoundCells:
    """Tables of three columns, and of columns of many categories, by which rows that were left out gain clearly.

    Parameters
    ----------
    added : AddedTables
        The tables of one and two columns.
    rows : DistinctRows
    counts : JointCounts
    left_out : ndarray of shape (n_left_out, n_scores)
        Scores of the first rows, each by models that left it out.
    loss : Loss
    settings : BoostSettings
    """
    found = FoundCells([], left_out)
    is_small = rows.n_rows < LEAST_CELL_ROWS and settings.triples != "always"
    is_barred = settings.interactions < 2 or settings.max_pairs == 0 or bool(settings.monotone)
    if is_barred or is_small or not len(left_out):
        return found
    n_rows = min(rows.n_rows, CELL_ROWS)
    if counts.schema is not None and len(counts.schema.text):
        n_rows = min(n_rows, len(left_out))  # what words say of the others is not known here
    some = take_first(rows, n_rows)
    begin = added.score(some)
    n_left_out = min(len(left_out), n_rows)
    begin[:n_left_out] = left_out[:n_left_out]
    known = CellRows(some, counts, begin, n_left_out, RowLoss(loss, some))
    if settings.triples != "never":
        grids = list_triples(added, known, settings)
        found = _add(found, known, grids, is_wanted=settings.triples == "always")
        known = replace(known, begin=begin + sum(t.look_up(some) for t in found.tables))
        known.begin[:n_left_out] = found.left_out[:n_left_out]
    half = int(some.cut_evenly(n_rows, 2)[1])
    return _add(found, known.cut(half), list_wide(added, known, half, settings), is_wanted=False)


def _add(
    found: FoundCells, known: CellRows, grids: Sequence[CellGrid], is_wanted: bool
) -> FoundCells:
    """With the tables of some grids, if rows gain by them: clearly, unless they are wanted."""
    grids = choose_grids(grids, known)
    if not grids or known.n_left_out < 2 * CELL_FOLDS:
        return found
    boosted = boost_cells(grids, known.rows, known.loss, known.begin, known.bounds())
    gain, noise, most = known.find_gains(boosted.left_out)
    is_clear = gain > max(CLEAR_CELLS * noise, LEAST_CELL_GAIN * most)
    if not boosted.tables or not (is_clear or is_wanted):
        return found
    tables = [grid.tabulate(table) for grid, table in zip(grids, boosted.tables, strict=True)]
    before = found.left_out[: known.n_left_out]
    of_two = before if len(tables[0].positions) > 2 else found.of_two
    if of_two is not None and len(tables[0].positions) == 2:
        of_two = of_two[: len(before)] + boosted.left_out
    return FoundCells(found.tables + tables, before + boosted.left_out, of_two)


def choose_grids(grids: Sequence[CellGrid], known: CellRows) -> list[CellGrid]:
    """The grids that most is gained by, if half of the rows that were left out are told what the others say."""
    left_out = take_first(known.rows, known.n_left_out)
    _, pull, curvature = known.loss.find_pull(known.begin[known.left_out], known.left_out)
    ridge = CELL_RIDGE * curvature.mean(axis=0)
    half = int(left_out.cut_evenly(known.n_left_out, 2)[1])
    halves = slice(0, half), slice(half, known.n_left_out)
    gains = []
    for grid in grids:
        cells = grid.find_cells(left_out)
        gain = 0.0
        for inside, outside in (halves, halves[::-1]):
            sums = [
                np.stack([np.bincount(cells[inside], x, grid.n_cells) for x in some[inside].T], 1)
                for some in (pull, curvature)
            ]
            steps = grid.smooth(sums[0]) / (grid.smooth(sums[1]) + ridge)
            moves = steps[cells[outside]]
            gain += float((pull[outside] * moves - curvature[outside] * moves**2 / 2).sum())
        gains.append(gain)
    order = np.argsort(-np.array(gains), kind="stable")[:MOST_GRIDS_BOOSTED]
    return [grids[k] for k in order if gains[k] > 0]


def list_triples(added: AddedTables, known: CellRows, settings: BoostSettings) -> list[CellGrid]:
    """Three columns each, of which two pairs at least have strong tables, and all may have one."""
    schema = added.schema
    places = {j: k for k, j in enumerate(schema.narrow.tolist())}
    strong = [tuple(sorted(places[j] for j in p.columns)) for p in added.pairs[:STRONGEST_PAIRS]]
    ranked: dict[tuple[int, ...], int] = {}
    for (i, first), (k, second) in combinations(enumerate(strong), 2):
        together = tuple(sorted({*first, *second}))
        if len(together) == 3:
            ranked[together] = min(ranked.get(together, i + k), i + k)
    candidates = sorted(ranked, key=ranked.__getitem__)
    if settings.named_triples is not None:
        candidates = [tuple(sorted(places[j] for j in named)) for named in settings.named_triples]
    columns = schema.narrow
    allowed = [
        together
        for together in candidates
        if all(settings.may_share(columns[a], columns[b]) for a, b in combinations(together, 2))
    ]
    sides: dict[int, GridSide | None] = {}
    is_wanted = settings.triples == "always"
    for k in {k for together in allowed for k in together}:
        told = _tell(added, k) if is_wanted else None
        sides[k] = make_side(k, known.rows, known.counts, told)
    found = [tuple(sides[k] for k in together) for together in allowed]
    grids = [CellGrid(tuple(filter(None, some))) for some in found if None not in some]
    return grids[:MOST_THREES]


def _tell(added: AddedTables, position: int) -> np.ndarray:
    """One number for each code: what it says alone, of several scores the one that varies most."""
    table = added.single[find_column_at(added.schema, position)]
    return table[:, int(table.var(axis=0).argmax())]


def list_wide(
    added: AddedTables, known: CellRows, half: int, settings: BoostSettings
) -> list[CellGrid]:
    """Columns of more than 254 categories, each with one of the others: grouped by what rows beyond ``half`` say."""
    schema = added.schema
    n_narrow = len(schema.narrow)
    wide = range(n_narrow, n_narrow + len(schema.wide))
    strength = [float(np.abs(_tell(added, k)).max(initial=0.0)) for k in range(n_narrow)]
    partners = np.argsort(-np.array(strength), kind="stable")[:MOST_PARTNERS].tolist()
    rest = slice(half, known.rows.n_rows)
    grids = []
    for k, partner in ((k, partner) for k in wide for partner in partners):
        if not settings.may_share(find_column_at(schema, k), find_column_at(schema, partner)):
            continue
        side = make_side(partner, known.rows, known.counts, None)
        if side is None:
            continue
        groups = _group_by(k, side, known, rest)
        if groups is not None:
            grids.append(CellGrid((side, groups)))
    return grids


def _group_by(position: int, side: GridSide, known: CellRows, rest: slice) -> GridSide | None:
    """Categories in groups by what they say about the bins of another column: by the strongest such pattern."""
    schema = known.counts.schema
    assert schema is not None
    live = find_live_codes(schema, known.counts, find_column_at(schema, position))
    codes = known.rows.column(position)
    _, pull, curvature = known.loss.find_pull(known.begin[rest], rest)
    ridge = CELL_RIDGE * curvature.mean()
    n_bins = len(side.kernel)
    cells = (
        codes[rest].astype(np.int64) * n_bins + side.merge[known.rows.column(side.position)[rest]]
    )
    size = len(live) * n_bins
    sums, firmness = (
        np.stack([np.bincount(cells, x, size) for x in some.T], axis=1).reshape(len(live), -1)
        for some in (pull, curvature)
    )
    steps = sums / (firmness + ridge)
    weights = np.bincount(codes, known.rows.weights, len(live))
    spread = (weights[:, None] * steps).T @ steps
    pattern = np.linalg.eigh(spread)[1][:, -1]
    pattern = pattern * np.sign(pattern[int(np.abs(pattern).argmax())])
    return group_alike(position, steps @ pattern, weights, live)
