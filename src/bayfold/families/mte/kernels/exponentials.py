"""Kernels that add up the logs of mixtures of truncated exponentials, and find which points of several curves matter.

The rates are those of ``families.mte.exponentials``: 1, -1, 3, -3, 8 and -8, so that one exponential, a division and a
few products give all functions of the basis.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel


@kernel
def thin_points(curves, points, n_left):
    """Whether each of ``points`` stays when those nearest to the chord of their neighbours go one by one.

    ``curves[i, g]`` is curve g at grid point i, ``points`` are increasing grid points, and a distance is the sum
    over the curves of how far the point lies above or below the chord. The first and the last point stay, and so
    do as many others as make ``n_left`` in all.
    """
    n = points.shape[0]
    stays = np.ones(n, np.bool_)
    before = np.arange(n) - 1
    after = np.arange(n) + 1
    distance = np.full(n, np.inf)
    for p in range(1, n - 1):
        distance[p] = _to_chord(curves, points[p - 1], points[p], points[p + 1])
    for _ in range(n - max(n_left, 2)):
        p = int(np.argmin(distance))
        stays[p] = False
        distance[p] = np.inf
        left = before[p]
        right = after[p]
        after[left], before[right] = right, left
        for q in (left, right):
            if 0 < q < n - 1:
                distance[q] = _to_chord(curves, points[before[q]], points[q], points[after[q]])
    return stays


@inner
def _to_chord(curves, before, here, after):
    share = (here - before) / (after - before)
    total = 0.0
    for g in range(curves.shape[1]):
        total += abs(curves[here, g] - (curves[before, g] * (1 - share) + curves[after, g] * share))
    return total


TOGETHER = 12
"""Densities multiplied before a log is taken: each lies between 1e-3 and about 1e4, so nothing under- or overflows."""


@kernel
def score_exponentials(
    values, columns, low, scale, weights, offsets, starts, inverse_widths, coefficients, scores
):
    """Add ``weights[j] log(sum_b basis_b(t) coefficients[m, b, s])`` over the columns.

    x lies at ``z = (x - low) * scale`` of its column's domain, beyond which the ends count, and in the last
    interval m of ``offsets[j]`` to ``offsets[j + 1]`` that begins at or below z. NaN adds nothing.
    """
    n_scores = scores.shape[1]
    product = np.ones(n_scores)
    for i in range(values.shape[0]):
        waiting = 0
        for j in range(columns.shape[0]):
            x = values[i, columns[j]]
            if x != x:
                continue
            if waiting and weights[j] != 1.0:
                _flush(product, scores, i, 1.0)
            z = min(max((x - low[j]) * scale[j], 0.0), 1.0)
            m = offsets[j]
            while m + 1 < offsets[j + 1] and starts[m + 1] <= z:
                m += 1
            t = min((z - starts[m]) * inverse_widths[m], 1.0)
            e1 = np.exp(t)
            e3 = e1 * e1 * e1
            e8 = e3 * e3 * e1 * e1
            d1 = 1.0 / e1
            d3 = d1 * d1 * d1
            d8 = d3 * d3 * d1 * d1
            for s in range(n_scores):
                density = (
                    coefficients[m, 0, s]
                    + (coefficients[m, 1, s] * e1 + coefficients[m, 2, s] * d1)
                    + (coefficients[m, 3, s] * e3 + coefficients[m, 4, s] * d3)
                    + (coefficients[m, 5, s] * e8 + coefficients[m, 6, s] * d8)
                )
                product[s] *= density
            waiting += 1
            # a column with a weight of its own must be alone in the product
            if weights[j] != 1.0 or waiting == TOGETHER:
                _flush(product, scores, i, weights[j])
                waiting = 0
        if waiting:
            _flush(product, scores, i, 1.0)


@inner
def _flush(product, scores, i, weight):
    for s in range(product.shape[0]):
        scores[i, s] += weight * np.log(product[s])
        product[s] = 1.0
