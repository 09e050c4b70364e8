"""The way of a row through a tree of three levels, in two look-ups of its codes and one of both answers.

A tree has seven nodes: the root, its children, left and right, and theirs. Nodes of the third level ask again about a
column on their own path, so a leaf depends on two codes: the root's and the child's. What all nodes ask about one
of them is answered at once: bit 2 is the side at the root or at the child, bits 1 and 0 the sides at the
grandchildren below, left and right.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner
from bayfold.families.boosting.kernels.inputs import NO_SPLIT
from bayfold.families.boosting.kernels.splits import goes_left

N_NODES = 7
N_LEAVES = 8
"""Of a tree of three levels of splits."""


def number_leaves():
    """The leaf of each pair of answers: those at the root's column and at the child's."""
    leaf = np.zeros((8, 8), np.uint8)
    for x in range(8):
        for y in range(8):
            side = x >> 2
            child = y >> 2
            grandchild = ((x | y) >> (1 - child)) & 1
            leaf[x, y] = 4 * side + 2 * child + grandchild
    return leaf


LEAF = number_leaves()


@inner
def goes_right(code, split):
    """1 where a code is on the right side of a split (column, kind, cut), otherwise 0."""
    return 0 if goes_left(code, split[1], split[2]) else 1


@inner
def find_root_sides(root, n_codes, at_root):
    """Answer for every code below ``n_codes`` where it goes at the root alone."""
    for code in range(n_codes):
        at_root[code] = 4 * goes_right(code, root)


@inner
def find_routes(tree, n_codes, at_root, at_child):
    """Answer for every code below ``n_codes``: ``at_root`` of the root's column, ``at_child`` of each child's."""
    find_root_sides(tree[0], n_codes, at_root)
    for s in range(2):
        for code in range(n_codes):
            at_child[s, code] = 4 * goes_right(code, tree[1 + s])
        for k in range(2):
            grandchild = tree[3 + 2 * s + k]
            if grandchild[1] == NO_SPLIT:
                continue
            on_root = grandchild[0] == tree[0, 0]
            for code in range(n_codes):
                answer = goes_right(code, grandchild) << (1 - k)
                if not on_root:
                    at_child[s, code] |= answer
                elif at_root[code] >> 2 == s:
                    at_root[code] |= answer
