"""A tree with naive Bayes leaves, grown by recursion over lists of (row, weight)."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np

FIRST_BIN = 2


def entropy_bits(weights):
    """Weight times entropy in bits."""
    known = [w for w in weights if w > 0]
    total = math.fsum(known)
    return -math.fsum(w * math.log2(w / total) for w in known)


def weigh_split(rows, codes, group_of, j, n_groups, is_ordered, least):
    """Gain, gain ratio and cut of testing column j, or None (C4.5: Quinlan 1993, chapters 2 and 3).

    ``rows`` is a list of (row, weight).
    """
    known = [(i, w) for i, w in rows if codes[i][j] >= FIRST_BIN]
    total = math.fsum(w for _, w in rows)
    n_known = math.fsum(w for _, w in known)
    if n_known <= 0:
        return None
    if not is_ordered:
        return weigh_outcomes(branches_of(known, codes, j), group_of, n_groups, total, least, None)
    smallest = least if least > 0 else min(max(0.1 * n_known / n_groups, 2.0), 25.0)
    best = None
    for cut in sorted({int(codes[i][j]) + 1 for i, _ in known}):
        sides = [
            [e for e in known if codes[e[0]][j] < cut],
            [e for e in known if codes[e[0]][j] >= cut],
        ]
        if min(math.fsum(w for _, w in side) for side in sides) < smallest:
            continue
        found = weigh_outcomes(sides, group_of, n_groups, total, 0, cut)
        if found is not None and (best is None or found[0] > best[0] + 1e-12):
            best = found
    return best


def branches_of(known, codes, j):
    """The rows of every value that occurs."""
    branches = defaultdict(list)
    for i, w in known:
        if w > 0:
            branches[int(codes[i][j])].append((i, w))
    return [branches[code] for code in sorted(branches)]


def weigh_outcomes(branches, group_of, n_groups, total, least, cut):
    """Gain and gain ratio of a test with these outcomes."""
    sizes = [math.fsum(w for _, w in branch) for branch in branches]
    if len(branches) < 2 or min(sizes) < least:
        return None
    if cut is None and sum(size >= 2.0 for size in sizes) < 2:
        return None
    everyone = [entry for branch in branches for entry in branch]
    inside = entropy_bits(groups_of(everyone, group_of, n_groups))
    within = math.fsum(entropy_bits(groups_of(b, group_of, n_groups)) for b in branches)
    gain = (inside - within) / total
    silent = total - math.fsum(sizes)
    split = entropy_bits([*sizes, silent if silent > 1e-12 else 0.0]) / total
    return gain, gain / split, cut


def groups_of(rows, group_of, n_groups):
    """Weight per group."""
    return [math.fsum(w for i, w in rows if group_of[i] == g) for g in range(n_groups)]


def choose_split(rows, codes, group_of, n_groups, open_columns, ordered, least):
    """The largest gain ratio among tests of at least average gain: (column, cut), or None."""
    found = {}
    for j in open_columns:
        test = weigh_split(rows, codes, group_of, j, n_groups, ordered[j], least)
        if test is not None and test[0] > 1e-9:
            found[j] = test
    if not found:
        return None
    average = math.fsum(gain for gain, _, _ in found.values()) / len(found)
    worthy = [j for j in found if found[j][0] >= average - 1e-9]
    best = max(worthy, key=lambda j: (found[j][1], -j))
    return best, found[best][2]


class Node:
    """A test with branches, or naive Bayes."""

    def __init__(self, rows, used):
        self.rows, self.used = rows, used
        self.column = self.cut = None
        self.children = {}

    def branch(self, code):
        """The key of the branch for a code, None where it says nothing."""
        if code < FIRST_BIN:
            return None
        if self.cut is not None:
            return bool(code >= self.cut)
        return int(code) if int(code) in self.children else None

    def shares(self):
        """Share of each child among the rows with a known cell."""
        weight = {key: self.known_weight[key] for key in self.children}
        total = math.fsum(weight.values())
        return {key: w / total for key, w in weight.items()}


def grow(rows, codes, group_of, n_groups, ordered, depth, min_split, least, used=frozenset()):
    """A tree by recursion."""
    node = Node(rows, used)
    if depth == 0 or math.fsum(w for _, w in rows) < min_split:
        return node
    columns = [j for j in range(len(codes[0])) if ordered[j] or j not in used]
    test = choose_split(rows, codes, group_of, n_groups, columns, ordered, least)
    if test is None:
        return node
    node.column, node.cut = test
    keys = (
        {True, False}
        if node.cut is not None
        else {
            int(codes[i][node.column])
            for i, w in rows
            if codes[i][node.column] >= FIRST_BIN and w > 0
        }
    )
    node.children = dict.fromkeys(sorted(keys))
    node.known_weight = {
        key: math.fsum(w for i, w in rows if node.branch(codes[i][node.column]) == key)
        for key in keys
    }
    shares = node.shares()
    for key in node.children:
        inside = []
        for i, w in rows:
            where = node.branch(codes[i][node.column])
            if where is None:
                inside.append((i, w * shares[key]))
            elif where == key:
                inside.append((i, w))
        node.children[key] = grow(
            inside,
            codes,
            group_of,
            n_groups,
            ordered,
            depth - 1,
            min_split,
            least,
            used | {node.column},
        )
    return node


def predict(node, row, codes, group_of, n_groups, m, all_rows):
    """Probabilities of one row: its leaf's, or the mixture of leaves."""
    if node.column is None:
        return naive_bayes(node, row, codes, group_of, n_groups, m, all_rows)
    where = node.branch(row[node.column])
    shares = {where: 1.0} if where is not None else node.shares()
    parts = [
        share * predict(node.children[key], row, codes, group_of, n_groups, m, all_rows)
        for key, share in shares.items()
    ]
    return np.sum(parts, axis=0)


def naive_bayes(node, row, codes, group_of, n_groups, m, all_rows):
    """Probabilities by the rows of a leaf."""
    totals = groups_of(node.rows, group_of, n_groups)
    log_p = [math.log(n + 1) for n in totals]
    for j, code in enumerate(row):
        if code < FIRST_BIN or j in node.used:
            continue
        same = [(i, w) for i, w in node.rows if codes[i][j] == code]
        known = [(i, w) for i, w in node.rows if codes[i][j] >= FIRST_BIN]
        n_vg = groups_of(same, group_of, n_groups)
        n_g = totals if all_rows else groups_of(known, group_of, n_groups)
        if math.fsum(n_vg) == 0:
            continue
        for g in range(n_groups):
            log_p[g] += math.log((n_vg[g] + m * math.fsum(n_vg) / math.fsum(n_g)) / (n_g[g] + m))
    p = np.exp(np.array(log_p) - max(log_p))
    return p / p.sum()


def count_right_left_out(rows, codes, group_of, n_groups, used, m, all_rows):
    """Weight of the rows that naive Bayes on the other rows gets right: fitted again for every row."""
    right = 0.0
    for position, (i, w) in enumerate(rows):
        others = rows[:position] + rows[position + 1 :]
        node = Node(others, used)
        p = naive_bayes(node, codes[i], codes, group_of, n_groups, m, all_rows)
        right += w if int(np.argmax(p)) == group_of[i] else 0.0
    return right
