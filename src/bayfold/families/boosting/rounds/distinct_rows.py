"""The distinct coded rows of a table with their summed weights, in an order that depends on their content alone.

Boosting draws rows at random and deals them to folds. Because equal rows of a fold are one row here, and rows stand
in the order of a hash, a weight of 2 is the row twice, and the order of the table does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from bayfold.core.counts import JointCounts, LabelledRows, RowHashes, WordTable
from bayfold.core.counts.copies import find_units
from bayfold.core.counts.count_hashes import CountHashes, finalize_hashes
from bayfold.core.counts.equal_rows import merge_equal_rows, put_rows, sort_rows
from bayfold.core.counts.folds import Deal, GivenUnits, number_units
from bayfold.core.counts.layout import count_block
from bayfold.core.counts.row_hashes import LARGEST_HASH
from bayfold.core.counts.units import mix_units
from bayfold.core.counts.words import WordCounter
from bayfold.core.engine import block_rows, map_in_threads
from bayfold.core.long_arrays import (
    cut_pieces,
    fill_rows,
    find_range,
    release_beyond_limit,
    sum_rows,
)
from bayfold.core.schema import Coder, RowBlock, Schema, WordRows
from bayfold.core.schema.text import Split
from bayfold.core.scoring.errors import LeftOutErrors, LeftOutShare
from bayfold.families.boosting import kernels

DEALT_TYPES = {"group_of": np.int64}
"""As the kernels of boosting have labels."""


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """Rows, fold by fold, distinct within each.

    Attributes
    ----------
    codes : ndarray of uint8 of shape (n_rows, n_narrow)
        In the order of ``schema.narrow``.
    wide : ndarray of uint16 of shape (n_rows, n_wide)
        Codes of the columns with many categories, in the order of ``schema.wide``.
    labels : ndarray of int64
        The group of each row.
    targets : ndarray
        The number to be learnt of each row; empty for groups.
    weights : ndarray
    folds : ndarray of int64 of shape (n_folds + 1,)
        Fold k is rows ``folds[k]`` to ``folds[k + 1]``.
    words : tuple of WordRows
        Of the columns of text, in the order of ``schema.text``.
    exposures : ndarray or None
        Of a rate: how firmly each row speaks of it; None if all do equally.
    unit_of : ndarray of int64 or None
        The number of each row's unit; rows of one stand next to each other. None if each is its own.
    is_forward : bool
        Whether the rows of the first fold are later than all others.
    """

    codes: np.ndarray
    wide: np.ndarray
    labels: np.ndarray
    targets: np.ndarray
    weights: np.ndarray
    folds: np.ndarray
    words: tuple[WordRows, ...] = ()
    exposures: np.ndarray | None = None
    unit_of: np.ndarray | None = None
    is_forward: bool = False

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.codes)

    @property
    def information(self) -> np.ndarray:
        """What a row counts for in losses and means: its weight, of a rate by its exposure."""
        return self.weights if self.exposures is None else self.weights * self.exposures

    @property
    def n_folds(self) -> int:
        """How many folds there are."""
        return len(self.folds) - 1

    @property
    def most_models(self) -> int:
        """How many models can each leave out a fold: by time only one, which leaves out the last rows."""
        return 1 if self.is_forward else self.n_folds

    def number_units(self) -> np.ndarray:
        """A number for each row that rows of a unit share."""
        return np.arange(self.n_rows) if self.unit_of is None else self.unit_of

    def weigh_units(self) -> np.ndarray:
        """The weight of each unit, or of each row where there are none."""
        return self.weights if self.unit_of is None else np.bincount(self.unit_of, self.weights)

    def cut_evenly(self, n_rows: int, n_folds: int) -> np.ndarray:
        """Bounds of equally large parts of the first rows; no unit is cut."""
        bounds = np.linspace(0, n_rows, n_folds + 1).round().astype(np.int64)
        if self.unit_of is not None:
            inner = bounds[1:-1]
            inner[:] = np.searchsorted(self.unit_of, self.unit_of[inner]).clip(0, n_rows)
        return bounds

    def column(self, position: int) -> np.ndarray:
        """Codes of one column, by its position among the narrow and then the wide ones."""
        n_narrow = self.codes.shape[1]
        return self.codes[:, position] if position < n_narrow else self.wide[:, position - n_narrow]


@dataclass(frozen=True, eq=False)
class CodedRows:
    """All rows of a table as codes, the content hash of each, and the range of each numeric column.

    ``targets`` are the numbers to be learnt; empty for groups. ``words`` are those of each row, and ``tables`` their
    counts, of the columns of text.
    """

    codes: np.ndarray
    wide: np.ndarray
    hashes: np.ndarray
    minimum: np.ndarray
    maximum: np.ndarray
    targets: np.ndarray = field(default_factory=lambda: np.empty(0))
    words: tuple[WordRows, ...] = ()
    tables: tuple[WordTable, ...] = ()

    def with_targets(self, rank: np.ndarray, places: np.ndarray) -> CodedRows:
        """The same rows with numbers to be learnt, which are part of their content: the place of each rank."""
        ranks = finalize_hashes(np.arange(len(places), dtype=np.uint64))
        return replace(
            self, hashes=finalize_hashes(self.hashes + ranks[rank]), targets=places[rank]
        )


def code_rows(rows: LabelledRows, schema: Schema, n_threads: int = 1) -> CodedRows:
    """Code all rows."""
    coder = Coder(schema)
    coded = coder.open(rows.table)
    row_hashes = RowHashes(schema, rows.groups)
    n_rows = rows.n_rows
    size = block_rows(len(schema.columns))
    codes = np.empty((n_rows, len(schema.narrow)), np.uint8)
    wide = np.empty((n_rows, len(schema.wide)), np.uint16)
    hashes = np.empty(n_rows, np.uint64)

    def code_block(start: int) -> tuple[tuple[np.ndarray, np.ndarray], tuple[Split, ...]]:
        stop = min(start + size, n_rows)
        ranges = coder.new_ranges()
        block = coded.block_of_codes(start, stop, ranges)
        codes[start:stop] = block.narrow
        wide[start:stop] = block.wide
        hashes[start:stop] = row_hashes.hash_block(block, rows.group_of[start:stop])
        release_beyond_limit()
        return ranges, block.splits

    parts = map_in_threads(code_block, range(0, n_rows, size), n_threads)
    minimum = np.min([low for (low, _), _ in parts], axis=0)
    maximum = np.max([high for (_, high), _ in parts], axis=0)
    texts = list(zip(*(splits for _, splits in parts), strict=True))  # column by column
    found = tuple(WordRows.concat([split.words for split in column]) for column in texts)
    tables = tuple(_count_words(column, rows) for column in texts)
    return CodedRows(codes, wide, hashes, minimum, maximum, words=found, tables=tables)


def _count_words(splits: tuple[Split, ...], rows: LabelledRows) -> WordTable:
    """The words of a column, all blocks of which are given in order."""
    counter = WordCounter()
    start = 0
    for split in splits:
        stop = start + split.words.n_rows
        counter.add(split, rows.group_of[start:stop], rows.find_weights(start, stop))
        start = stop
    return counter.total()


def count_rows(coded: CodedRows, rows: LabelledRows, schema: Schema) -> JointCounts:
    """The counts of the coded rows."""
    block = RowBlock.of_codes(schema, coded.codes, coded.wide)
    ranges = coded.minimum, coded.maximum
    return count_block(block, schema, rows.groups, rows.group_of, rows.weights, ranges)


@dataclass(frozen=True, eq=False)
class CollapsedRows:
    """The distinct rows of a table.

    Attributes
    ----------
    block : RowBlock
        In the order of content hashes.
    group_of : ndarray of int
    weights : ndarray
        Of all equal rows together, where copies count once.
    units : ndarray of int64 or None
        In how many parts each row may be held out; None if each in one.
    counts : JointCounts
        Of rows with these weights.
    given : JointCounts
        Of the rows as they were given, copies and all.
    targets : ndarray
        The numbers to be learnt; empty for groups.
    tables : tuple of WordTable
        The words of the columns of text, counted in the rows as they were given.
    said : GivenUnits or None
        What was said of rows that are not independent.
    """

    block: RowBlock
    group_of: np.ndarray
    weights: np.ndarray
    units: np.ndarray | None
    counts: JointCounts
    given: JointCounts
    targets: np.ndarray
    tables: tuple[WordTable, ...] = ()
    said: GivenUnits | None = None

    def weighed(self, factors: np.ndarray) -> CollapsedRows:
        """The rows with those of each group multiplied by a factor."""
        weights = self.weights * factors[self.group_of]
        return replace(self, weights=weights, counts=self.counts.scaled(factors))

    @property
    def size(self) -> int:
        """How many rows there are to learn from; not fewer than distinct ones, which cost time."""
        return max(round(sum_rows(self.weights)), len(self.weights))


def collapse_coded_rows(coded: CodedRows, rows: LabelledRows, schema: Schema) -> CollapsedRows:
    """Make equal rows one, and see which of them are copies."""
    given = count_rows(coded, rows, schema)
    carried = [coded.codes, coded.wide, rows.group_of]
    carried += [coded.targets] if len(coded.targets) else []
    carried += [np.arange(rows.n_rows)] if coded.words or rows.extras else []
    hashes = mix_units(coded.hashes, rows.units, rows.time)
    (codes, wide, group_of, *more), weights = merge_equal_rows(hashes, carried, rows.weights)
    words = tuple(words.take(more[-1]) for words in coded.words)
    given_units = GivenUnits.of(rows)
    said = None if given_units is None else given_units.take(more[-1])
    block = RowBlock.of_codes(schema, codes, wide, words)
    targets = more[0] if len(coded.targets) else coded.targets
    return weigh_copies(block, group_of, weights, given, targets, coded.tables, said)


def weigh_copies(
    block: RowBlock,
    group_of: np.ndarray,
    weights: np.ndarray,
    given: JointCounts,
    targets: np.ndarray | None = None,
    tables: tuple[WordTable, ...] = (),
    said: GivenUnits | None = None,
) -> CollapsedRows:
    """Distinct rows, all or some, of which copies count once."""
    targets = np.empty(0) if targets is None else targets
    if find_range(weights)[1] < 2.0:  # every row once, and no room taken for saying so
        return CollapsedRows(block, group_of, weights, None, given, given, targets, tables, said)
    likely = _expect_targets(targets, group_of, weights) if len(targets) else None
    found = find_units(given, block, group_of, weights, likely=likely)
    weights = found.share * weights
    counts = given.scaled(found.share)
    return CollapsedRows(
        block, group_of, weights, found.units, counts, given, targets, tables, said
    )


def _expect_targets(targets: np.ndarray, group_of: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The share of each row's group that has its target; one that no other row has counts as one row's."""
    _, place, n_rows = np.unique(targets, return_inverse=True, return_counts=True)
    once = np.where(n_rows[place] == 1, np.minimum(weights, 1.0), weights)
    return np.bincount(place, once)[place] / np.bincount(group_of, weights)[group_of]


