"""The smallest number of a cell, searched among all floats; rows that change bins, counted one by one."""

from __future__ import annotations

import itertools
import math

import numpy as np


def move_to_cells(edges, scale, values, weights, most_moved):
    """The beginnings of the cells nearest to the edges, or None where edges cannot or should not be moved there."""
    low = float(edges[0])
    cells = [round((float(edge) - low) * scale) for edge in edges]
    if any(after <= before for before, after in itertools.pairwise(cells)):
        return None
    starts = np.array([low, *(smallest_of_cell(cell, low, scale) for cell in cells[1:])])
    rows = list(zip(values.tolist(), weights.tolist(), strict=True))
    bin_of = [int(np.searchsorted(edges, value, side="right")) for value, _ in rows]
    of_bin = [
        sum(w for (_, w), b in zip(rows, bin_of, strict=True) if b == k)
        for k in range(len(edges) + 1)
    ]
    for k, (edge, start) in enumerate(zip(edges.tolist(), starts.tolist(), strict=True)):
        near = (bin_of_row in (k, k + 1) for bin_of_row in bin_of)
        moved = sum(
            w
            for (value, w), beside in zip(rows, near, strict=True)
            if beside and (value >= edge) != (value >= start)
        )
        if moved > most_moved * min(of_bin[k], of_bin[k + 1]):
            return None
    return starts


def smallest_of_cell(cell, low, scale):
    """By bisection of the floats in their order, from ``low`` to the largest."""
    outside, inside = _rank(low), _rank(math.inf) - 1
    while inside - outside > 1:
        middle = (outside + inside) // 2
        if (_float(middle) - low) * scale >= cell:
            inside = middle
        else:
            outside = middle
    return _float(inside)


def _rank(x):
    """Whole numbers in the order of the floats."""
    bits = int(np.float64(x).view(np.int64))
    return bits if bits >= 0 else -(bits & 0x7FFFFFFFFFFFFFFF)


def _float(rank):
    bits = rank if rank >= 0 else -rank | (1 << 63)
    return float(np.uint64(bits).view(np.float64))
