"""Equal rows as one row with their summed weight, in an order that depends on their content alone.

What is learnt from them then depends neither on the order of rows nor on whether a row is given twice or with weight 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class EqualRows:
    """Which rows of a table are equal.

    Attributes
    ----------
    hashes : ndarray of uint64
        The content hashes of the distinct rows, in increasing order.
    first : ndarray of int
        A row of the table with this content.
    inverse : ndarray of int
        The distinct row of each row of the table.
    weights : ndarray
        Summed weight of the rows with this content.
    """

    hashes: np.ndarray
    first: np.ndarray
    inverse: np.ndarray
    weights: np.ndarray


def collapse_equal_rows(hashes: np.ndarray, weights: np.ndarray | None) -> EqualRows:
    """Collapse rows with the same content hash.

    >>> equal = collapse_equal_rows(np.array([7, 3, 7], np.uint64), np.array([1.0, 2.0, 0.5]))
    >>> equal.first, equal.inverse, equal.weights
    (array([1, 0]), array([1, 0, 1]), array([2. , 1.5]))
    """
    distinct, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
    summed = np.bincount(inverse, weights, minlength=len(distinct)).astype(np.float64)
    return EqualRows(distinct, first, inverse, summed)
