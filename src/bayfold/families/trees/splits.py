"""Which column each node of a growing tree is split by next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bayfold.core.counts.identifiers import confirm_columns
from bayfold.families.trees import kernels
from bayfold.families.trees.binning import Binning, CodePlaces

NO_GAIN = 1e-9
"""Gains are differences of sums: what is smaller than this is rounding."""


@dataclass(frozen=True, eq=False)
class NodeRows:
    """Rows on their way down: a row may be in several nodes, with a share of its weight in each."""

    rows: np.ndarray
    nodes: np.ndarray
    weights: np.ndarray

    def where(self, chosen: np.ndarray) -> NodeRows:
        """Some of them."""
        return NodeRows(self.rows[chosen], self.nodes[chosen], self.weights[chosen])


@dataclass(frozen=True, eq=False)
class HeldOutRows:
    """Which rows are held out together, and which their counts are of: matrices of bool of (rows, folds)."""

    inside: np.ndarray
    outside: np.ndarray

    @property
    def n_folds(self) -> int:
        """How many folds there are."""
        return self.inside.shape[1]

    def cut(self, node_rows: NodeRows, k: int) -> tuple[NodeRows, NodeRows]:
        """Those of some rows that are inside a fold, and those outside."""
        rows = node_rows.rows
        return node_rows.where(self.inside[rows, k]), node_rows.where(self.outside[rows, k])


@dataclass(frozen=True, eq=False)
class Frontier:
    """The nodes that may be split: what was counted in them, and which splits are open to them.

    Attributes
    ----------
    counts : ndarray of shape (n_nodes, total_codes, n_groups)
        In the bins of the splits.
    is_open : ndarray of bool of shape (n_nodes, n_columns)
        Columns they may be split by.
    is_used : ndarray of bool of shape (n_nodes, n_columns)
        Columns split by above.
    """

    counts: np.ndarray
    is_open: np.ndarray
    is_used: np.ndarray


@dataclass(frozen=True, eq=False)
class Splits:
    """Column (-1: none) and cut of every node's split."""

    column: np.ndarray
    cut: np.ndarray


class Links(NamedTuple):
    """Where rows of split nodes go, as kernels read it.

    Attributes
    ----------
    code_offset, child_of_code : ndarray
        ``child_of_code[code_offset[p] + code]`` is the child of node p for a code of its column, or -1.
    first_child, n_children : ndarray
        Of each node.
    share : ndarray
        Of each child: its share of the node's rows with a known cell.
    """

    code_offset: np.ndarray
    child_of_code: np.ndarray
    first_child: np.ndarray
    n_children: np.ndarray
    share: np.ndarray


@dataclass(frozen=True, eq=False)
class Children:
    """The nodes that splits open, numbered through, and the node above each."""

    links: Links
    parent: np.ndarray


def weigh_frontier(
    frontier: Frontier, binning: Binning, is_ordered: np.ndarray, least: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gain, gain ratio and cut of every column in every node; NaN where it cannot be split."""
    shape = frontier.is_open.shape
    gain = np.empty(shape)
    ratio = np.empty(shape)
    cut = np.empty(shape, np.int64)
    kernels.weigh_splits(
        frontier.counts,
        binning.starts,
        binning.n_codes,
        is_ordered,
        frontier.is_open,
        least,
        gain,
        ratio,
        cut,
    )
    return gain, ratio, cut


def find_refuted(counts: np.ndarray, binning: Binning) -> np.ndarray:
    """Which nominal columns rows left out of the counts do not confirm, in every node."""
    return ~binning.is_ordered & ~confirm_columns(counts, binning.starts, binning.n_codes)


def choose_by_gain_ratio(gain: np.ndarray, ratio: np.ndarray, cut: np.ndarray) -> Splits:
    """The largest gain ratio among the splits whose gain is at least average (Quinlan 1993), the first of equal ones.

    Sums over groups are rounded in the order of the groups' names, which may not decide.
    """
    allowed = gain > NO_GAIN
    n_allowed = allowed.sum(axis=1)
    average = np.where(allowed, gain, 0.0).sum(axis=1) / np.maximum(n_allowed, 1)
    candidate = allowed & (gain >= average[:, None] - NO_GAIN)
    ratio = np.where(candidate, ratio, -np.inf)
    column = (ratio >= ratio.max(axis=1, keepdims=True) - NO_GAIN).argmax(axis=1)
    chosen = np.where(n_allowed > 0, column, -1)
    return Splits(chosen, cut[np.arange(len(cut)), column])


def open_frontier(frontier: Frontier, splits: Splits, binning: Binning) -> Children:
    """The children of all split nodes."""
    column = splits.column
    sizes = np.where(column >= 0, binning.n_codes[column], 0)
    code_offset = np.append(0, np.cumsum(sizes)[:-1])
    child_of_code = np.full(int(sizes.sum()), -1)
    weight = np.zeros(int(sizes.sum()))
    n_open = kernels.open_children(
        frontier.counts,
        binning.starts,
        binning.n_codes,
        column,
        splits.cut,
        code_offset,
        child_of_code,
        weight,
    )
    parent = _parents(column, sizes, child_of_code, n_open)
    n_children = np.bincount(parent, minlength=len(column))
    first_child = np.append(0, np.cumsum(n_children)[:-1])
    of_parent = np.bincount(parent, weight[:n_open], minlength=len(column))
    share = weight[:n_open] / of_parent[parent]
    return Children(Links(code_offset, child_of_code, first_child, n_children, share), parent)


def _parents(
    column: np.ndarray, sizes: np.ndarray, child_of_code: np.ndarray, n_open: int
) -> np.ndarray:
    """The node each child belongs to."""
    node_of_code = np.repeat(np.arange(len(column)), sizes)
    parent = np.zeros(n_open, np.int64)
    leads_down = child_of_code >= 0
    parent[child_of_code[leads_down]] = node_of_code[leads_down]
    return parent


def send_down(
    node_rows: NodeRows, column: np.ndarray, links: Links, split_codes: np.ndarray
) -> NodeRows:
    """The rows of split nodes in their children, and in each of them where the cell says nothing."""
    rows = node_rows.rows
    nodes = node_rows.nodes
    n_routed = kernels.count_routed(
        split_codes, rows, nodes, column, links.code_offset, links.child_of_code, links.n_children
    )
    routed = NodeRows(
        np.empty(n_routed, np.int64), np.empty(n_routed, np.int64), np.empty(n_routed)
    )
    kernels.route_rows(
        split_codes,
        rows,
        nodes,
        node_rows.weights,
        column,
        *links,
        routed.rows,
        routed.nodes,
        routed.weights,
    )
    return routed


def count_node_rows(
    codes: np.ndarray,
    node_rows: NodeRows,
    group_of: np.ndarray,
    binning: Binning | CodePlaces,
    n_nodes: int,
    n_groups: int,
) -> np.ndarray:
    """Weighted counts of (node, column and code, group)."""
    counts = np.zeros((n_nodes, binning.total_codes, n_groups))
    kernels.count_nodes(
        codes, node_rows.rows, node_rows.nodes, node_rows.weights, group_of, binning.starts, counts
    )
    return counts
