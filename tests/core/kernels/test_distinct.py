"""Distinct numbers and quantile cuts against NumPy and against saying what is nearest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bayfold.core import kernels
from tests import reference

HUGE, TINY = np.finfo(float).max, 5e-324


@given(st.lists(st.floats() | st.integers(-3, 3).map(float), max_size=30))
@example([0.0, -0.0, np.nan, np.inf, -np.inf])
@example([HUGE, -HUGE, TINY, -TINY, 1.0, -1.0])
def test_distinct_numbers_and_their_counts(values):
    values = np.array(values, float)
    found, expected = kernels.count_distinct(values), reference.count_distinct(values)
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])
    assert not np.signbit(found[0][found[0] == 0.0]).any()


@pytest.mark.parametrize("n", [1, 5_000])
def test_many_numbers_of_all_sizes(n):
    rng = np.random.default_rng(n)
    values = np.round(rng.normal(size=n) * 10.0 ** rng.integers(-300, 300, n), 2)
    found, expected = kernels.count_distinct(values), reference.count_distinct(values)
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40).filter(any), st.integers(1, 45))
def test_quantile_cuts(weights, n_bins):
    weights = np.array(weights, float)
    for share in (1.0, 1 / 3):
        found = kernels.cut_by_weight(weights * share, n_bins, 1e-9)
        expected = reference.cut_by_weight(weights * share, n_bins, 1e-9)
        assert found.tolist() == expected


def test_nothing_is_cut_where_nothing_has_a_weight():
    assert len(kernels.cut_by_weight(np.zeros(3), 4, 1e-9)) == 0
    assert len(kernels.cut_by_weight(np.zeros(0), 4, 1e-9)) == 0
