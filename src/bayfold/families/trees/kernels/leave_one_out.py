"""How often naive Bayes is right on a row that it has not seen, from counts that hold the row."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.codes import FIRST_BIN
from bayfold.core.kernels.compiler import kernel

ALMOST_NOTHING = 1e-9
"""A value left by the row itself only; above zero because weights are subtracted in floating point."""


@kernel
def score_left_out(
    codes,
    rows,
    nodes,
    weights,
    shares,
    group_of,
    starts,
    counts,
    known,
    is_used,
    m,
    all_rows,
    right,
):
    """Add to ``right[node]`` the weight of rows that the node's other rows predict.

    An entry stands for all rows like it, of which ``shares[row]`` are left out at once.

    Taking an entry out of ``counts[node, starts[j] + code, g]`` is a subtraction, so nothing is fitted again.
    ``known[node, j, g]`` is the weight with a known cell, and its last column (j = number of columns) that of all
    rows.
    """
    n_columns = codes.shape[1]
    n_groups = counts.shape[2]
    scores = np.empty(n_groups)
    for e in range(len(rows)):
        i, p, weight = rows[e], nodes[e], weights[e]
        own, out = group_of[i], weight * shares[i]
        for g in range(n_groups):
            scores[g] = np.log(max(known[p, n_columns, g] - (out if g == own else 0.0), 0.0) + 1)
        for j in range(n_columns):
            if codes[i, j] < FIRST_BIN or is_used[p, j]:
                continue
            k = starts[j] + np.int64(codes[i, j])
            of = n_columns if all_rows else j
            add_left_out_column(counts, p, k, known, of, own, out, m, scores)
        best = 0
        for g in range(1, n_groups):
            if scores[g] > scores[best]:
                best = g
        right[p] += weight if best == own else 0.0


@kernel
def add_left_out_column(counts, p, k, known, of, own, weight, m, scores):
    """Add the log-probability of one value in each group, the entry itself taken out."""
    of_value, total = -weight, -weight
    for g in range(len(scores)):
        of_value += counts[p, k, g]
        total += known[p, of, g]
    if of_value <= ALMOST_NOTHING:
        return
    expected = m * of_value / total
    for g in range(len(scores)):
        out = weight if g == own else 0.0
        both = max(counts[p, k, g] - out, 0.0) + expected
        scores[g] += np.log(both / (max(known[p, of, g] - out, 0.0) + m))
