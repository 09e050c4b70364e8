"""The functions that mixtures of truncated exponentials are made of, on one interval.

On an interval of width w that begins at e, a density is ``(1 / w) (c_0 + sum_r c_r exp(RATES[r] t))`` with the local
coordinate ``t = (x - e) / w`` from 0 to 1: exponentials of raw units would overflow.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial

import numpy as np

RATES = np.array([1.0, -1.0, 3.0, -3.0, 8.0, -8.0])
"""Of the exponentials, in units of an interval's width: nearly straight, bent and steep, both ways."""

N_BASIS = 1 + len(RATES)
"""The constant and the exponentials."""

SERIES_BELOW = 0.5
"""Below, the closed form loses digits and the power series of SERIES_TERMS terms is exact to rounding."""

SERIES_TERMS = 14
"""The closed forms of the integrals lose digits where the exponent is small; a series does not."""


def evaluate_basis(t: np.ndarray, rates: np.ndarray = RATES) -> np.ndarray:
    """The constant and the exponentials at local coordinates, along a new last axis.

    ``rates`` are the same for all coordinates, or of shape ``(*t.shape, n_rates)``.
    """
    exponents = rates * np.asarray(t, np.float64)[..., None]
    return np.concatenate([np.ones((*exponents.shape[:-1], 1)), np.exp(exponents)], axis=-1)


def integrate_basis(u: np.ndarray, power: int = 0, rates: np.ndarray = RATES) -> np.ndarray:
    """Integral from 0 to ``u`` of ``t^power`` times each function of the basis, along a new last axis.

    >>> integrate_basis(np.array(1.0))[:2].round(4)
    array([1.    , 1.7183])
    """
    u = np.asarray(u, np.float64)[..., None]
    exponentials = _integrate_exponential(rates, u, power)
    constant = np.broadcast_to(u ** (power + 1) / (power + 1), (*exponentials.shape[:-1], 1))
    return np.concatenate([constant, exponentials], axis=-1)


def _integrate_exponential(rate: np.ndarray, u: np.ndarray, power: int) -> np.ndarray:
    """Integral from 0 to u of ``t^power exp(rate t)`` for powers 0, 1 and 2."""
    z = rate * u
    if power == 0:  # expm1 keeps its digits
        return np.expm1(z) / rate
    small = np.abs(z) < SERIES_BELOW
    series = sum(
        np.where(small, z, 0.0) ** k / (factorial(k) * (k + power + 1)) for k in range(SERIES_TERMS)
    )
    inner = z - 1 if power == 1 else z * z - 2 * z + 2
    closed = (np.exp(z) * inner + (1 if power == 1 else -2)) / rate ** (power + 1)
    return np.where(small, u ** (power + 1) * series, closed)


def make_atoms() -> np.ndarray:
    """Non-negative functions of unit mass, as coefficients of the basis, of shape (n_atoms, n_basis).

    The constant; each exponential; each exponential upside down, which is concave; and domes. Whatever is added
    up from them with non-negative weights is a legal density.
    """
    rows = [np.eye(N_BASIS)[0]]
    for r, rate in enumerate(RATES):
        rising = np.zeros(N_BASIS)
        rising[1 + r] = 1.0
        concave = np.zeros(N_BASIS)
        concave[0] = np.exp(max(rate, 0.0))
        concave[1 + r] = -1.0
        rows += [rising, concave]
    for r in np.flatnonzero(RATES > 0).tolist():
        mirror = int(np.flatnonzero(RATES[r] == -RATES)[0])
        dome = np.zeros(N_BASIS)
        dome[0] = 1 + np.exp(RATES[r])
        dome[1 + r], dome[1 + mirror] = -1.0, -np.exp(RATES[r])
        rows.append(dome)
    atoms = np.array(rows)
    return atoms / (atoms @ integrate_basis(np.array(1.0)))[:, None]


ATOMS = make_atoms()


def solve_increasing(
    function: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    goal: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    tolerance: float = 1e-12,
) -> np.ndarray:
    """Where an increasing function reaches ``goal``, by Newton's steps kept between bounds that close in.

    ``function`` gives values and slopes. All arrays have one shape.
    """
    low = np.broadcast_to(low, goal.shape).copy()
    high = np.broadcast_to(high, goal.shape).copy()
    x = (low + high) / 2
    for _ in range(200):
        value, slope = function(x)
        below = value < goal
        low = np.where(below, x, low)
        high = np.where(below, high, x)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = x - (value - goal) / slope
        inside = (step >= low) & (step <= high)  # at the root the step stays there
        new = np.where(inside, step, (low + high) / 2)
        if (np.abs(new - x) <= tolerance * np.maximum(np.abs(new), 1.0)).all():
            return new
        x = new
    return x
