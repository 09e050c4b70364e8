"""Twins of the kernels for mixtures of truncated exponentials."""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from bayfold.families.mte.exponentials import RATES


def score_exponentials(
    values, columns, low, scale, weights, offsets, starts, inverse_widths, coefficients, scores
):
    for i in range(len(values)):
        for j, column in enumerate(columns):
            x = values[i, column]
            if np.isnan(x):
                continue
            z = np.clip((x - low[j]) * scale[j], 0.0, 1.0)
            within = [m for m in range(offsets[j], offsets[j + 1]) if starts[m] <= z]
            m = within[-1]
            t = min((z - starts[m]) * inverse_widths[m], 1.0)
            basis = np.concatenate([[1.0], np.exp(RATES * t)])
            scores[i] += weights[j] * np.log(basis @ coefficients[m])


def solve_nonnegative(gram, rights, solutions):
    """By SciPy, on the square root of the matrix."""
    values, vectors = np.linalg.eigh(gram)
    keep = values > 1e-9 * values.max()
    root = np.sqrt(values[keep])[:, None] * vectors[:, keep].T
    for p, right in enumerate(rights):
        goal = (vectors[:, keep].T @ right) / np.sqrt(values[keep])
        solutions[p] = nnls(root, goal)[0]


def thin_points(curves, points, n_left):
    left = list(range(len(points)))
    while len(left) > max(n_left, 2):
        distances = []
        for a, b, c in zip(left[:-2], left[1:-1], left[2:], strict=True):
            chord = [
                np.interp(points[b], points[[a, c]], curves[points[[a, c]], g])
                for g in range(curves.shape[1])
            ]
            distances.append(np.abs(curves[points[b]] - chord).sum())
        del left[1 + int(np.argmin(distances))]
    return np.isin(np.arange(len(points)), left)
