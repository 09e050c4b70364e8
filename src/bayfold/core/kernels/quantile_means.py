"""Means of distributions that are a shape, stretched and moved along a scale."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel


@kernel
def average_quantiles(locations, spreads, nodes, low, per_step, table, means):
    """Mean over ``nodes`` of what the table says at ``location + spread * node``.

    The table holds values at equal steps from ``low`` on, ``per_step`` to a unit, and is straight between them. Nodes
    beyond its ends do not count.
    """
    last, n_nodes = table.shape[0] - 1, nodes.shape[0]
    part = table / n_nodes  # divided first: a sum of huge numbers would overflow
    least, most = nodes.min(), nodes.max()
    for i in range(locations.shape[0]):
        first, stretch = (locations[i] - low) * per_step, spreads[i] * per_step
        mean, n_inside = 0.0, 0
        if first + stretch * least >= 0.0 and first + stretch * most < last:
            n_inside = n_nodes  # nearly all rows: nothing to ask node by node
            for k in range(n_nodes):
                place = first + stretch * nodes[k]
                below = np.uint64(place)
                start = part[below]
                mean += start + (place - below) * (part[below + np.uint64(1)] - start)
        else:
            for k in range(n_nodes):
                place = first + stretch * nodes[k]
                if not 0.0 <= place <= last:
                    continue
                below = np.uint64(min(int(place), last - 1))
                share = place - below
                n_inside += 1
                mean += part[below] * (1.0 - share) + part[below + np.uint64(1)] * share
        means[i] = mean * (n_nodes / max(n_inside, 1))


@kernel
def average_cells(locations, spreads, bounds, values, nodes, means):
    """Mean of values whose cells end at ``bounds``, where ``(place - location) / spread`` has the shape of ``nodes``.

    These are quantiles at equal steps of probability. The first and the last part fall off exponentially from their
    inner node, by half their width.
    """
    n_parts, n_bounds = nodes.shape[0] - 1, bounds.shape[0]
    part, first, last = 1.0 / n_parts, nodes[1], nodes[n_parts - 1]
    reach_low, reach_high = (first - nodes[0]) / 2.0, (nodes[n_parts] - last) / 2.0
    for i in range(locations.shape[0]):
        mean, above, k = 0.0, 1.0, 1
        for c in range(n_bounds):
            error = (bounds[c] - locations[i]) / spreads[i]
            if error <= first:
                beyond = 1.0 - part * np.exp((error - first) / reach_low)
            elif error >= last:
                beyond = part * np.exp((last - error) / reach_high)
            else:
                while nodes[k + 1] < error:  # bounds increase, so no node is passed twice
                    k += 1
                share = (error - nodes[k]) / (nodes[k + 1] - nodes[k])
                beyond = 1.0 - (k + share) * part
            mean += values[c] * (above - beyond)
            above = beyond
        means[i] = mean + values[n_bounds] * above
