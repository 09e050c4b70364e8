"""A spiral with noise: two numbers that are independent given the target, so that naive Bayes is the true model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import trapezoid

from bayfold import errors

PLACES = 2001
"""Places of the target at which the truth is computed."""


@dataclass(frozen=True, eq=False, repr=False)
class Spiral:
    """Rows of a noisy spiral, their target, and the truth behind both.

    Attributes
    ----------
    data : ndarray of shape (n_rows, 2)
        ``y sin(y)`` and ``y cos(y)``, each with normal noise.
    target : ndarray of shape (n_rows,)
        Uniform from 0 to ``top``.
    top, noise : float
    """

    data: np.ndarray
    target: np.ndarray
    top: float
    noise: float

    def true_density(self, data: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Places of the target, and the density that the rows truly have there.

        Parameters
        ----------
        data : ndarray of shape (n_rows, 2), optional
            Other rows; those of this table if left out.

        Returns
        -------
        places : ndarray of shape (n_places,)
        density : ndarray of shape (n_rows, n_places)
        """
        rows = self.data if data is None else np.asarray(data, np.float64)
        places = np.linspace(0.0, self.top, PLACES)
        distance = (rows[:, :1] - places * np.sin(places)) ** 2
        distance = (distance + (rows[:, 1:] - places * np.cos(places)) ** 2) / self.noise**2
        likelihood = np.exp(-0.5 * (distance - distance.min(axis=1, keepdims=True)))
        return places, likelihood / trapezoid(likelihood, places)[:, None]

    def true_mean(self, data: np.ndarray | None = None) -> np.ndarray:
        """The mean of the target given each row: no prediction has a smaller squared error."""
        rows = self.data if data is None else np.asarray(data, np.float64)
        parts = np.array_split(rows, max(len(rows) // 1000, 1))
        return np.concatenate([_means(*self.true_density(part)) for part in parts])

    def __repr__(self) -> str:
        return (
            f"Spiral({len(self.target)} rows, target from 0 to {self.top:g}, noise {self.noise:g})"
        )


def _means(places: np.ndarray, density: np.ndarray) -> np.ndarray:
    return density @ places / density.sum(axis=1)


def make_spiral(
    n_rows: int = 1000,
    *,
    top: float = 10.0,
    noise: float = 1.0,
    random_state: int | np.random.Generator | None = 0,
) -> Spiral:
    """Draw a noisy spiral.

    Parameters
    ----------
    n_rows : int, default=1000
    top : float, default=10.0
        The target is uniform from 0 to this; the spiral has ``top / 2 pi`` turns.
    noise : float, default=1.0
        Standard deviation of the noise on both coordinates.
    random_state : int, numpy.random.Generator or None, default=0
        The same number gives the same rows; None gives new ones each time.

    Returns
    -------
    Spiral

    References
    ----------
    .. [1] E. Frank, L. Trigg, G. Holmes, I. H. Witten (2000). Technical note: naive Bayes for regression. Machine
       Learning 41, 5-25, Section 3.5. https://doi.org/10.1023/A:1007670802811

    Examples
    --------
    >>> from bayfold.datasets import make_spiral
    >>> make_spiral(200)
    Spiral(200 rows, target from 0 to 10, noise 1)
    """
    errors.check_whole("n_rows", n_rows, 1)
    errors.check_number("top", top, above=True)
    errors.check_number("noise", noise, above=True)
    rng = np.random.default_rng(random_state)
    target = rng.uniform(0.0, top, n_rows)
    spiral = np.column_stack([target * np.sin(target), target * np.cos(target)])
    return Spiral(spiral + noise * rng.normal(size=spiral.shape), target, top, noise)
