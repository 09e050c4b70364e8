"""What some models have besides evidence: the nodes of a tree, clusters, classes split into parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from bayfold.core.evidence import Records
from bayfold.families.trees.estimator import NaiveBayesTreeClassifier
from bayfold.families.trees.explain import TreeWords

SHOWN_NODES = 120
"""Nodes of a tree that are shown; a larger one is not read from top to bottom."""
CLUSTER_COLUMNS = 6
"""Columns of a cluster, those that make it what it is."""


def gather_tree(model: Any) -> dict[str, Any] | None:
    """A tree as its nodes from the root down, each with its depth; None where the model is none."""
    if not isinstance(model, NaiveBayesTreeClassifier):
        return None
    words = model._words()
    nodes = [_describe_node(words, node, depth) for node, depth in _walk(words, 0, 0)]
    return {
        "classes": [str(each) for each in model.classes_],
        "nodes": nodes[:SHOWN_NODES],
        "left_out": max(len(nodes) - SHOWN_NODES, 0),
    }


def _walk(words: TreeWords, node: int, depth: int) -> Iterator[tuple[int, int]]:
    yield node, depth
    tree = words.tree
    if tree.leaf_of[node] < 0:
        first = int(tree.first_child[node])
        for child in range(first, first + int(tree.n_children[node])):
            yield from _walk(words, child, depth + 1)


def _describe_node(words: TreeWords, node: int, depth: int) -> dict[str, Any]:
    totals = words.tree.totals[node]
    leaf = int(words.tree.leaf_of[node])
    shares = totals / max(float(totals.sum()), 1e-300)
    return {
        "depth": depth,
        "condition": words.condition(node) or "all rows",
        "rows": float(totals.sum()),
        "shares": shares.tolist(),
        "shown": words.rows(node),
        "is_leaf": leaf >= 0,
        "columns": [name for name, _ in words.strongest(leaf)] if leaf >= 0 else [],
    }


def gather_clusters(model: Any) -> list[dict[str, Any]] | None:
    """The components of a mixture, largest first, with the columns that make each; None where there are none."""
    records = getattr(model, "components_", None)
    if not isinstance(records, Records):
        return None
    most = float(records["weight"].astype(np.float64).max(initial=0.0)) or 1.0
    found = []
    for k in dict.fromkeys(records["component"].tolist()):
        own = records.where(component=k)
        columns = [
            {"name": str(each["column"]), "typical": each["typical"], "size": each["weight"] / most}
            for each in own[:CLUSTER_COLUMNS]
        ]
        found.append({"number": int(k), "share": float(own["share"][0]), "columns": columns})
    return sorted(found, key=lambda cluster: -cluster["share"])


def gather_subclasses(model: Any) -> list[dict[str, Any]] | None:
    """The parts of each class, where a model splits classes."""
    records = getattr(model, "subclasses_", None)
    if not isinstance(records, Records):
        return None
    return [
        {
            "class": str(record["class"]),
            "part": int(record["subclass"]),
            "rows": float(record["count"]),
            "share": float(record["share"]),
            "typical": str(record["typical"]),
        }
        for record in records
    ]