def count_effective_rows(rows: LabelledRows, schema: Schema) -> float:
    """How many rows there are where copies count once."""
    return float(collapse_coded_rows(code_rows(rows, schema), rows, schema).weights.sum())


def find_count_hashes(rows: CollapsedRows) -> CountHashes:
    """Words by which rows, columns and categories are ordered, whatever they are called and wherever they stand."""
    row_hashes = CountHashes(rows.counts, rows.block, rows.group_of, rows.weights)
    row_hashes.learn_rows(rows.block, rows.group_of, rows.weights)
    return row_hashes


def deal_distinct_rows(
    rows: CollapsedRows, row_hashes: CountHashes, n_folds: int, seed: int
) -> DistinctRows:
    """Deal each group's rows in turn to the folds, or whole units where some were given."""
    if rows.said is not None:
        return _deal_given_units(rows, row_hashes, n_folds, seed)
    carried = {"codes": rows.block.narrow, "wide": rows.block.wide, "group_of": rows.group_of}
    low, high = find_range(rows.weights)
    if rows.units is not None:
        carried["units"] = rows.units
    if low < high or rows.units is not None:
        carried["weights"] = rows.weights
    if len(rows.targets):
        carried["targets"] = rows.targets
    if rows.block.words:
        carried["row"] = np.arange(len(rows.weights))
    first_turns = row_hashes.line_up_groups(rows.group_of, rows.units)
    keys = row_hashes.draw_keys(rows.block, rows.group_of, seed)
    _, in_order = sort_rows(keys, list(carried.values()))
    dealt, folds = _Deal(dict(zip(carried, in_order, strict=True)), first_turns, n_folds).run()
    n_entries = len(dealt["codes"])
    return DistinctRows(
        dealt["codes"],
        dealt["wide"],
        dealt["group_of"],
        dealt.get("targets", rows.targets),
        dealt["weights"] if "weights" in dealt else fill_rows(n_entries, high),
        folds,
        tuple(text.take(dealt["row"]) for text in rows.block.words),
    )


