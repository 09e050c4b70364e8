"""Equal rows of small codes as one row with their summed weight, in an order that depends on their content alone."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bayfold.core.counts import RowWords
from bayfold.core.counts.equal_rows import collapse_equal_rows
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

    def scaled(self, factor: float) -> WeightedRows:
        """The same rows with all weights multiplied."""
        return replace(self, weights=factor * self.weights)

    def sorted_by(self, words: RowWords) -> WeightedRows:
        """The rows in the order of their hashes under other words; those alike stay in theirs."""
        order = np.argsort(_hash_rows(self.rows, self.group_of, words), kind="stable")
        return replace(
            self,
            rows=self.rows.take(order),
            group_of=self.group_of[order],
            weights=self.weights[order],
        )


def collapse_rows(
    rows: BinnedRows, group_of: np.ndarray, weights: np.ndarray | None, words: RowWords
) -> WeightedRows:
    """Sort rows by content and add up the weights of equal ones."""
    equal = collapse_equal_rows(_hash_rows(rows, group_of, words), weights)
    groups = np.ascontiguousarray(group_of[equal.first], np.int32)
    return WeightedRows(rows.take(equal.first), groups, equal.weights, len(words.group_words))


def _hash_rows(rows: BinnedRows, group_of: np.ndarray, words: RowWords) -> np.ndarray:
    hashes = words.hash_codes(rows.codes, words.group_words[group_of])
    return hashes if rows.split_codes is rows.codes else words.hash_codes(rows.split_codes, hashes)
