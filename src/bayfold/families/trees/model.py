"""A tree with a naive Bayes model in every leaf, from counts to evidence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bayfold.core.scoring.score_scale import ScoreScale
from bayfold.core.stored import Stored
from bayfold.families.trees import kernels


@dataclass(frozen=True)
class LeafSettings:
    """The estimate of a value's probability: ``(n_vg + m n_v / n) / (n_g + m)``.

    Attributes
    ----------
    m : float
        Pseudo-rows, spread like the whole column.
    count_all_rows : bool
        Whether n and n_g count all rows (Ting & Zheng 2003) or those in which the cell is known.
    """

    m: float = 2.0
    count_all_rows: bool = False


def estimate_evidence(
    counts: np.ndarray,
    starts: np.ndarray,
    n_codes: np.ndarray,
    is_used: np.ndarray,
    settings: LeafSettings,
    dtype: type = np.float64,
) -> tuple[np.ndarray, np.ndarray]:
    """Evidence (leaves x codes x scores) and prior (leaves x scores) from counts (leaves x codes x groups)."""
    n_leaves, total_codes, n_groups = counts.shape
    n_scores = 1 if n_groups == 2 else n_groups
    evidence: np.ndarray = np.zeros((n_leaves, total_codes, n_scores), dtype)
    prior = np.zeros((n_leaves, 1, n_scores))
    kernels.estimate_leaves(
        counts, starts, n_codes, is_used, settings.m, settings.count_all_rows, evidence, prior
    )
    return evidence, prior[:, 0]


@dataclass(frozen=True, eq=False, repr=False)
class NaiveBayesTree(Stored):
    """Nodes in the order in which they were opened, the root first, children of a node side by side.

    Attributes
    ----------
    column : ndarray of int64
        The column each node splits by; -1 in leaves.
    cut : ndarray of int64
        Codes below it go to the first of two children; 0 where every code has a child of its own.
    code_offset : ndarray of int64
        Where the codes of a node begin in ``child_of_code``.
    child_of_code : ndarray of int64
        The child for each code of the column it splits by; -1 where the code says nothing.
    first_child, n_children : ndarray of int64
    share : ndarray
        The part of its parent's rows, those with a known cell, that a node has.
    totals : ndarray of shape (n_nodes, n_groups)
        Weight of each node's rows.
    leaf_of : ndarray of int64
        The number of the leaf; -1 in inner nodes.
    is_used : ndarray of bool of shape (n_leaves, n_columns)
        Columns that say nothing in the leaf: split by on the way to it, or identifiers.
    starts : ndarray of int64
        Where the codes of each column begin in ``evidence``.
    evidence : ndarray of shape (n_leaves, total_codes, n_scores)
        Weight of evidence of every code in every leaf.
    prior : ndarray of shape (n_leaves, n_scores)
    occurrence : ndarray of shape (n_leaves, total_codes) or None
        Weight of the rows with each code in each leaf, if it was asked for.
    """

    column: np.ndarray
    cut: np.ndarray
    code_offset: np.ndarray
    child_of_code: np.ndarray
    first_child: np.ndarray
    n_children: np.ndarray
    share: np.ndarray
    totals: np.ndarray
    leaf_of: np.ndarray
    is_used: np.ndarray
    starts: np.ndarray
    evidence: np.ndarray
    prior: np.ndarray
    occurrence: np.ndarray | None = None

    def __repr__(self) -> str:
        """How large it is, not every node."""
        return f"NaiveBayesTree({self.n_leaves} leaves, depth {self.depth})"

    def with_counts_times(self, factor: float) -> NaiveBayesTree:
        """The same tree, its counts of rows multiplied."""
        occurrence = None if self.occurrence is None else factor * self.occurrence
        return replace(self, totals=factor * self.totals, occurrence=occurrence)

    def scaled(self, scale: ScoreScale) -> NaiveBayesTree:
        """The same tree, its scores on another scale: in every leaf the sum of prior and evidence is."""
        evidence = scale.slope * self.evidence
        return replace(self, evidence=evidence, prior=scale.apply(self.prior))

    @property
    def n_nodes(self) -> int:
        """Inner nodes and leaves."""
        return len(self.column)

    @property
    def n_leaves(self) -> int:
        """Number of naive Bayes models."""
        return len(self.prior)

    @cached_property
    def parent(self) -> np.ndarray:
        """The parent of each node, -1 for the root."""
        parent = np.full(self.n_nodes, -1)
        for node in np.flatnonzero(self.column >= 0):
            first = self.first_child[node]
            parent[first : first + self.n_children[node]] = node
        return parent

    @cached_property
    def depth(self) -> int:
        """How many splits lie on the longest way to a leaf."""
        depth = np.zeros(self.n_nodes, np.int64)
        for node in range(1, self.n_nodes):
            depth[node] = depth[self.parent[node]] + 1
        return int(depth.max())

    def reach(self, split_codes: np.ndarray) -> list[tuple[int, float]]:
        """The leaves (as nodes) that one row of codes falls into, and its share in each."""
        pending = [(0, 1.0)]
        reached = []
        while pending:
            node, weight = pending.pop()
            if self.column[node] < 0:
                reached.append((node, weight))
                continue
            child = int(self.child_of_code[self.code_offset[node] + split_codes[self.column[node]]])
            first = self.first_child[node]
            last = self.first_child[node] + self.n_children[node]
            children = [child] if child >= 0 else range(int(first), int(last))
            pending += [
                (c, weight if child >= 0 else weight * float(self.share[c]))
                for c in reversed(children)
            ]
        return reached

    def score(self, split_codes: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Weights of evidence of coded rows: one column for two groups, one per group for more."""
        scores = np.empty((len(codes), self.prior.shape[1]))
        kernels.score_tree(
            split_codes,
            codes,
            self.column,
            self.code_offset,
            self.child_of_code,
            self.first_child,
            self.n_children,
            self.share,
            self.leaf_of,
            self.starts,
            self.evidence,
            self.prior,
            scores,
        )
        return scores
