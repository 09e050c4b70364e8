"""Coded rows of one worker, what the models hold of them, and what a round asks of them: sums of whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from bayfold import errors
from bayfold.core.counts import JointCounts, LabelledRows
from bayfold.core.counts.count_hashes import CountHashes, finalize_hashes
from bayfold.core.schema import Coder, Schema
from bayfold.families.boosting import kernels
from bayfold.families.boosting.kernels.inputs import BYTE_CODES, ROWS_MOVED_AT_ONCE, CodeRows
from bayfold.families.boosting.rounds.content_order import ContentOrder
from bayfold.families.boosting.rounds.distinct_rows import Parts, deal_parts_of
from bayfold.families.boosting.rounds.task import Loss
from bayfold.families.boosting.starts.categories import start_scores
from bayfold.families.boosting.starts.tables import PairGrid

HEAVY_BITS = 16
"""Bits of a key by which rows are counted that are repeated often: half a megabyte of counts."""

WHOLE_BITS = 61
"""Sums of whole numbers stay below this power of two: words of 64 bits with room for a sign and some steps."""

SAME_COUNT = 1e-4
"""Relative error of counts that are the same; weights that are no whole numbers are rounded."""

WEIGHT_BITS = 38
"""All weights together are this power of two, or half of it: rounding moves the weight of one row in 10^7 by 10^-5 of
it, and 23 bits are left for what each row pulls."""


@dataclass(frozen=True, eq=False)
class KeptRead:
    """Some rows as they were read: what parts are made of."""

    codes: np.ndarray
    wide: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    keys: np.ndarray
    targets: np.ndarray = field(default_factory=lambda: np.empty(0))

    def __add__(self, other: KeptRead) -> KeptRead:
        """Those of both."""
        pairs = ((getattr(self, name), getattr(other, name)) for name in vars(self))
        return KeptRead(*map(np.concatenate, pairs))

    def take(self, rows: np.ndarray) -> KeptRead:
        """Some of the rows."""
        return KeptRead(*(a[rows] if len(a) else a for a in vars(self).values()))


@dataclass(frozen=True, eq=False)
class CodeKeptRows:
    """Codes rows where they are."""

    schema: Schema
    row_hashes: CountHashes
    order: ContentOrder
    seed: int

    def __call__(self, rows: LabelledRows) -> KeptRead:
        """The codes, groups, weights and keys of some rows."""
        block = Coder(self.schema).open(rows.table).block(0, rows.n_rows)
        group_of = np.ascontiguousarray(rows.group_of, np.int64)
        keys = self.row_hashes.draw_keys(block, group_of, self.seed)
        codes = self.order.arrange_codes(block.narrow)
        return KeptRead(codes, block.wide, group_of, rows.find_weights(), keys)

    def check_same(self, counts: JointCounts, kept: np.ndarray, grid: float) -> None:
        """Refuse rows that are not those that were counted, as of a query that draws anew each time."""
        for place, column in enumerate(self.schema.narrow[self.order.columns]):
            counted = counts.tables[column].sum(axis=1)
            codes = self.order.codes.get(place, np.arange(len(counted)))
            differs = grid * kept[place, : len(codes)] - counted[codes]
            if np.abs(differs).max(initial=0.0) > SAME_COUNT * counted.max(initial=0.0):
                raise errors.column_changed(self.schema.names[column])


@dataclass(frozen=True, eq=False)
class KeptRules:
    """What all parts know of the whole.

    Attributes
    ----------
    loss : Loss
    n_models, n_folds : int
    n_codes : ndarray of int64
        Of each column.
    factors : ndarray
        What the pulls of each label are multiplied by.
    grid : float
        The weight that is one.
    """

    loss: Loss
    n_models: int
    n_folds: int
    n_codes: np.ndarray
    factors: np.ndarray
    grid: float

    def make(self, read: KeptRead) -> KeptPart:
        """A part of rows that were read."""
        weights = np.rint(read.weights / self.grid)
        fold_of = find_folds(read.keys, self.n_folds)
        return KeptPart(self, replace(read, weights=weights), fold_of)


def find_folds(keys: np.ndarray, n_folds: int) -> np.ndarray:
    """The fold of rows with these keys."""
    return ((keys >> np.uint64(32)) % np.uint64(n_folds)).astype(np.uint16)


def find_first_bits(keys: np.ndarray) -> np.ndarray:
    """By which rows are counted that are repeated often."""
    return (keys >> np.uint64(64 - HEAVY_BITS)).astype(np.int64)


def find_row_grid(total: float) -> float:
    """A power of two, so that whole weights are multiples of it as long as their sum is below 2^38."""
    return float(2.0 ** (np.frexp(total)[1] - WEIGHT_BITS))


@dataclass(frozen=True, eq=False)
class Request:
    """What is to be counted for a model.

    Attributes
    ----------
    tree : ndarray of int64 of shape (7, 3)
        As far as it has grown.
    places : ndarray of int64 of shape (7,)
        The place of the table of each node: see ``count_pulls``.
    columns : ndarray of int64 of shape (n_places, n_columns)
    """

    tree: np.ndarray
    places: np.ndarray
    columns: np.ndarray


@dataclass(frozen=True, eq=False)
class Counted:
    """What was counted for each model: tables, squared gradients, and the loss of left-out rows."""

    tables: tuple[np.ndarray | None, ...]
    squares: np.ndarray
    losses: np.ndarray

    def __add__(self, other: Counted) -> Counted:
        pairs = zip(self.tables, other.tables, strict=True)
        tables = tuple(None if a is None or b is None else a + b for a, b in pairs)
        return Counted(tables, self.squares + other.squares, self.losses + other.losses)


@dataclass(frozen=True, eq=False)
class Draw:
    """Which rows a round looks at, and what makes whole numbers of gradients, curvature, squares and losses."""

    salts: np.ndarray
    limit: np.uint64
    units: np.ndarray
    n_codes: int


@dataclass(frozen=True, eq=False)
class KnownCells:
    """What the categories of a column, or the cells of a pair, say at the beginning: see ``CrossFitStart``."""

    which: int | PairGrid
    counts: np.ndarray
    strength: float
    factor: float


@dataclass(eq=False)
class KeptPart:
    """Some of the rows, or all.

    Attributes
    ----------
    rules : KeptRules
    rows : KeptRead
        Weights are whole numbers.
    fold_of : ndarray of uint16
    held : ndarray of shape (n_models, n_rows, n_scores)
        What each model holds of the rows: see ``Loss``.
    """

    rules: KeptRules
    rows: KeptRead
    fold_of: np.ndarray
    held: np.ndarray = field(default_factory=lambda: np.empty((0, 0, 0)))

    def copied(self) -> Self:
        """A part that may be changed while this one stays."""
        return replace(self, held=self.held.copy())

    @property
    def parts(self) -> Parts:
        """The rows that the evidence for each row comes from: all but those of its part."""
        return deal_parts_of(self.fold_of, self.rows.keys, self.rules.n_folds)

    # before the first round

    def count_codes(self) -> np.ndarray:
        """The weight by code of each one-byte column."""
        rows = self.rows
        n_columns = rows.codes.shape[1]
        counts = np.zeros((n_columns, BYTE_CODES))
        for k in range(n_columns):
            counts[k] = np.bincount(rows.codes[:, k], rows.weights, BYTE_CODES)
        return counts

    def count_keys(self) -> np.ndarray:
        """The weight of rows by the first bits of their keys."""
        bits = find_first_bits(self.rows.keys)
        return np.bincount(bits, self.rows.weights, 1 << HEAVY_BITS)

    def spread(self, is_heavy: np.ndarray) -> None:
        """Deal rows that are repeated often to all folds; all weights become as many times as large."""
        n_folds = self.rules.n_folds
        rows = self.rows
        chosen = is_heavy[find_first_bits(rows.keys)]
        others = np.flatnonzero(~chosen)
        _, first, place = np.unique(rows.keys[chosen], return_index=True, return_inverse=True)
        heavy = np.flatnonzero(chosen)[first]
        take = np.concatenate([others, np.repeat(heavy, n_folds)])
        repeated = np.bincount(place, rows.weights[chosen], len(heavy))
        weights = [n_folds * rows.weights[others], np.repeat(repeated, n_folds)]
        dealt = np.tile(np.arange(n_folds, dtype=np.uint16), len(heavy))
        self.fold_of = np.concatenate([self.fold_of[others], dealt])
        self.rows = replace(rows.take(take), weights=np.concatenate(weights))

    def count_parts(self, which: int | PairGrid, n_codes: int) -> np.ndarray:
        """The weight by code of a column or cell of a pair, by part and by label."""
        parts = self.parts
        counts = np.zeros((n_codes, parts.n_parts, len(self.rules.factors)))
        rows = self.rows
        codes = self._codes(which)
        kernels.count_parts(codes, rows.labels, rows.weights, parts.part_of, 0, counts)
        return counts

    def begin(self, prior: np.ndarray, known: Sequence[KnownCells]) -> None:
        """What the models hold of the rows before the first round."""
        parts = self.parts
        first = start_scores(prior)
        held = []
        for k in range(self.rules.n_models):
            scores = np.tile(first, (len(self.fold_of), 1))
            for cells in known:
                evidence = np.zeros_like(scores)
                kernels.add_category_evidence(
                    self._codes(cells.which),
                    parts.part_of,
                    0,
                    cells.counts,
                    parts.of_fold(k),
                    prior,
                    cells.strength,
                    evidence,
                )
                scores += cells.factor * evidence
            held.append(self.rules.loss.from_scores(scores))
        self.held = np.stack(held)

    def _codes(self, which: int | PairGrid) -> np.ndarray:
        codes = self.rows.codes
        if isinstance(which, PairGrid):
            return which.find_cells(codes)
        n_narrow = codes.shape[1]
        return codes[:, which] if which < n_narrow else self.rows.wide[:, which - n_narrow]

    # a round

    def advance(
        self,
        trees: tuple[np.ndarray, np.ndarray] | None,
        draw: Draw,
        wanted: Sequence[Request | None],
    ) -> Counted:
        """Move all rows by the trees of the last round; see how the left-out rows are, and count for the next."""
        for k in range(self.rules.n_models if trees is not None else 0):
            self._move(k, *(array[k] for array in trees or ()))
        return replace(self.count(draw, wanted), losses=self._judge(draw))

    def count(self, draw: Draw, wanted: Sequence[Request | None]) -> Counted:
        """The pulls of the drawn rows, of each model that wants some."""
        n_models = self.rules.n_models
        tables: list[np.ndarray | None] = []
        squares = np.zeros((n_models, 1), np.int64)
        for k, request in enumerate(wanted):
            if request is None:
                tables.append(None)
                continue
            table = np.zeros(
                (*request.columns.shape, draw.n_codes, self.held.shape[2], 2), np.int64
            )
            kernels.count_pulls(
                self._data,
                self.rules.loss.kind,
                self.rows.keys,
                self.fold_of,
                self.rules.factors,
                np.array([k, draw.salts[k], draw.limit], np.uint64),
                self.held[k],
                request.tree,
                request.places,
                request.columns,
                draw.units,
                table,
                squares[k],
            )
            tables.append(table)
        return Counted(tuple(tables), squares, np.zeros((n_models, 2), np.int64))

    def _judge(self, draw: Draw) -> np.ndarray:
        """The loss of the rows that each model left out, and what they count for."""
        rules = self.rules
        losses = np.zeros((rules.n_models, 2), np.int64)
        for k in range(rules.n_models):
            kernels.sum_left_out(
                self._data,
                rules.loss.kind,
                self.fold_of,
                rules.factors,
                k,
                self.held[k],
                draw.units[3],
                losses[k],
            )
        return losses

    def _move(self, k: int, splits: np.ndarray, values: np.ndarray) -> None:
        held = self.held[k]
        nobody = np.zeros(2, np.int64)
        n_rows = len(held)
        moved = np.zeros(-(-n_rows // ROWS_MOVED_AT_ONCE), np.int64)
        trees = splits[None], values[None], 1
        kernels.catch_up(self.rules.loss.kind, self._data, nobody, *trees, held, moved, 0, n_rows)
        if held.shape[1] > 1:
            held /= held.sum(axis=1, keepdims=True)

    @property
    def _data(self) -> CodeRows:
        """The rows as kernels read them."""
        rows = self.rows
        rules = self.rules
        return CodeRows(
            rows.codes,
            rows.labels,
            rows.targets,
            rows.weights,
            rules.n_codes,
            np.empty(0, bool),
            0.0,
            np.empty(0),
            rules.loss.power,
            np.empty((0, 0), np.uint8),
        )

    # behind the last round

    def show_left_out(self, limit: np.uint64) -> ShownRows:
        """The rows that models left out, or some of them: those whose keys, mixed once more, lie below a limit."""
        shown = self.fold_of < self.rules.n_models
        shown &= finalize_hashes(self.rows.keys) <= limit
        rows = np.flatnonzero(shown)
        fold_of = self.fold_of[rows]
        held = self.held[fold_of.astype(np.int64), rows]
        return ShownRows(self.rows.take(rows), fold_of, held)


@dataclass(frozen=True, eq=False)
class ShownRows:
    """Rows, the fold of each, and what the model holds of it that left it out."""

    rows: KeptRead
    fold_of: np.ndarray
    held: np.ndarray

    def __add__(self, other: ShownRows) -> ShownRows:
        fold_of = np.append(self.fold_of, other.fold_of)
        return ShownRows(self.rows + other.rows, fold_of, np.append(self.held, other.held, axis=0))

    def collapsed(self) -> ShownRows:
        """Fold by fold, in the order of their keys; equal rows as one."""
        order = np.lexsort((self.rows.keys, self.fold_of))
        keys = self.rows.keys[order]
        fold_of = self.fold_of[order]
        is_new = np.append(True, (keys[1:] != keys[:-1]) | (fold_of[1:] != fold_of[:-1]))
        first = np.flatnonzero(is_new[: len(keys)])
        weights = np.add.reduceat(self.rows.weights[order], first) if len(first) else np.empty(0)
        kept = order[first]
        rows = replace(self.rows.take(kept), weights=weights)
        return ShownRows(rows, fold_of[first], self.held[kept])
