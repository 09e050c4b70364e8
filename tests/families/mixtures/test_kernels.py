"""The EM kernels against their twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayfold.families.mixtures import kernels
from bayfold.families.mixtures.kernels import em
from bayfold.families.mixtures.kernels.chunks import CHUNK, Anchor, Chunks, Sums, Terms
from tests import reference
from tests.plain import callable_kernel

expect_and_sum = callable_kernel(em.expect_and_sum)
sum_log_densities = callable_kernel(em.sum_log_densities)

seeds = st.integers(0, 2**32 - 1)


def draw_problem(seed, n_chunks=1, n_gaussians=2, n_tables=2, n_groups=3, missing=0.2):
    """Random rows in chunks, an anchor, and the terms of random groups."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_chunks, n_gaussians, CHUNK))
    values[:, :1][rng.random(values[:, :1].shape) < missing] = np.nan
    n_values = 4
    starts = (np.arange(n_tables + 1) * n_values).astype(np.int32)
    codes = rng.integers(0, n_values, (n_chunks, n_tables, CHUNK)).astype(np.int32)
    codes += starts[None, :-1, None]
    weights = rng.integers(0, 3, (n_chunks, CHUNK)).astype(float)
    weights[-1, -20:] = 0.0
    chunks = Chunks(values, codes, weights, np.isnan(values).any(axis=(0, 2)))
    share = np.full(n_tables * n_values, 1 / (n_values - 1))
    share[::n_values] = 0.0  # missing cells give no evidence
    gaussians = np.tile([0.1, 1.2, 1e-9], (n_gaussians, 1))
    anchor = Anchor(gaussians, 1.0 * (share > 0), share, starts)
    memberships = rng.dirichlet(np.ones(n_groups), n_chunks * CHUNK).T
    sums = new_sums(chunks, anchor, n_groups)
    kernels.sum_memberships(chunks, np.ascontiguousarray(memberships), sums)
    terms = Terms(*(np.empty_like(part) for part in sums))
    kernels.estimate_terms(anchor, sums, terms)
    return chunks, anchor, sums, terms, rng


def new_sums(chunks, anchor, n_groups):
    n_gaussians = chunks.values.shape[1]
    shapes = (n_groups,), (n_gaussians, 3, n_groups), (len(anchor.pseudo), n_groups)
    return Sums(*(np.zeros(shape) for shape in shapes))


def assert_sums_equal(found, expected):
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-11 * CHUNK)


@given(seeds, st.integers(1, 2), st.integers(0, 6), st.integers(0, 6), st.integers(1, 5))
@settings(max_examples=15)
def test_an_iteration_matches_the_twin(seed, n_chunks, n_gaussians, n_tables, n_groups):
    chunks, anchor, _, terms, _ = draw_problem(seed, n_chunks, n_gaussians, n_tables, n_groups)
    found, expected = new_sums(chunks, anchor, n_groups), new_sums(chunks, anchor, n_groups)
    log_likelihood = expect_and_sum(chunks, terms, found)
    np.testing.assert_allclose(
        log_likelihood, reference.expect_and_sum(chunks, terms, expected), rtol=1e-11
    )
    assert_sums_equal(found, expected)


@given(seeds, st.integers(1, 9), st.integers(1, 5))
@settings(max_examples=10)
def test_complete_columns_match_the_twin_by_fours_and_one_by_one(seed, n_gaussians, n_groups):
    chunks, anchor, _, terms, _ = draw_problem(seed, 2, n_gaussians, 0, n_groups, missing=0.0)
    found, expected = new_sums(chunks, anchor, n_groups), new_sums(chunks, anchor, n_groups)
    log_likelihood = expect_and_sum(chunks, terms, found)
    np.testing.assert_allclose(
        log_likelihood, reference.expect_and_sum(chunks, terms, expected), rtol=1e-11
    )
    assert_sums_equal(found, expected)


def test_an_impossible_row_of_weight_zero_leaves_the_likelihood_exactly_alone():
    weights, top, total = np.ones(16), np.zeros(16), np.full(16, 2.0)
    weights[3], top[3] = 0.0, -np.inf
    weights[9], top[9], total[9] = 2.5, -1.0, 3.0
    expected = 14 * np.log(2.0) + 2.5 * (np.log(3.0) - 1.0)
    np.testing.assert_allclose(sum_log_densities(weights, top, total), expected, rtol=1e-14)


