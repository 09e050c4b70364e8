"""Equal rows as one row with their summed weight, in an order that depends on their content alone.

What is learnt from them then depends neither on the order of rows nor on whether a row is given twice or with weight 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core import kernels

FEW_HASHES = 1 << 14
"""NumPy sorts fewer in less than a millisecond; the kernel, which is no faster there, need not be compiled."""


@dataclass(frozen=True, eq=False)
class EqualRows:
    """Which rows of a table are equal.

    Attributes
    ----------
    hashes : ndarray of uint64
        The content hashes of the distinct rows, in increasing order.
    first : ndarray of int
        A row of the table with this content.
    weights : ndarray
        Summed weight of the rows with this content.
    order : ndarray of int
        The rows of the table in the order of their hashes.
    starts : ndarray of int or None
        Where the rows of each content begin in this order; None if no two are equal.
    """

    hashes: np.ndarray
    first: np.ndarray
    weights: np.ndarray
    order: np.ndarray
    starts: np.ndarray | None

    @property
    def inverse(self) -> np.ndarray:
        """The distinct row of each row of the table."""
        place = np.arange(len(self.hashes))
        if self.starts is not None:
            place = np.repeat(place, np.diff(self.starts, append=len(self.order)))
        inverse = np.empty(len(self.order), np.int64)
        inverse[self.order] = place
        return inverse


def collapse_equal_rows(hashes: np.ndarray, weights: np.ndarray | None) -> EqualRows:
    """Collapse rows with the same content hash.

    >>> equal = collapse_equal_rows(np.array([7, 3, 7], np.uint64), np.array([1.0, 2.0, 0.5]))
    >>> equal.first, equal.inverse, equal.weights
    (array([1, 0]), array([1, 0, 1]), array([2. , 1.5]))
    """
    keys, order = sort_by_hash(hashes)
    each = np.ones(len(keys)) if weights is None else weights.take(order).astype(float, copy=False)
    is_first = np.append(True, keys[1:] != keys[:-1])[: len(keys)]
    if is_first.all():
        return EqualRows(keys, order, each, order, None)
    starts = np.flatnonzero(is_first)
    summed = np.bincount(np.cumsum(is_first) - 1, each)
    return EqualRows(keys[starts], order[starts], summed, order, starts)


def number_keys(keys: np.ndarray) -> np.ndarray:
    """A number for each row that rows of equal keys share; the first come first, of few rows the smallest keys.

    >>> number_keys(np.array([7, 3, 7], np.uint64))
    array([1, 0, 1])
    """
    if len(keys) < FEW_HASHES:
        return np.unique(keys, return_inverse=True)[1]
    return kernels.number_equal(keys)[0]


def sort_by_hash(hashes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The hashes in increasing order, and the rows that they are of; rows of equal hashes as they stood.

    >>> sort_by_hash(np.array([7, 3, 7], np.uint64))
    (array([3, 7, 7], dtype=uint64), array([1, 0, 2]))
    """
    if len(hashes) < FEW_HASHES:
        order = np.argsort(hashes, kind="stable")
        return hashes[order], order
    keys, order = np.empty(len(hashes), np.uint64), np.empty(len(hashes), np.int64)
    kernels.sort_hashes(hashes, np.empty((2, len(hashes)), np.uint64), keys, order)
    return keys, order
