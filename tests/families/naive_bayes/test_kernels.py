"""The kernels of calibration against their twins."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.families.naive_bayes import kernels
from bayfold.families.naive_bayes.choose import GROUPS_OF_FEW_ROWS
from tests.reference import calibration as reference

seeds = st.integers(0, 2**32 - 1)
WIDTHS = np.array([0.1, 0.0, 0.4])


@given(seeds, st.integers(1, 3), st.integers(1, 60), st.integers(1, 4), st.sampled_from([0.0, 2.0]))
def test_losses_of_widths_match_the_twin(seed, n_folds, n_bins, n_groups, strength):
    rng = np.random.default_rng(seed)
    shape = 2, n_folds, FIRST_BIN + n_bins, n_groups
    inside, outside = rng.poisson(rng.choice([0.2, 3.0]), shape) * 1.0
    outside[:, :, 0] *= rng.integers(0, 2)  # a group may be missing outside
    log_prior = np.log(rng.dirichlet(np.ones(n_groups), n_folds))
    rest = log_prior, WIDTHS, strength
    losses = np.zeros(3)
    kernels.score_rank_widths(inside, outside, *rest, losses)
    expected = reference.score_rank_widths(inside[:, FIRST_BIN:], outside[:, FIRST_BIN:], *rest)
    # of bins that stand for themselves, as close as the search for the concentration of either side ends
    np.testing.assert_allclose(losses, expected, rtol=1e-6, atol=1e-6)


@settings(max_examples=20)
@given(seeds, st.integers(1, 90), st.sampled_from([1e-9, 0.5, 2.0]), st.sampled_from([0.01, 0.2]))
def test_losses_of_widths_match_the_twin_where_groups_are_many(seed, n_bins, strength, rows):
    """Few rows in each group: losses are then sums over rows, if no odds are bounded."""
    rng = np.random.default_rng(seed)
    shape = 2, 2, FIRST_BIN + n_bins, GROUPS_OF_FEW_ROWS + 20
    inside, outside = rng.poisson(rows, shape) * rng.choice([1.0, 1.5])
    outside[:, :, 0] = 0.0
    outside[:, FIRST_BIN + n_bins // 2 :] *= rng.integers(0, 2)  # bins that are empty outside
    log_prior = np.log(rng.dirichlet(np.ones(shape[-1]), 2))
    rest = log_prior, WIDTHS, strength
    losses = np.zeros(3)
    kernels.score_widths_of_many(inside, outside, *rest, losses)
    expected = reference.score_rank_widths(inside[:, FIRST_BIN:], outside[:, FIRST_BIN:], *rest)
    # of bins that stand for themselves, as close as the search for the concentration of either side ends
    np.testing.assert_allclose(losses, expected, rtol=1e-6, atol=1e-6)


@given(seeds, st.integers(0, 20), st.integers(0, 12), st.sampled_from([3, 6, 70]))
def test_the_loss_of_held_out_rows_and_its_slope_match_the_twin(seed, n_rows, n_columns, n_groups):
    rng = np.random.default_rng(seed)
    evidence = rng.normal(size=(30, n_groups)) * rng.choice([1.0, 30.0])
    places = rng.integers(0, 30, (n_rows, n_columns)).astype(np.int32)
    group_of = rng.integers(0, n_groups, n_rows).astype(np.int32)
    rest = rng.random(n_rows) * 3, rng.random(n_columns), rng.normal(size=n_groups)
    gradient = np.full(n_columns + n_groups, np.nan)
    loss = kernels.weigh_held_out(evidence, places, group_of, *rest, gradient)
    expected = reference.weigh_held_out(evidence, places, group_of, *rest)
    np.testing.assert_allclose(loss, expected[0], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(gradient, expected[1], rtol=1e-9, atol=1e-10)


@given(seeds, st.integers(0, 20), st.integers(0, 4))
def test_the_loss_of_two_groups_and_its_slope_match_the_twin(seed, n_rows, n_columns):
    rng = np.random.default_rng(seed)
    odds = rng.normal(size=(n_rows, n_columns)) * rng.choice([1.0, 30.0])
    group_of = rng.integers(0, 2, n_rows).astype(np.int32)
    rest = rng.random(n_rows) * 3, rng.random(n_columns), rng.normal()
    gradient = np.full(n_columns + 1, np.nan)
    loss = kernels.weigh_odds(odds, group_of, *rest, gradient)
    expected = reference.weigh_odds(odds, group_of, *rest)
    np.testing.assert_allclose(loss, expected[0], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(gradient, expected[1], rtol=1e-9, atol=1e-10)


@given(seeds, st.integers(0, 20), st.integers(0, 4), st.sampled_from([3, 6]))
def test_the_curvature_of_the_loss_matches_the_twin(seed, n_rows, n_columns, n_groups):
    rng = np.random.default_rng(seed)
    evidence = rng.normal(size=(30, n_groups)) * rng.choice([1.0, 30.0])
    places = rng.integers(0, 30, (n_rows, n_columns)).astype(np.int32)
    group_of = rng.integers(0, n_groups, n_rows).astype(np.int32)
    rest = rng.random(n_rows) * 3, rng.random(n_columns), rng.normal(size=n_groups)
    curvature = np.full(n_columns + n_groups, np.nan)
    kernels.curve_held_out(evidence, places, group_of, *rest, curvature)
    expected = reference.curve_held_out(evidence, places, *rest)
    np.testing.assert_allclose(curvature, expected, rtol=1e-9, atol=1e-9)


@given(seeds, st.integers(0, 20), st.integers(0, 4))
def test_the_curvature_of_two_groups_matches_the_twin(seed, n_rows, n_columns):
    rng = np.random.default_rng(seed)
    odds = rng.normal(size=(n_rows, n_columns)) * rng.choice([1.0, 30.0])
    arguments = odds, rng.random(n_rows) * 3, rng.random(n_columns), rng.normal()
    curvature = np.full(n_columns + 1, np.nan)
    kernels.curve_odds(*arguments, curvature)
    expected = reference.curve_odds(*arguments)
    np.testing.assert_allclose(curvature, expected, rtol=1e-9, atol=1e-10)


@given(seeds, st.integers(0, 40), st.sampled_from([3, 6]))
def test_what_a_temperature_rests_on_matches_the_twin(seed, n_rows, n_groups):
    rng = np.random.default_rng(seed)
    evidence = rng.normal(size=(n_rows, n_groups)) * rng.choice([1.0, 30.0])
    group_of = rng.integers(0, n_groups, n_rows).astype(np.int32)
    rest = rng.random(n_rows) * 3, rng.random(), rng.normal(size=n_groups)
    roots = np.full((n_rows, 1 + n_groups), np.nan)
    moments = np.full((3, n_groups), np.nan)
    loss = kernels.expect_evidence(evidence, group_of, *rest, roots, moments)
    expected = reference.expect_evidence(evidence, group_of, *rest)
    np.testing.assert_allclose(loss, expected[0], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(roots, expected[1], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(moments, expected[2], rtol=1e-9, atol=1e-10)
