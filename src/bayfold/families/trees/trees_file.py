"""What model files hold of trees with naive Bayes leaves."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.encode import FIRST_BIN, WIDE_BINS
from bayfold.core.schema import NominalColumn, Schema
from bayfold.core.scoring.conformal import ConformalScores
from bayfold.families.trees.binning import Binning, RowBinner
from bayfold.families.trees.estimator import NaiveBayesTreeClassifier
from bayfold.families.trees.model import NaiveBayesTree
from bayfold.persist import checks, expect, register, register_estimator


def check_binning(binning: Binning) -> None:
    """Neighbouring bins of numeric columns merged."""
    columns = binning.schema.columns
    checks.expect_array(binning.is_silent, checks.FLAG, (len(columns),), "the silent columns")
    expect(set(binning.merges) <= set(range(len(columns))), "the merged bins")
    for j, merge in binning.merges.items():
        expect(not isinstance(columns[j], NominalColumn), "the merged bins")
        checks.expect_places(merge, (columns[j].n_bins,), 0, WIDE_BINS, "the merged bins")
        expect(merge[0] == 0 and bool((np.diff(merge) >= 0).all()), "the merged bins")


def check_binner(binner: RowBinner) -> None:
    """Bins of the same columns."""
    expect(binner.leaves.schema == binner.splits.schema, "the schema of bins")


def check_nodes(tree: NaiveBayesTree) -> None:
    """Every node but the root is the child of one node before it."""
    n = (tree.n_nodes,)
    expect(tree.n_nodes > 0, "the nodes")
    for whole in (tree.column, tree.cut, tree.code_offset, tree.first_child, tree.n_children):
        checks.expect_array(whole, checks.WHOLE, n, "the nodes")
    checks.expect_floats(tree.share, n, "the nodes")
    checks.expect_places(tree.leaf_of, n, -1, tree.n_leaves, "the leaves")
    checks.expect_places(tree.child_of_code, (None,), -1, tree.n_nodes, "the children")
    is_inner = tree.column >= 0
    expect(bool((tree.leaf_of[~is_inner] >= 0).all()), "the leaves")
    n_children = tree.n_children[is_inner]
    expect(bool((n_children > 0).all()) and not tree.n_children[~is_inner].any(), "the children")
    first = 1 + np.cumsum(n_children) - n_children
    expect(bool((tree.first_child[is_inner] == first).all()), "the children")
    expect(bool((first > np.flatnonzero(is_inner)).all()), "the children")
    expect(1 + n_children.sum() == tree.n_nodes, "the nodes")


def check_split(tree: NaiveBayesTree, node: int, splits: Binning) -> None:
    """Codes that lead to the children of the node, all of them; cuts between the bins of a number."""
    j = tree.column[node]
    cut = tree.cut[node]
    start = tree.code_offset[node]
    n_codes = splits.n_codes[j]
    expect(0 <= start <= len(tree.child_of_code) - n_codes, "the codes of nodes")
    led_to = set(tree.child_of_code[start : start + n_codes].tolist()) - {-1}
    first = tree.first_child[node]
    last = tree.first_child[node] + tree.n_children[node]
    expect(led_to == set(range(first, last)), "the children")
    if cut != 0:
        column = splits.schema.columns[j]
        expect(not isinstance(column, NominalColumn) and j not in splits.merges, "the cuts")
        expect(FIRST_BIN < cut < FIRST_BIN + column.n_bins, "the cuts")


def check_tree(tree: NaiveBayesTree, binner: RowBinner, n_groups: int) -> None:
    """Refuse a tree that leads to places where nothing is, with the codes of these bins."""
    leaves = binner.leaves
    splits = binner.splits
    n_columns = len(leaves.n_codes)
    n_scores = checks.count_scores(n_groups)
    expect(bool((tree.column < n_columns).all()), "the columns of nodes")
    for node in np.flatnonzero(tree.column >= 0).tolist():
        check_split(tree, node, splits)
    shape = (tree.n_leaves, leaves.total_codes)
    expect(np.array_equal(tree.starts, leaves.starts), "the columns of leaves")
    expect(tree.evidence.dtype in (np.float32, np.float64), "the evidence of leaves")
    checks.expect_array(
        tree.evidence, tree.evidence.dtype, (*shape, n_scores), "the evidence of leaves"
    )
    expect(bool(np.isfinite(tree.evidence).all()), "the evidence of leaves")  # leaves are smoothed
    checks.expect_floats(tree.prior, (tree.n_leaves, n_scores), "the prior of leaves")
    checks.expect_array(
        tree.is_used, checks.FLAG, (tree.n_leaves, n_columns), "the columns of leaves"
    )
    checks.expect_counts(tree.totals, (tree.n_nodes, n_groups), "the totals of nodes")
    if tree.occurrence is not None:
        checks.expect_counts(tree.occurrence, shape, "the counts of leaves")


def check_tree_classifier(model: NaiveBayesTreeClassifier) -> None:
    """A tree of the model's columns and classes."""
    schema = model._binner.leaves.schema
    n_groups = len(model.classes_)
    check_tree(model.tree_, model._binner, n_groups)
    checks.expect_labels(model.classes_, n_groups, "the classes")
    checks.expect_counts(model.class_count_, (n_groups,), "the counts of classes")
    expect(model.schema_ == schema, "the schema")
    expect(model.n_features_in_ == len(schema.columns), "the number of columns")


register(Binning, check_binning)
register(RowBinner, check_binner)
register(NaiveBayesTree, check_nodes)
register_estimator(
    NaiveBayesTreeClassifier,
    check_tree_classifier,
    tree_=NaiveBayesTree,
    _binner=RowBinner,
    _conformal=ConformalScores | None,
    classes_=np.ndarray,
    class_count_=np.ndarray,
    schema_=Schema,
    depth_=int,
    n_leaves_=int,
)
