"""A numeric target cut into pieces, each with one truncated exponential."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bayfold.core.scoring.distribution import Distribution
from bayfold.families.mte.exponentials import solve_increasing

MOST_RATE = 1e9
"""Where all rows of a piece lie at its end, the density there is a spike this steep and not steeper."""

STEEPEST = 700.0
"""Exponents beyond this overflow; what they would add is nothing."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """Pieces of the target's domain: what groups of a model are, in one part each or in several.

    A part is an interval with a truncated exponential, or an atom, a value with a probability: its bounds are equal.

    Attributes
    ----------
    edges : ndarray of shape (n_parts + 1,)
        Increasing but for atoms.
    rates : ndarray of shape (n_parts,)
        Within part k the density rises like ``exp(rates[k] t)`` with t from 0 to 1.
    piece_of : ndarray of int of shape (n_parts,), optional
        Increasing: the piece of each part. By default each is a piece.
    shares : ndarray of shape (n_parts,), optional
        Probability of each part within its piece.
    """

    edges: np.ndarray
    rates: np.ndarray
    piece_of: np.ndarray | None = None
    shares: np.ndarray | None = None

    @classmethod
    def with_means(
        cls,
        edges: np.ndarray,
        means: np.ndarray,
        piece_of: np.ndarray | None = None,
        shares: np.ndarray | None = None,
    ) -> Pieces:
        """Pieces whose parts have the given means."""
        widths = np.diff(edges)
        share = (means - edges[:-1]) / np.where(widths > 0, widths, 1.0)
        rates = find_rates(np.where(widths > 0, share, 0.5))
        return cls(edges, rates, piece_of, shares)

    @property
    def n_pieces(self) -> int:
        """How many pieces there are."""
        return len(self.rates) if self.piece_of is None else int(self.piece_of[-1]) + 1

    @cached_property
    def widths(self) -> np.ndarray:
        """Widths of the parts; one for atoms, within which nothing is asked."""
        widths = np.diff(self.edges)
        return np.where(widths > 0, widths, 1.0)

    @cached_property
    def is_atom(self) -> np.ndarray:
        """Which parts are atoms."""
        return np.diff(self.edges) == 0

    @property
    def bounds(self) -> np.ndarray:
        """Where the pieces begin and end; equal for a piece that is one value."""
        if self.piece_of is None:
            return self.edges
        first = np.searchsorted(self.piece_of, np.arange(self.n_pieces))
        return np.append(self.edges[first], self.edges[-1])

    def means(self) -> np.ndarray:
        """Mean of the target within each piece."""
        return self._add_parts(self._part_means())

    def variances(self) -> np.ndarray:
        """Variance of the target within each piece."""
        variances = np.where(self.is_atom, 0.0, self.widths**2 * _variance_share(self.rates))
        if self.piece_of is None:
            return variances
        off = self._part_means() - self.means()[self.piece_of]
        return self._add_parts(variances + off**2)

    def _part_means(self) -> np.ndarray:
        within = np.where(self.is_atom, 0.0, self.widths * mean_share(self.rates))
        return self.edges[:-1] + within

    def _add_parts(self, numbers: np.ndarray) -> np.ndarray:
        """Means over the parts of each piece."""
        if self.piece_of is None:
            return numbers
        return np.bincount(self.piece_of, self.shares * numbers)

    def deal(self, mass: np.ndarray) -> np.ndarray:
        """Probabilities of pieces as probabilities of parts."""
        return mass if self.piece_of is None else mass[:, self.piece_of] * self.shares

    def find_part(self, y: np.ndarray) -> np.ndarray:
        """The part of each target, of an atom's value the atom; beyond the ends, the outermost."""
        last = len(self.rates) - 1
        k = np.clip(np.searchsorted(self.edges, y, side="right") - 1, 0, last)
        before = np.maximum(k - 1, 0)
        return np.where(self.is_atom[before] & (self.edges[before] == y), before, k)

    def find_piece(self, y: np.ndarray) -> np.ndarray:
        """The piece of each target; beyond the ends, the outermost."""
        return self.find_part(y) if self.piece_of is None else self.piece_of[self.find_part(y)]

    def density(self, y: np.ndarray, k: np.ndarray) -> np.ndarray:
        """Density of targets within their parts, of an atom 1; 0 beyond the ends."""
        t = (y - self.edges[k]) / self.widths[k]
        atom = self.is_atom[k]
        inside = np.where(atom, t == 0, (t >= 0) & (t <= 1))
        within = _pdf_share(self.rates[k], np.clip(t, 0.0, 1.0)) / self.widths[k]
        return np.where(inside, np.where(atom, 1.0, within), 0.0)

    def log_density(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The piece of each target, and the log-density within the piece; minus infinity beyond the ends."""
        k = self.find_part(y)
        share = 1.0 if self.shares is None else self.shares[k]
        with np.errstate(divide="ignore"):
            value = np.log(share * self.density(y, k))
        return k if self.piece_of is None else self.piece_of[k], value


class PieceDistribution(Distribution):
    """Distributions with a probability for each piece, and the same density within a piece for all rows.

    Parameters
    ----------
    pieces : Pieces
    mass : ndarray of shape (n_rows, n_pieces)
        Rows add up to one.

    Examples
    --------
    >>> pieces = Pieces(np.array([0.0, 1.0, 3.0]), np.zeros(2))
    >>> distribution = PieceDistribution(pieces, np.array([[0.5, 0.5]]))
    >>> distribution.mean(), distribution.ppf(0.75), distribution.cdf([0.5, 2.0])
    (array([1.25]), array([2.]), array([[0.25, 0.75]]))
    """

    def __init__(self, pieces: Pieces, mass: np.ndarray) -> None:
        self.pieces = pieces
        self.mass = mass
        self._parts = pieces.deal(mass)
        self._cumulated = np.pad(np.cumsum(self._parts, axis=1), ((0, 0), (1, 0)))

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.mass)

    def mean(self) -> np.ndarray:
        """Mean of each row."""
        return self.mass @ self.pieces.means()

    def var(self) -> np.ndarray:
        """Variance of each row."""
        between = self.pieces.means() - self.mean()[:, None]
        return (self.mass * (between**2 + self.pieces.variances())).sum(axis=1)

    def _pdf(self, y: np.ndarray) -> np.ndarray:
        k = self.pieces.find_part(y)
        return np.take_along_axis(self._parts, k, axis=1) * self.pieces.density(y, k)

    def _cdf(self, y: np.ndarray) -> np.ndarray:
        pieces = self.pieces
        k = pieces.find_part(y)
        t = np.clip((y - pieces.edges[k]) / pieces.widths[k], 0.0, 1.0)
        within = np.where(pieces.is_atom[k], y >= pieces.edges[k], _cdf_share(pieces.rates[k], t))
        below = np.take_along_axis(self._cumulated, k, axis=1)
        return np.clip(below + np.take_along_axis(self._parts, k, axis=1) * within, 0.0, 1.0)

    def _ppf(self, q: np.ndarray) -> np.ndarray:
        # the piece: how many cumulated masses lie below q, for all rows at once
        k = (self._cumulated[:, None, 1:-1] < q[:, :, None]).sum(axis=2)
        mass = np.take_along_axis(self._parts, k, axis=1)
        wanted = q - np.take_along_axis(self._cumulated, k, axis=1)
        share = np.clip(wanted / np.where(mass > 0, mass, 1.0), 0.0, 1.0)
        t = _ppf_share(self.pieces.rates[k], share)
        return self.pieces.edges[k] + np.where(
            self.pieces.is_atom[k], 0.0, self.pieces.widths[k] * t
        )


def find_rates(share: np.ndarray) -> np.ndarray:
    """The rate at which a truncated exponential on 0 to 1 has each mean."""
    goal = np.clip(np.asarray(share, np.float64), 2 / MOST_RATE, 1 - 2 / MOST_RATE)
    mirrored = np.minimum(goal, 1 - goal)  # the rate of 1 - mean is minus that of the mean
    steep = mirrored < 0.01  # then exp(rate) is nothing, and the mean is -1 / rate

    def centred(rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return mean_share(rate), _variance_share(rate)

    flat = np.where(steep, 0.5, mirrored)
    rate = solve_increasing(centred, flat, np.full(flat.shape, -200.0), np.zeros(flat.shape))
    rate = np.where(steep, -1 / mirrored, np.where(flat == 0.5, 0.0, rate))
    return np.where(goal > 0.5, -rate, rate)


def mean_share(rate: np.ndarray) -> np.ndarray:
    """Mean on 0 to 1 of a density that rises like ``exp(rate t)``."""
    s = -np.abs(rate)
    small = np.abs(s) < 1e-3
    safe = np.where(small, -1.0, s)
    series = np.where(small, s, 0.0)
    falling = np.where(
        small,
        0.5 + series / 12 - series**3 / 720,
        -1 / np.expm1(np.minimum(-safe, STEEPEST)) - 1 / safe,
    )
    return np.where(rate > 0, 1 - falling, falling)


def _variance_share(rate: np.ndarray) -> np.ndarray:
    s = np.abs(rate)
    small = s < 0.05
    safe = np.where(small, 1.0, np.minimum(s, STEEPEST))
    within = np.where(small, 1.0, s) ** -2.0 - 1 / (4 * np.sinh(safe / 2) ** 2)
    series = np.where(small, s, 0.0)
    return np.where(small, 1 / 12 - series**2 / 240 + series**4 / 6048, within)


def _pdf_share(rate: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Density on 0 to 1."""
    s = -np.abs(rate)
    t = np.where(rate > 0, 1 - t, t)
    flat = np.abs(s) < 1e-9
    safe = np.where(flat, -1.0, s)
    return np.where(flat, 1.0, safe * np.exp(np.clip(safe * t, -745.0, 0.0)) / np.expm1(safe))


def _cdf_share(rate: np.ndarray, t: np.ndarray) -> np.ndarray:
    s = -np.abs(rate)
    falling = np.where(rate > 0, 1 - t, t)
    flat = np.abs(s) < 1e-9
    safe = np.where(flat, -1.0, s)
    value = np.where(flat, falling, np.expm1(safe * falling) / np.expm1(safe))
    return np.where(rate > 0, 1 - value, value)


def _ppf_share(rate: np.ndarray, q: np.ndarray) -> np.ndarray:
    s = -np.abs(rate)
    falling = np.where(rate > 0, 1 - q, q)
    flat = np.abs(s) < 1e-9
    safe = np.where(flat, -1.0, s)
    inner = falling * np.expm1(safe)
    with np.errstate(divide="ignore"):
        value = np.where(flat, falling, np.log1p(np.maximum(inner, -1.0)) / safe)
    value = np.clip(value, 0.0, 1.0)
    return np.where(rate > 0, 1 - value, value)
