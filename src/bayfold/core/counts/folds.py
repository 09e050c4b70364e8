"""Dealing distinct rows to folds.

Rows are dealt in turn, group by group, in an order that depends on what is in them (``count_hashes``), so the order
of the table does not matter. A row that stands for several equal ones is dealt in as many units as it is worth
(``copies``), and may be in several folds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayfold.core.counts.equal_rows import number_keys
from bayfold.errors import few_units, one_time, one_unit, warn


@dataclass(frozen=True, eq=False)
class DealtRows:
    """The parts of distinct rows in the folds, one entry for each row and fold it reached.

    Attributes
    ----------
    row, fold : ndarray of int
    weights : ndarray
        What the row weighs in the fold.
    shape : tuple of int
        Number of rows, number of folds.
    """

    row: np.ndarray
    fold: np.ndarray
    weights: np.ndarray
    shape: tuple[int, int]

    def as_matrix(self) -> np.ndarray:
        """The weight of each row in each fold."""
        dealt = np.zeros(self.shape)
        dealt[self.row, self.fold] = self.weights
        return dealt


def deal_rows(order: np.ndarray, weights: np.ndarray, units: np.ndarray, n_folds: int) -> DealtRows:
    """Deal the units of the rows in turn, and make the units of a row that meet in a fold one entry.

    Parameters
    ----------
    order : ndarray of int
        Rows in the order in which they are dealt; each fold gets its share of rows that stand together.
    weights : ndarray
    units : ndarray of int
        In how many equal parts each row is dealt, at least one.
    n_folds : int

    Examples
    --------
    >>> dealt = deal_rows(np.array([1, 0]), np.array([1.0, 4.5]), np.array([1, 3]), 2)
    >>> dealt.as_matrix()
    array([[0. , 1. ],
           [3. , 1.5]])
    """
    start = np.empty(len(order), np.int64)
    start[order] = np.cumsum(units[order]) - units[order]
    single = np.flatnonzero(units == 1)
    several = np.flatnonzero(units > 1)
    # no more entries than units, however many folds there are
    n_entries = np.minimum(units[several], n_folds)
    place = np.repeat(np.arange(len(several)), n_entries)
    turn = np.arange(len(place)) - np.repeat(np.cumsum(n_entries) - n_entries, n_entries)
    each, left = np.divmod(units[several], n_folds)
    unit_weights = (weights / units)[several]
    return DealtRows(
        np.append(single, several[place]),
        np.append(start[single] % n_folds, (start[several][place] + turn) % n_folds),
        np.append(weights[single], (each[place] + (turn < left[place])) * unit_weights[place]),
        (len(weights), n_folds),
    )


@dataclass(frozen=True, eq=False)
class DealtUnits:
    """The units of distinct rows, those of a row next to each other.

    Attributes
    ----------
    row, fold : ndarray of int
    """

    row: np.ndarray
    fold: np.ndarray


def shuffle_units(
    order: np.ndarray,
    group_of: np.ndarray,
    units: np.ndarray,
    n_folds: int,
    rng: np.random.RandomState,
) -> DealtUnits:
    """Deal the units of the rows at random within each group.

    Rows dealt in turn spread the units of a row evenly. Where rows are few and units many, each fold is then a small
    copy of the table, and no better judge of a model than the rows it was learnt from.

    Parameters
    ----------
    order : ndarray of int
        Rows, one group after the other, in an order that does not depend on the table's.
    group_of : ndarray of int
    units : ndarray of int
        In how many parts each row is dealt, at least one.
    n_folds : int
    rng : RandomState
    """
    row = np.repeat(order, units[order])
    fold = np.arange(len(row)) % n_folds
    if len(row) > len(order):
        group = np.cumsum(np.diff(group_of[row], prepend=group_of[row[0]]) != 0)
        turn = np.lexsort((rng.permutation(len(row)), group))
        fold[turn] = np.arange(len(row)) % n_folds
    return DealtUnits(row, fold)


LEAST_UNITS = 10
"""With fewer given units each fold is one of them: ten folds is what most rows are dealt to."""

NEVER_HELD_OUT = 1 / 3
"""Share of the rows, the earliest, that is never held out: a model of fewer says little of one of all rows."""

UNIT_PARTS = 3
"""Parts of the units where rows are held out by time too: each model knows earlier rows of two parts, and rows of the
third are held out. With two parts it would know half of the rows, with many few rows would be held out with each."""


@dataclass(frozen=True, eq=False)
class GivenUnits:
    """What users say of rows that are not independent.

    Attributes
    ----------
    units : ndarray of uint64 or None
        A hash of the group of each row.
    time : ndarray or None
        When each row was observed.
    """

    units: np.ndarray | None
    time: np.ndarray | None

    @classmethod
    def of(cls, rows: Any) -> GivenUnits | None:
        """What was said of some rows, which have ``units`` and ``time``; None if nothing was."""
        known = rows.units is not None or rows.time is not None
        return cls(rows.units, rows.time) if known else None

    @classmethod
    def of_dependent(cls, rows: Any) -> GivenUnits | None:
        """The same; None also where each row is a unit of its own and no time was given, so that single rows can be
        left out.
        """
        said = cls.of(rows)
        if said is None or said.units is None or said.time is not None:
            return said
        return None if len(np.unique(said.units)) == len(said.units) else said

    def within(self, rows: np.ndarray) -> GivenUnits | None:
        """What was said of some of the rows; None if they are of one unit or one time, so that none can be held out."""
        part = self.take(rows)
        said = (values for values in (part.units, part.time) if values is not None)
        return part if all((values != values[0]).any() for values in said) else None

    def take(self, rows: np.ndarray) -> GivenUnits:
        """What was said of some of the rows."""
        units = None if self.units is None else self.units[rows]
        return GivenUnits(units, None if self.time is None else self.time[rows])

    def hold_out(self, deal: Deal, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The weight of each row inside each fold, and outside it: among the rows that its model learns from."""
        if self.time is None:
            assert self.units is not None
            fold_of = deal.deal_units(self.units)
            is_inside = fold_of[:, None] == np.arange(fold_of.max() + 1)
            is_outside = ~is_inside
        else:
            n_blocks = deal.n_folds if self.units is None else -(-deal.n_folds // UNIT_PARTS)
            block_of = cut_time(self.time, weights, n_blocks)
            blocks = np.arange(block_of.max()) + 1
            is_inside = block_of[:, None] == blocks
            is_outside = block_of[:, None] < blocks
        if self.time is not None and self.units is not None:
            part_of = replace(deal, n_folds=UNIT_PARTS).deal_units(self.units)
            is_part = part_of[:, None] == np.arange(part_of.max() + 1)
            is_inside = (is_inside[:, :, None] & is_part[:, None]).reshape(len(weights), -1)
            is_outside = (is_outside[:, :, None] & ~is_part[:, None]).reshape(len(weights), -1)
        return is_inside * weights[:, None], is_outside * weights[:, None]

    def hold_out_last(self, deal: Deal, weights: np.ndarray) -> np.ndarray:
        """The fold of each row, where no row has more than one: with times fold 0 is the latest, -1 in none.

        With units, fold 0 is of a part of them, of which no other fold has a row: that of most of the latest rows,
        where some earlier rows are of other parts.
        """
        units = np.arange(len(weights)) if self.units is None else self.units
        fold_of = deal.deal_units(units.astype(np.uint64))
        if self.time is None:
            return fold_of
        block_of = cut_time(self.time, weights, max(round((1 - NEVER_HELD_OUT) * deal.n_folds), 1))
        is_last = block_of == block_of.max()
        fold_of = np.where(is_last, 0, 1 + fold_of % max(deal.n_folds - 1, 1))
        if self.units is not None:
            part_of = replace(deal, n_folds=UNIT_PARTS).deal_units(units)
            n_parts = int(part_of.max()) + 1
            n_early = np.bincount(part_of[~is_last], minlength=n_parts)
            n_late = np.bincount(part_of[is_last], minlength=n_parts)
            others_are_early = n_early < n_early.sum()
            is_part = part_of == np.argmax(np.where(others_are_early, n_late, 0))
            fold_of[is_last != is_part] = -1
        return fold_of


@dataclass(frozen=True, eq=False)
class Deal:
    """In which order rows are dealt to how many folds.

    Attributes
    ----------
    keys : ndarray of uint64
        A hash of what is in each row: rows of a group are dealt in the order of their keys.
    group_of : ndarray of int
    group_ranks : ndarray of int
        Of each group: one after the other is dealt, in an order that knows no names.
    n_folds : int
    """

    keys: np.ndarray
    group_of: np.ndarray
    group_ranks: np.ndarray
    n_folds: int

    def deal_units(self, units: np.ndarray) -> np.ndarray:
        """The fold of each row: whole units in turn, group by group, large ones first, so that folds are of a size.

        A unit is of the group that most of its rows are in. Where each row is a unit, rows are dealt as they stand.

        >>> deal = Deal(np.arange(12, dtype=np.uint64), np.zeros(12, int), np.zeros(1, int), 4)
        >>> deal.deal_units(np.arange(12, dtype=np.uint64)), deal.deal_units(np.arange(12, dtype=np.uint64) // 2 * 2)
        (array([0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]), array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]))
        """
        unit_of = number_units(units)
        n_units = int(unit_of.max()) + 1
        n_folds = check_units(n_units, self.n_folds)
        n_groups = len(self.group_ranks)
        pairs, n_rows = np.unique(
            unit_of * n_groups + self.group_ranks[self.group_of], return_counts=True
        )
        # of equally many rows the group that is dealt first
        order = np.lexsort((pairs, -n_rows, pairs // n_groups))
        main = order[np.unique(pairs[order] // n_groups, return_index=True)[1]]
        key = np.zeros(n_units, np.uint64)
        np.add.at(key, unit_of, self.keys)
        turns = np.lexsort((key, -np.bincount(unit_of), pairs[main] % n_groups))
        fold_of = np.empty(n_units, np.int64)
        fold_of[turns] = np.arange(n_units) % n_folds
        return fold_of[unit_of]


def number_units(units: np.ndarray) -> np.ndarray:
    """A number for each row that rows of a unit share, in the order in which units come: no name decides a tie.

    >>> number_units(np.array([7, 3, 7], np.uint64))
    array([0, 1, 0])
    """
    unit_of = number_keys(units)
    first = np.unique(unit_of, return_index=True)[1]
    return np.argsort(np.argsort(first))[unit_of]


def check_units(n_units: int, n_folds: int) -> int:
    """How many folds there are of so many units: one for each where they are few, of which is warned."""
    if n_units == 1:
        raise one_unit()
    if n_units >= LEAST_UNITS:
        return n_folds
    warn(few_units(n_units, LEAST_UNITS))
    return n_units


def cut_time(time: np.ndarray, weights: np.ndarray, n_blocks: int) -> np.ndarray:
    """The block of each row in time: block 0 is the beginning, then come as many of equal weight as asked.

    Rows of one time are in one block. Where times are few, there are fewer blocks.

    >>> cut_time(np.arange(6.0), np.ones(6), 2)
    array([0, 0, 1, 1, 2, 2])
    """
    times, place = np.unique(time, return_inverse=True)
    if len(times) == 1:
        raise one_time()
    summed = np.bincount(place, weights)
    middle = (np.cumsum(summed) - summed / 2) / summed.sum()
    later = np.floor((middle - NEVER_HELD_OUT) / (1 - NEVER_HELD_OUT) * n_blocks).astype(np.int64)
    block = np.clip(later, -1, n_blocks - 1)
    block[0] = -1  # before the first time there is nothing to learn from
    return np.unique(block, return_inverse=True)[1][place]
