"""Laws of predictive distributions on a grid."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.integrate import trapezoid
from scipy.stats import norm

from bayfold.core.scoring import GridDistribution
from bayfold.core.scoring.distribution import pad_grid


@st.composite
def grid_distributions(draw: st.DrawFn) -> GridDistribution:
    shape = draw(st.integers(1, 3)), draw(st.integers(2, 9))
    mass = draw(arrays(np.float64, shape, elements=st.sampled_from([0.0, 1e-12, 0.3, 1.0, 5.0])))
    mass[:, draw(st.integers(0, shape[1] - 1))] += 1.0
    steps = draw(arrays(np.float64, shape[1], elements=st.sampled_from([0.02, 0.5, 1.0, 20.0])))
    grid = draw(st.floats(-50, 50)) + np.cumsum(steps)
    return GridDistribution(grid, mass / mass.sum(axis=1, keepdims=True))


def fine_points(distribution: GridDistribution, per_interval: int = 20) -> np.ndarray:
    ends = pad_grid(distribution.grid)
    # every point of the grid is among them, so that the trapezoid rule is exact up to rounding
    parts = [np.linspace(a, b, per_interval, endpoint=False) for a, b in pairwise(ends)]
    return np.append(np.concatenate(parts), ends[-1])


@given(grid_distributions())
def test_density_integrates_to_one(distribution: GridDistribution) -> None:
    points = fine_points(distribution)
    np.testing.assert_allclose(trapezoid(distribution.pdf(points), points), 1.0, rtol=1e-9)


@given(grid_distributions())
def test_cdf_is_the_integral_of_the_density(distribution: GridDistribution) -> None:
    points = fine_points(distribution)
    density = distribution.pdf(points)
    pieces = (density[:, 1:] + density[:, :-1]) / 2 * np.diff(points)
    np.testing.assert_allclose(
        distribution.cdf(points)[:, 1:], np.cumsum(pieces, axis=1), atol=1e-9
    )


@given(grid_distributions())
def test_moments_are_those_of_the_density(distribution: GridDistribution) -> None:
    points = fine_points(distribution, 400)
    density = distribution.pdf(points)
    mean = trapezoid(density * points, points)
    var = trapezoid(density * (points - mean[:, None]) ** 2, points)
    scale = np.ptp(pad_grid(distribution.grid))
    np.testing.assert_allclose(distribution.mean(), mean, atol=1e-5 * scale + 1e-9)
    np.testing.assert_allclose(distribution.var(), var, atol=1e-4 * scale**2 + 1e-9)
    np.testing.assert_allclose(distribution.std() ** 2, distribution.var())


@given(grid_distributions(), st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_quantiles_invert_the_cdf(distribution: GridDistribution, q: list[float]) -> None:
    quantiles = distribution.ppf(q)
    np.testing.assert_allclose(
        distribution.cdf(quantiles), np.broadcast_to(q, quantiles.shape), atol=1e-7
    )
    assert (np.diff(distribution.ppf(np.sort(q)), axis=1) >= -1e-12).all()


def test_shapes_of_answers() -> None:
    distribution = GridDistribution(np.arange(2.0), np.array([[0.5, 0.5], [0.1, 0.9]]))
    assert distribution.pdf(0.5).shape == (2,)
    assert distribution.pdf([0.5]).shape == (2, 1)
    assert distribution.cdf(np.zeros((2, 3))).shape == (2, 3)
    assert distribution.interval(0.8).shape == (2, 2)
    assert distribution.sample(5, random_state=0).shape == (2, 5)
    np.testing.assert_array_equal(distribution.median(), distribution.ppf(0.5))


def test_log_score_is_the_log_density_at_each_rows_truth() -> None:
    distribution = GridDistribution(np.arange(2.0), np.array([[0.5, 0.5], [0.1, 0.9]]))
    truth = np.array([0.3, 0.8])
    np.testing.assert_allclose(
        distribution.log_score(truth), np.log(distribution.pdf(truth[:, None])[:, 0]), atol=1e-4
    )
    # a truth that the grid has for impossible costs much, but not infinitely
    assert -30 < distribution.log_score([0.3, 99.0])[1] < -15


def test_samples_follow_the_distribution() -> None:
    distribution = GridDistribution(
        np.array([-3.0, -2.5, -1.5, 0.0]), np.array([[0.2, 0.0, 0.5, 0.3]])
    )
    draws = distribution.sample(20_000, random_state=np.random.RandomState(3))
    assert abs(draws.mean() - distribution.mean()[0]) < 0.02
    assert abs(draws.var() - distribution.var()[0]) < 0.02


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda d: d.ppf(1.5), r"`q` must be probabilities from 0 to 1. Got 1.5."),
        (lambda d: d.pdf(np.zeros((3, 1))), r"`y` must be a number, a list of numbers, or of shape \(2, k\)"),
        (lambda d: d.interval(1.0), "`coverage` must be a number above 0 and below 1. Got 1.0."),
        (lambda d: d.log_score([1.0]), r"`y` must be of shape \(2,\), one per row. Got \(1,\)."),
        (lambda d: d.sample(0), "`n_draws` must be a whole number from 1. Got 0."),
    ],
)  # fmt: skip
def test_refusals(ask: object, message: str) -> None:
    distribution = GridDistribution(np.arange(2.0), np.array([[0.5, 0.5], [0.1, 0.9]]))
    with pytest.raises(ValueError, match=message):
        ask(distribution)  # type: ignore[operator]


def test_crps_of_a_normal_distribution_is_the_known_one() -> None:
    grid = np.linspace(-8.0, 8.0, 2001)
    mass = np.tile(norm.pdf(grid), (3, 1))
    found = GridDistribution(grid, mass / mass.sum(axis=1, keepdims=True))
    y = np.array([-2.0, 0.0, 0.7])
    exact = y * (2 * norm.cdf(y) - 1) + 2 * norm.pdf(y) - 1 / np.sqrt(np.pi)
    np.testing.assert_allclose(found.crps(y), exact, rtol=2e-3)


def test_crps_asks_for_one_truth_per_row() -> None:
    found = GridDistribution(np.arange(3.0), np.full((2, 3), 1 / 3))
    with pytest.raises(ValueError, match="y"):
        found.crps([1.0])
