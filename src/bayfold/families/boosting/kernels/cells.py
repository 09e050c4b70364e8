"""Sums of rows by the cells that they are in, and what the cells add to rows: each row is in one cell of every grid."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel


@kernel
def sum_in_cells(cells, pulls, first, last, sums):
    """Add ``pulls[i]`` of the rows from ``first`` to ``last`` to ``sums`` of every cell in ``cells[i]``."""
    n_grids = np.uint64(cells.shape[1])
    n_scores = np.uint64(pulls.shape[1])
    for i in range(np.uint64(first), np.uint64(last)):
        if n_scores == 1:  # it stays in a register
            pull = pulls[i, np.uint64(0)]
            for g in range(n_grids):
                sums[np.uint64(cells[i, g]), np.uint64(0)] += pull
            continue
        for g in range(n_grids):
            cell = np.uint64(cells[i, g])
            for s in range(n_scores):
                sums[cell, s] += pulls[i, s]


@kernel
def add_from_cells(cells, steps, scores):
    """Add ``steps`` of every cell in ``cells[i]`` to ``scores[i]``."""
    n_grids = np.uint64(cells.shape[1])
    n_scores = np.uint64(steps.shape[1])
    for i in range(np.uint64(cells.shape[0])):
        if n_scores == 1:
            step = 0.0
            for g in range(n_grids):
                step += steps[np.uint64(cells[i, g]), np.uint64(0)]
            scores[i, np.uint64(0)] += step
            continue
        for g in range(n_grids):
            cell = np.uint64(cells[i, g])
            for s in range(n_scores):
                scores[i, s] += steps[cell, s]
