"""Tables of two columns before any tree: which pairs tell something only together, and where their grid is cut."""

from __future__ import annotations

from math import lgamma

import numpy as np

from bayfold.core.kernels.compiler import kernel


@kernel
def find_tau_excess(counts, n_cells):
    """What cells explain beyond chance: Goodman and Kruskal's tau times the rows, less what it is expected to be.

    That is one for each cell, whatever the groups; a rare group weighs no more than its rows do.
    """
    n_groups = counts.shape[1]
    groups = np.zeros(n_groups)
    n_rows, n_found, squares = 0.0, 0.0, 0.0
    for cell in range(n_cells):
        total, of_cell = 0.0, 0.0
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


@kernel
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
    best, came_from = np.full(n_bins + 1, -np.inf), np.zeros(n_bins + 1, np.int64)
    best[0] = 0.0
    run = np.empty(counts.shape[1:])
    for first in range(n_bins):
        run[:] = 0.0
        for last in range(first, n_bins):
            run += counts[last]
            value = best[first] + weigh_run(run, prior, at_zero) - cost
            if value > best[last + 1]:
                best[last + 1], came_from[last + 1] = value, first
    n_runs, end = 0, n_bins
    while end > 0:
        end = came_from[end]
        starts[n_runs] = end
        n_runs += 1
    starts[:n_runs] = starts[:n_runs][::-1].copy()
    return n_runs
