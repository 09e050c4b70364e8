"""Rounds of boosting with rows that stay where they are: trees grown from sums of whole numbers, a level at a time.

The first sum of a round moves the rows by the last trees, says how the rows are that models left out, and counts what
roots are chosen by. A second one counts one side of each root, of which the other is the rest, and in trees of three
levels a third one counts one child of each side. Values of leaves are read from the same sums.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bayfold.core.engine.kept_rows import KeptRows
from bayfold.core.kernels.encode import MISSING
from bayfold.core.long_arrays import sum_rows
from bayfold.families.boosting import kernels
from bayfold.families.boosting.kept.part import WHOLE_BITS, Counted, Draw, KeptRules, Request
from bayfold.families.boosting.kernels.inputs import (
    BELOW_KNOWN,
    DESCEND,
    EQUAL,
    LOG_LOSS,
    NO_SPLIT,
    BoostRules,
    CodeRows,
)
from bayfold.families.boosting.rounds.cross_fit import (
    ROUNDS_AT_ONCE,
    BoostPlan,
    CrossFit,
    choose_round,
    find_least_gain,
    is_enough,
)
from bayfold.families.boosting.rounds.task import ModelStart, Task
from bayfold.families.boosting.settings import BoostSettings

PACKED_BITS = 30
"""Sums that splits are chosen by stay below this power of two, as those of rows in one place do."""

SPARE_PULL_BITS = 10
"""What a mean row pulls at a number, and its loss, may be up to this power of two of what it is on their scale."""


@dataclass(eq=False)
class GrowingTree:
    """A tree of one model that grows, level by level.

    Attributes
    ----------
    columns : ndarray of int64
        That may be asked about.
    splits : ndarray of int64 of shape (7, 3)
    sides : list of ndarray
        Tables of the sides of the root, left and right: gradient and curvature by column, code and score.
    below : list of tuple of ndarray
        Of each quarter, tables of the root's column and of its child's.
    """

    columns: np.ndarray
    splits: np.ndarray = field(default_factory=lambda: np.tile([0, NO_SPLIT, 0], (7, 1)))
    sides: list[np.ndarray] = field(default_factory=list)
    below: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)

    def find_place(self, node: int) -> int:
        """The place of the column of a node among those that were drawn; the first where it asks about none."""
        return int((self.columns == self.splits[node, 0]).argmax())

    def is_leaf(self, node: int) -> bool:
        """Whether all rows of a node go left."""
        return bool(self.splits[node, 1] == NO_SPLIT)

    def cut(self, node: int, table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What the table of the column that a node asks about has on either side of it."""
        _, kind, cut = self.splits[node].tolist()
        codes = np.arange(len(table))
        is_left = codes == cut if kind == EQUAL else (codes < cut) | (kind == NO_SPLIT)
        is_left &= (kind != BELOW_KNOWN) | (codes != MISSING)
        return np.where(is_left[:, None, None], table, 0), np.where(
            is_left[:, None, None], 0, table
        )


