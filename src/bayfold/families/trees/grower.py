"""Growing a tree with naive Bayes leaves, level by level, on coded rows (Ting & Zheng 2003, Section 4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from bayfold.core.counts.identifiers import confirm_in_folds
from bayfold.core.engine.kept_rows import KeptRows, RowsHere
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.families.trees.binning import Binning
from bayfold.families.trees.growing import GrowingPart
from bayfold.families.trees.leave_one_out import LeaveOneOut
from bayfold.families.trees.model import LeafSettings, NaiveBayesTree, estimate_evidence
from bayfold.families.trees.splits import (
    Children,
    Frontier,
    HeldOutRows,
    NodeRows,
    Splits,
    choose_by_gain_ratio,
    count_node_rows,
    find_refuted,
    open_frontier,
    weigh_frontier,
)

MOST_BRANCHES = 254
"""Of a split, as many as one-byte codes: each branch has tables of all columns, and leaves of few rows say little."""


@dataclass(frozen=True)
class TreeSettings:
    """How a tree is grown.

    Attributes
    ----------
    max_depth : int
        0 is naive Bayes.
    threshold : bool
        Whether numeric columns are cut in two at a value, or have a branch for each of their bins.
    min_split, min_branch : float
        Least weight of a node that is split, and of every branch (0: C4.5's own rule).
    leave_one_out : bool
        Whether splits are chosen by the accuracy of the leaves they would make, or by gain ratio.
    prune : bool
        Whether nominal columns of many values count only where rows left out confirm them.
    leaf : LeafSettings
    """

    max_depth: int = 3
    threshold: bool = False
    min_split: float = 30.0
    min_branch: float = 0.0
    leave_one_out: bool = False
    prune: bool = False
    leaf: LeafSettings = field(default_factory=LeafSettings)


class TreeGrower:
    """What is the same for all trees on the same rows, whatever the weights.

    Parameters
    ----------
    rows : KeptRows
        Of ``GrowingPart``.
    n_groups : int
    leaves, split_binning : Binning
        Of the columns ``rows.codes`` and ``rows.split_codes``.
    settings : TreeSettings
    unit_shares : ndarray, optional
        Share of each distinct row's weight that is left out at once, by default all.
    held_out : HeldOutRows, optional
        Which rows are held out together, where single rows cannot be left out.
    """

    def __init__(
        self,
        rows: KeptRows,
        n_groups: int,
        *,
        leaves: Binning,
        split_binning: Binning,
        settings: TreeSettings,
        unit_shares: np.ndarray | None = None,
        held_out: HeldOutRows | None = None,
    ) -> None:
        self.rows = rows
        self.n_groups = n_groups
        self.leaves = leaves
        self.split_binning = split_binning
        self.settings = settings
        n_columns = len(split_binning.n_codes)
        self.is_ordered = (
            split_binning.is_ordered if settings.threshold else np.zeros(n_columns, np.bool_)
        )
        self.held_out = held_out
        self.unit_shares = unit_shares

    def grow(self, *, keep_occurrence: bool = False, compact: bool = False) -> NaiveBayesTree:
        """The tree of the weighted rows.

        It can keep how many rows have each code in each leaf, for explanations, and be compact (single precision), for
        ensembles of many trees.
        """
        nodes = _Nodes(self.leaves.is_silent)
        self.rows.update("begin")
        for _ in range(self.settings.max_depth):
            frontier = self._look_at(nodes.is_used)
            splits = self._choose(frontier)
            if (splits.column < 0).all():
                break
            children = open_frontier(frontier, splits, self.split_binning)
            self.rows.update("descend", splits.column, children.links, nodes.n_nodes)
            nodes.add_level(splits, children)
        return self._finish(nodes, keep_occurrence, np.float32 if compact else np.float64)

    def _look_at(self, is_used: np.ndarray) -> Frontier:
        counts = self.rows.reduce("count_nodes", len(is_used), self.split_binning.places)
        heavy = (
            counts[:, : self.split_binning.n_codes[0]].sum(axis=(1, 2)) >= self.settings.min_split
        )
        is_open = heavy[:, None] & (self.is_ordered | ~is_used)
        if self.settings.prune:
            is_open &= self.split_binning.n_codes <= MOST_BRANCHES + FIRST_BIN
        return Frontier(counts, is_open, is_used)

    def _choose(self, frontier: Frontier) -> Splits:
        least = self.settings.min_branch
        gain, ratio, cut = weigh_frontier(frontier, self.split_binning, self.is_ordered, least)
        if self.settings.prune:
            binning = self.split_binning
            gain[self._find_refuted(frontier.counts, binning, self._find_node_rows)] = np.nan
        if not self.settings.leave_one_out:
            return choose_by_gain_ratio(gain, ratio, cut)
        return self.utility.choose(frontier, self._find_node_rows(), gain=gain, cut=cut)

    @property
    def _part(self) -> GrowingPart:
        """All rows, where a method that needs them here has refused others before reading."""
        assert isinstance(self.rows, RowsHere)
        part: GrowingPart = self.rows.part
        return part

    def _find_node_rows(self) -> NodeRows:
        node_rows = self._part.node_rows
        assert node_rows is not None
        return self._part.weigh(node_rows)

    @cached_property
    def utility(self) -> LeaveOneOut:
        """What chooses splits by rows left out."""
        data = self._part.data
        shares = np.ones(data.rows.n_rows) if self.unit_shares is None else self.unit_shares
        return LeaveOneOut(
            data.rows,
            data.group_of,
            self.n_groups,
            self.leaves,
            self.split_binning,
            self.settings.leaf,
            shares,
            self.held_out,
        )

    def _find_refuted(
        self, counts: np.ndarray, binning: Binning, find_rows: Callable[[], NodeRows]
    ) -> np.ndarray:
        """Which nominal columns are not confirmed, in every node."""
        held_out = self.held_out
        if held_out is None:
            return find_refuted(counts, binning)
        shape = len(counts), self.n_groups
        data = self._part.data
        codes = data.rows.codes if binning is self.leaves else data.rows.split_codes
        node_rows = find_rows()

        def count(part: NodeRows) -> np.ndarray:
            return count_node_rows(codes, part, data.group_of, binning, *shape)

        cuts = (held_out.cut(node_rows, k) for k in range(held_out.n_folds))
        folds = ((count(inside), count(outside)) for inside, outside in cuts)
        is_confirmed = confirm_in_folds(folds, binning.starts, binning.n_codes)
        return ~binning.is_ordered & ~is_confirmed

    def _finish(self, nodes: _Nodes, keep_occurrence: bool, dtype: type) -> NaiveBayesTree:
        """Count the rows of the leaves and derive their models."""
        arrays, leaf_of, last = nodes.close()
        is_used = np.concatenate(nodes.used)[leaf_of >= 0]
        sent = last, nodes.n_nodes, leaf_of
        counts = self.rows.reduce("count_leaves", *sent, self.leaves.places)
        if self.settings.prune:
            is_used = is_used | self._find_refuted(
                counts, self.leaves, lambda: self._part.weigh(self._part.find_leaf_rows(*sent))
            )
        evidence, prior = estimate_evidence(
            counts, self.leaves.starts, self.leaves.n_codes, is_used, self.settings.leaf, dtype
        )
        of_leaves = counts[:, : self.leaves.n_codes[0]].sum(axis=1)
        totals = _sum_up(of_leaves, leaf_of, arrays)
        return NaiveBayesTree(
            **arrays,
            totals=totals,
            leaf_of=leaf_of,
            is_used=is_used,
            starts=self.leaves.starts,
            evidence=evidence,
            prior=prior,
            occurrence=counts.sum(axis=2) if keep_occurrence else None,
        )


class _Nodes:
    """The nodes opened so far, level by level."""

    def __init__(self, is_silent: np.ndarray) -> None:
        self.is_used = is_silent[None]
        self.used = [self.is_used]
        self.levels: list[dict[str, np.ndarray]] = []
        self.shares = [np.ones(1)]
        # before the current level
        self.n_nodes = 0
        self.n_codes = 0

    def add_level(self, splits: Splits, children: Children) -> None:
        """Close the current level; its children become the next one."""
        below = self.n_nodes + len(splits.column)
        links = children.links
        down = links.child_of_code >= 0
        self.levels.append(
            {
                "column": splits.column,
                "cut": np.where(splits.column >= 0, splits.cut, 0),
                "code_offset": links.code_offset + self.n_codes,
                "child_of_code": np.where(down, links.child_of_code + below, -1),
                "first_child": links.first_child + below,
                "n_children": links.n_children,
            }
        )
        self.shares.append(links.share)
        is_used = self.is_used[children.parent]
        is_used[np.arange(len(is_used)), splits.column[children.parent]] = True
        self.is_used = is_used
        self.used.append(is_used)
        self.n_nodes, self.n_codes = below, self.n_codes + len(links.child_of_code)

    def close(self) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
        """The arrays of all levels, as a NaiveBayesTree has them, the number of each leaf, and the last columns.

        The last level has leaves only.
        """
        n_nodes = len(self.is_used)
        none = np.full(n_nodes, -1)
        zero = np.zeros(n_nodes, np.int64)
        empty = np.empty(0, np.int64)
        self.levels.append(
            {
                "column": none,
                "cut": zero,
                "code_offset": zero,
                "child_of_code": empty,
                "first_child": zero,
                "n_children": zero,
            }
        )
        names = self.levels[0]
        arrays = {name: np.concatenate([level[name] for level in self.levels]) for name in names}
        is_leaf = arrays["column"] < 0
        leaf_of = np.where(is_leaf, np.cumsum(is_leaf) - 1, -1)
        return arrays | {"share": np.concatenate(self.shares)}, leaf_of, none


def _sum_up(
    of_leaves: np.ndarray, leaf_of: np.ndarray, arrays: dict[str, np.ndarray]
) -> np.ndarray:
    """Weights per group of all nodes: children are always numbered above their parents."""
    totals = np.zeros((len(leaf_of), of_leaves.shape[1]))
    totals[leaf_of >= 0] = of_leaves
    for node in np.flatnonzero(arrays["column"] >= 0)[::-1]:
        first = arrays["first_child"][node]
        totals[node] = totals[first : first + arrays["n_children"][node]].sum(axis=0)
    return totals
