"""Bins of equal width, made by merging fine bins, against NumPy's histogram."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core.discretize import merge_equal_width
from bayfold.core.discretize.bins import find_nearest
from bayfold.core.schema import NumericColumn
from bayfold.core.schema.infer import infer_numeric

ELKAN_BINS = 10


def coarse_bins(column, values, n_bins):
    merge = merge_equal_width(column, values.min(), values.max(), n_bins)
    return merge[np.searchsorted(column.edges, values, side="right")]


def same_partition(a, b):
    """Whether two monotone labellings cut the values at the same places, empty bins aside."""
    return np.array_equal(
        np.unique(a, return_inverse=True)[1], np.unique(b, return_inverse=True)[1]
    )


def bins_like_a_histogram(values, n_bins):
    column = infer_numeric("x", values, None, width_bins=n_bins)
    histogram = np.histogram_bin_edges(values, n_bins)
    return same_partition(coarse_bins(column, values, n_bins), np.digitize(values, histogram[1:-1]))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_rows", [30, 250])
@pytest.mark.parametrize("n_bins", [2, ELKAN_BINS, 37])
def test_bins_of_few_values_are_those_of_a_histogram(seed, n_rows, n_bins):
    values = np.random.default_rng(seed).lognormal(0.0, 1.0, n_rows)
    assert bins_like_a_histogram(values, n_bins)


@pytest.mark.parametrize("n_bins", [2, ELKAN_BINS])
def test_bins_of_many_values_are_those_of_a_histogram(n_bins):
    assert bins_like_a_histogram(np.random.default_rng(1).random(5000), n_bins)


def test_bins_of_many_skewed_values_are_those_of_a_histogram():
    values = np.random.default_rng(0).lognormal(0.0, 1.0, 5000)
    assert bins_like_a_histogram(values, ELKAN_BINS)


def test_every_bin_of_a_full_range_is_there():
    values = np.random.default_rng(0).random(5000)
    column = infer_numeric("x", values, None, width_bins=ELKAN_BINS)
    merge = merge_equal_width(column, values.min(), values.max(), ELKAN_BINS)
    assert merge[0] == 0
    assert merge[-1] == ELKAN_BINS - 1
    assert set(np.diff(merge)) == {0, 1}


@pytest.mark.parametrize("n_bins", [2, 10, 50])
def test_without_edges_of_its_own_each_cut_is_the_nearest_fine_edge(n_bins):
    values = np.random.default_rng(1).normal(size=5000)
    column = infer_numeric("x", values, None)
    merge = merge_equal_width(column, values.min(), values.max(), n_bins)
    goals = np.histogram_bin_edges(values, n_bins)[1:-1]
    nearest = {int(np.abs(column.edges - goal).argmin()) for goal in goals}
    assert set(np.flatnonzero(np.diff(merge)).tolist()) == nearest


@given(
    st.lists(st.integers(-99, 99), min_size=1, max_size=9, unique=True).map(sorted),
    st.lists(st.integers(-120, 120), max_size=9),
)
def test_nearest_edges_by_hand(edges, goals):
    found = find_nearest(np.array(edges, float), np.array(goals, float))
    expected = [min(range(len(edges)), key=lambda k: abs(edges[k] - goal)) for goal in goals]
    assert found.tolist() == expected


@pytest.mark.parametrize("edges", [[], [0.5]])
def test_few_fine_edges_leave_few_bins(edges):
    column = NumericColumn("x", np.array(edges))
    merge = merge_equal_width(column, 0.0, 300.0, ELKAN_BINS)
    assert merge.tolist() == list(range(len(edges) + 1))


def test_a_mostly_constant_column_keeps_its_two_bins():
    # so much weight on one value that quantiles leave a single edge
    values = np.append(np.zeros(10_000), np.arange(1.0, 301.0))
    column = infer_numeric("x", values, None)
    merge = merge_equal_width(column, 0.0, 300.0, ELKAN_BINS)
    assert merge[0] == 0
    assert set(np.diff(merge)) <= {0, 1}


@pytest.mark.parametrize("bounds", [(3.0, 3.0), (np.inf, -np.inf)])
def test_a_column_without_width_is_one_bin(bounds):
    column = NumericColumn("x", np.array([1.0, 2.0]))
    assert merge_equal_width(column, *bounds, ELKAN_BINS).tolist() == [0, 0, 0]
