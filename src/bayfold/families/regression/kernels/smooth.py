"""Gaussian kernel sums over weighted points, and leave-one-out scores of their bandwidths."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel

PAPER_KERNEL_REACH = 9.0
"""Bandwidths beyond which a neighbour adds nothing to a sum that has near ones: exp(-40)."""

ISOLATED = np.exp(-30.0)
"""A point whose neighbours add up to less than this has its sums taken again, in logs, over all points."""

DEEPEST = -300.0
"""The lowest exponent along either axis: the product of two such exponentials is still an ordinary number."""


@kernel
def smooth_points(x, y, weights, at_x, at_y, left_out, width_x, width_y, shift, sums):
    """Add ``w exp(shift[g] - ((at_x[k] - x) / width_x)^2 / 2 - ((at_y[g] - y) / width_y)^2 / 2)`` to ``sums[g, k]``.

    Point ``left_out[k]`` is not added at ``at_x[k]``; -1 leaves out none. ``shift[g]`` keeps the sums of a place far
    from all y from vanishing.
    """
    n_grid, n_nodes = sums.shape
    along_x = np.empty(n_nodes)
    for i in range(x.shape[0]):
        first = n_nodes
        last = 0
        for k in range(n_nodes):
            z = (at_x[k] - x[i]) / width_x
            exponent = -0.5 * z * z
            along_x[k] = 0.0
            if exponent > DEEPEST and left_out[k] != i:
                along_x[k] = np.exp(exponent)
                first = min(first, k)
                last = k + 1
        for g in range(n_grid):
            z = (at_y[g] - y[i]) / width_y
            exponent = shift[g] - 0.5 * z * z
            if exponent > DEEPEST:
                scale = weights[i] * np.exp(exponent)
                # slices tell the compiler that the arrays do not overlap
                total = sums[g, first:last]
                added = along_x[first:last]
                for k in range(last - first):
                    total[k] += scale * added[k]


@kernel
def score_joint_widths(x, y, weights, scored, widths_x, widths_y, scores):
    """Leave-one-out log-density of weighted points, for every pair of bandwidths.

    ``x`` is in increasing order. A point of weight w is w points in one place, one of which is left out.
    ``scores[a, b]`` is the sum over the points ``scored`` of the log of what their neighbours add up to.
    """
    n = x.shape[0]
    n_x = widths_x.shape[0]
    n_y = widths_y.shape[0]
    sums = np.zeros((n, n_x, n_y))
    from_x = np.empty(n_x)
    from_y = np.empty(n_y)
    reach_x = PAPER_KERNEL_REACH * widths_x.max()
    reach_y = PAPER_KERNEL_REACH * widths_y.max()
    for i in range(n):
        sums[i] += max(weights[i] - 1.0, 0.0)
        for j in range(i + 1, n):
            if x[j] - x[i] > reach_x:
                break
            if abs(y[j] - y[i]) > reach_y or not (scored[i] or scored[j]):
                continue
            fill_gaussians(x[j] - x[i], widths_x, from_x)
            fill_gaussians(y[j] - y[i], widths_y, from_y)
            for a in range(n_x):
                for b in range(n_y):
                    both = from_x[a] * from_y[b]
                    sums[i, a, b] += weights[j] * both
                    sums[j, a, b] += weights[i] * both
    for i in range(n):
        if not scored[i]:
            continue
        isolated = sums[i].min() < ISOLATED
        for a in range(n_x):
            for b in range(n_y):
                if isolated:
                    log_sum = log_sum_without(x, y, weights, i, widths_x[a], widths_y[b])
                else:
                    log_sum = np.log(sums[i, a, b])
                scores[a, b] += weights[i] * log_sum


@inner
def log_sum_without(x, y, weights, i, width_x, width_y):
    """Log of the kernel sum at point i without the point itself."""
    top = 0.0 if weights[i] > 1.0 else -np.inf
    for j in range(x.shape[0]):
        if j != i:
            zx = (x[j] - x[i]) / width_x
            zy = (y[j] - y[i]) / width_y
            top = max(top, -0.5 * (zx * zx + zy * zy))
    if top == -np.inf:  # there is no other point
        return 0.0
    total = weights[i] - 1.0 if weights[i] > 1.0 else 0.0  # then the top is zero
    for j in range(x.shape[0]):
        if j != i:
            zx = (x[j] - x[i]) / width_x
            zy = (y[j] - y[i]) / width_y
            total += weights[j] * np.exp(-0.5 * (zx * zx + zy * zy) - top)
    return top + np.log(total)


@inner
def fill_gaussians(distance, widths, heights):
    """Write ``exp(-(distance / width)^2 / 2)`` for every width."""
    for a in range(widths.shape[0]):
        z = distance / widths[a]
        heights[a] = np.exp(-0.5 * z * z)
