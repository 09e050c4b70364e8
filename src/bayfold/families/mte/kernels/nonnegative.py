"""Non-negative least squares for many right-hand sides that share one small design."""

from __future__ import annotations

import numpy as np

from bayfold.core.kernels.compiler import inner, kernel

PIVOT_RIDGE = 1e-10
"""Added to the diagonal, as a share of it: atoms that add up to each other have a singular matrix."""

LEAST_DESCENT = 1e-9
"""A coefficient enters only if the residual falls by more than rounding."""


@kernel
def solve_nonnegative(gram, rights, solutions):
    """Minimise ``x gram x / 2 - rights[p] x`` over x >= 0 for every row p, by Lawson and Hanson's active sets.

    The variables above zero are kept in the order in which they entered, so that Cholesky's factor grows by one row
    when one more enters; when one leaves, it is made anew.
    """
    n = gram.shape[0]
    x = np.empty(n)
    trial = np.empty(n)
    halfway = np.empty(n)
    active = np.empty(n, np.bool_)
    refused = np.empty(n, np.bool_)
    entered = np.empty(n, np.int64)
    factor = np.empty((n, n))
    for p in range(rights.shape[0]):
        right = rights[p]
        x[:] = 0.0
        active[:] = True
        refused[:] = False
        least = LEAST_DESCENT * np.abs(right).max()
        size = 0
        for _ in range(4 * n):
            best = _steepest(gram, right, x, entered[:size], active, refused, least)
            if best < 0:
                break
            entered[size] = best
            active[best] = False
            _extend(gram, right, entered[: size + 1], size, factor, halfway)
            _solve(entered[: size + 1], factor, halfway, trial)
            if trial[size] <= 0:  # rounding: it would come and go for ever
                active[best] = True
                refused[best] = True
                continue
            size += 1
            left = _step(x, trial, entered[:size], active)
            while left < size:
                size = left
                _extend(gram, right, entered[:size], 0, factor, halfway)
                _solve(entered[:size], factor, halfway, trial)
                left = _step(x, trial, entered[:size], active)
        solutions[p] = x


@inner
def _steepest(gram, right, x, entered, active, refused, least):
    """The variable at zero whose increase helps most; -1 for none."""
    best = -1
    steepest = least
    for a in range(len(x)):
        if not active[a] or refused[a]:
            continue
        slope = right[a]
        for b in entered:
            slope -= gram[a, b] * x[b]
        if slope > steepest:
            best = a
            steepest = slope
    return best


@inner
def _step(x, trial, entered, active):
    """Go from x towards the trial as far as nothing becomes negative; how many variables are still above zero."""
    share = 1.0
    limit = -1
    for i, a in enumerate(entered):
        if trial[i] <= 0:
            own = x[a] / (x[a] - trial[i])
            if own < share:
                share = own
                limit = a
    left = 0
    for i, a in enumerate(entered):
        x[a] += share * (trial[i] - x[a])
        if limit >= 0 and (a == limit or x[a] <= 0):
            active[a] = True
            x[a] = 0.0
        else:
            entered[left] = a
            left += 1
    return left


@inner
def _extend(gram, right, entered, begin, factor, halfway):
    """Write the rows of Cholesky's factor from ``begin`` on, and the right side solved by it."""
    for i in range(begin, len(entered)):
        a = entered[i]
        for j in range(i):
            total = gram[a, entered[j]]
            for k in range(j):
                total -= factor[i, k] * factor[j, k]
            factor[i, j] = total / factor[j, j]
        pivot = gram[a, a] * (1.0 + PIVOT_RIDGE)
        rest = right[a]
        for k in range(i):
            pivot -= factor[i, k] * factor[i, k]
            rest -= factor[i, k] * halfway[k]
        factor[i, i] = np.sqrt(max(pivot, PIVOT_RIDGE * gram[a, a]))
        halfway[i] = rest / factor[i, i]


@inner
def _solve(entered, factor, halfway, trial):
    """What the variables above zero would be if nothing else held them."""
    for i in range(len(entered) - 1, -1, -1):
        total = halfway[i]
        for k in range(i + 1, len(entered)):
            total -= factor[k, i] * trial[k]
        trial[i] = total / factor[i, i]
