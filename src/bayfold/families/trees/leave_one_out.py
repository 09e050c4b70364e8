"""Choosing the tests of a tree by how often naive Bayes in the branches is right on rows left out."""

from __future__ import annotations

import numpy as np

from bayfold.families.trees import kernels
from bayfold.families.trees.binning import BinnedRows, Binning
from bayfold.families.trees.leaf import LeafSettings
from bayfold.families.trees.splits import (
    NO_GAIN,
    Entries,
    Frontier,
    Splits,
    count_entries,
    open_children,
)

LEAST_IMPROVEMENT = 0.05
"""Kohavi (1996): a split must make at least this share of the node's errors go away."""


class LeaveOneOut:
    """Choose by how often naive Bayes in the children is right on rows left out.

    A variant of Kohavi's NBTree (1996): the utility of a test is the leave-one-out accuracy instead of that of
    five-fold cross-validation, because counts without a row are the counts less that row.

    Parameters
    ----------
    rows : BinnedRows
    group_of : ndarray of int32
    n_groups : int
    leaves, tests : Binning
    settings : LeafSettings
    """

    def __init__(
        self,
        rows: BinnedRows,
        group_of: np.ndarray,
        n_groups: int,
        leaves: Binning,
        tests: Binning,
        settings: LeafSettings,
    ) -> None:
        self.rows, self.group_of, self.n_groups = rows, group_of, n_groups
        self.leaves, self.tests, self.settings = leaves, tests, settings

    def choose(self, frontier: Frontier, gain: np.ndarray, cut: np.ndarray) -> Splits:
        """For each part the column that is right most often, where it is right often enough."""
        n_parts, n_columns = gain.shape
        total = np.bincount(frontier.entries.parts, frontier.entries.weights, minlength=n_parts)
        before = self.weigh_right(frontier.entries, frontier.is_used)
        right = np.full(gain.shape, -np.inf)
        for j in range(n_columns):
            allowed = gain[:, j] > NO_GAIN
            if allowed.any():
                splits = Splits(np.where(allowed, j, -1), cut[:, j])
                right[allowed, j] = self.weigh_children(frontier, splits)[allowed]
        best = right.argmax(axis=1)
        most = right[np.arange(n_parts), best]
        worth = total - most <= (1 - LEAST_IMPROVEMENT) * (total - before) - NO_GAIN
        return Splits(np.where(worth, best, -1), cut[np.arange(n_parts), best])

    def weigh_children(self, frontier: Frontier, splits: Splits) -> np.ndarray:
        """Weight of the rows of each part that its children get right."""
        children = open_children(frontier, splits, self.tests, self.rows.tests)
        is_used = frontier.is_used[children.parent].copy()
        is_used[np.arange(len(is_used)), splits.column[children.parent]] = True
        right = self.weigh_right(children.entries, is_used)
        return np.bincount(children.parent, right, minlength=len(splits.column))

    def weigh_right(self, entries: Entries, is_used: np.ndarray) -> np.ndarray:
        """Weight of the rows of each part that naive Bayes on the part's other rows gets right."""
        n_parts = len(is_used)
        shape = n_parts, self.n_groups
        counts = count_entries(self.rows.codes, entries, self.group_of, self.leaves, *shape)
        known = sum_known(counts, self.leaves)
        right = np.zeros(n_parts)
        kernels.score_left_out(
            self.rows.codes,
            entries.rows,
            entries.parts,
            entries.weights,
            self.group_of,
            self.leaves.starts,
            counts,
            known,
            is_used,
            self.settings.m,
            self.settings.count_all_rows,
            right,
        )
        return right


def sum_known(counts: np.ndarray, binning: Binning) -> np.ndarray:
    """Weight with a known cell of (part, column, group); behind the last column that of all rows."""
    of_all = np.add.reduceat(counts, binning.starts, axis=1)
    silent = counts[:, binning.starts] + counts[:, binning.starts + 1]
    return np.concatenate([of_all - silent, of_all[:, :1]], axis=1)
