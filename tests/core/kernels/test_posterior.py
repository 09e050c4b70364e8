"""Posterior means and the gradient of their squared error against twins and differences."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core import kernels
from tests import reference

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(0, 10), st.integers(1, 12), st.sampled_from([1.0, 50.0, 1e4]))
def test_means_match_the_twin(seed, n_rows, n_points, spread):
    rng = np.random.default_rng(seed)
    scores, values = spread * rng.normal(size=(n_rows, n_points)), rng.normal(size=n_points)
    means = np.empty(n_rows)
    kernels.read_means(scores, values, means)
    np.testing.assert_allclose(means, reference.read_means(scores, values), rtol=1e-9, atol=1e-12)


@given(seeds, st.integers(0, 10), st.integers(2, 9), st.sampled_from([0.0, 1.0, 1e3]))
def test_rows_are_judged_like_the_twin_does_ties_included(seed, n_rows, n_groups, spread):
    rng = np.random.default_rng(seed)
    scores = np.round(spread * rng.normal(size=(n_rows, n_groups)))
    group_of = rng.integers(0, n_groups, n_rows).astype(np.int32)
    weights = rng.uniform(0.5, 3, n_rows)
    found = kernels.judge_groups(scores, group_of, weights)
    expected = reference.judge_groups(scores, group_of, weights)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@given(seeds, st.integers(1, 6), st.integers(1, 4), st.integers(2, 9))
def test_squared_error_and_its_gradient_match_the_twin(seed, n_rows, n_columns, n_points):
    rng = np.random.default_rng(seed)
    evidence = rng.normal(size=(n_rows, n_columns, n_points))
    log_prior, values = rng.normal(size=(n_rows, n_points)), rng.normal(size=n_points)
    target, row_weights = rng.normal(size=n_rows), rng.uniform(0.5, 3, n_rows)
    weights = rng.uniform(0, 2, n_columns)
    gradient = np.empty(n_columns)
    loss = kernels.score_squared_error(
        evidence, log_prior, weights, values, target, row_weights, gradient
    )

    def twin(w):
        return reference.score_squared_error(evidence, log_prior, w, values, target, row_weights)

    np.testing.assert_allclose(loss, twin(weights), rtol=1e-10, atol=1e-12)
    steps = 1e-5 * np.eye(n_columns)
    slopes = [(twin(weights + step) - twin(weights - step)) / 2e-5 for step in steps]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-5, atol=1e-7)


@given(seeds, st.integers(0, 5), st.integers(2, 9))
def test_means_of_quantiles_match_the_twin(seed, n_rows, n_points):
    rng = np.random.default_rng(seed)
    table = np.cumsum(rng.exponential(size=n_points))
    nodes = np.sort(rng.normal(size=7))
    shares = rng.dirichlet(np.ones(7))
    given_to = (
        rng.normal(size=n_rows),
        rng.exponential(size=n_rows),
        nodes,
        shares,
        -1.25,
        3.5,
        table,
    )
    means = np.empty(n_rows)
    kernels.average_quantiles(*given_to, means)
    expected = reference.average_quantiles(*given_to)
    np.testing.assert_allclose(means, expected, rtol=1e-9, atol=1e-12)


@given(seeds, st.integers(0, 5), st.integers(1, 9))
def test_means_of_cells_match_the_twin(seed, n_rows, n_values):
    rng = np.random.default_rng(seed)
    values, bounds = np.sort(rng.normal(size=n_values)), np.sort(3 * rng.normal(size=n_values - 1))
    nodes = np.cumsum(rng.exponential(size=8)) - 4.0
    given_to = (rng.normal(size=n_rows), rng.exponential(size=n_rows), bounds, values, nodes)
    levels = np.append(0.0, np.cumsum(rng.dirichlet(np.ones(7))))
    given_to = *given_to, levels
    means = np.empty(n_rows)
    kernels.average_cells(*given_to, means)
    np.testing.assert_allclose(means, reference.average_cells(*given_to), rtol=1e-9, atol=1e-12)
