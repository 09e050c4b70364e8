"""Tables of two columns before any tree: which pairs tell something only together, and where their grid is cut.
From trees to tables: the bins that some splits can tell apart, and the sum of trees over them.
"""

from __future__ import annotations

from math import lgamma

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel
from bayfold.core.kernels.encode import MISSING
from bayfold.families.boosting.kernels.inputs import BELOW_KNOWN, EQUAL, NO_SPLIT
from bayfold.families.boosting.kernels.splits import goes_left


@inner
def find_tau_excess(counts, n_cells):
    """What cells explain beyond chance: Goodman and Kruskal's tau times the rows, less what it is expected to be.

    That is one for each cell, whatever the groups; a rare group weighs no more than its rows do.
    """
    n_groups = counts.shape[1]
    groups = np.zeros(n_groups)
    n_rows = 0.0
    n_found = 0.0
    squares = 0.0
    for cell in range(n_cells):
        total = 0.0
        of_cell = 0.0
        for c in range(n_groups):
            n = counts[cell, c]
            groups[c] += n
            total += n
            of_cell += n * n
        if total > 0.0:
            n_rows += total
            n_found += 1.0
            squares += of_cell / total
    known = (groups * groups).sum() / n_rows
    return n_rows * (squares - known) / (n_rows - known) - n_found if n_rows > known else 0.0


@kernel
def screen_pairs(codes, labels, weights, n_bins, n_groups, most_cells, excess):
    """What two columns explain beyond chance: together ``excess[a, b]`` for a < b, alone ``excess[a, a]``.

    ``codes`` holds a column in each of its rows. Pairs of more than ``most_cells`` cells are left alone.
    """
    n_columns, n_rows = codes.shape
    counts = np.zeros((max(most_cells, n_bins.max()), n_groups))
    for a in range(n_columns):
        counts[: n_bins[a]] = 0.0
        for i in range(n_rows):
            counts[codes[a, i], labels[i]] += weights[i]
        excess[a, a] = find_tau_excess(counts, n_bins[a])
        for b in range(a + 1, n_columns):
            n_cells = n_bins[a] * n_bins[b]
            if n_cells > most_cells:
                continue
            counts[:n_cells] = 0.0
            for i in range(n_rows):
                cell = np.int64(codes[a, i]) * n_bins[b] + codes[b, i]
                counts[cell, labels[i]] += weights[i]
            excess[a, b] = find_tau_excess(counts, n_cells)


@inner
def weigh_run(counts, prior, at_zero):
    """The log of the probability of the labels in some cells, whose shares of groups are as likely as any.

    One row of the prior stands for what is known of a cell; ``at_zero`` is what an empty cell adds to each group.
    """
    found = 0.0
    for cell in range(counts.shape[0]):
        total = 0.0
        for c in range(prior.shape[0]):
            n = counts[cell, c]
            if n > 0.0:
                total += n
                found += lgamma(n + prior[c]) - at_zero[c]
        if total > 0.0:
            found -= lgamma(total + 1.0)
    return found


@kernel
def cut_runs(counts, prior, cost, starts):
    """Cut the bins of a column into the runs that make the labels most likely, each at a cost; returns how many.

    ``counts[bin, cell, group]`` are the rows of a bin by what the other column says. ``starts`` becomes the first bin
    of each run.
    """
    n_bins = counts.shape[0]
    at_zero = np.empty(prior.shape[0])
    for c in range(prior.shape[0]):
        at_zero[c] = lgamma(prior[c])
    best = np.full(n_bins + 1, -np.inf)
    came_from = np.zeros(n_bins + 1, np.int64)
    best[0] = 0.0
    run = np.empty(counts.shape[1:])
    for first in range(n_bins):
        run[:] = 0.0
        for last in range(first, n_bins):
            run += counts[last]
            value = best[first] + weigh_run(run, prior, at_zero) - cost
            if value > best[last + 1]:
                best[last + 1] = value
                came_from[last + 1] = first
    n_runs = 0
    end = n_bins
    while end > 0:
        end = came_from[end]
        starts[n_runs] = end
        n_runs += 1
    starts[:n_runs] = starts[:n_runs][::-1].copy()
    return n_runs


