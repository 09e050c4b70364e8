"""Dealing sampled rows to folds by what is in them, so that the order of rows does not matter."""

from __future__ import annotations

import numpy as np


def deal_folds(hashes: np.ndarray, weights: np.ndarray, n_folds: int) -> np.ndarray:
    """The weight of each distinct row in each fold, of shape (n_rows, n_folds).

    A row that stands for several equal ones is dealt like them, one after the other, from the fold its hash names
    on. Where few values make many rows equal, all of them in one fold would leave no row like them in the others.

    Examples
    --------
    >>> deal_folds(np.array([1, 2], np.uint64), np.array([1.0, 4.5]), 3)
    array([[0. , 1. , 0. ],
           [1.5, 1. , 2. ]])
    """
    whole = np.floor(weights)
    each, left = np.divmod(whole, n_folds)
    first = (hashes % np.uint64(n_folds)).astype(np.int64)
    turn = (np.arange(n_folds) - first[:, None]) % n_folds
    dealt = each[:, None] + (turn < left[:, None])
    return dealt + np.where(turn == left[:, None], (weights - whole)[:, None], 0.0)
