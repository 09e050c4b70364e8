"""A tree with naive Bayes leaves for people: conditions, rows, evidence of the leaves, and importances of columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from bayfold.core.counts import JointCounts
from bayfold.core.densities import TableTerm, centre_groups
from bayfold.core.evidence.bins import describe_bins, name_numbers
from bayfold.core.evidence.errors import bound, bound_sums, contrast_variances
from bayfold.core.evidence.records import Records
from bayfold.core.evidence.rows import BOUNDS, name_rows, shown_values
from bayfold.core.frames import Table
from bayfold.core.kernels.encode import FIRST_BIN, MISSING
from bayfold.core.schema import NumericColumn
from bayfold.families.trees.binning import Binning, RowBinner
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
        of_column = np.add.reduceat(apart, binning.starts)
        path = find_path(tree, node)
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


SHOWN_CLASSES = 3
"""Of a leaf, the most frequent first; a line has room for so many."""

LEAF_COLUMNS = 3
"""Columns a leaf goes by, the strongest first."""


@dataclass(frozen=True)
class TreeWords:
    """What is needed to put a tree into words.

    Attributes
    ----------
    tree : NaiveBayesTree
    binner : RowBinner
    classes : ndarray
    """

    tree: NaiveBayesTree
    binner: RowBinner
    classes: np.ndarray

    def condition(self, node: int) -> str:
        """The split that leads to a node; empty for the root."""
        parent = int(self.tree.parent[node])
        if parent < 0:
            return ""
        j = int(self.tree.column[parent])
        name = self.binner.splits.schema.names[j]
        column_schema = self.binner.splits.schema.columns[j]
        cut = int(self.tree.cut[parent])
        if cut > 0:
            assert isinstance(column_schema, NumericColumn)
            edge = column_schema.edges[cut - FIRST_BIN - 1]
            is_below = node == self.tree.first_child[parent]
            bounds = (-np.inf, edge) if is_below else (edge, np.inf)
            return _compare(name, name_numbers(column_schema, *bounds))
        start = self.tree.code_offset[parent]
        codes = self.tree.child_of_code[start : start + self.binner.splits.n_codes[j]]
        label = label_codes(self.binner.splits, j)[int(np.flatnonzero(codes == node)[0])]
        is_number = isinstance(column_schema, NumericColumn)
        return _compare(name, label) if is_number else f"{name} = {label}"

    def path(self, node: int) -> list[str]:
        """The conditions on the way to a node."""
        conditions: list[str] = []
        while node > 0:
            conditions.insert(0, self.condition(node))
            node = int(self.tree.parent[node])
        return conditions

    def rows(self, node: int) -> str:
        """How many rows a node has, and the shares of its largest classes."""
        totals = self.tree.totals[node]
        weight = totals.sum()
        order = np.argsort(-totals, kind="stable")[:SHOWN_CLASSES]
        shares = [
            f"{self.classes[g]} {totals[g] / max(weight, 1e-300):.0%}"
            for g in order
            if totals[g] > 0
        ]
        more = ", ..." if (totals > 0).sum() > SHOWN_CLASSES else ""
        return f"{format_rows(weight)} rows: {', '.join(shares)}{more}"

    def strength(self, leaf: int) -> np.ndarray:
        """How far each column moves a row of the leaf on average, in units of evidence.

        For two classes the mean size of the weight; for more the mean distance between the most and the least favoured
        class.
        """
        tree = self.tree
        binning = self.binner.leaves
        assert tree.occurrence is not None
        evidence = tree.evidence[leaf]
        size = np.abs(evidence[:, 0]) if evidence.shape[1] == 1 else np.ptp(evidence, axis=1)
        moved = np.add.reduceat(size * tree.occurrence[leaf], binning.starts)
        known = np.add.reduceat(tree.occurrence[leaf], binning.starts)
        known -= tree.occurrence[leaf][binning.starts + MISSING]
        return moved / np.maximum(known, 1e-300)

    def strongest(self, leaf: int, n_columns: int = LEAF_COLUMNS) -> list[tuple[str, float]]:
        """The columns that matter most in a leaf."""
        strength = self.strength(leaf)
        order = np.argsort(-strength, kind="stable")[:n_columns]
        names = self.binner.leaves.schema.names
        return [(names[j], float(strength[j])) for j in order if strength[j] > 1e-6]


def _compare(name: str, label: str) -> str:
    """A column and the numbers it is to have."""
    return f"{name} {label}" if label[:1] in "<>" else f"{name} = {label}"


def format_rows(weight: float) -> str:
    """A weight as a number of rows; missing cells make for fractions.

    >>> format_rows(12960.0), format_rows(18.1196)
    ('12960', '18.1')
    """
    return f"{weight:.1f}".removesuffix(".0")


def label_codes(binning: Binning, j: int) -> list[str]:
    """What each code of a column stands for."""
    column_schema = binning.schema.columns[j]
    merge = binning.merges.get(j)
    if merge is None:
        merge = np.arange(column_schema.n_bins)
    # one fine bin per coarse one, so that the labels are those of the codes
    term = TableTerm(j, np.empty((0, 0)), merge)
    bins = describe_bins(column_schema, term, np.empty((0, 0)))
    return [bins.labels[0], "(unseen)", *bins.labels[1:]]


def export_tree(words: TreeWords) -> str:
    """The tree as indented lines, one per node."""
    lines: list[str] = []
    _write_node(words, 0, 0, lines)
    return "\n".join(lines)


def _write_node(words: TreeWords, node: int, depth: int, lines: list[str]) -> None:
    tree = words.tree
    indent = "|   " * max(depth - 1, 0)
    title = words.condition(node) or "all"
    lines.append(f"{indent}{title}  [{words.rows(node)}]")
    leaf = int(tree.leaf_of[node])
    if leaf >= 0:
        inner = "|   " * depth
        columns = ", ".join(f"{name} ({size:.2f})" for name, size in words.strongest(leaf))
        lines.append(f"{inner}naive Bayes by {columns}" if columns else f"{inner}prior only")
        return
    for child in range(tree.first_child[node], tree.first_child[node] + tree.n_children[node]):
        _write_node(words, child, depth + 1, lines)


def describe_leaves(words: TreeWords) -> Records:
    """Records of leaf, path, column, bin, class, count, weight, low and high: the evidence of every leaf.

    For two classes there is one record per bin, for the second class; otherwise one per bin and class. Bins that do
    not occur in a leaf are left out.
    """
    tree = words.tree
    binning = words.binner.leaves
    assert tree.occurrence is not None
    shown = words.classes[-1:] if len(words.classes) == 2 else words.classes
    names = np.repeat(np.array(binning.schema.names, object), binning.n_codes)
    labels = np.concatenate(
        [np.array(label_codes(binning, j), object) for j in range(len(binning.n_codes))]
    )
    n_shown = len(shown)
    parts: dict[str, list] = {name: [] for name in RECORD_COLUMNS}
    for node in np.flatnonzero(tree.leaf_of >= 0):
        leaf = int(tree.leaf_of[node])
        kept = np.flatnonzero((tree.occurrence[leaf] > 0) & tree.evidence[leaf].any(axis=1))
        path = " and ".join(words.path(int(node))) or "all"
        n = len(kept) + 1  # the prior comes first
        parts["leaf"].append(np.full(n * n_shown, leaf))
        parts["path"].append(np.full(n * n_shown, path, object))
        parts["column"].append(np.repeat(np.append("(prior)", names[kept]), n_shown))
        parts["bin"].append(np.repeat(np.append("", labels[kept]).astype(object), n_shown))
        parts["class"].append(np.tile(shown, n))
        total = np.append(tree.totals[node].sum(), tree.occurrence[leaf][kept])
        parts["count"].append(np.repeat(total, n_shown))
        weights = np.concatenate([tree.prior[leaf][None], tree.evidence[leaf][kept]])
        parts["weight"].append(weights.ravel())
        for name, bounds in bound(
            weights, _find_leaf_errors(tree, int(node))[np.append(0, kept + 1)]
        ).items():
            parts[name].append(bounds.ravel())
    return Records({name: np.concatenate(part) for name, part in parts.items()})


def explain_tree_rows(words: TreeWords, table: Table) -> Records:
    """Records of row, path, share, column, value, bin, class, weight, low and high: how each row is scored.

    A row is in one leaf, or in several where a cell says nothing, with a share in each. The weights of a row in
    a leaf, the first being the leaf's prior, add up to the score of that leaf.
    """
    binning = words.binner.leaves
    rows = words.binner.bin_table(table)
    columns = list(enumerate(binning.schema.columns))
    labels = [np.array(label_codes(binning, j), object) for j, _ in columns]
    values = [shown_values(column_schema, table, j) for j, column_schema in columns]
    parts: dict[str, list] = {name: [] for name in ROW_COLUMNS}
    for i in range(rows.n_rows):
        codes = rows.codes[i].astype(np.int64)
        cells = [None, *(column[i] for column in values)]
        bins = [None, *(labels[j][code] for j, code in enumerate(codes))]
        for node, share in words.tree.reach(rows.split_codes[i].astype(np.int64)):
            explained = _explain_in_leaf(words, node, codes, cells, bins)
            size = len(explained["weight"])
            explained |= {"row": np.full(size, i), "share": np.full(size, share)}
            for name, part in parts.items():
                part.append(explained[name])
    found = {name: np.concatenate(part) for name, part in parts.items()}
    return Records(name_rows(table, found.pop("row")) | found)


def _explain_in_leaf(
    words: TreeWords, node: int, codes: np.ndarray, cells: list, bins: list
) -> dict[str, np.ndarray]:
    """The prior of a leaf and the weight of each cell of a row in it."""
    tree = words.tree
    binning = words.binner.leaves
    shown = words.classes[-1:] if len(words.classes) == 2 else words.classes
    leaf = int(tree.leaf_of[node])
    places = binning.starts + codes
    weights = np.concatenate([tree.prior[leaf][None], tree.evidence[leaf][places]])
    errors = _find_leaf_errors(tree, node)[np.append(0, places + 1)]
    names = ["(prior)", *binning.schema.names]
    path = " and ".join(words.path(node)) or "all"
    return {
        "path": np.full(len(names) * len(shown), path, object),
        "column": np.repeat(np.array(names, object), len(shown)),
        "value": np.repeat(np.array(cells, object), len(shown)),
        "bin": np.repeat(np.array(bins, object), len(shown)),
        "class": np.tile(shown, len(names)),
        "weight": weights.ravel(),
        **bound(weights.ravel(), errors.ravel()),
        **bound_sums(weights[None], errors[None]),
    }


def _find_leaf_errors(tree: NaiveBayesTree, node: int) -> np.ndarray:
    """Standard errors of a leaf's prior and of the evidence of all codes in it, of shape (1 + n_codes, n_scores).

    By counts: rows with a code are of the classes as the leaf's evidence says, one pseudo-row for each.
    """
    leaf = int(tree.leaf_of[node])
    if tree.occurrence is None:
        return np.full((1 + tree.evidence.shape[1], tree.prior.shape[1]), np.nan)
    totals = tree.totals[node] + 1.0
    scores = np.log(totals) + _by_class(tree.evidence[leaf])
    rows = softmax(scores, axis=1) * tree.occurrence[leaf][:, None] + 1.0
    variances = np.concatenate([1.0 / totals[None], np.maximum(1.0 / rows - 1.0 / totals, 0.0)])
    return np.sqrt(contrast_variances(variances))


def _by_class(scores: np.ndarray) -> np.ndarray:
    """A score for each class: log-odds are those of the second of two."""
    return (
        scores if scores.shape[1] > 1 else np.concatenate([np.zeros_like(scores), scores], axis=1)
    )


ROW_COLUMNS = ("row", "path", "share", "column", "value", "bin", "class", "weight", *BOUNDS)
RECORD_COLUMNS = ("leaf", "path", "column", "bin", "class", "count", "weight", "low", "high")
