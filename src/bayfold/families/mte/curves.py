"""Fitting mixtures of truncated exponentials to counts of fine bins, for many groups at once.

The groups of a column (pieces of the target's domain, say) share the intervals of the column, so one evaluation of
seven functions serves all of them. Coordinates here run from 0 to 1 over the column's domain.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from bayfold.core.stored import Stored
from bayfold.families.mte import kernels
from bayfold.families.mte.exponentials import ATOMS, evaluate_basis

DOMAIN_MARGIN = 0.05
"""The domain goes on beyond the training range by this share of it."""

N_GRID = 100
"""Places between which the density is searched for extremes and changes of curvature."""

N_FREQUENCIES = 200
"""Cosines that represent a kernel as narrow as LEAST_WIDTH to 1e-8: exp(-(pi 200 0.01)^2 / 2)."""

LEAST_WIDTH = 0.01
"""The narrowest kernel, in units of the domain: cosines of higher frequencies than these do not show it."""

CUTOFF = 6.5
"""Frequencies damped by more than exp(-CUTOFF^2 / 2) are left out."""

WIDTH_CONSTANT = 1.059
"""Scott's rule for a Gaussian kernel."""

LOCAL_POINTS = 17
"""Points of an interval at which a mixture is fitted to the kernel density: over twice its seven coefficients."""

UNIFORM_SHARE = 1e-3
"""Share of a uniform density in every density: no value of the domain rules a group out."""

FEWEST_OWN_ROWS = 4.0
"""A group with fewer rows borrows from all groups."""

SHRINK_ROWS = 2.0
"""How many rows it borrows."""

ML_STEPS = 60
"""A bound on the steps that raise the likelihood."""


