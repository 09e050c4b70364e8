"""MDL cuts against the paper's recursion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core import kernels
from tests.reference import mdl


def cuts_of(counts):
    is_cut = np.zeros(len(counts), np.bool_)
    kernels.find_mdl_cuts(np.asarray(counts, float), is_cut)
    return np.flatnonzero(is_cut).tolist()


@given(st.integers(0, 10**6), st.integers(2, 60), st.integers(2, 5), st.sampled_from([1.0, 20.0]))
def test_random_weights(seed, n_bins, n_groups, size):
    rng = np.random.default_rng(seed)
    slope = np.linspace(0, 3, n_bins)[:, None] * rng.normal(size=n_groups)
    rate = np.exp(slope + rng.normal(0, 0.2, (n_bins, n_groups)))
    # weights that are no whole numbers: two cuts never tie, so there is one right answer
    counts = rng.gamma(size * rate / rate.sum(axis=1, keepdims=True))
    counts[rng.random(n_bins) < 0.2] = 0.0
    assert cuts_of(counts) == mdl.find_mdl_cuts(counts)


@pytest.mark.parametrize("n_groups", [2, 3, 40, 700])
def test_groups_one_after_the_other(n_groups):
    counts = np.repeat(np.eye(n_groups) * 30, 2, axis=0)
    assert cuts_of(counts) == list(range(2, 2 * n_groups, 2))


def test_nothing_to_tell_apart():
    assert cuts_of(np.full((20, 2), 50.0)) == []
    assert cuts_of(np.zeros((5, 2))) == []
    assert cuts_of(np.full((1, 2), 50.0)) == []


def test_weights_count_as_rows():
    few, many = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([[200.0, 100.0], [100.0, 200.0]])
    assert cuts_of(few) == []
    assert cuts_of(many) == [1]


def test_a_cut_lies_behind_rows_and_not_behind_an_empty_bin():
    counts = np.array([[30.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 30.0]])
    assert cuts_of(counts) == [1]