@inner
def refine_bins(kinds, cuts, live, merge):
    """Number the codes by what the splits can tell apart, from 1 in the order of codes; 0 where not ``live``.

    Writes ``merge`` and returns how many numbers there are, 0 included. Thresholds make runs of codes; a code that
    some split asks for alone leaves its run; missing cells, below every threshold or above it, may be in one.
    """
    n_codes = merge.shape[0]
    begins = np.zeros(n_codes + 1, np.bool_)
    alone = np.zeros(n_codes + 1, np.bool_)
    # where missing cells go left below, and right from
    lowest = n_codes
    highest = 1
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
    # of which there may be as many as codes
    run = 1
    beyond_runs = n_codes + 1
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


@inner
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


@inner
def find_steps_along(codes, split, side, third, asks_third, values, at, steps):
    """Where the summand of a quarter changes along the bins of one column, and by how much.

    It is zero outside ``side`` of ``split``, and inside one; or, where the third split is of this column, the value on
    the left or on the right of it. Writes ``at`` and ``steps``, and returns how many changes there are.
    """
    n_steps = 0
    before = np.int64(0)
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


@inner
def add_tree_parts(splits, sides, third_on_a, values, code_a, code_b, table):
    """Add quarters of trees to the table of two columns.

    Quarter k holds what is on side ``sides[k, 0]`` (0 left, 1 right) of the split ``splits[k, 0]`` of a, and on side
    ``sides[k, 1]`` of ``splits[k, 1]`` of b. There it adds ``values[k, 0]`` on the left and ``values[k, 1]`` on
    the right of ``splits[k, 2]``, a split of a or of b. A split is (kind, cut).
    ``code_a`` and ``code_b`` hold a code of each bin, -1 for bin 0.
    """
    n_a, n_b, n_scores = table.shape
    changes = np.zeros(table.shape)  # few of each quarter; summed up along both columns in the end
    at_a = np.empty(n_a, np.int64)
    steps_a = np.empty((n_a, n_scores))
    at_b = np.empty(n_b, np.int64)
    steps_b = np.empty((n_b, n_scores))
    for k in range(splits.shape[0]):
        first = splits[k, 0]
        second = splits[k, 1]
        third = splits[k, 2]
        on_a = third_on_a[k]
        v = values[k]
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
    kinds = np.empty(n_most, np.int64)
    cuts = np.empty(n_most, np.int64)
    n_bins = np.zeros(2, np.int64)
    for column in range(2):
        more = more_a if column == 0 else more_b
        n_asked = len(more)
        for k in range(n_asked):
            kinds[k] = more[k, 0]
            cuts[k] = more[k, 1]
        for k in range(n):
            for node in (column, 2):
                if node < 2 or third_on_a[k] == (column == 0):
                    kinds[n_asked] = splits[k, node, 0]
                    cuts[n_asked] = splits[k, node, 1]
                    n_asked += 1
        live = live_a if column == 0 else live_b
        n_bins[column] = refine_bins(kinds[:n_asked], cuts[:n_asked], live, merges[column])
    codes = np.empty(n_bins[0], np.int64), np.empty(n_bins[1], np.int64)
    for column in range(2):
        for k in range(n_bins[column]):
            codes[column][k] = -1
        for code in range(merges[column].shape[0] - 1, -1, -1):
            codes[column][merges[column][code]] = code
    table = np.zeros((n_bins[0], n_bins[1], values.shape[2]))
    add_tree_parts(splits, sides, third_on_a, values, codes[0], codes[1], table)
    return merges[0], merges[1], table


@kernel
def add_column_parts(splits, sides, values, table):
    """Add quarters of trees whose three splits are of one column to its table, code by code."""
    for k in range(splits.shape[0]):
        first = splits[k, 0]
        second = splits[k, 1]
        third = splits[k, 2]
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
    n_models = splits.shape[0]
    n_scores = scores.shape[1]
    for i in range(codes.shape[0]):
        for k in range(n_models):
            tree = splits[k]
            node = 0
            leaf = 0
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
