"""Smoothing along ranks against the same steps in NumPy and scipy."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core import kernels
from tests.reference.calibration import estimate_concentrations, estimate_rank_odds
from tests.reference.ranks import smooth_along_ranks


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 254),
    st.integers(1, 4),
    st.sampled_from([1e-6, 0.003, 0.05, 0.3, 2.0]),
)
def test_smoothing_matches_the_twin(seed, n_bins, n_groups, bandwidth):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 4, (n_bins, n_groups)) * rng.choice([1.0, 0.37])
    table[rng.integers(n_bins), 0] += 1.0
    found = np.full(table.shape, np.nan)
    kernels.smooth_along_ranks(table, bandwidth, found)
    # ranks are sums of counts, rounded in another order, and a narrow kernel is steep
    expected = smooth_along_ranks(table, bandwidth)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_without_counts_nothing_is_written():
    found = np.full((3, 2), 7.0)
    kernels.smooth_along_ranks(np.zeros((3, 2)), 0.1, found)
    assert (found == 7.0).all()


@given(
    st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(1, 4), st.sampled_from([0.0, 0.2])
)
def test_odds_match_the_twin(seed, n_bins, n_groups, width):
    rng = np.random.default_rng(seed)
    tables = rng.poisson(rng.choice([0.1, 3.0]), (3, n_bins, n_groups)) * 1.0
    tables[0] = 0.0
    strength = rng.choice([0.0, 2.0])
    found = np.full(tables.shape, np.nan)
    kernels.estimate_rank_odds(tables, width, strength, found)
    # of bins that stand for themselves, as close as the search for the concentration of either side ends
    rtol = 1e-8 if width > 0 else 1e-5
    np.testing.assert_allclose(found, estimate_rank_odds(tables, width, strength), rtol=rtol)


@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(1, 5))
def test_concentrations_match_the_twin(seed, n_values, n_groups):
    rng = np.random.default_rng(seed)
    own = rng.dirichlet(np.ones(n_groups) * rng.choice([0.1, 1.0, 30.0]), n_values)
    n_rows = rng.integers(0, 40, n_values)
    tables = np.array([[rng.multinomial(*row) for row in zip(n_rows, own, strict=True)]], float)
    found = np.empty(1)
    kernels.estimate_concentrations(tables, found)
    np.testing.assert_allclose(found, estimate_concentrations(tables), rtol=1e-2)
