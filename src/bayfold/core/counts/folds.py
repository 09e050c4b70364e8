"""Dealing distinct rows to folds.

Rows are dealt in turn, group by group, in an order that depends on what is in them (``count_hashes``), so the order
of the table does not matter. A row that stands for several equal ones is dealt in as many units as it is worth
(``copies``), and may be in several folds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


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
