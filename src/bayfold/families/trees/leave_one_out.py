"""Choosing the splits of a tree by how often naive Bayes in the branches is right on rows left out."""

from __future__ import annotations

import numpy as np

from bayfold.families.trees import kernels
from bayfold.families.trees.binning import BinnedRows, Binning
from bayfold.families.trees.model import LeafSettings
from bayfold.families.trees.splits import (
    NO_GAIN,
    Frontier,
    HeldOutRows,
    NodeRows,
    Splits,
    count_node_rows,
    open_frontier,
    send_down,
)

LEAST_IMPROVEMENT = 0.05
"""Kohavi (1996): a split must make at least this share of the node's errors go away."""


class LeaveOneOut:
    """Choose by how often naive Bayes in the children is right on rows left out.

    A variant of Kohavi's NBTree (1996): the utility of a split is the leave-one-out accuracy instead of that of
    five-fold cross-validation, because counts without a row are the counts less that row.

    Parameters
    ----------
    rows : BinnedRows
    group_of : ndarray of int32
    n_groups : int
    leaves, split_binning : Binning
    settings : LeafSettings
    unit_shares : ndarray
        Share of each distinct row's weight that is left out at once: honest repeats of a row may know each other.
    held_out : HeldOutRows or None
        Which rows are held out together, where single rows cannot be left out.
    """

    def __init__(
        self,
        rows: BinnedRows,
        group_of: np.ndarray,
        n_groups: int,
        leaves: Binning,
        split_binning: Binning,
        settings: LeafSettings,
        unit_shares: np.ndarray,
        held_out: HeldOutRows | None = None,
    ) -> None:
        self.rows = rows
        self.group_of = group_of
        self.n_groups = n_groups
        self.leaves = leaves
        self.split_binning = split_binning
        self.settings = settings
        self.unit_shares = unit_shares if held_out is None else np.zeros(rows.n_rows)
        self.held_out = held_out

    def choose(
        self, frontier: Frontier, node_rows: NodeRows, gain: np.ndarray, cut: np.ndarray
    ) -> Splits:
        """For each node the column that is right most often, where it is right often enough."""
        n_nodes, n_columns = gain.shape
        total = np.bincount(node_rows.nodes, node_rows.weights, minlength=n_nodes)
        before = self.weigh_right(node_rows, frontier.is_used)
        right = np.full(gain.shape, -np.inf)
        for j in range(n_columns):
            allowed = gain[:, j] > NO_GAIN
            if allowed.any():
                splits = Splits(np.where(allowed, j, -1), cut[:, j])
                right[allowed, j] = self.weigh_children(frontier, node_rows, splits)[allowed]
        best = right.argmax(axis=1)
        most = right[np.arange(n_nodes), best]
        worth = total - most <= (1 - LEAST_IMPROVEMENT) * (total - before) - NO_GAIN
        return Splits(np.where(worth, best, -1), cut[np.arange(n_nodes), best])

    def weigh_children(self, frontier: Frontier, node_rows: NodeRows, splits: Splits) -> np.ndarray:
        """Weight of the rows of each node that its children get right."""
        children = open_frontier(frontier, splits, self.split_binning)
        routed = send_down(node_rows, splits.column, children.links, self.rows.split_codes)
        is_used = frontier.is_used[children.parent].copy()
        is_used[np.arange(len(is_used)), splits.column[children.parent]] = True
        right = self.weigh_right(routed, is_used)
        return np.bincount(children.parent, right, minlength=len(splits.column))

    def weigh_right(self, node_rows: NodeRows, is_used: np.ndarray) -> np.ndarray:
        """Weight of the rows of each node that naive Bayes on the node's other rows gets right."""
        right = np.zeros(len(is_used))
        if self.held_out is None:
            self._add_right(node_rows, node_rows, is_used, right)
        else:
            for k in range(self.held_out.n_folds):
                self._add_right(*self.held_out.cut(node_rows, k), is_used, right)
        return right

    def _add_right(
        self, node_rows: NodeRows, learnt: NodeRows, is_used: np.ndarray, right: np.ndarray
    ) -> None:
        """The same of some rows, by the counts of those learnt from."""
        shape = len(is_used), self.n_groups
        counts = count_node_rows(self.rows.codes, learnt, self.group_of, self.leaves, *shape)
        known = sum_known(counts, self.leaves)
        kernels.score_left_out(
            self.rows.codes,
            node_rows.rows,
            node_rows.nodes,
            node_rows.weights,
            self.unit_shares,
            self.group_of,
            self.leaves.starts,
            counts,
            known,
            is_used,
            self.settings.m,
            self.settings.count_all_rows,
            right,
        )


def sum_known(counts: np.ndarray, binning: Binning) -> np.ndarray:
    """Weight with a known cell of (node, column, group); behind the last column that of all rows."""
    of_all = np.add.reduceat(counts, binning.starts, axis=1)
    silent = counts[:, binning.starts] + counts[:, binning.starts + 1]
    return np.concatenate([of_all - silent, of_all[:, :1]], axis=1)
