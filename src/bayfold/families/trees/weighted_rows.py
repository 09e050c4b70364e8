"""Equal rows as one row with their summed weight, in an order that depends on their content alone.

What a learner with random draws makes of them then depends neither on the order of rows nor on whether a
row is given twice or with weight 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core import kernels
from bayfold.families.trees.binning import BinnedRows


@dataclass(frozen=True, eq=False)
class WeightedRows:
    """Distinct coded rows with their weights.

    Attributes
    ----------
    rows : BinnedRows
    group_of : ndarray of int32
    weights : ndarray
        Summed weight of the equal rows.
    n_groups : int
    """

    rows: BinnedRows
    group_of: np.ndarray
    weights: np.ndarray
    n_groups: int

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float(self.weights.sum())


def collapse_rows(
    rows: BinnedRows, group_of: np.ndarray, weights: np.ndarray | None, n_groups: int
) -> WeightedRows:
    """Sort rows by content and add up the weights of equal ones."""
    keys = _hash(rows.codes, group_of)
    if rows.tests is not rows.codes:
        keys = _hash(rows.tests, keys)
    weights = np.ones(rows.n_rows) if weights is None else weights
    keys, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    summed = np.bincount(inverse, weights, minlength=len(keys))
    groups = np.ascontiguousarray(group_of[first], np.int32)
    return WeightedRows(rows.take(first), groups, summed, n_groups)


def _hash(codes: np.ndarray, seeds: np.ndarray) -> np.ndarray:
    """A 64-bit word for each row's codes and seed."""
    rng = np.random.default_rng(20)
    width = int(np.iinfo(codes.dtype).max) + 1
    offsets = np.arange(codes.shape[1], dtype=np.int64) * width
    words = rng.integers(0, np.iinfo(np.uint64).max, codes.shape[1] * width, np.uint64)
    hashes = seeds.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    nothing = np.empty((len(codes), 0), np.uint16)
    kernels.hash_rows(codes, nothing, offsets, np.empty(0, np.int64), words, hashes)
    return hashes
