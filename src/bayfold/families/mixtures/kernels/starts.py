"""Where EM starts: seed rows far from each other, and the sums of given memberships."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel
from bayfold.families.mixtures.kernels.chunks import CHUNK
from bayfold.families.mixtures.kernels.em import count_complete, sum_chunk


@kernel
def draw_seeds(chunks, anchor, heights, distances, nearest):
    """Draw a seed row for each of ``heights``, uniform numbers below one; write every row's ``nearest`` seed.

    The first seed is drawn by weight, the others by weight times the distance to the nearest seed so far (k-means++).
    ``distances`` comes in as infinity.
    """
    weights = chunks.weights.ravel()
    for group in range(heights.shape[0]):
        total = 0.0
        for i in range(weights.shape[0]):
            total += weights[i] * (distances[i] if group else 1.0)
        alike = total <= 0.0  # every row equals a seed: any will do
        if alike:
            total = weights.sum()
        seed = -1
        height = heights[group] * total
        for i in range(weights.shape[0]):
            odds = weights[i] * (distances[i] if group and not alike else 1.0)
            height -= odds
            if odds > 0:
                seed = i
                if height < 0:
                    break
        move_to_seed(chunks, anchor, seed, group, distances, nearest)


@kernel
def move_to_seed(chunks, anchor, seed, group, distances, nearest):
    """Where a row is closer to row ``seed`` than ``distances`` says, lower it and note the ``group``.

    The distance is the squared difference over twice the variance for numbers, and one for categories that differ.
    A cell that is missing in either row adds one, which is what two independent numbers have on average.
    """
    home = seed // CHUNK
    place = seed % CHUNK
    distance = np.empty(CHUNK)
    for c in range(chunks.weights.shape[0]):
        distance[:] = 0.0
        for k in range(chunks.values.shape[1]):
            centre = chunks.values[home, k, place]
            variance = anchor.gaussians[k, 1]
            if variance > 0:
                for i in range(CHUNK):
                    d = (chunks.values[c, k, i] - centre) ** 2 / (2.0 * variance)
                    distance[i] += d if d == d else 1.0
        for t in range(chunks.codes.shape[1]):
            missing = anchor.starts[t]
            code = chunks.codes[home, t, place]
            for i in range(CHUNK):
                differs = chunks.codes[c, t, i] != code or code == missing
                distance[i] += 1.0 if differs else 0.0
        for i in range(CHUNK):
            row = c * CHUNK + i
            if distance[i] < distances[row]:
                distances[row] = distance[i]
                nearest[row] = group


@kernel
def sum_memberships(chunks, memberships, sums):
    """The sums of rows that belong to the groups by ``memberships[group, row]``, times their weight."""
    n_groups = memberships.shape[0]
    shared = np.empty((n_groups, CHUNK))
    by_row = np.empty((CHUNK, n_groups))
    cells = np.empty((chunks.values.shape[1], CHUNK))
    sums.totals[:] = 0.0
    sums.moments[:] = 0.0
    sums.counts[:] = 0.0
    for c in range(chunks.weights.shape[0]):
        for g in range(n_groups):
            for i in range(CHUNK):
                shared[g, i] = chunks.weights[c, i] * memberships[g, c * CHUNK + i]
        sum_chunk(chunks, c, shared, by_row, cells, sums)
    count_complete(chunks, sums)
