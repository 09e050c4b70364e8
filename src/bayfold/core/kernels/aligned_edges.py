"""Edges of bins where cells of the encoder's grid begin."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel

OPERATIONS_OFF = 2.0**-50
"""Four times the relative rounding error of an operation, of which there are four."""


@kernel
def move_to_cells(edges, scale, values, weights, most_moved, starts):
    """Write to ``starts`` the edges moved to the nearest beginnings of cells; whether this is possible.

    A cell is ``floor((x - edges[0]) * scale)``. It is not possible where two edges come to the same cell, where no
    number is the first of a cell and above the cell before, or where between an edge and its new place lie more than
    ``most_moved`` of the rows of a bin beside it. ``values`` are distinct and in increasing order.
    """
    low, n = edges[0], len(edges)
    starts[0] = low
    before = np.int64(0)
    for k in range(1, n):
        cell = np.int64(np.rint((edges[k] - low) * scale))
        if cell <= before:
            return False
        starts[k] = find_cell_start(cell, low, scale)
        if not (np.nextafter(starts[k], low) - low) * scale < cell <= (starts[k] - low) * scale:
            return False
        before = cell
    return move_few(edges, starts, values, weights, most_moved)


@kernel
def find_cell_start(cell, low, scale):
    """The smallest number of a cell, which is not the first.

    By bisection around what arithmetic says, from as far off as rounding of the largest number in it may be. Where the
    cell begins near zero that is many floats.
    """
    nearly = low + cell / scale
    off = OPERATIONS_OFF * max(abs(low), abs(nearly))
    below, inside = nearly - off, nearly + off
    middle = below + (inside - below) / 2
    while below < middle < inside:
        if (middle - low) * scale >= cell:
            inside = middle
        else:
            below = middle
        middle = below + (inside - below) / 2
    return inside


@kernel
def move_few(edges, starts, values, weights, most_moved):
    """Whether hardly any rows lie between the edges and their new places."""
    n, v = len(edges), 0
    of_bin, moved = np.zeros(n + 1), np.zeros(n)
    for k in range(n + 1):
        while v < len(values) and (k == n or values[v] < edges[k]):
            of_bin[k] += weights[v]
            # below this edge and not below its new place, or at the edge before and below its new place
            if k < n and values[v] >= starts[k]:
                moved[k] += weights[v]
            if k > 0 and values[v] < starts[k - 1]:
                moved[k - 1] += weights[v]
            v += 1
    return np.all(moved <= most_moved * np.minimum(of_bin[:-1], of_bin[1:]))
