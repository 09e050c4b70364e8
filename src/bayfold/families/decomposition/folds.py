"""Folds of raw rows, class by class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core.counts import LabelledRows, RowWords
from bayfold.core.counts.copies import RowUnits, count_copies, find_units
from bayfold.core.counts.equal_rows import EqualRows, collapse_equal_rows
from bayfold.core.counts.folds import DealtUnits, shuffle_units
from bayfold.core.counts.frequency_words import FrequencyWords
from bayfold.core.counts.layout import count_block
from bayfold.core.schema import Coder, infer_schema


@dataclass(frozen=True, eq=False)
class DealtByClass:
    """Rows dealt to folds, with as many rows as it takes for each to be in one fold.

    Attributes
    ----------
    fold_of : ndarray of int
        The fold of each row.
    unit_weights : ndarray
        The weight of all that is held out or kept together with each row: its copies.
    share : float
        Effective rows per weight: copies of a row tell no more than the row.
    source : ndarray of int or None
        Which row of the table each is; None if they are those of the table.
    weights : ndarray or None
        What each weighs; None if all are one.
    """

    fold_of: np.ndarray
    unit_weights: np.ndarray
    share: float
    source: np.ndarray | None = None
    weights: np.ndarray | None = None


def deal_by_class(rows: LabelledRows, n_folds: int, rng: np.random.RandomState) -> DealtByClass:
    """Deal the rows of each class evenly, copies of a row together: any classifier may know it by heart."""
    schema, group_of = infer_schema(rows.table), rows.group_of
    coder = Coder(schema)
    ranges = coder.new_ranges()
    block, exact = coder.open(rows.table).block(0, rows.n_rows, ranges), schema.numeric.tolist()
    hashes = RowWords(schema, rows.groups).hash_values(block, group_of, exact)
    equal = collapse_equal_rows(hashes, rows.weights)
    distinct, group_of = block.take(equal.first), group_of[equal.first]
    counts = count_block(distinct, schema, rows.groups, group_of, equal.weights, ranges)
    found = find_units(counts, distinct, group_of, equal.weights, exact)
    words = FrequencyWords(counts, distinct, group_of, equal.weights)
    order = words.shuffle_rows(distinct, group_of, rng.randint(np.iinfo(np.int32).max))
    turns = words.sort_by_group(order, group_of)
    dealt = shuffle_units(turns, group_of, found.units, n_folds, rng)
    return _place_rows(equal, found, dealt, n_folds, rows.weights is not None)


def _place_rows(
    equal: EqualRows, found: RowUnits, dealt: DealtUnits, n_folds: int, weighted: bool
) -> DealtByClass:
    """Rows as units say: each row of the table in one fold, or a row for each fold that its weight is in."""
    n_units, copies = found.units, count_copies(equal.weights)
    first = np.empty(len(n_units), np.int64)
    starts = np.flatnonzero(np.diff(dealt.row, prepend=-1))
    first[dealt.row[starts]] = starts
    turn = np.arange(len(dealt.row)) - first[dealt.row]
    # whole copies, as rows of the table would be dealt; what is left of a weight goes with the first of them
    each, left = np.divmod(copies, n_units)
    weights = (each[dealt.row] + (turn < left[dealt.row])).astype(np.float64)
    weights[starts] += (equal.weights - copies)[dealt.row[starts]]
    cells, cell = np.unique(dealt.row * n_folds + dealt.fold, return_inverse=True)
    of_cell = np.bincount(cell, weights)
    unit_weights = of_cell / np.bincount(cell)
    if weighted:
        row, fold = np.divmod(cells, n_folds)
        return DealtByClass(fold, unit_weights, found.share, equal.first[row], of_cell)
    copy = np.empty(len(equal.inverse), np.int64)
    order = np.argsort(equal.inverse, kind="stable")
    copy[order] = np.arange(len(copy)) - np.searchsorted(equal.inverse[order], equal.inverse[order])
    unit = first[equal.inverse] + copy % n_units[equal.inverse]
    return DealtByClass(dealt.fold[unit], unit_weights[cell[unit]], found.share)
