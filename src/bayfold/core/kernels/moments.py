"""Weighted moments of columns by group, and means of the rows between two quantiles."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.core.kernels.dot import add_numbers


@kernel
def measure_spread(values, weights):
    """The weighted mean of some numbers and their standard deviation about it.

    In units of the largest distance, whose square would overflow where the distance does not.
    """
    share = weights / add_numbers(weights)
    summands = np.empty(len(values))
    for i in range(len(values)):
        summands[i] = share[i] * values[i]
    mean = add_numbers(summands)
    largest = 0.0
    for i in range(len(values)):
        away = abs(values[i] - mean)
        largest = away if away > largest else largest
    unit = largest if largest > 0.0 else 1.0
    for i in range(len(values)):
        away = (values[i] - mean) / unit
        summands[i] = share[i] * away * away
    return mean, np.sqrt(add_numbers(summands)) * largest


@kernel
def sum_moments(values, columns, shift, scale, groups, weights, sums):
    """Add w, w d and w d^2 with ``d = (x - shift) / scale`` to ``sums[k, :, group]``; NaN adds nothing.

    Sums about a fixed shift can be added and subtracted, which a running mean and variance
    cannot; a shift near the mean keeps them accurate.
    """
    for i in range(values.shape[0]):
        group = groups[i]
        weight = weights[i]
        for k in range(columns.shape[0]):
            d = (values[i, columns[k]] - shift[k]) / scale[k]
            if d == d:
                sums[k, 0, group] += weight
                sums[k, 1, group] += weight * d
                sums[k, 2, group] += weight * d * d


@kernel
def sum_moments_fractional(values, columns, shift, scale, membership, sums):
    """The same where row i belongs to every group g in part, by ``membership[i, g]``."""
    for i in range(values.shape[0]):
        for k in range(columns.shape[0]):
            d = (values[i, columns[k]] - shift[k]) / scale[k]
            if d == d:
                for g in range(membership.shape[1]):
                    weight = membership[i, g]
                    sums[k, 0, g] += weight
                    sums[k, 1, g] += weight * d
                    sums[k, 2, g] += weight * d * d


@kernel
def average_quantiles(locations, spreads, nodes, shares, low, per_step, table, means):
    """Mean over ``nodes``, each with its share, of what the table says at ``location + spread * node``.

    The table holds values at equal steps from ``low`` on, ``per_step`` to a unit. It is straight between them, and goes
    on as straight beyond its ends.
    """
    last = table.shape[0] - 1
    n_nodes = nodes.shape[0]
    for i in range(locations.shape[0]):
        first = (locations[i] - low) * per_step
        stretch = spreads[i] * per_step
        mean = 0.0
        for k in range(n_nodes):
            place = first + stretch * nodes[k]
            below = np.uint64(min(max(place, 0.0), last - 1.0))
            start = table[below]
            mean += shares[k] * (start + (place - below) * (table[below + np.uint64(1)] - start))
        means[i] = mean


@kernel
def average_cells(locations, spreads, bounds, values, nodes, levels, means):
    """Mean of values whose cells end at ``bounds``, where ``(place - location) / spread`` has the shape of ``nodes``.

    These are quantiles at ``levels`` of probability. The first and the last part fall off exponentially from their
    inner node, by half their width.
    """
    n_parts = nodes.shape[0] - 1
    n_bounds = bounds.shape[0]
    part_low = levels[1]
    part_high = 1.0 - levels[n_parts - 1]
    first = nodes[1]
    last = nodes[n_parts - 1]
    reach_low = (first - nodes[0]) / 2.0
    reach_high = (nodes[n_parts] - last) / 2.0
    for i in range(locations.shape[0]):
        mean = 0.0
        above = 1.0
        k = 1
        for c in range(n_bounds):
            error = (bounds[c] - locations[i]) / spreads[i]
            if error <= first:
                beyond = 1.0 - part_low * np.exp((error - first) / reach_low)
            elif error >= last:
                beyond = part_high * np.exp((last - error) / reach_high)
            else:
                while nodes[k + 1] < error:  # bounds increase, so no node is passed twice
                    k += 1
                share = (error - nodes[k]) / (nodes[k + 1] - nodes[k])
                beyond = 1.0 - levels[k] - share * (levels[k + 1] - levels[k])
            mean += values[c] * (above - beyond)
            above = beyond
        means[i] = mean + values[n_bounds] * above