def _deal_given_units(
    rows: CollapsedRows, row_hashes: CountHashes, n_folds: int, seed: int
) -> DistinctRows:
    """Rows fold by fold, and in a fold unit by unit; with times the first fold is later than all others."""
    assert rows.said is not None
    keys = row_hashes.draw_keys(rows.block, rows.group_of, seed)
    deal = Deal(keys, rows.group_of, row_hashes.rank_groups(), n_folds)
    units = rows.said.units
    unit_of = np.arange(len(keys)) if units is None else number_units(units)
    fold_of = rows.said.hold_out_last(deal, rows.weights)
    least = np.full(unit_of.max() + 1, LARGEST_HASH, np.uint64)
    np.minimum.at(least, unit_of, keys)
    order = np.lexsort((keys, unit_of, least[unit_of], fold_of))
    order = order[np.searchsorted(fold_of[order], 0) :]
    in_order = unit_of[order]
    return DistinctRows(
        rows.block.narrow[order],
        rows.block.wide[order],
        rows.group_of[order].astype(DEALT_TYPES["group_of"]),
        rows.targets[order] if len(rows.targets) else rows.targets,
        rows.weights[order],
        np.searchsorted(fold_of[order], np.arange(fold_of.max() + 2)),
        tuple(text.take(order) for text in rows.block.words),
        unit_of=np.cumsum(np.diff(in_order, prepend=in_order[:1]) != 0),
        is_forward=rows.said.time is not None,
    )


