"""Non-negative least squares for many right-hand sides that share one small design."""

from __future__ import annotations

import numpy as np

from bayfold.kernels.compiler import kernel

RIDGE = 1e-10
"""Added to the diagonal, as a share of it: atoms that add up to each other have a singular matrix."""

TOLERANCE = 1e-9


@kernel
def solve_nonnegative(gram, rights, solutions):
    """Minimise ``x gram x / 2 - rights[p] x`` over x >= 0 for every row p, by Lawson and Hanson's active sets."""
    n = gram.shape[0]
    x, trial, slope = np.empty(n), np.empty(n), np.empty(n)
    passive, refused = np.empty(n, np.bool_), np.empty(n, np.bool_)
    factor = np.empty((n, n))
    for p in range(rights.shape[0]):
        x[:], passive[:], refused[:] = 0.0, False, False
        least = TOLERANCE * np.abs(rights[p]).max()
        for _ in range(4 * n):
            best = -1
            for a in range(n):
                slope[a] = rights[p, a]
                for b in range(n):
                    slope[a] -= gram[a, b] * x[b]
                if not passive[a] and not refused[a] and slope[a] > least:
                    if best < 0 or slope[a] > slope[best]:
                        best = a
            if best < 0:
                break
            passive[best] = True
            first = True
            while True:
                _solve_passive(gram, rights, p, passive, factor, trial)
                if first and trial[best] <= 0:  # rounding: it would leave at once, for ever
                    passive[best], refused[best] = False, True
                    break
                first = False
                step, limit = 1.0, -1
                for a in range(n):
                    if passive[a] and trial[a] <= 0:
                        share = x[a] / (x[a] - trial[a])
                        if share < step:
                            step, limit = share, a
                for a in range(n):
                    if passive[a]:
                        x[a] += step * (trial[a] - x[a])
                if limit < 0:
                    break
                for a in range(n):
                    if passive[a] and (a == limit or x[a] <= 0):
                        passive[a], x[a] = False, 0.0
        solutions[p] = x


@kernel
def _solve_passive(gram, rights, p, passive, factor, trial):
    """Solve for the passive variables by Cholesky's factorisation; the others are zero."""
    n = gram.shape[0]
    for a in range(n):
        trial[a] = 0.0
        if not passive[a]:
            continue
        for b in range(a + 1):
            if not passive[b]:
                continue
            total = gram[a, b] * (1.0 + RIDGE) if a == b else gram[a, b]
            for c in range(b):
                if passive[c]:
                    total -= factor[a, c] * factor[b, c]
            if a == b:
                factor[a, a] = np.sqrt(max(total, RIDGE * gram[a, a]))
            else:
                factor[a, b] = total / factor[b, b]
        total = rights[p, a]
        for c in range(a):
            if passive[c]:
                total -= factor[a, c] * trial[c]
        trial[a] = total / factor[a, a]
    for a in range(n - 1, -1, -1):
        if passive[a]:
            total = trial[a]
            for c in range(a + 1, n):
                if passive[c]:
                    total -= factor[c, a] * trial[c]
            trial[a] = total / factor[a, a]
