"""Growing trees on coded rows.

While a tree grows, a row may be in several nodes: the arrays rows, nodes and weights have an element
for each. A row whose cell is missing where a node splits goes to every branch, its weight divided as theirs.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.encode import FIRST_BIN


@kernel
def count_nodes(codes, rows, nodes, weights, group_of, starts, counts):
    """Add the weight of each row to ``counts[node, starts[j] + code, group]`` of every column."""
    n_columns = codes.shape[1]
    for e in range(len(rows)):
        i = rows[e]
        node = nodes[e]
        weight = weights[e]
        group = group_of[i]
        for j in range(n_columns):
            counts[node, starts[j] + np.int64(codes[i, j]), group] += weight


@kernel
def open_children(counts, starts, n_codes, column, cut, code_offset, child_of_code, child_weight):
    """Number the children of every split node, in order, and sum up their weights.

    ``column[p]`` is the column to split by, or -1. A ``cut`` of 0 gives every code that occurs a child of its own;
    otherwise codes below it go to the first of two children. ``child_of_code[code_offset[p] + code]`` is the child, -1
    where the code says nothing: missing, unseen, or not among the node's rows. Returns the number of children.
    """
    n_groups = counts.shape[2]
    n_children = 0
    for p in range(len(column)):
        j = column[p]
        if j < 0:
            continue
        opened = n_children
        n_children += 2 if cut[p] > 0 else 0
        for code in range(n_codes[j]):
            weight = 0.0
            for g in range(n_groups):
                weight += counts[p, starts[j] + code, g]
            child = -1
            if code >= FIRST_BIN and cut[p] > 0:
                child = opened if code < cut[p] else opened + 1
            elif code >= FIRST_BIN and weight > 0.0:
                child = n_children
                n_children += 1
            child_of_code[code_offset[p] + code] = child
            if child >= 0:
                child_weight[child] += weight
    return n_children


@kernel
def count_routed(codes, rows, nodes, column, code_offset, child_of_code, n_children):
    """How many rows there will be, one for each node they are in, when those of split nodes have gone down."""
    total = 0
    for e in range(len(rows)):
        p = nodes[e]
        if column[p] >= 0:
            code = np.int64(codes[rows[e], column[p]])
            total += 1 if child_of_code[code_offset[p] + code] >= 0 else n_children[p]
    return total


@kernel
def route_rows(
    codes,
    rows,
    nodes,
    weights,
    column,
    code_offset,
    child_of_code,
    first_child,
    n_children,
    share,
    new_rows,
    new_nodes,
    new_weights,
):
    """Send the rows of split nodes to the children; where the cell says nothing, to each in its share."""
    k = 0
    for e in range(len(rows)):
        p = nodes[e]
        if column[p] < 0:
            continue
        child = child_of_code[code_offset[p] + np.int64(codes[rows[e], column[p]])]
        first = child if child >= 0 else first_child[p]
        last = child if child >= 0 else first_child[p] + n_children[p] - 1
        for c in range(first, last + 1):
            new_rows[k] = rows[e]
            new_nodes[k] = c
            new_weights[k] = weights[e] if child >= 0 else weights[e] * share[c]
            k += 1
