"""From trees to tables: the bins that some splits can tell apart, and the sum of trees over them."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.codes import MISSING
from bayfold.core.kernels.compiler import kernel
from bayfold.families.boosting.kernels.inputs import BELOW_KNOWN, EQUAL, NO_SPLIT
from bayfold.families.boosting.kernels.splits import goes_left


@kernel
def refine_bins(kinds, cuts, live, merge):
    """Number the codes by what the splits can tell apart, from 1 in the order of codes; 0 where not ``live``.

    Writes ``merge`` and returns how many numbers there are, 0 included. Thresholds make runs of codes; a code that
    some split asks for alone leaves its run; missing cells, below every threshold or above it, may be in one.
    """
    n_codes = merge.shape[0]
    begins, alone = np.zeros(n_codes + 1, np.bool_), np.zeros(n_codes + 1, np.bool_)
    lowest, highest = n_codes, 1  # where missing cells go left below, and right from
    for k in range(kinds.shape[0]):
        cut = min(cuts[k], n_codes)
        if kinds[k] == EQUAL:
            alone[cut] = True
        elif kinds[k] != NO_SPLIT and cut > 0:
            begins[cut] = True
            if kinds[k] == BELOW_KNOWN:
                highest = max(highest, cut)
            else:
                lowest = min(lowest, cut)
    run = 1
    for code in range(1, n_codes):
        run += begins[code]
        merge[code] = n_codes + code if alone[code] else run
        if code == highest and highest < lowest:
            merge[MISSING] = run
    if alone[MISSING] or highest >= lowest:
        merge[MISSING] = n_codes
    for code in range(n_codes):
        if not live[code]:
            merge[code] = 0
    return number_in_order(merge, 2 * n_codes)


@kernel
def number_in_order(merge, n_bins):
    """Renumber the bins above 0 in the order in which the codes meet them."""
    new = np.zeros(n_bins, np.int64)
    n_new = 1
    for code in range(merge.shape[0]):
        old = merge[code]
        if old > 0 and new[old] == 0:
            new[old] = n_new
            n_new += 1
        merge[code] = new[old]
    return n_new


@kernel
def add_tree_parts(splits, sides, third_on_a, values, code_a, code_b, table):
    """Add quarters of trees to the table of two columns.

    Quarter k holds what is on side ``sides[k, 0]`` (0 left, 1 right) of the split ``splits[k, 0]`` of a, and on side
    ``sides[k, 1]`` of ``splits[k, 1]`` of b. There it adds ``values[k, 0]`` on the left and ``values[k, 1]`` on
    the right of ``splits[k, 2]``, a split of a or of b. A split is (kind, cut).
    ``code_a`` and ``code_b`` hold a code of each bin, -1 for bin 0.
    """
    inside = np.empty(code_b.shape[0], np.int64)
    leaf_of = np.empty(code_b.shape[0], np.int64)
    for k in range(splits.shape[0]):
        first, second, third = splits[k, 0], splits[k, 1], splits[k, 2]
        n_inside = 0
        for b in range(1, code_b.shape[0]):
            inside[n_inside] = b
            leaf_of[n_inside] = not third_on_a[k] and not goes_left(code_b[b], third[0], third[1])
            n_inside += goes_left(code_b[b], second[0], second[1]) == (sides[k, 1] == 0)
        for a in range(1, code_a.shape[0]):
            if goes_left(code_a[a], first[0], first[1]) != (sides[k, 0] == 0):
                continue
            leaf = np.int64(third_on_a[k] and not goes_left(code_a[a], third[0], third[1]))
            for b in range(n_inside):
                for s in range(table.shape[2]):
                    table[a, inside[b], s] += values[k, leaf | leaf_of[b], s]


@kernel
def add_column_parts(splits, sides, values, table):
    """Add quarters of trees whose three splits are of one column to its table, code by code."""
    for k in range(splits.shape[0]):
        first, second, third = splits[k, 0], splits[k, 1], splits[k, 2]
        for code in range(table.shape[0]):
            if goes_left(code, first[0], first[1]) != (sides[k, 0] == 0):
                continue
            if goes_left(code, second[0], second[1]) == (sides[k, 1] == 0):
                leaf = 0 if goes_left(code, third[0], third[1]) else 1
                for s in range(table.shape[1]):
                    table[code, s] += values[k, leaf, s]


@kernel
def score_round(codes, splits, values, scores):
    """Add the leaf values of one tree of every model, divided by the number of models."""
    n_models, n_scores = splits.shape[0], scores.shape[1]
    for i in range(codes.shape[0]):
        for k in range(n_models):
            tree, node, leaf = splits[k], 0, 0
            for _ in range(3):
                code = np.int64(codes[i, tree[node, 0]])
                side = 0 if goes_left(code, tree[node, 1], tree[node, 2]) else 1
                leaf = 2 * leaf + side
                node = 2 * node + 1 + side
            for s in range(n_scores):
                scores[i, s] += values[k, leaf, s] / n_models


@kernel
def count_pair(codes, labels, weights, a, b, merge_a, merge_b, counts):
    """Add the weight of each row to the cell of its two codes and its label."""
    for i in range(codes.shape[0]):
        counts[merge_a[codes[i, a]], merge_b[codes[i, b]], labels[i]] += weights[i]


@kernel
def purify_table(table, weights, of_row, of_column, n_sweeps, tolerance):
    """Move weighted means of rows and columns out of ``table`` into ``of_row`` and ``of_column``, in turn.

    ``table[a, b] + of_row[a] + of_column[b]`` stays what it is. Row 0 and column 0 are left alone. Stops once no mean
    exceeds ``tolerance``, or after ``n_sweeps``.
    """
    n_a, n_b, n_scores = table.shape
    for _ in range(n_sweeps):
        largest = 0.0
        for a in range(1, n_a):
            total = weights[a].sum()
            for s in range(n_scores):
                mean = 0.0
                for b in range(1, n_b):
                    mean += weights[a, b] * table[a, b, s]
                mean = mean / total if total > 0.0 else 0.0
                for b in range(1, n_b):
                    table[a, b, s] -= mean
                of_row[a, s] += mean
                largest = max(largest, abs(mean))
        for b in range(1, n_b):
            total = weights[:, b].sum()
            for s in range(n_scores):
                mean = 0.0
                for a in range(1, n_a):
                    mean += weights[a, b] * table[a, b, s]
                mean = mean / total if total > 0.0 else 0.0
                for a in range(1, n_a):
                    table[a, b, s] -= mean
                of_column[b, s] += mean
                largest = max(largest, abs(mean))
        if largest <= tolerance:
            break
