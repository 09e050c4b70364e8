"""Truncated exponentials on pieces: means as asked for, quantiles that invert, nothing lost at the steep end."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from bayfold.families.mte.distribution import PieceDistribution, Pieces, find_rates, mean_share

seeds = st.integers(0, 2**32 - 1)
shares = st.floats(1e-6, 1 - 1e-6)


@given(shares)
def test_the_rate_gives_the_mean(share):
    rate = find_rates(np.array([share]))
    assert mean_share(rate)[0] == pytest.approx(share, rel=1e-9, abs=1e-12)


@given(st.floats(0.05, 0.95))
def test_mean_and_variance_match_quadrature(share):
    pieces = Pieces(np.array([2.0, 5.0]), find_rates(np.array([share])))
    distribution = PieceDistribution(pieces, np.ones((1, 1)))

    def moment(power):
        return quad(lambda y: y**power * distribution.pdf(y)[0], 2, 5, epsrel=1e-12)[0]

    assert moment(0) == pytest.approx(1.0, rel=1e-10)
    assert moment(1) == pytest.approx(distribution.mean()[0], rel=1e-10)
    assert moment(2) - moment(1) ** 2 == pytest.approx(distribution.var()[0], rel=1e-7)


@given(seeds, st.integers(1, 6))
def test_quantiles_invert_the_distribution(seed, n_pieces):
    rng = np.random.default_rng(seed)
    edges = np.cumsum(rng.uniform(0.1, 3, n_pieces + 1))
    pieces = Pieces(edges, rng.choice([-50.0, -1.0, 0.0, 1e-12, 2.0, 300.0], n_pieces))
    mass = rng.dirichlet(np.ones(n_pieces), 4)
    distribution = PieceDistribution(pieces, mass)
    q = np.sort(rng.random(7))
    y = distribution.ppf(q)
    np.testing.assert_allclose(distribution.cdf(y), np.tile(q, (4, 1)), atol=1e-9)
    assert (np.diff(y, axis=1) >= 0).all()
    ends = distribution.cdf([edges[0] - 1, edges[-1] + 1])
    np.testing.assert_allclose(ends, np.tile([0.0, 1.0], (4, 1)), atol=1e-12)
    assert (distribution.pdf([edges[0] - 1, edges[-1] + 1]) == 0).all()


def test_rows_at_the_end_of_a_piece_are_a_spike_there():
    pieces = Pieces.with_means(np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0]))
    np.testing.assert_allclose(pieces.means(), [0.0, 1.0], atol=1e-8)
    assert np.isfinite(pieces.variances()).all()
    distribution = PieceDistribution(pieces, np.array([[0.25, 0.75]]))
    assert distribution.mean()[0] == pytest.approx(0.75)
    assert np.isfinite(distribution.ppf([0.0, 0.1, 0.5, 1.0])).all()


def test_log_density_is_that_of_the_piece():
    pieces = Pieces(np.array([0.0, 1.0, 3.0]), np.array([0.0, 1.0]))
    piece, within = pieces.log_density(np.array([0.5, 2.0, 4.0]))
    assert piece.tolist() == [0, 1, 1]
    whole = PieceDistribution(pieces, np.array([[0.5, 0.5]]))
    np.testing.assert_allclose(np.exp(within[:2]) / 2, whole.pdf([0.5, 2.0])[0])
    assert within[2] == -np.inf


def test_parts_of_pieces_are_atoms_and_intervals():
    """An atom at 0 in the first piece, an interval beyond it; the second piece is one value."""
    edges = np.array([0.0, 0.0, 2.0, 3.0, 3.0])
    pieces = Pieces(edges, np.zeros(4), np.array([0, 0, 0, 1]), np.array([0.5, 0.5, 0.0, 1.0]))
    np.testing.assert_allclose(pieces.means(), [0.5, 3.0])
    np.testing.assert_allclose(pieces.variances(), [0.5 * 4 / 3 - 0.25, 0.0])
    np.testing.assert_allclose(pieces.bounds, [0.0, 3.0, 3.0])
    found = PieceDistribution(pieces, np.array([[0.8, 0.2]]))
    points = [-0.1, 0.0, 1.0, 2.5, 2.9, 3.0, 4.0]
    np.testing.assert_allclose(found.cdf(points), [[0.0, 0.4, 0.6, 0.8, 0.8, 1.0, 1.0]])
    np.testing.assert_allclose(found.pdf([-1.0, 0.0, 1.0, 2.5, 3.0]), [[0.0, 0.4, 0.2, 0.0, 0.2]])
    np.testing.assert_allclose(found.ppf([0.0, 0.3, 0.6, 0.81, 1.0]), [[0.0, 0.0, 1.0, 3.0, 3.0]])
    piece, log_density = pieces.log_density(np.array([0.0, 1.0, 3.0]))
    np.testing.assert_array_equal(piece, [0, 0, 1])
    np.testing.assert_allclose(np.exp(log_density), [0.5, 0.25, 1.0])