@dataclass(frozen=True, eq=False)
class Mixtures:
    """Densities of several groups over the intervals they share.

    Attributes
    ----------
    cuts : ndarray of shape (n_intervals + 1,)
        From 0 to 1.
    coefficients : ndarray of shape (n_intervals, n_basis, n_groups)
        Of the basis at the local coordinate, for the density times the width of the interval.
    """

    cuts: np.ndarray
    coefficients: np.ndarray

    def density(self, z: np.ndarray) -> np.ndarray:
        """Densities at coordinates within the domain, of shape (len(z), n_groups)."""
        m, t = self.locate(z)
        basis = evaluate_basis(t) / np.diff(self.cuts)[m][:, None]
        return np.maximum(np.einsum("nb,nbg->ng", basis, self.coefficients[m]), 0.0)

    def locate(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The interval of each coordinate and where in it the coordinate lies."""
        z = np.clip(z, 0.0, 1.0)
        m = np.clip(np.searchsorted(self.cuts, z, side="right") - 1, 0, len(self.cuts) - 2)
        return m, (z - self.cuts[m]) / np.diff(self.cuts)[m]


class Curves(Stored):
    """Kernel densities of counts, reflected at both ends of the domain: products of cosines.

    Parameters
    ----------
    z : ndarray of shape (n_bins,)
        Where the bins lie, from 0 to 1.
    """

    def __init__(self, z: np.ndarray) -> None:
        self.z = z

    @cached_property
    def _cosines(self) -> np.ndarray:
        return np.cos(np.pi * np.arange(N_FREQUENCIES) * self.z[:, None])

    def smooth(self, counts: np.ndarray, factor: float) -> np.ndarray:
        """Cosine coefficients of the density of each group, of shape (n_frequencies, n_groups)."""
        n = counts.sum(axis=0)
        share = counts / np.where(n > 0, n, 1.0)
        mean = self.z @ share
        spread = np.sqrt(np.maximum((self.z**2) @ share - mean**2, 0.0))
        width = WIDTH_CONSTANT * spread * np.maximum(n, 1.0) ** -0.2 * factor
        width = np.maximum(width, LEAST_WIDTH)
        n_needed = min(N_FREQUENCIES, int(np.ceil(CUTOFF / (np.pi * width.min()))) + 1)
        frequency = np.pi * np.arange(n_needed)[:, None]
        damped = np.exp(-0.5 * (frequency * width) ** 2)
        coefficients = 2 * (self._cosines[:, :n_needed].T @ share) * damped
        coefficients[0] = 1.0  # of a group without rows too: it is uniform
        return coefficients


def evaluate_curves(coefficients: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Densities at coordinates, of shape (len(z), n_groups)."""
    cosines = np.cos(np.pi * np.arange(len(coefficients)) * z[:, None])
    return np.maximum(cosines @ coefficients, 0.0)


def fit_mixtures(
    curves: Curves,
    counts: np.ndarray,
    *,
    max_intervals: int = 6,
    bandwidth_factor: float = 1.0,
    method: str = "ls",
) -> Mixtures:
    """Fit a density to the counts of each group.

    Parameters
    ----------
    curves : Curves
        Of the bins' places.
    counts : ndarray of shape (n_bins, n_groups)
    max_intervals : int
    bandwidth_factor : float
        Of the kernels whose density is fitted.
    method : {"ls", "ml"}
        Least squares to the kernel density, or maximum likelihood of the counts.
    """
    coefficients = curves.smooth(counts, bandwidth_factor)
    cuts = find_cuts(coefficients, counts.sum(axis=0), max_intervals)
    weights = fit_least_squares(coefficients, cuts)
    if method == "ml":
        weights = maximise_likelihood(curves.z, counts, cuts, weights)
    mass = weights.sum(axis=(0, 1))
    weights = weights / np.where(mass > 0, mass, 1.0) * (1 - UNIFORM_SHARE)
    weights[:, 0] += np.diff(cuts)[:, None] * np.where(mass > 0, UNIFORM_SHARE, 1.0)
    return Mixtures(cuts, np.einsum("ab,mag->mbg", ATOMS, weights))


def fit_own_mixtures(
    curves: Curves,
    counts: np.ndarray,
    *,
    max_intervals: int = 6,
    bandwidth_factor: float = 1.0,
    method: str = "ls",
) -> list[Mixtures]:
    """Fit a density to the counts of each group, over intervals of the group's own."""
    return [
        fit_mixtures(
            curves,
            counts[:, g : g + 1],
            max_intervals=max_intervals,
            bandwidth_factor=bandwidth_factor,
            method=method,
        )
        for g in range(counts.shape[1])
    ]


def share_with_few(counts: np.ndarray) -> np.ndarray:
    """Counts by bin and group in which groups with hardly any rows have some of all groups' rows too."""
    n = counts.sum(axis=-2, keepdims=True)
    total = counts.sum(axis=-1, keepdims=True)
    few = (n < FEWEST_OWN_ROWS) & (n.sum(axis=-1, keepdims=True) > 0) & (counts.shape[-1] > 1)
    if not few.any():
        return counts
    share = total / np.maximum(total.sum(axis=-2, keepdims=True), 1e-300)
    return counts + np.where(few, SHRINK_ROWS, 0.0) * share


def find_cuts(coefficients: np.ndarray, weights: np.ndarray, max_intervals: int) -> np.ndarray:
    """Where the intervals begin and end.

    Candidates are the grid points at which any group's density changes between rising and falling or between convex
    and concave. Those nearest to the chord of their neighbours, over all groups, go until few enough are left.
    """
    grid, cosines = _grid_cosines()
    density = np.maximum(cosines[:, : len(coefficients)] @ coefficients, 0.0)
    points = np.concatenate([[0], np.flatnonzero(_find_changes(density)), [N_GRID - 1]])
    total = weights.sum()
    scaled = density * (weights / total if total > 0 else np.ones_like(weights))
    return grid[points[kernels.thin_points(scaled, points, max_intervals + 1)]]


@cache
def _grid_cosines() -> tuple[np.ndarray, np.ndarray]:
    grid = np.linspace(0.0, 1.0, N_GRID)
    return grid, np.cos(np.pi * np.arange(N_FREQUENCIES) * grid[:, None])


def _find_changes(density: np.ndarray) -> np.ndarray:
    changes = np.zeros(len(density), bool)
    for order in (1, 2):
        slope = np.diff(density, order, axis=0)
        size = np.abs(slope)
        sign = np.where(size > 1e-6 * np.maximum(size.max(axis=0), 1e-300), np.sign(slope), 0.0)
        turns = np.any(sign[1:] * sign[:-1] < 0, axis=1)
        changes[1 : len(sign)] |= turns
    changes[[0, -1]] = False
    return changes


@cache
def _local_design() -> tuple[np.ndarray, np.ndarray]:
    """Local points, and the values of the atoms there: the same for every interval of every column."""
    t = np.linspace(0.0, 1.0, LOCAL_POINTS)
    return t, evaluate_basis(t) @ ATOMS.T


def fit_least_squares(coefficients: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """Weights of the atoms, of shape (n_intervals, n_atoms, n_groups), nearest to the kernel densities."""
    t, design = _local_design()
    width = np.diff(cuts)
    points = cuts[:-1, None] + width[:, None] * t
    goal = evaluate_curves(coefficients, points.ravel()).reshape(len(width), len(t), -1)
    rights = np.ascontiguousarray(np.moveaxis(goal, 1, 2).reshape(-1, len(t)) @ design)
    weights = np.empty(rights.shape)
    kernels.solve_nonnegative(design.T @ design, rights, weights)
    by_interval = np.moveaxis(weights.reshape(len(width), -1, design.shape[1]), 2, 1)
    return by_interval * width[:, None, None]


def maximise_likelihood(
    z: np.ndarray, counts: np.ndarray, cuts: np.ndarray, start: np.ndarray
) -> np.ndarray:
    """Weights of the atoms by EM from the least squares fit and all atoms alike."""
    m_of = np.clip(np.searchsorted(cuts, z, side="right") - 1, 0, len(cuts) - 2)
    t = (z - cuts[m_of]) / np.diff(cuts)[m_of]
    values = evaluate_basis(t) @ ATOMS.T
    n = np.maximum(counts.sum(axis=0), 1e-300)
    weights = np.zeros_like(start)
    for m in range(len(cuts) - 1):
        inside = m_of == m
        share = counts[inside] / n
        atoms = np.maximum(values[inside], 0.0)
        own = start[m] / np.maximum(start[m].sum(axis=0), 1e-300)
        w = (own + 1 / len(own)) / 2 * share.sum(axis=0)
        for _ in range(ML_STEPS):
            w = w * (atoms.T @ (share / np.maximum(atoms @ w, 1e-300)))
        weights[m] = w
    return weights
