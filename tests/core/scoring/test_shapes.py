"""The shape of errors of which bounds are known."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core.scoring.shapes import (
    SHAPE_CELLS,
    SHAPE_STEPS,
    deal_between,
    find_shape,
    find_shape_between,
)

seeds = st.integers(0, 2**32 - 1)


def share_out(edges, low, high):
    """The share of each cell between each row's bounds, written out."""
    reach = np.minimum(high[:, None], edges[1:]) - np.maximum(low[:, None], edges[:-1])
    return np.maximum(reach, 0) / np.diff(edges)


def deal_densely(low, high, weights):
    """Expectation maximisation from two beginnings, the likelier of which is kept."""
    middle, half = (low + high) / 2, 0.05 * (high - low) / 2
    near, far = middle - half, middle + half
    bounds = np.unique(np.concatenate([low, near, far, high]))
    edges = np.unique(np.quantile(bounds, np.linspace(0, 1, SHAPE_CELLS + 1)))
    inside, width = share_out(edges, low, high), np.diff(edges)
    even = (weights / (high - low)) @ (inside * width)
    narrow = (weights / (far - near)) @ (share_out(edges, near, far) * width)
    best = -np.inf, even
    for mass in (0.1 * even + 0.9 * narrow, even):
        for _ in range(SHAPE_STEPS):
            mass = mass * ((weights / (inside @ mass)) @ inside)
        likely = weights @ np.log(inside @ mass)
        if likely > best[0] + 1e-6:
            best = likely, mass
    return edges, best[1]


@given(seeds)
def test_mass_is_dealt_as_the_dense_algorithm_deals_it(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 60))
    low = rng.normal(size=n).round(2)
    high, weights = low + rng.uniform(0.1, 2, n).round(2), rng.integers(1, 4, n).astype(float)
    edges, mass = deal_densely(low, high, weights)
    found_edges, found = deal_between(low, high, weights)
    np.testing.assert_array_equal(found_edges, edges)
    np.testing.assert_allclose(found, mass, atol=1e-9 * weights.sum())


def test_narrow_bounds_are_as_good_as_errors():
    errors = np.random.default_rng(0).normal(size=400)
    known = find_shape(errors, np.ones(400))
    bounded = find_shape_between(errors - 1e-3, errors + 1e-3, np.ones(400))
    levels = np.linspace(0.05, 0.95, 46)
    np.testing.assert_allclose(bounded.ppf(levels), known.ppf(levels), atol=0.02)


def test_without_noise_nothing_is_left_to_chance():
    low = np.full(500, -0.5) + np.random.default_rng(0).normal(0, 1e-3, 500)
    shape = find_shape_between(low, low + 1, np.ones(500))
    assert shape.sf(np.array([0.45]))[0] < 0.02


def test_two_values_have_the_probability_that_rows_like_them_had():
    # errors taken as points at 0 - p and 1 - p have one distribution for rows of all probabilities: .05 becomes .11
    rng = np.random.default_rng(1)
    p = rng.beta(0.5, 0.5, 20_000)
    y = rng.random(20_000) < p
    low, high = np.where(y, 0.5, -0.5) - p, np.where(y, 1.5, 0.5) - p
    shape = find_shape_between(low, high, np.ones(len(p)))
    for level in (0.05, 0.2, 0.5, 0.8, 0.95):
        assert abs(shape.sf(np.array([0.5 - level]))[0] - level) < 0.03
