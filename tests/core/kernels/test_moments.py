"""Shifted moments against exactly rounded sums."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core import kernels
from tests import reference


def sums_of(values, columns, shift, scale, groups, weights, n_groups):
    sums = np.zeros((len(columns), 3, n_groups))
    kernels.sum_moments(values, columns, shift, scale, groups, weights, sums)
    return sums


@given(
    st.integers(0, 2**32 - 1),
    st.integers(0, 50),
    st.integers(1, 4),
    st.integers(1, 9),
    st.sampled_from([1e-200, 1.0, 1e150]),
)
def test_moments_match_the_twin(seed, n_rows, n_columns, n_groups, spread):
    rng = np.random.default_rng(seed)
    values = rng.normal(7.0, 1.0, (n_rows, n_columns)) * spread
    values[rng.random(values.shape) < 0.2] = np.nan
    columns = rng.permutation(n_columns)[: rng.integers(1, n_columns + 1)].astype(np.int64)
    shift, scale = np.full(len(columns), 7.0 * spread), np.full(len(columns), spread)
    groups = rng.integers(0, n_groups, n_rows).astype(np.int32)
    weights = rng.exponential(size=n_rows)
    arguments = (values, columns, shift, scale, groups, weights, n_groups)
    sums, expected = sums_of(*arguments), reference.sum_moments(*arguments)
    # first sums may cancel: their error is measured against the terms, which are of order one
    np.testing.assert_allclose(sums, expected, rtol=1e-13, atol=1e-13 * max(n_rows, 1))


def test_whole_numbers_are_summed_exactly():
    rng = np.random.default_rng(2)
    values = rng.integers(-1000, 1000, (300, 2)).astype(float)
    arguments = (
        values,
        np.array([1, 0]),
        np.array([3.0, -5.0]),
        np.array([0.5, 4.0]),
        rng.integers(0, 3, 300).astype(np.int32),
        rng.integers(0, 5, 300).astype(float),
        3,
    )
    np.testing.assert_array_equal(sums_of(*arguments), reference.sum_moments(*arguments))


def test_a_shift_keeps_the_variance_of_a_distant_column():
    rng = np.random.default_rng(3)
    values = 1e9 + rng.normal(size=(1000, 1))
    groups, weights = np.zeros(1000, np.int32), np.ones(1000)
    sums = sums_of(values, np.array([0]), np.array([1e9]), np.ones(1), groups, weights, 1)
    n, first, second = sums[0, :, 0]
    assert np.isclose(second / n - (first / n) ** 2, values.var(), rtol=1e-12)


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 40),
    st.sampled_from([0.0, 1e-200, 1.0, 1e200]),
    st.sampled_from([1.0, 0.5, 3.0]),
)
def test_means_and_spreads_match_the_twin(seed, n_rows, unit, factor):
    rng = np.random.default_rng(seed)
    values = rng.normal(3.0, 1.0, n_rows) * unit
    weights = rng.exponential(size=n_rows)
    found = kernels.measure_spread(values, weights)
    expected = reference.measure_spread(values, weights)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-13 * unit)
    # as the rows themselves, written several times
    counts = rng.integers(1, 4, n_rows) * 1.0
    assert kernels.measure_spread(values, counts) == kernels.measure_spread(values, counts * factor)


@given(st.integers(0, 2**32 - 1), st.integers(0, 40), st.integers(1, 3), st.integers(1, 5))
def test_fractional_moments_match_the_twin(seed, n_rows, n_columns, n_groups):
    rng = np.random.default_rng(seed)
    values = rng.normal(3.0, 2.0, (n_rows, n_columns))
    values[rng.random(values.shape) < 0.2] = np.nan
    membership = rng.dirichlet(np.ones(n_groups), n_rows) * rng.integers(0, 3, (n_rows, 1))
    columns = rng.permutation(n_columns).astype(np.int64)
    shift, scale = rng.normal(size=n_columns), np.full(n_columns, 2.0)
    sums = np.zeros((n_columns, 3, n_groups))
    kernels.sum_moments_fractional(values, columns, shift, scale, membership, sums)
    expected = reference.sum_moments_fractional(values, columns, shift, scale, membership)
    np.testing.assert_allclose(sums, expected, rtol=1e-12, atol=1e-12 * max(n_rows, 1))
