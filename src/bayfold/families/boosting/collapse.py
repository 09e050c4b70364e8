"""The sum of trees, and of cells of three columns, as one model of tables, exactly.

A tree with the root a and the children b and c asks on each path about two columns only: its left side lies in the
table of (a, b), the other in that of (a, c). Tables of two columns are then purified: what a column says alone, the
count-weighted means of rows and columns, moves to its own table, so that the parts of the model can be told apart and
drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise

import numpy as np
from scipy.special import log_softmax

from bayfold.core.counts import JointCounts
from bayfold.core.densities import PairTerm, TableTerm
from bayfold.core.densities.terms import Packing
from bayfold.core.discretize import set_special_apart
from bayfold.core.kernels.encode import FIRST_BIN, UNSEEN
from bayfold.core.schema import NumericColumn, RowBlock, Schema
from bayfold.core.scoring import NaiveBayesModel
from bayfold.families.boosting import kernels
from bayfold.families.boosting.kernels.inputs import NO_SPLIT
from bayfold.families.boosting.purify import purify, purify_cells
from bayfold.families.boosting.rounds.cross_fit import CrossFit
from bayfold.families.boosting.rounds.distinct_rows import DistinctRows
from bayfold.families.boosting.starts.tables import CellTable, PairTable, find_splits

COUNTED_ROWS = 1 << 17
"""Rows whose cells weigh the means that are moved; they come in random order."""


@dataclass(eq=False)
class Quarters:
    """Quarters of trees: a side of a split of one column, a side of a split of another, and there a third split.

    Attributes
    ----------
    columns : ndarray of int of shape (n, 2)
        Of the first and of the second split; the first is not the later one.
    splits : ndarray of int of shape (n, 3, 2)
        Kind and cut.
    sides : ndarray of int of shape (n, 2)
    third_on_first : ndarray of bool
        Whether the third split is of the first column or of the second.
    values : ndarray of shape (n, 2, n_scores)
        On the left and on the right of the third split.
    """

    columns: np.ndarray
    splits: np.ndarray
    sides: np.ndarray
    third_on_first: np.ndarray
    values: np.ndarray

    def take(self, chosen: np.ndarray | slice) -> Quarters:
        """Some of the quarters."""
        return Quarters(*(getattr(self, name)[chosen] for name in QUARTER_FIELDS))

    def oriented(self) -> Quarters:
        """The same with the earlier column first."""
        first, second = self.columns.T
        place = np.where((first > second)[:, None], (1, 0, 2), (0, 1, 2))
        splits = np.take_along_axis(self.splits, place[:, :, None], axis=1)
        columns, sides = (
            np.take_along_axis(x, place[:, :2], axis=1) for x in (self.columns, self.sides)
        )
        return Quarters(columns, splits, sides, self.third_on_first ^ (first > second), self.values)


QUARTER_FIELDS = tuple(field.name for field in fields(Quarters))

NO_SPLITS = np.empty((0, 2), np.int64)
"""Beside those of trees, for pairs of columns of which nothing was known before."""


def find_first_codes(merge: np.ndarray, n_bins: int) -> np.ndarray:
    """The first code of each bin, -1 where a bin has none."""
    codes = np.full(n_bins, -1, np.int64)
    codes[merge[::-1]] = np.arange(len(merge))[::-1]
    return codes


def cut_quarters(trees: CrossFit) -> Quarters:
    """All trees in quarters, each divided by the number of models."""
    splits = trees.splits.reshape(-1, *trees.splits.shape[2:])
    values = trees.values.reshape(-1, *trees.values.shape[2:]) / len(trees.splits)
    parts = []
    for side, below in np.ndindex(2, 2):
        quarter = 2 * side + below
        root = splits[:, 0]
        child = splits[:, 1 + side]
        third = splits[:, 3 + quarter]
        # a quarter without a second split speaks of the root's column alone, and the other way round
        a = np.where(root[:, 1] == NO_SPLIT, child[:, 0], root[:, 0])
        b = np.where(child[:, 1] == NO_SPLIT, a, child[:, 0])
        part = Quarters(
            np.stack([a, b], axis=1),
            np.stack([root[:, 1:], child[:, 1:], third[:, 1:]], axis=1),
            np.full((len(splits), 2), (side, below)),
            third[:, 0] == a,
            values[:, 2 * quarter :][:, :2],
        )
        # the right side of no split holds no rows
        empty = (part.splits[:, :2, 0] == NO_SPLIT) & (part.sides == 1)
        parts.append(part.take(np.flatnonzero(~empty.any(axis=1))))
    found = Quarters(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in QUARTER_FIELDS)
    )
    return found.oriented()


class Collapse:
    """Tables in the making.

    Parameters
    ----------
    trees : CrossFit
    rows : DistinctRows
    counts : JointCounts
    cells : sequence of CellTable
        What columns add beside the trees.
    """

    def __init__(
        self,
        trees: CrossFit,
        rows: DistinctRows,
        counts: JointCounts,
        cells: Sequence[CellTable] = (),
    ) -> None:
        assert counts.schema is not None
        self.schema: Schema = counts.schema
        self.rows = rows
        self.counts = counts
        self.n_scores = trees.values.shape[-1]
        # columns as the trees know them, then those they do not
        self.columns = [*self.schema.narrow.tolist(), *self.schema.wide.tolist()]
        self.live = [find_live_codes(self.schema, counts, j) for j in self.columns]
        self.single = [np.zeros((len(live), self.n_scores)) for live in self.live]
        for k, table in trees.start.tables(counts).items():
            self.single[k] += table
        self.intercept = trees.start.scores
        self.pairs: list[PairTerm] = []
        self._splits: dict[int, np.ndarray] = {}
        self._known = {pair.columns: pair for pair in getattr(trees.start, "pairs", ())}
        for cell in cells:
            self._add_cells(cell)
        quarters = cut_quarters(trees)
        self._add_quarters(quarters)
        for a, b in sorted(self._known):  # those that no tree has asked about
            self._add_pair(a, b, quarters.take(slice(0)))

    def _add_quarters(self, quarters: Quarters) -> None:
        if len(quarters.sides) == 0:
            return
        order = np.lexsort(quarters.columns.T[::-1])
        ordered = quarters.take(order)
        bounds = np.flatnonzero((np.diff(ordered.columns, axis=0) != 0).any(axis=1)) + 1
        for start, stop in pairwise([0, *bounds.tolist(), len(order)]):
            part = ordered.take(slice(start, stop))
            a, b = part.columns[0].tolist()
            if a == b:
                kernels.add_column_parts(part.splits, part.sides, part.values, self.single[a])
            else:
                self._add_pair(a, b, part)

    def _add_pair(self, a: int, b: int, part: Quarters) -> None:
        """The table of two columns: what the trees say of them, and what was known before."""
        known = self._known.pop((a, b), None)
        more = [NO_SPLITS if known is None else self._splits_of(known.merges[k]) for k in (0, 1)]
        *merges, table = kernels.tabulate_pair(
            part.splits,
            part.sides,
            part.third_on_first,
            part.values,
            self.live[a],
            self.live[b],
            *more,
        )
        if known is not None:
            first, second = (
                find_first_codes(m, n) for m, n in zip(merges, table.shape, strict=False)
            )
            table[1:, 1:] += known.look_up(first[1:, None], second[None, 1:])
        self._purify(a, b, (merges[0], merges[1]), table)

    def _splits_of(self, merge: np.ndarray) -> np.ndarray:
        """Splits that tell all bins apart; tables of a start often share their bins, so they are found once."""
        if id(merge) not in self._splits:
            self._splits[id(merge)] = find_splits(merge)
        return self._splits[id(merge)]

    def _add_cells(self, cells: CellTable) -> None:
        """A table of cells, and what fewer of its columns say in it, which becomes part of their own."""
        counts = self._count_cells(cells)
        table = cells.table.copy()
        margins = purify_cells(table, counts.sum(axis=-1))
        for axis, margin in enumerate(margins):
            others = [k for k in range(len(margins)) if k != axis]
            positions = [cells.positions[k] for k in others]
            merges = [cells.merges[k] for k in others]
            if len(others) == 1:
                self.single[positions[0]] += margin[merges[0]]
                continue
            pair = PairTable((positions[0], positions[1]), (merges[0], merges[1]), margin)
            known = self._known.get(pair.columns)
            self._known[pair.columns] = pair if known is None else known.plus(pair)
        self._keep([self.columns[k] for k in cells.positions], cells.merges, table, counts)

    def _count_cells(self, cells: CellTable) -> np.ndarray:
        """The weight of each cell by label."""
        rows = self.rows
        n = min(rows.n_rows, COUNTED_ROWS)
        sides = zip(cells.positions, cells.merges, strict=True)
        found = [merge[rows.column(k)[:n]] for k, merge in sides] + [rows.labels[:n]]
        shape = *cells.table.shape[:-1], len(self.counts.groups)
        flat = np.ravel_multi_index(tuple(found), shape)
        return np.bincount(flat, rows.weights[:n], int(np.prod(shape))).reshape(shape)

    def _keep(
        self,
        columns: list[int],
        merges: Sequence[np.ndarray],
        table: np.ndarray,
        counts: np.ndarray,
    ) -> None:
        """A table as a term, its columns in order."""
        order = np.argsort(columns).tolist()
        axes = [*order, len(order)]
        self.pairs.append(
            PairTerm(
                tuple(columns[k] for k in order),
                tuple(merges[k] for k in order),
                table.transpose(axes),
                counts.transpose(axes),
            )
        )

    def _purify(
        self, a: int, b: int, merges: tuple[np.ndarray, np.ndarray], table: np.ndarray
    ) -> None:
        """Move what either column says alone to its own table."""
        rows = self.rows
        counts = np.zeros((*table.shape[:2], len(self.counts.groups)))
        n = min(rows.n_rows, COUNTED_ROWS)
        kernels.count_pair(rows.codes[:n], rows.labels[:n], rows.weights[:n], a, b, *merges, counts)
        weights = counts.sum(axis=2)
        of_row, of_column = purify(table, weights)
        self.single[a] += of_row[merges[0]]
        self.single[b] += of_column[merges[1]]
        self._keep([self.columns[a], self.columns[b]], merges, table, counts)

    def to_tables(self, max_pairs: int | None = None) -> AddedTables:
        """What the trees add up to, without the weakest of more than ``max_pairs`` pairs."""
        intercept = self.intercept.copy()
        single: dict[int, np.ndarray] = {}
        variance = 0.0
        for k, j in enumerate(self.columns):
            table = self.single[k]
            live = self.live[k]
            weights = np.where(live, self.counts.tables[j].sum(axis=1), 0.0)
            mean = weights @ table / max(weights.sum(), 1e-300)
            intercept += mean
            table = np.where(live[:, None], table - mean, 0.0)
            table -= centre_scores(table)
            variance += _variance(table, weights)
            single[j] = table
        pairs = [
            replace(pair, log_table=pair.log_table - centre_scores(pair.log_table))
            for pair in self.pairs
        ]
        shares = np.array([_variance(pair.log_table, pair.rows) for pair in pairs])
        order = np.argsort(-shares, kind="stable")
        n_kept = len(order) if max_pairs is None else max_pairs
        lost = float(shares[order[n_kept:]].sum() / max(variance + shares.sum(), 1e-300))
        return AddedTables(self.schema, intercept, single, [pairs[k] for k in order[:n_kept]], lost)


@dataclass(frozen=True, eq=False)
class AddedTables:
    """Scores as a sum of tables.

    Attributes
    ----------
    schema : Schema
    intercept : ndarray of shape (n_scores,)
    single : dict of int to ndarray of shape (n_codes, n_scores)
        The table of each column.
    pairs : list of PairTerm
        With one entry per score, and counts by label.
    left_out_share : float
        Share of the variance of all tables that pairs had which were left out.
    """

    schema: Schema
    intercept: np.ndarray
    single: dict[int, np.ndarray]
    pairs: list[PairTerm]
    left_out_share: float

    def score(self, rows: DistinctRows) -> np.ndarray:
        """Scores of coded rows, of shape (n_rows, n_scores)."""
        scores = np.tile(self.intercept, (rows.n_rows, 1))
        for k, j in enumerate([*self.schema.narrow.tolist(), *self.schema.wide.tolist()]):
            scores += self.single[j][rows.column(k)]
        if self.pairs:
            packing = Packing(self.schema, len(self.intercept), centred=False)
            block = RowBlock.of_codes(self.schema, rows.codes, rows.wide)
            PairTerm.pack(self.pairs, packing).add_scores(block, scores)
        return scores

    def make_term(self, j: int, table: np.ndarray) -> TableTerm:
        """The term of a column."""
        column = self.schema.columns[j]
        merge = None
        if isinstance(column, NumericColumn):
            bins = table[FIRST_BIN : column.first_special]
            merge = np.arange(len(bins)) if column.is_given else _merge_equal(bins)
            merge = set_special_apart(merge, len(column.special))
        return TableTerm(j, table, merge)

    def to_groups(self) -> NaiveBayesModel:
        """The model of groups that has these scores."""
        terms = [self.make_term(j, _by_group(self.single[j])) for j in range(len(self.single))]
        pairs = tuple(replace(pair, log_table=_by_group(pair.log_table)) for pair in self.pairs)
        log_prior = log_softmax(_by_group(self.intercept))
        return NaiveBayesModel(self.schema, log_prior, tuple(terms), pairs=pairs)


def find_live_codes(schema: Schema, counts: JointCounts, j: int) -> np.ndarray:
    """Codes that give evidence: those that were counted, and all bins of numbers."""
    live = counts.tables[j].sum(axis=1) > 0
    column = schema.columns[j]
    if isinstance(column, NumericColumn):
        bins = slice(FIRST_BIN, column.first_special)
        live[bins] = live[bins].any()
    live[UNSEEN] = False
    return live


def _merge_equal(table: np.ndarray) -> np.ndarray:
    """Neighbouring bins that say the same are one to whoever reads the model."""
    differs = (table[1:] != table[:-1]).any(axis=1)
    return np.append(0, np.cumsum(differs))[: len(table)]


def centre_scores(table: np.ndarray) -> np.ndarray:
    """The mean over scores where there are several: the same for all groups, it says nothing."""
    if table.shape[-1] == 1:
        return np.zeros(1)
    return table.mean(axis=-1, keepdims=True)


def _by_group(scores: np.ndarray) -> np.ndarray:
    """Scores per group: of two groups, half of the log-odds each way."""
    if scores.shape[-1] > 1:
        return scores
    return np.concatenate([-scores / 2, scores / 2], axis=-1)


def _variance(table: np.ndarray, weights: np.ndarray) -> float:
    return float((weights[..., None] * table * table).sum() / max(weights.sum(), 1e-300))
