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
    run, beyond_runs = 1, n_codes + 1  # of which there may be as many as codes
    for code in range(1, n_codes):
        run += begins[code]
        merge[code] = beyond_runs + code if alone[code] else run
        if code == highest and highest < lowest:
            merge[MISSING] = run
    if alone[MISSING] or highest >= lowest:
        merge[MISSING] = beyond_runs + MISSING
    for code in range(n_codes):
        if not live[code]:
            merge[code] = 0
    return number_in_order(merge, beyond_runs + n_codes)


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
def find_steps_along(codes, split, side, third, asks_third, values, at, steps):
    """Where the summand of a quarter changes along the bins of one column, and by how much.

    It is zero outside ``side`` of ``split``, and inside one; or, where the third split is of this column, the value on
    the left or on the right of it. Writes ``at`` and ``steps``, and returns how many changes there are.
    """
    n_steps, before = 0, np.int64(0)
    for k in range(1, codes.shape[0]):
        now = np.int64(goes_left(codes[k], split[0], split[1]) == (side == 0))
        if now and asks_third and not goes_left(codes[k], third[0], third[1]):
            now = np.int64(2)
        if now == before:
            continue
        at[n_steps] = k
        for s in range(values.shape[1]):
            after, former = (
                (values[now - 1, s], values[before - 1, s]) if asks_third else (1.0, 1.0)
            )
            steps[n_steps, s] = (after if now else 0.0) - (former if before else 0.0)
        n_steps += 1
        before = now
    return n_steps


@kernel
def add_tree_parts(splits, sides, third_on_a, values, code_a, code_b, table):
    """Add quarters of trees to the table of two columns.

    Quarter k holds what is on side ``sides[k, 0]`` (0 left, 1 right) of the split ``splits[k, 0]`` of a, and on side
    ``sides[k, 1]`` of ``splits[k, 1]`` of b. There it adds ``values[k, 0]`` on the left and ``values[k, 1]`` on
    the right of ``splits[k, 2]``, a split of a or of b. A split is (kind, cut).
    ``code_a`` and ``code_b`` hold a code of each bin, -1 for bin 0.
    """
    n_a, n_b, n_scores = table.shape
    changes = np.zeros(table.shape)  # few of each quarter; summed up along both columns in the end
    at_a, steps_a = np.empty(n_a, np.int64), np.empty((n_a, n_scores))
    at_b, steps_b = np.empty(n_b, np.int64), np.empty((n_b, n_scores))
    for k in range(splits.shape[0]):
        first, second, third = splits[k, 0], splits[k, 1], splits[k, 2]
        on_a, v = third_on_a[k], values[k]
        n_in_a = find_steps_along(code_a, first, sides[k, 0], third, on_a, v, at_a, steps_a)
        n_in_b = find_steps_along(code_b, second, sides[k, 1], third, not on_a, v, at_b, steps_b)
        for i in range(n_in_a):
            for j in range(n_in_b):
                for s in range(n_scores):
                    changes[at_a[i], at_b[j], s] += steps_a[i, s] * steps_b[j, s]
    for a in range(1, n_a):
        for b in range(1, n_b):
            for s in range(n_scores):
                changes[a, b, s] += changes[a, b - 1, s]
        for b in range(1, n_b):
            for s in range(n_scores):
                changes[a, b, s] += changes[a - 1, b, s]
                table[a, b, s] += changes[a, b, s]


@kernel
def tabulate_pair(splits, sides, third_on_a, values, live_a, live_b, more_a, more_b):
    """The bins of two columns that quarters of trees tell apart, and the sum of the quarters over them.

    ``more_a`` and ``more_b`` are further splits that bins must not lie across. See ``refine_bins`` and
    ``add_tree_parts``.
    """
    n = splits.shape[0]
    merges = np.empty(live_a.shape[0], np.int64), np.empty(live_b.shape[0], np.int64)
    n_most = 2 * n + max(len(more_a), len(more_b))
    kinds, cuts, n_bins = (
        np.empty(n_most, np.int64),
        np.empty(n_most, np.int64),
        np.zeros(2, np.int64),
    )
    for column in range(2):
        more = more_a if column == 0 else more_b
        n_asked = len(more)
        kinds[:n_asked], cuts[:n_asked] = more[:, 0], more[:, 1]
        for k in range(n):
            for node in (column, 2):
                if node < 2 or third_on_a[k] == (column == 0):
                    kinds[n_asked], cuts[n_asked] = splits[k, node, 0], splits[k, node, 1]
                    n_asked += 1
        live = live_a if column == 0 else live_b
        n_bins[column] = refine_bins(kinds[:n_asked], cuts[:n_asked], live, merges[column])
    codes = np.full(n_bins[0], -1), np.full(n_bins[1], -1)
    for column in range(2):
        for code in range(merges[column].shape[0] - 1, -1, -1):
            codes[column][merges[column][code]] = code
    table = np.zeros((n_bins[0], n_bins[1], values.shape[2]))
    add_tree_parts(splits, sides, third_on_a, values, codes[0], codes[1], table)
    return merges[0], merges[1], table


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
