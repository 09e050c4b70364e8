"""Means of distributions that are a shape, stretched and moved along a scale."""

from __future__ import annotations

from bayfold.core.kernels.compiler import kernel


@kernel
def average_quantiles(locations, spreads, nodes, low, per_step, table, has_ends, means):
    """Mean over ``nodes`` of what the table says at ``location + spread * node``.

    The table holds values at equal steps from ``low`` on, ``per_step`` to a unit, and is straight between them. Beyond
    its ends it is level, or, where it ``has_ends``, nodes there do not count.
    """
    last = table.shape[0] - 1
    for i in range(locations.shape[0]):
        first, stretch = (locations[i] - low) * per_step, spreads[i] * per_step
        mean, n_inside = 0.0, 0
        for k in range(nodes.shape[0]):
            place = first + stretch * nodes[k]
            if has_ends and not 0.0 <= place <= last:
                continue
            place = min(max(place, 0.0), float(last))
            below = min(int(place), last - 1)
            share = place - below
            n_inside += 1
            # a running mean: a sum of huge numbers would overflow
            value = table[below] * (1.0 - share) + table[below + 1] * share
            mean += value / nodes.shape[0]
        means[i] = mean * (nodes.shape[0] / max(n_inside, 1))
