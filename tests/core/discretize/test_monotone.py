"""Monotone merging: pools adjacent violators, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core.discretize import merge_monotone


def shares(counts, merge):
    pooled = np.zeros((merge[-1] + 1, 2))
    np.add.at(pooled, merge, counts)
    return pooled[:, 1] / pooled.sum(axis=1)


def random_counts(seed, n_bins):
    return np.random.default_rng(seed).integers(1, 30, (n_bins, 2)).astype(float)


@given(st.integers(0, 10**6), st.integers(1, 30), st.sampled_from(["increasing", "decreasing"]))
def test_shares_are_strictly_monotone_afterwards(seed, n_bins, direction):
    counts = random_counts(seed, n_bins)
    merge = merge_monotone(counts, np.arange(n_bins), direction)
    steps = np.diff(shares(counts, merge)) * (1 if direction == "increasing" else -1)
    assert (steps > 0).all()
    assert set(np.diff(merge)) <= {0, 1}


@given(st.integers(0, 10**6), st.integers(1, 30))
def test_what_is_monotone_already_stays(seed, n_bins):
    counts = random_counts(seed, n_bins)
    share = counts[:, 1] / counts.sum(axis=1)
    rising = counts[np.argsort(share, kind="stable")]
    distinct = np.append(True, np.diff(np.sort(share)) > 0)
    merge = merge_monotone(rising, np.arange(n_bins), "increasing")
    np.testing.assert_array_equal(merge, np.cumsum(distinct) - 1)


@given(st.integers(0, 10**6), st.integers(1, 30))
def test_auto_is_one_of_both_directions_and_follows_a_reversal(seed, n_bins):
    counts = random_counts(seed, n_bins)
    bins = np.arange(n_bins)
    auto, up, down = (merge_monotone(counts, bins, d) for d in ("auto", "increasing", "decreasing"))
    assert np.array_equal(auto, up) or np.array_equal(auto, down)


def test_auto_takes_the_direction_that_fits():
    falling = np.array([[1.0, 9.0], [3.0, 7.0], [2.0, 8.0], [9.0, 1.0]])
    merge = merge_monotone(falling, np.arange(4), "auto")
    assert (np.diff(shares(falling, merge)) < 0).all()


def test_more_than_two_classes_are_refused():
    with pytest.raises(ValueError, match=r"`monotone` must be None unless.*two classes.*3 classes"):
        merge_monotone(np.ones((4, 3)), np.arange(4), "auto")
