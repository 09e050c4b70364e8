"""Bin edges: equal frequencies aligned to values, and the cut of least description length."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel

OPERATIONS_OFF = 2.0**-50
"""Four times the relative rounding error of an operation, of which there are four."""


@kernel
def move_to_cells(edges, scale, values, weights, most_moved, starts):
    """Write to ``starts`` the edges moved to the nearest beginnings of cells; whether this is possible.

    A cell is ``floor((x - edges[0]) * scale)``. It is not possible where two edges come to the same cell, where no
    number is the first of a cell and above the cell before, or where between an edge and its new place lie more than
    ``most_moved`` of the rows of a bin beside it. ``values`` are distinct and in increasing order.
    """
    low = edges[0]
    n = len(edges)
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


@inner
def find_cell_start(cell, low, scale):
    """The smallest number of a cell, which is not the first.

    By bisection around what arithmetic says, from as far off as rounding of the largest number in it may be. Where the
    cell begins near zero that is many floats.
    """
    nearly = low + cell / scale
    off = OPERATIONS_OFF * max(abs(low), abs(nearly))
    below = nearly - off
    inside = nearly + off
    middle = below + (inside - below) / 2
    while below < middle < inside:
        if (middle - low) * scale >= cell:
            inside = middle
        else:
            below = middle
        middle = below + (inside - below) / 2
    return inside


@inner
def move_few(edges, starts, values, weights, most_moved):
    """Whether hardly any rows lie between the edges and their new places."""
    n = len(edges)
    v = 0
    of_bin = np.zeros(n + 1)
    moved = np.zeros(n)
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


@kernel
def find_mdl_cuts(counts, is_cut):
    """Set ``is_cut[k]`` where a bin of the MDL discretization begins at fine bin ``k``.

    ``counts`` has the shape (bins, groups). A range of bins is cut where the entropy of the groups within the
    two parts is least, and the cut is kept if it saves more than it costs to state (Fayyad & Irani
    1993); then both parts are tried. Weights count as rows.
    """
    n_bins, n_groups = counts.shape
    cumulated = np.zeros((n_bins + 1, n_groups))
    for k in range(n_bins):
        for g in range(n_groups):
            cumulated[k + 1, g] = cumulated[k, g] + counts[k, g]
    pending = np.empty((n_bins + 1, 2), np.int64)
    pending[0] = 0, n_bins
    n_pending = 1
    while n_pending > 0:
        n_pending -= 1
        start, stop = pending[n_pending]
        cut = find_best_cut(cumulated, start, stop)
        if cut > 0 and is_worth_stating(cumulated, start, cut, stop):
            is_cut[cut] = True
            pending[n_pending] = start, cut
            pending[n_pending + 1] = cut, stop
            n_pending += 2


@inner
def find_best_cut(cumulated, start, stop):
    """The position with the least entropy within the parts; 0 if there is nothing to cut."""
    best = 0
    least = np.inf
    for cut in range(start + 1, stop):
        left, _ = describe_part(cumulated, start, cut)
        right, _ = describe_part(cumulated, cut, stop)
        is_last_of_a_tie = (
            weight_of(cumulated, cut - 1, cut) > 0
        )  # behind rows, not behind an empty bin
        if left + right < least and is_last_of_a_tie and weight_of(cumulated, cut, stop) > 0:
            best = cut
            least = left + right
    return best


@inner
def is_worth_stating(cumulated, start, cut, stop):
    """Whether the gain in bits exceeds the bits that describe the cut."""
    n = weight_of(cumulated, start, stop)
    if n <= 1.0:
        return False
    whole, k = describe_part(cumulated, start, stop)
    left, k_left = describe_part(cumulated, start, cut)
    right, k_right = describe_part(cumulated, cut, stop)
    mean_left = left / weight_of(cumulated, start, cut)
    mean_right = right / weight_of(cumulated, cut, stop)
    # log2(3^k - 2) without overflow for many groups
    choices = k * np.log2(3.0) + np.log1p(-2.0 * 3.0 ** (-np.float64(k))) / np.log(2.0)
    saved = k * whole / n - k_left * mean_left - k_right * mean_right
    return whole - left - right > np.log2(n - 1.0) + choices - saved


@inner
def describe_part(cumulated, start, stop):
    """Weight times entropy in bits of the groups in a part, and how many groups occur in it."""
    total = 0.0
    bits = 0.0
    n_present = 0
    for g in range(cumulated.shape[1]):
        weight = cumulated[stop, g] - cumulated[start, g]
        if weight > 0.0:
            total += weight
            bits -= weight * np.log2(weight)
            n_present += 1
    return bits + total * np.log2(total) if total > 0.0 else 0.0, n_present


@inner
def weight_of(cumulated, start, stop):
    """The weight of a part."""
    total = 0.0
    for g in range(cumulated.shape[1]):
        total += cumulated[stop, g] - cumulated[start, g]
    return total
