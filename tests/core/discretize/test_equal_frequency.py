"""Bins of nearly equal weight."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bayfold.core.discretize import merge_equal_frequency

counts = st.lists(st.integers(0, 30), min_size=1, max_size=60).map(lambda w: np.array(w, float))


@given(counts, st.integers(1, 20))
def test_bins_are_neighbours_numbered_from_zero(weights, n_bins):
    merge = merge_equal_frequency(weights, n_bins)
    assert len(merge) == len(weights)
    assert merge[0] == 0
    assert set(np.diff(merge)) <= {0, 1}
    assert merge[-1] < n_bins


@given(counts, st.integers(1, 20))
def test_no_bin_is_empty(weights, n_bins):
    assume(weights.any())
    assert (np.bincount(merge_equal_frequency(weights, n_bins), weights) > 0).all()


@given(counts, st.integers(1, 20))
def test_fine_bins_without_weight_change_nothing(weights, n_bins):
    assume(weights.any())
    merge = merge_equal_frequency(weights, n_bins)
    occupied = weights > 0
    expected = merge_equal_frequency(weights[occupied], n_bins)
    np.testing.assert_array_equal(merge[occupied], expected)


# no fine bin so heavy that it takes the place of several bins
light = st.lists(st.integers(5, 9), min_size=40, max_size=60).map(lambda w: np.array(w, float))


@given(light, st.integers(1, 20))
def test_bins_differ_from_their_share_by_at_most_one_fine_bin(weights, n_bins):
    share = weights.sum() / n_bins
    of_bin = np.bincount(merge_equal_frequency(weights, n_bins), weights)
    assert len(of_bin) == n_bins
    assert np.abs(of_bin - share).max() <= weights.max() * (1 + 1e-6)


def test_nothing_counted_is_one_bin():
    assert merge_equal_frequency(np.zeros(4), 3).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("heavy", [0, 2, 4])
def test_a_heavy_fine_bin_stands_alone(heavy):
    weights = np.ones(5)
    weights[heavy] = 1000.0
    merge = merge_equal_frequency(weights, 50)
    assert np.flatnonzero(merge == merge[heavy]).tolist() == [heavy]
