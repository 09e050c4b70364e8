"""Rows on their way down a growing tree, here or in a worker: counted in the nodes, sent to the children."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from bayfold.core.engine.kept_rows import KeptRows, RowsHere, find_grid, round_to_grid
from bayfold.families.trees.binning import CodePlaces
from bayfold.families.trees.rows import WeightedRows
from bayfold.families.trees.splits import Links, NodeRows, count_node_rows, send_down


@dataclass(eq=False)
class GrowingPart:
    """Some of the rows, or all.

    A row weighs what was given for it times a factor, a multiple of the grid. Where given weights are whole numbers,
    sums are exact, and so the same for rows in any order, apart or collapsed.

    Attributes
    ----------
    data : WeightedRows
    grid : float
    factors : ndarray
    node_rows : NodeRows or None
        The rows that have not reached a leaf; their weights are factors.
    ended : list of NodeRows
        The others, with the numbers of the nodes among all of the tree.
    """

    data: WeightedRows
    grid: float
    factors: np.ndarray
    node_rows: NodeRows | None = None
    ended: list[NodeRows] = field(default_factory=list)

    @classmethod
    def of(cls, data: WeightedRows, of_group: np.ndarray, grid: float) -> Self:
        """Rows with a factor for each group."""
        return cls(data, grid, round_to_grid(of_group[data.group_of], grid))

    def copied(self) -> Self:
        """A part that may be changed while this one stays."""
        return replace(self, factors=self.factors.copy(), ended=list(self.ended))

    @property
    def weights(self) -> np.ndarray:
        """The weight of each row."""
        return self.data.given * self.factors

    def weigh(self, node_rows: NodeRows) -> NodeRows:
        """Rows in nodes with their weights instead of factors."""
        return replace(node_rows, weights=self.data.given[node_rows.rows] * node_rows.weights)

    def count_given(self, places: CodePlaces) -> np.ndarray:
        """The weight that was given with each code of all columns, numbered through."""
        codes = self.data.rows.codes
        rows = np.arange(len(codes))
        nothing = np.zeros_like(rows)
        as_given = NodeRows(rows, nothing, self.data.given)
        one_group = nothing.astype(np.int32)
        return count_node_rows(codes, as_given, one_group, places, 1, 1)[0, :, 0]

    def begin(self) -> None:
        """All rows in the root."""
        n_rows = self.data.rows.n_rows
        self.node_rows = NodeRows(np.arange(n_rows), np.zeros(n_rows, np.int64), self.factors)
        self.ended = []

    def count_nodes(self, n_nodes: int, places: CodePlaces) -> np.ndarray:
        """What is counted in the nodes that may be split."""
        assert self.node_rows is not None
        return self._count(self.data.rows.split_codes, self.node_rows, n_nodes, places)

    def descend(self, column: np.ndarray, links: Links, n_before: int) -> None:
        """The rows of split nodes in their children."""
        self.ended.append(self._find_ended(column, n_before))
        assert self.node_rows is not None
        routed = send_down(self.node_rows, column, links, self.data.rows.split_codes)
        round_to_grid(routed.weights, self.grid)
        self.node_rows = routed

    def _find_ended(self, column: np.ndarray, n_before: int) -> NodeRows:
        """The rows of nodes that are not split, which have reached a leaf."""
        assert self.node_rows is not None
        last = self.node_rows.where(column[self.node_rows.nodes] < 0)
        return replace(last, nodes=last.nodes + n_before)

    def count_leaves(
        self, column: np.ndarray, n_before: int, leaf_of: np.ndarray, places: CodePlaces
    ) -> np.ndarray:
        """What is counted in the leaves, once the last nodes are among them."""
        in_leaves = self.find_leaf_rows(column, n_before, leaf_of)
        return self._count(self.data.rows.codes, in_leaves, int(leaf_of.max()) + 1, places)

    def find_leaf_rows(self, column: np.ndarray, n_before: int, leaf_of: np.ndarray) -> NodeRows:
        """All rows by the numbers of their leaves."""
        ended = [*self.ended, self._find_ended(column, n_before)]
        nodes = leaf_of[np.concatenate([rows.nodes for rows in ended])]
        rows = np.concatenate([rows.rows for rows in ended])
        return NodeRows(rows, nodes, np.concatenate([rows.weights for rows in ended]))

    def _count(
        self, codes: np.ndarray, node_rows: NodeRows, n_nodes: int, places: CodePlaces
    ) -> np.ndarray:
        weighed = self.weigh(node_rows)
        data = self.data
        return count_node_rows(codes, weighed, data.group_of, places, n_nodes, data.n_groups)


@dataclass(frozen=True, eq=False)
class MakePart:
    """Makes a part of the rows that a worker has read."""

    kind: type[GrowingPart]
    of_group: np.ndarray
    grid: float

    def __call__(self, data: WeightedRows) -> GrowingPart:
        """A part with a factor for each group."""
        return self.kind.of(data, self.of_group, self.grid)


def find_weight_grid(totals: np.ndarray, of_group: np.ndarray) -> float:
    """The grid for factors of rows of which so much weight was given in each group."""
    return find_grid(max(float(totals @ of_group), float(totals.sum())))


def keep_here(data: WeightedRows, kind: type[GrowingPart] = GrowingPart) -> KeptRows:
    """Rows of this process as one part."""
    return RowsHere(kind.of(data, data.factors, find_weight_grid(data.totals, data.factors)))
