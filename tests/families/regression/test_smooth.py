"""Kernel sums and leave-one-out scores against their twins."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bayfold.families.regression import kernels
from tests import reference

seeds = st.integers(0, 2**32 - 1)


def draw_points(rng, n):
    x, y = rng.random(n).round(2), rng.random(n).round(2)
    return x, y, rng.integers(1, 4, n).astype(np.float64)


@given(seeds, st.integers(0, 20), st.integers(1, 8), st.integers(1, 6))
def test_smoothing_matches_the_twin(seed, n, n_nodes, n_grid):
    rng = np.random.default_rng(seed)
    x, y, weights = draw_points(rng, n)
    at_x, at_y = rng.random(n_nodes), rng.random(n_grid)
    left_out = rng.integers(-1, max(n, 1), n_nodes)
    widths = rng.uniform(0.02, 0.5, 2)
    shift = rng.uniform(0, 3, n_grid)
    sums = np.zeros((n_grid, n_nodes))
    kernels.smooth_points(x, y, weights, at_x, at_y, left_out, *widths, shift, sums)
    expected = reference.smooth_points(x, y, weights, at_x, at_y, left_out, *widths, shift)
    np.testing.assert_allclose(sums, expected, rtol=1e-12, atol=1e-100)


@given(seeds, st.integers(1, 20), st.sampled_from([0.002, 0.05, 0.4]))
def test_scores_of_widths_match_the_twin(seed, n, width):
    rng = np.random.default_rng(seed)
    x, y, weights = draw_points(rng, n)
    x.sort()
    widths_x, widths_y = width * np.array([0.5, 1.0]), width * np.array([0.7, 1.0, 2.0])
    scores, scored = np.zeros((2, 3)), rng.random(n) < 0.7
    kernels.score_joint_widths(x, y, weights, scored, widths_x, widths_y, scores)
    expected = reference.score_joint_widths(x, y, weights, scored, widths_x, widths_y)
    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-9)


def test_an_isolated_point_has_a_finite_score():
    x, y = np.array([0.0, 0.001, 1.0]), np.zeros(3)
    scores = np.zeros((1, 1))
    arrays = x, y, np.ones(3), np.ones(3, bool)
    kernels.score_joint_widths(*arrays, np.array([1e-3]), np.ones(1), scores)
    assert np.isfinite(scores[0, 0])
    assert scores[0, 0] < -1e5