class _Deal:
    """Rows in the order in which they are dealt, piece after piece.

    Parameters
    ----------
    given : dict of str to ndarray
        What belongs to the rows; without units each is one.
    first_turns : ndarray of int
        Of each group.
    n_folds : int
    """

    def __init__(self, given: dict[str, np.ndarray], first_turns: np.ndarray, n_folds: int) -> None:
        self.given = given
        self.n_rows = len(given["codes"])
        self.first_folds = first_turns % n_folds
        self.n_folds = n_folds

    def run(self) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """The rows fold by fold, and where folds begin."""
        folds = self._find_folds()
        dealt = {
            name: np.empty((folds[-1], *array.shape[1:]), DEALT_TYPES.get(name, array.dtype))
            for name, array in self.given.items()
            if name != "units"
        }
        next_fold = self.first_folds.copy()
        ends = folds[:-1].copy()
        for piece in cut_pieces(self.n_rows):
            units = self._find_units(piece)
            weights = self.given["weights"][piece] if "weights" in dealt else units.astype(float)
            n_entries = int(np.minimum(units, self.n_folds).sum())
            row, place = np.empty((2, n_entries), np.int64)
            in_fold = np.empty(n_entries)
            kernels.deal_in_turn(
                self.given["group_of"][piece], units, weights, next_fold, ends, row, place, in_fold
            )
            for name, array in dealt.items():
                own = in_fold
                if name != "weights":
                    own = self.given[name][piece].take(row, axis=0).astype(array.dtype, copy=False)
                put_rows(own, place, array)
        return dealt, folds

    def _find_folds(self) -> np.ndarray:
        """Where the entries of each fold begin, and where those of the last end."""
        n_entries = np.zeros(self.n_folds, np.int64)
        next_fold = self.first_folds.copy()
        for piece in cut_pieces(self.n_rows):
            group_of = self.given["group_of"][piece]
            units = self._find_units(piece)
            kernels.count_turns(group_of, units, next_fold, n_entries)
        return np.append(0, np.cumsum(n_entries))

    def _find_units(self, piece: slice) -> np.ndarray:
        if "units" in self.given:
            return self.given["units"][piece]
        return np.ones(piece.stop - piece.start, np.int64)


LEAST_PARTS = 8
"""An eighth of the rows less: the counts are nearly those of the whole table."""
MOST_PARTS = 16
"""As many as there are models: in tables of very many folds several make up a part."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Evidence for the rows of a part comes from the other rows alone.

    Attributes
    ----------
    part_of : ndarray of uint8
    n_parts : int
    per_fold : int
        The parts of a fold stand next to each other; where folds are many, several share a part.
    """

    part_of: np.ndarray
    n_parts: int
    per_fold: int

    def of_fold(self, fold: int) -> np.ndarray:
        """The first part that holds rows of a fold, and the one behind the last."""
        first = fold * self.per_fold % self.n_parts
        return np.array([first, first + self.per_fold])


def deal_parts(rows: DistinctRows) -> Parts:
    """Deal the rows of every fold to parts."""
    # the rows of a fold stand in the order of a hash, so their positions are as good as random
    fold_of = np.repeat(np.arange(rows.n_folds), np.diff(rows.folds))
    return deal_parts_of(fold_of, rows.number_units(), rows.n_folds)


def deal_parts_of(fold_of: np.ndarray, numbers: np.ndarray, n_folds: int) -> Parts:
    """The parts of rows of which folds are known, and a number each that decides within a fold."""
    per_fold = -(-LEAST_PARTS // n_folds)
    n_shared = min(n_folds, MOST_PARTS)
    part_of = (fold_of % n_shared * per_fold).astype(np.uint8)
    if per_fold > 1:
        part_of += (numbers % numbers.dtype.type(per_fold)).astype(np.uint8)
    return Parts(part_of, n_shared * per_fold, per_fold)


def sum_derivatives(
    slopes: np.ndarray, bends: np.ndarray, rows: DistinctRows, schema: Schema
) -> LeftOutErrors:
    """What standard errors follow from, by derivatives of the loss of the first rows (see ``LeftOutErrors.of``)."""
    some = slice(0, len(slopes))
    unit_of = None if rows.unit_of is None else rows.unit_of[some]
    seen = LeftOutShare(float(rows.weights.sum()), rows.weights[some], unit_of)
    columns = [*schema.narrow.tolist(), *schema.wide.tolist()]
    codes = {j: rows.column(k)[some] for k, j in enumerate(columns)}
    return LeftOutErrors.of(slopes, bends, codes, schema.n_codes, seen)