@given(seeds, st.integers(1, 4))
@settings(max_examples=10)
def test_posteriors_match_the_twin(seed, n_groups):
    chunks, _, _, terms, _ = draw_problem(seed, n_groups=n_groups)
    posteriors, log_densities = np.empty((CHUNK, n_groups)), np.empty(CHUNK)
    kernels.find_posteriors(chunks, terms, posteriors, log_densities)
    expected = reference.find_posteriors(chunks, terms)
    np.testing.assert_allclose(posteriors, expected[0], rtol=1e-11, atol=1e-300)
    np.testing.assert_allclose(log_densities, expected[1], rtol=1e-11)


@given(seeds, st.integers(1, 6))
@settings(max_examples=10)
def test_memberships_are_summed_as_in_the_twin(seed, n_groups):
    chunks, anchor, _, _, rng = draw_problem(seed)
    memberships = rng.random((n_groups, CHUNK))
    found, expected = new_sums(chunks, anchor, n_groups), new_sums(chunks, anchor, n_groups)
    kernels.sum_memberships(chunks, memberships, found)
    reference.sum_memberships(chunks, memberships, expected)
    assert_sums_equal(found, expected)


@given(seeds, st.integers(1, 6))
@settings(max_examples=15)
def test_seeds_match_the_twin(seed, n_seeds):
    chunks, anchor, _, _, rng = draw_problem(seed)
    heights = rng.random(n_seeds)
    nearest = np.zeros(CHUNK, np.int64)
    kernels.draw_seeds(chunks, anchor, heights, np.full(CHUNK, np.inf), nearest)
    np.testing.assert_array_equal(nearest, reference.draw_seeds(chunks, anchor, heights))


def test_seeds_of_equal_rows_exactly_one_group():
    values = np.ones((1, 1, CHUNK))
    chunks = Chunks(
        values, np.zeros((1, 0, CHUNK), np.int32), np.ones((1, CHUNK)), np.zeros(1, bool)
    )
    anchor = Anchor(np.array([[1.0, 1.0, 0.0]]), np.zeros(0), np.zeros(0), np.zeros(1, np.int32))
    nearest = np.full(CHUNK, 9)
    kernels.draw_seeds(chunks, anchor, np.array([0.3, 0.9]), np.full(CHUNK, np.inf), nearest)
    assert not nearest.any()


@given(seeds, st.integers(1, 4))
@settings(max_examples=5)
def test_a_run_matches_the_twin(seed, n_groups):
    chunks, anchor, sums, terms, _ = draw_problem(seed, n_groups=n_groups)
    slow_sums, slow_terms = (type(s)(*(part.copy() for part in s)) for s in (sums, terms))
    found, expected = np.zeros(4), np.zeros(4)
    n_iterations = kernels.run_em(chunks, anchor, sums, terms, 0.5, found)
    assert n_iterations == reference.run_em(chunks, anchor, slow_sums, slow_terms, 0.5, expected)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    for fast, slow in zip(terms, slow_terms, strict=True):
        np.testing.assert_allclose(fast, slow, rtol=1e-8, atol=1e-10)


@given(seeds)
@settings(max_examples=10)
def test_a_run_is_the_same_whole_or_in_two_parts(seed):
    chunks, anchor, sums, terms, _ = draw_problem(seed)
    again = Sums(*(part.copy() for part in sums))
    whole, parts = np.empty(6), np.empty(6)
    kernels.run_em(chunks, anchor, sums, terms, -np.inf, whole)
    kernels.run_em(chunks, anchor, again, terms, -np.inf, parts[:2])
    kernels.run_em(chunks, anchor, again, terms, -np.inf, parts[2:])
    np.testing.assert_array_equal(whole, parts)


def test_a_run_stops_when_little_is_gained():
    chunks, anchor, sums, terms, _ = draw_problem(4)
    trace = np.empty(50)
    assert kernels.run_em(chunks, anchor, sums, terms, 1e9, trace) == 2


@pytest.mark.parametrize("weight", [0.0, 5.0])
def test_a_table_without_smoothing_holds_plain_frequencies(weight):
    share = np.array([0.0, 0.25, 0.75])
    anchor = Anchor(np.zeros((0, 3)), np.zeros(3), share, np.array([0, 3], np.int32))
    counts = np.array([[7.0], [weight], [3 * weight]])
    sums = Sums(np.array([1.0]), np.zeros((0, 3, 1)), counts)
    terms = Terms(np.empty(1), np.empty((0, 3, 1)), np.empty((3, 1)))
    kernels.estimate_terms(anchor, sums, terms)
    # either way: counted frequencies, or the column's shares where nothing was counted
    np.testing.assert_allclose(terms.tables[:, 0], [0.0, np.log(0.25), np.log(0.75)])
