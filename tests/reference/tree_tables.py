"""Tables of two columns: their bins, their sums, their scores."""

from __future__ import annotations

import numpy as np

from tests.reference.boost import goes_left


def score_pairs(codes, positions, steps, offsets, tables, n_moved, start):
    """``start`` plus an entry of each pair's table in the first scores."""
    scores = start.copy()
    for i, row in enumerate(codes):
        for k, (a, b) in enumerate(positions):
            at = int(offsets[k]) + int(steps[k, 0, row[a]]) + int(steps[k, 1, row[b]])
            scores[i, :n_moved] += tables[at : at + n_moved]
    return scores


def refine_bins(kinds, cuts, live):
    """Codes with the same answers to all splits share a bin; numbered in the order of codes, 0 where not live."""
    numbers, merge = {}, []
    for code, lives in enumerate(live):
        answers = tuple(goes_left(code, int(k), int(c)) for k, c in zip(kinds, cuts, strict=True))
        merge.append(numbers.setdefault(answers, len(numbers) + 1) if lives else 0)
    return np.array(merge), len(numbers) + 1


def add_tree_parts(splits, sides, third_on_a, values, code_a, code_b, table):
    """The table plus all quarters, cell by cell."""
    table = table.copy()
    for a in range(1, len(code_a)):
        for b in range(1, len(code_b)):
            for k in range(len(splits)):
                codes = code_a[a], code_b[b], code_a[a] if third_on_a[k] else code_b[b]
                answers = [
                    0 if goes_left(code, *split) else 1
                    for code, split in zip(codes, splits[k], strict=True)
                ]
                if answers[:2] == list(sides[k]):
                    table[a, b] += values[k, answers[2]]
    return table


def tabulate_pair(splits, sides, third_on_a, values, live_a, live_b, more_a, more_b):
    """The bins of both columns and the table of all quarters over them."""
    merges, codes = [], []
    for node, (live, more) in enumerate(((live_a, more_a), (live_b, more_b))):
        third = splits[third_on_a == (node == 0), 2]
        asked = np.concatenate([more, splits[:, node], third])
        merge, n_bins = refine_bins(asked[:, 0], asked[:, 1], live)
        merges.append(merge)
        codes.append([-1, *(int(np.flatnonzero(merge == k)[0]) for k in range(1, n_bins))])
    table = np.zeros((len(codes[0]), len(codes[1]), values.shape[2]))
    return *merges, add_tree_parts(splits, sides, third_on_a, values, *codes, table)


def add_column_parts(splits, sides, values, table):
    """The table plus all quarters, code by code."""
    table = table.copy()
    for code in range(len(table)):
        for k in range(len(splits)):
            answers = [0 if goes_left(code, *split) else 1 for split in splits[k]]
            if answers[:2] == list(sides[k]):
                table[code] += values[k, answers[2]]
    return table


def count_pair(codes, labels, weights, a, b, merge_a, merge_b, counts):
    """The counts plus the weights of the rows."""
    counts = counts.copy()
    for i, row in enumerate(codes):
        counts[merge_a[row[a]], merge_b[row[b]], labels[i]] += weights[i]
    return counts


def purify_table(table, weights, of_row, of_column, n_sweeps, tolerance):
    """Weighted means of rows, then of columns, moved out of the table, again and again."""
    table, of_row, of_column = table.copy(), of_row.copy(), of_column.copy()
    for _ in range(n_sweeps):
        largest = 0.0
        for axis, means in ((1, of_row), (0, of_column)):
            inner, w = table[1:, 1:], weights[1:, 1:, None]
            total = weights.sum(axis=axis)[1:, None]
            mean = (w * inner).sum(axis=axis) / np.where(total > 0, total, np.inf)
            inner -= np.expand_dims(mean, axis)
            means[1:] += mean
            largest = max(largest, np.abs(mean).max(initial=0.0))
        if largest <= tolerance:
            break
    return table, of_row, of_column


def sum_in_cells(cells, pulls, first, last, sums):
    """The sums of the cells, and of the rows from first to last that are in them."""
    found = sums.copy()
    for i in range(first, last):
        for cell in cells[i]:
            found[cell] += pulls[i]
    return found


def add_from_cells(cells, steps, scores):
    """Every row's scores, and the steps of all its cells."""
    return scores + np.array([steps[of_row].sum(axis=0) for of_row in cells]).reshape(scores.shape)
