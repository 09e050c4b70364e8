"""Tables of two columns before any tree, slowly."""

from __future__ import annotations

from itertools import combinations
from math import lgamma


def find_tau_excess(cells, labels, weights):
    """What the cells of rows explain beyond chance: tau times the rows, less the number of cells."""
    counts, groups = {}, {}
    for cell, label, weight in zip(cells, labels, weights, strict=True):
        of_cell = counts.setdefault(cell, {})
        of_cell[label] = of_cell.get(label, 0.0) + weight
        groups[label] = groups.get(label, 0.0) + weight
    n_rows = sum(groups.values())
    impure = 1.0 - sum((n / n_rows) ** 2 for n in groups.values())
    if impure <= 0:
        return 0.0
    left = 0.0
    for of_cell in counts.values():
        total = sum(of_cell.values())
        left += total / n_rows * (1.0 - sum((n / total) ** 2 for n in of_cell.values()))
    return n_rows * (impure - left) / impure - len(counts)


def screen_pairs(codes, labels, weights, n_bins, most_cells):
    """The excess of columns and, above the diagonal, of pairs that have not too many cells."""
    n = len(codes)
    found = [[0.0] * n for _ in range(n)]
    for a in range(n):
        for b in range(a, n):
            if a == b or n_bins[a] * n_bins[b] <= most_cells:
                cells = list(zip(codes[a], codes[b], strict=True))
                found[a][b] = find_tau_excess(cells, labels, weights)
    return found


def weigh_runs(counts, prior, cost, starts):
    """The log-probability of the labels where bins are joined to runs, less the cost of the runs."""
    found = 0.0
    for first, end in zip(starts, [*starts[1:], len(counts)], strict=True):
        found -= cost
        for cell in range(len(counts[0])):
            joined = [sum(counts[k][cell][c] for k in range(first, end)) for c in range(len(prior))]
            found += lgamma(1.0) - lgamma(sum(joined) + 1.0)
            for n, p in zip(joined, prior, strict=True):
                found += lgamma(n + p) - lgamma(p)
    return found


def cut_runs(counts, prior, cost):
    """The most likely runs, of all there are: the first bin of each."""
    inner = range(1, len(counts))
    every = ([0, *cuts] for n in range(len(counts)) for cuts in combinations(inner, n))
    return max(every, key=lambda starts: weigh_runs(counts, prior, cost, starts))