class KeptBoosting:
    """Boosts models in lockstep.

    Parameters
    ----------
    rows : KeptRows
        Of ``KeptPart``, which have begun.
    rules : KeptRules
    task : Task
        Its rows are a sample, whose weights add up to those of all rows.
    settings : BoostSettings
    """

    def __init__(
        self, rows: KeptRows, rules: KeptRules, task: Task, settings: BoostSettings
    ) -> None:
        self.rows = rows
        self.rules = rules
        self.task = task
        self.settings = settings
        self.n_rows = sum_rows(task.rows.weights)
        self._plan = BoostPlan(task, settings)
        # whole numbers, of which the largest sum that may be stays below a power of two
        base = 2.0 ** np.floor(WHOLE_BITS - np.log2(self.n_rows / rules.grid))
        spare = (
            [1.0, 1.0, 0.5, 0.0625] if task.loss.kind == LOG_LOSS else [2.0**-SPARE_PULL_BITS] * 4
        )
        self._units = base * np.array(spare)
        self._states = [np.random.default_rng([settings.seed, k]) for k in range(rules.n_models)]

    def run(self, start: ModelStart) -> tuple[CrossFit, tuple[np.ndarray, np.ndarray]]:
        """Trees up to the best round, and those beyond it."""
        settings = self.settings
        n_models = self.rules.n_models
        least_gain = find_least_gain(
            self.task.loss, round(self.n_rows * n_models / self.rules.n_folds)
        )
        most = settings.n_rounds if len(self.task.n_codes) else 0
        grown: list[tuple[np.ndarray, np.ndarray]] = []
        losses = np.empty(0)
        is_done = False
        while True:
            trees, counted, draw = self._begin_round(grown)
            if grown:
                losses = np.append(losses, self._read_loss(counted))
            if len(losses) % ROUNDS_AT_ONCE == 0 or len(losses) == most:
                if len(losses) and settings.callback is not None:
                    settings.callback(len(losses), settings.n_rounds, float(losses[-1]))
                is_done = (
                    settings.early_stopping
                    and len(losses) > 0
                    and is_enough(losses, n_models, settings.patience, least_gain)
                )
            if is_done or len(losses) == most:
                break
            grown.append(self._grow(trees, counted, draw, len(losses)))
        n_kept = len(losses)
        if settings.early_stopping and n_kept:
            n_kept = choose_round(losses, n_models)
        n_scores = self.task.loss.n_scores
        splits = np.zeros((n_models, len(grown), 7, 3), np.int64)
        values = np.zeros((n_models, len(grown), 8, n_scores))
        for t, (some_splits, some_values) in enumerate(grown):
            splits[:, t] = some_splits
            values[:, t] = some_values
        is_cut_short = settings.early_stopping and most > 0 and not is_done
        trees_kept = splits[:, :n_kept], values[:, :n_kept]
        found = CrossFit(*trees_kept, losses, start, is_cut_short)
        return found, (splits[:, n_kept:], values[:, n_kept:])

    def _begin_round(
        self, grown: list[tuple[np.ndarray, np.ndarray]]
    ) -> tuple[list[GrowingTree], Counted, Draw]:
        """Move the rows by the last trees, draw rows and columns, and count what the roots are chosen by."""
        data, rules = self._plan.after(len(grown))
        limit = np.uint64(rules.row_share * 2.0**64)
        salts = [state.integers(1 << 63, dtype=np.uint64) for state in self._states]
        draw = Draw(np.array(salts), limit, self._units, int(data.n_codes.max(initial=1)))
        n_columns = len(data.n_codes)
        drawn = [state.permutation(n_columns)[: rules.n_drawn] for state in self._states]
        trees = [GrowingTree(columns.astype(np.int64)) for columns in drawn]
        at_root = np.array([0, -1, -1, -1, -1, -1, -1])
        wanted = [Request(tree.splits, at_root, tree.columns[None]) for tree in trees]
        counted = self.rows.step("advance", grown[-1] if grown else None, draw, wanted)
        return trees, counted, draw

    def _read_loss(self, counted: Counted) -> float:
        loss, weight = counted.losses.sum(axis=0).tolist()
        return loss / weight

    def _grow(
        self, trees: list[GrowingTree], counted: Counted, draw: Draw, n_before: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The trees of a round, and the values of their leaves."""
        data, rules = self._plan.after(n_before)
        chooser = [
            _Chooser(data, rules, self._units * (1.0 / self.rules.grid), table[0], int(squares[0]))
            for table, squares in zip(counted.tables, counted.squares, strict=True)
            if table is not None
        ]
        roots = [table[0] for table in counted.tables if table is not None]
        for tree, choose, root in zip(trees, chooser, roots, strict=True):
            choose.split(tree, 0, root, tree.columns)
        if rules.two_columns:
            self._open_sides(trees, roots, draw)
        else:
            for tree, root in zip(trees, roots, strict=True):
                own = tree.find_place(0)
                tree.columns = tree.columns[own : own + 1]
                tree.sides = [side[None] for side in tree.cut(0, root[own])]
        for tree, choose in zip(trees, chooser, strict=True):
            for s in range(0 if tree.is_leaf(0) else 2):
                choose.split(tree, 1 + s, tree.sides[s], tree.columns)
        if rules.third_level:
            self._open_quarters(trees, draw)
            for tree, choose in zip(trees, chooser, strict=True):
                for q, tables in enumerate(tree.below):
                    choose.split_quarter(tree, q, tables)
        values = [choose.find_values(tree) for tree, choose in zip(trees, chooser, strict=True)]
        return np.stack([tree.splits for tree in trees]), np.stack(values)

    def _open_sides(self, trees: list[GrowingTree], roots: list[np.ndarray], draw: Draw) -> None:
        """Count the side of each root with less curvature; the other is the rest."""
        wanted: list[Request | None] = []
        smaller = []
        for tree, root in zip(trees, roots, strict=True):
            sides = tree.cut(0, root[tree.find_place(0)])
            smaller.append(int(sides[0][..., 1].sum() > sides[1][..., 1].sum()))
            places = np.full(7, -1)
            places[:2] = DESCEND, -1
            places[1 + smaller[-1]] = 0
            request = Request(tree.splits, places, tree.columns[None])
            wanted.append(None if tree.is_leaf(0) else request)
        tables = self._count(wanted, draw)
        for tree, root, side, table in zip(trees, roots, smaller, tables, strict=True):
            if table is None:
                tree.sides = [root, np.zeros_like(root)]
            else:
                both = table[0], root - table[0]
                tree.sides = [both[side], both[1 - side]]

    def _open_quarters(self, trees: list[GrowingTree], draw: Draw) -> None:
        """Tables of the root's column in all quarters: counted in one of each side that its own does not tell."""
        wanted: list[Request | None] = []
        for tree in trees:
            places = np.full(7, -1)
            places[0] = DESCEND
            n_places = 0
            for s in range(2):
                if not tree.is_leaf(1 + s) and tree.splits[1 + s, 0] != tree.splits[0, 0]:
                    places[1 + s] = DESCEND
                    places[3 + 2 * s + self._find_smaller(tree, s)] = n_places
                    n_places += 1
            columns = np.full((n_places, 1), tree.splits[0, 0])
            wanted.append(Request(tree.splits, places, columns) if n_places else None)
        tables = self._count(wanted, draw)
        for tree, request, table in zip(trees, wanted, tables, strict=True):
            for s in range(2):
                of_child = tree.cut(1 + s, tree.sides[s][tree.find_place(1 + s)])
                of_root = of_child
                if request is not None and table is not None and request.places[1 + s] == DESCEND:
                    smaller = self._find_smaller(tree, s)
                    counted = table[request.places[3 + 2 * s + smaller], 0]
                    rest = tree.sides[s][tree.find_place(0)] - counted
                    of_root = (rest, counted) if smaller else (counted, rest)
                tree.below += list(zip(of_root, of_child, strict=True))

    def _find_smaller(self, tree: GrowingTree, s: int) -> int:
        left, right = tree.cut(1 + s, tree.sides[s][tree.find_place(1 + s)])
        return int(left[..., 1].sum() > right[..., 1].sum())

    def _count(self, wanted: list[Request | None], draw: Draw) -> tuple[np.ndarray | None, ...]:
        if all(request is None for request in wanted):
            return (None,) * len(wanted)
        counted: Counted = self.rows.reduce("count", draw, wanted)
        return counted.tables


class _Chooser:
    """Chooses the splits of one tree from its tables.

    Parameters
    ----------
    data : CodeRows
        Of which the columns are looked at.
    rules : BoostRules
    units : ndarray
        What pulls of a row of weight one were multiplied by.
    root : ndarray
        The tables of the root.
    squares : int
        Squared gradients.
    """

    def __init__(
        self, data: CodeRows, rules: BoostRules, units: np.ndarray, root: np.ndarray, squares: int
    ) -> None:
        self._data = data
        self._rules = rules
        self._units = units
        curvature = root[0, ..., 1].sum(axis=0).astype(float)
        self._shares = (curvature + 1e-12) / (curvature + 1e-12).sum()
        noise = squares / units[2] / max(float(curvature.sum()) / units[1], 1e-300)
        self._noise = min(noise, 1.0) if rules.loss == LOG_LOSS else noise

    def split(self, tree: GrowingTree, node: int, tables: np.ndarray, columns: np.ndarray) -> None:
        """Choose the split of a node, from the table of each column."""
        allowed = self._data.allowed
        if node in (1, 2) and len(allowed):
            kept = np.flatnonzero(allowed[tree.splits[0, 0], columns])
            tables = tables[kept]
            columns = columns[kept]
        if not len(columns):
            return
        words, scales = self._pack(tables)
        firmly = self._units[1] * scales[1]
        noise = (self._units[0] * scales[0]) ** 2 / firmly * self._noise
        n_words = words.shape[-1]
        kernels.find_packed_split(
            words.ravel(),
            n_words,
            np.ascontiguousarray(columns),
            self._data,
            self._shares,
            firmly * self._rules.ridge,
            noise,
            tree.splits[node],
        )

    def split_quarter(
        self, tree: GrowingTree, q: int, tables: tuple[np.ndarray, np.ndarray]
    ) -> None:
        """Split a quarter on one of the two columns that made it."""
        above = [0, 1 + q // 2]
        asked = [k for k in range(2) if not tree.is_leaf(above[k])]
        columns = tree.splits[above, 0]
        if len(asked) == 2 and columns[0] == columns[1]:
            asked = [0]
        if asked:
            self.split(tree, 3 + q, np.stack([tables[k] for k in asked]), columns[asked])

    def _pack(self, tables: np.ndarray) -> tuple[np.ndarray, tuple[float, float]]:
        """Sums of 32 bits, two in a word, and what those of gradients and of curvature were multiplied by."""
        n_columns, n_codes, n_scores, _ = tables.shape
        lanes = np.zeros((n_columns, n_codes, (n_scores + 2) // 2 * 2), np.int64)
        gradients = tables[..., 0].astype(float)
        curvature = tables[..., 1].sum(axis=-1).astype(float)
        scales = _find_scale(np.abs(gradients)), _find_scale(curvature[..., None])
        lanes[..., :n_scores] = np.rint(scales[0] * gradients)
        lanes[..., n_scores] = np.rint(scales[1] * curvature)
        return (lanes[..., ::2] << 32) + lanes[..., 1::2], scales

    def find_values(self, tree: GrowingTree) -> np.ndarray:
        """Shrunken Newton steps of the leaves."""
        rules = self._rules
        sums = np.zeros((8, *tree.sides[0].shape[2:]), np.int64)
        for q in range(4):
            side = tree.sides[q // 2]
            parts = tree.cut(1 + q // 2, side[tree.find_place(1 + q // 2)])
            table = parts[q % 2]
            if tree.below and not tree.is_leaf(3 + q):
                on_child = tree.splits[3 + q, 0] != tree.splits[0, 0] or tree.is_leaf(0)
                table = tree.below[q][int(on_child)]
            sums[2 * q : 2 * q + 2] = [part.sum(axis=0) for part in tree.cut(3 + q, table)]
        found = sums / self._units[:2]
        steps = rules.rate * found[..., 0] / (found[..., 1] + rules.ridge)
        return rules.stretch * np.clip(steps, -rules.largest_step, rules.largest_step)


def _find_scale(sizes: np.ndarray) -> float:
    """A power of two that brings the largest sum over the codes of a column below the bound."""
    largest = max(float(sizes.sum(axis=1).max(initial=0.0)), 1.0)
    return float(2.0 ** min(PACKED_BITS - np.ceil(np.log2(largest)), 0.0))
