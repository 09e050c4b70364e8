"""Which points of several curves matter."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel


@kernel
def thin_points(curves, points, n_left):
    """Whether each of ``points`` stays when those nearest to the chord of their neighbours go one by one.

    ``curves[i, g]`` is curve g at grid point i, ``points`` are increasing grid points, and a distance is the sum
    over the curves of how far the point lies above or below the chord. The first and the last point stay, and so
    do as many others as make ``n_left`` in all.
    """
    n = points.shape[0]
    stays = np.ones(n, np.bool_)
    before, after = np.arange(n) - 1, np.arange(n) + 1
    distance = np.full(n, np.inf)
    for p in range(1, n - 1):
        distance[p] = _to_chord(curves, points[p - 1], points[p], points[p + 1])
    for _ in range(n - max(n_left, 2)):
        p = int(np.argmin(distance))
        stays[p], distance[p] = False, np.inf
        left, right = before[p], after[p]
        after[left], before[right] = right, left
        for q in (left, right):
            if 0 < q < n - 1:
                distance[q] = _to_chord(curves, points[before[q]], points[q], points[after[q]])
    return stays


@kernel
def _to_chord(curves, before, here, after):
    share = (here - before) / (after - before)
    total = 0.0
    for g in range(curves.shape[1]):
        total += abs(curves[here, g] - (curves[before, g] * (1 - share) + curves[after, g] * share))
    return total
