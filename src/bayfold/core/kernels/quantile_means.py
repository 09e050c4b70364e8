"""Means of distributions that are a shape, stretched and moved along a scale."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel


@kernel
def average_quantiles(locations, spreads, nodes, low, per_step, table, has_ends, means):
    """Mean over ``nodes`` of what the table says at ``location + spread * node``.

    The table holds values at equal steps from ``low`` on, ``per_step`` to a unit, and is straight between them. Beyond
    its ends it is level, or, where it ``has_ends``, nodes there do not count.
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
                if has_ends and not 0.0 <= place <= last:
                    continue
                place = min(max(place, 0.0), float(last))
                below = np.uint64(min(int(place), last - 1))
                share = place - below
                n_inside += 1
                mean += part[below] * (1.0 - share) + part[below + np.uint64(1)] * share
        means[i] = mean * (n_nodes / max(n_inside, 1))
