"""How much each column matters to a tree with naive Bayes leaves, in units of evidence."""

from __future__ import annotations

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.densities import centre_groups
from bayfold.core.kernels.codes import FIRST_BIN
from bayfold.families.trees.binning import Binning
from bayfold.families.trees.model import NaiveBayesTree


def count_leaf_codes(binning: Binning, counts: JointCounts) -> np.ndarray:
    """Weight of the training rows with each code of all columns, numbered through."""
    seen = np.zeros(binning.total_codes)
    for j, (column_schema, table) in enumerate(
        zip(binning.schema.columns, counts.tables, strict=True)
    ):
        merge = binning.merges.get(j, np.arange(column_schema.n_bins))
        codes = binning.starts[j] + np.concatenate([np.arange(FIRST_BIN), merge + FIRST_BIN])
        np.add.at(seen, codes, table.sum(axis=1))
    return seen


def weigh_tree_columns(
    tree: NaiveBayesTree, binning: Binning, seen: np.ndarray | None = None
) -> np.ndarray:
    """How far each column moves rows, summed over training rows.

    A column is moved by where it is split by (the shares of classes in a branch against those before), and by its
    cells in the leaves. What its cells say otherwise in one leaf than on average is due to the splits as well: half
    of it goes to the columns on the way to that leaf.

    Parameters
    ----------
    tree : NaiveBayesTree
    binning : Binning
        Of the leaves.
    seen : ndarray of shape (total_codes,), optional
        Weight of the rows with each code, where the tree has not kept it leaf by leaf.
    """
    leaves = np.flatnonzero(tree.leaf_of >= 0)
    nodes = leaves[np.argsort(tree.leaf_of[leaves])]
    rows = tree.occurrence
    if rows is None:
        assert seen is not None
        size = tree.totals[nodes].sum(axis=1)
        rows = np.outer(size / max(size.sum(), 1e-300), seen)
    total = rows.sum(axis=0)
    usual = (rows[..., None] * tree.evidence).sum(axis=0) / np.where(total > 0, total, 1.0)[:, None]
    brought = np.add.reduceat(total * np.abs(usual).mean(axis=1), binning.starts)
    for node in nodes.tolist():
        leaf = int(tree.leaf_of[node])
        apart = rows[leaf] * np.abs(tree.evidence[leaf] - usual).mean(axis=1)
        of_column, path = np.add.reduceat(apart, binning.starts), find_path(tree, node)
        brought += of_column / 2 if path else of_column
        brought[path] += of_column.sum() / 2 / max(len(path), 1)
    return brought + _weigh_splits(tree, len(brought))


def find_path(tree: NaiveBayesTree, node: int) -> list[int]:
    """The columns split by on the way to a node, each once."""
    columns = []
    while (node := int(tree.parent[node])) >= 0:
        columns.append(int(tree.column[node]))
    return sorted(set(columns))


def _weigh_splits(tree: NaiveBayesTree, n_columns: int) -> np.ndarray:
    """How far the shares of classes change at splits, by the column that is split by."""
    shares = (tree.totals + 1.0) / (tree.totals + 1.0).sum(axis=1, keepdims=True)
    odds = centre_groups(np.log(shares))
    moved = np.zeros(n_columns)
    for node in range(1, tree.n_nodes):
        parent = int(tree.parent[node])
        step = np.abs(odds[node] - odds[parent]).mean()
        moved[tree.column[parent]] += tree.totals[node].sum() * step
    return moved
