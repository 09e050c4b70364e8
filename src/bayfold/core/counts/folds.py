"""Dealing distinct rows to folds: copy by copy, or each row with all its copies.

Rows are known by what is in them, so neither way depends on the order of the table. Copy by copy is for models of
codes, where few values make many rows equal. Whole rows are for models that a copy in another fold would flatter: a
mixture that has seen the very row finds it likely, and a classifier of any kind takes rows, not parts of their weight.
"""

from __future__ import annotations

import numpy as np


def deal_copies(hashes: np.ndarray, weights: np.ndarray, n_folds: int) -> np.ndarray:
    """The weight of each distinct row in each fold, of shape (n_rows, n_folds).

    A row that stands for several equal ones is dealt like them, one after the other, from the fold its hash names
    on. Where few values make many rows equal, all of them in one fold would leave no row like them in the others.

    Examples
    --------
    >>> deal_copies(np.array([1, 2], np.uint64), np.array([1.0, 4.5]), 3)
    array([[0. , 1. , 0. ],
           [1.5, 1. , 2. ]])
    """
    whole = np.floor(weights)
    each, left = np.divmod(whole, n_folds)
    first = (hashes % np.uint64(n_folds)).astype(np.int64)
    turn = (np.arange(n_folds) - first[:, None]) % n_folds
    dealt = each[:, None] + (turn < left[:, None])
    return dealt + np.where(turn == left[:, None], (weights - whole)[:, None], 0.0)


def deal_whole_rows(
    n_rows: int, n_folds: int, rng: np.random.RandomState, first: int = 0
) -> np.ndarray:
    """The fold of each distinct row, at random and as evenly as can be; the remainder begins with fold ``first``.

    >>> deal_whole_rows(5, 2, np.random.RandomState(0))
    array([0, 0, 1, 1, 0])
    """
    return (rng.permutation(n_rows) + first) % n_folds
