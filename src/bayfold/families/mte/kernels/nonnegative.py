"""Non-negative least squares for many right-hand sides that share one small design."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import kernel

PIVOT_RIDGE = 1e-10
"""Added to the diagonal, as a share of it: atoms that add up to each other have a singular matrix."""

LEAST_DESCENT = 1e-9
"""A coefficient enters only if the residual falls by more than rounding."""


@kernel
def solve_nonnegative(gram, rights, solutions):
    """Minimise ``x gram x / 2 - rights[p] x`` over x >= 0 for every row p, by Lawson and Hanson's active sets."""
    n = gram.shape[0]
    x, trial = np.empty(n), np.empty(n)
    passive, refused = np.empty(n, np.bool_), np.empty(n, np.bool_)
    factor = np.empty((n, n))
    for p in range(rights.shape[0]):
        x[:], passive[:], refused[:] = 0.0, False, False
        least = LEAST_DESCENT * np.abs(rights[p]).max()
        for _ in range(4 * n):
            best = _steepest(gram, rights, p, x, passive, refused, least)
            if best < 0:
                break
            passive[best] = True
            _solve_passive(gram, rights, p, passive, factor, trial)
            if trial[best] <= 0:  # rounding: it would come and go for ever
                passive[best], refused[best] = False, True
                continue
            while _step(x, trial, passive):
                _solve_passive(gram, rights, p, passive, factor, trial)
        solutions[p] = x


@kernel
def _steepest(gram, rights, p, x, passive, refused, least):
    """The variable at zero whose increase helps most; -1 for none."""
    best, steepest = -1, least
    for a in range(x.shape[0]):
        if passive[a] or refused[a]:
            continue
        slope = rights[p, a]
        for b in range(x.shape[0]):
            slope -= gram[a, b] * x[b]
        if slope > steepest:
            best, steepest = a, slope
    return best


@kernel
def _step(x, trial, passive):
    """Go from x towards the trial as far as nothing becomes negative; whether a variable was put back to zero."""
    share, limit = 1.0, -1
    for a in range(x.shape[0]):
        if passive[a] and trial[a] <= 0:
            own = x[a] / (x[a] - trial[a])
            if own < share:
                share, limit = own, a
    for a in range(x.shape[0]):
        if passive[a]:
            x[a] += share * (trial[a] - x[a])
            if limit >= 0 and (a == limit or x[a] <= 0):
                passive[a], x[a] = False, 0.0
    return limit >= 0


@kernel
def _solve_passive(gram, rights, p, passive, factor, trial):
    """Solve for the passive variables by Cholesky's factorisation; the others are zero."""
    rows = np.flatnonzero(passive)
    trial[:] = 0.0
    for i, a in enumerate(rows):
        for j in range(i):
            b = rows[j]
            total = gram[a, b]
            for k in range(j):
                total -= factor[i, k] * factor[j, k]
            factor[i, j] = total / factor[j, j]
        pivot, right = gram[a, a] * (1.0 + PIVOT_RIDGE), rights[p, a]
        for k in range(i):
            pivot -= factor[i, k] * factor[i, k]
            right -= factor[i, k] * trial[rows[k]]
        factor[i, i] = np.sqrt(max(pivot, PIVOT_RIDGE * gram[a, a]))
        trial[a] = right / factor[i, i]
    for i in range(len(rows) - 1, -1, -1):
        total = trial[rows[i]]
        for k in range(i + 1, len(rows)):
            total -= factor[k, i] * trial[rows[k]]
        trial[rows[i]] = total / factor[i, i]
