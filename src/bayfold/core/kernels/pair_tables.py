"""Adding up tables of two columns."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel

SCORED_ROWS = 256
"""Rows whose codes and scores stay in the first-level cache while the pairs pass by."""

LARGE_TABLES, ROWS_OF_LARGE = 1 << 17, 4096
"""Entries that do not stay in a cache of a megabyte: so many rows then pay for fetching each table (1.7 times as fast
for 190 pairs of 4 MB)."""


@kernel
def score_pairs(codes, positions, steps, offsets, tables, n_moved, scores):
    """Add ``tables[offsets[k] + steps[k, 0, code a] + steps[k, 1, code b] + s]`` over the pairs to the first scores."""
    n_rows = scores.shape[0]
    n_at_once = ROWS_OF_LARGE if tables.shape[0] > LARGE_TABLES else SCORED_ROWS
    for start in range(0, n_rows, n_at_once):
        stop = min(start + n_at_once, n_rows)
        for k in range(positions.shape[0]):
            a, b, offset = positions[k, 0], positions[k, 1], offsets[k]
            if n_moved == 1:
                for i in range(start, stop):
                    at = offset + steps[k, 0, codes[i, a]] + steps[k, 1, codes[i, b]]
                    scores[i, 0] += tables[np.uint64(at)]
            else:
                for i in range(start, stop):
                    at = np.uint64(offset + steps[k, 0, codes[i, a]] + steps[k, 1, codes[i, b]])
                    for s in range(np.uint64(n_moved)):
                        scores[i, s] += tables[at + s]
