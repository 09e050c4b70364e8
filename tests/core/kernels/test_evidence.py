"""Evidence within bounds, and sums of it, against the twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core import kernels
from bayfold.core.kernels.evidence import GROUPS_FOR_EIGHT
from tests.reference import evidence as reference

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(0, 12), st.integers(2, 9), st.sampled_from([0.0, 0.4, 1.0]))
def test_evidence_matches_the_twin(seed, n_entries, n_groups, impossible):
    rng = np.random.default_rng(seed)
    log_values = rng.normal(size=(n_entries, n_groups)) * 20
    log_values[rng.random(log_values.shape) < impossible] = -np.inf
    found = np.full((n_entries, 1 if n_groups == 2 else n_groups), np.nan)
    kernels.centre_evidence(log_values, 30.0, found)
    np.testing.assert_allclose(found, reference.centre_evidence(log_values, 30.0), atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(seeds, st.integers(0, 12), st.integers(0, 4), st.integers(1, 5))
def test_sums_of_evidence_match_the_twin(dtype, seed, n_rows, n_columns, n_scores):
    rng = np.random.default_rng(seed)
    evidence = rng.normal(size=(9, n_scores)).astype(dtype)
    places = rng.integers(0, 9, (n_rows, n_columns)).astype(np.int32)
    weights, found = rng.random(n_columns), np.full((n_rows, n_scores), np.nan)
    kernels.join_evidence(evidence, places, weights, found)
    expected = reference.join_evidence(evidence.astype(float), places, weights)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(seeds, st.integers(0, 3), st.integers(0, 21), st.integers(-2, 2))
def test_sums_of_many_groups_match_the_twin(dtype, seed, n_rows, n_columns, more):
    """Eight columns at a time, then four, then one."""
    rng = np.random.default_rng(seed)
    n_scores = GROUPS_FOR_EIGHT + more
    evidence = rng.normal(size=(9, n_scores)).astype(dtype)
    places = rng.integers(0, 9, (n_rows, n_columns)).astype(np.int32)
    weights, found = rng.random(n_columns), np.full((n_rows, n_scores), np.nan)
    kernels.join_evidence(evidence, places, weights, found)
    expected = reference.join_evidence(evidence.astype(float), places, weights)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@given(seeds, st.integers(0, 12), st.integers(0, 5) | st.integers(15, 40))
def test_odds_and_their_sums_match_the_twins(seed, n_rows, n_columns):
    rng = np.random.default_rng(seed)
    evidence, weights = rng.normal(size=(9, 1)), rng.random(n_columns)
    places = rng.integers(0, 9, (n_rows, n_columns)).astype(np.int32)
    odds, joined = np.full(places.shape, np.nan), np.full((n_rows, 1), np.nan)
    kernels.take_odds(evidence, places, odds)
    np.testing.assert_array_equal(odds, reference.take_odds(evidence, places))
    kernels.join_odds(odds, weights, joined[:, 0])
    np.testing.assert_allclose(joined[:, 0], reference.join_odds(odds, weights), atol=1e-12)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@given(seeds, st.integers(0, 12), st.integers(0, 4))
def test_places_of_codes_match_the_twin(dtype, seed, n_rows, n_columns):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 200, (20, n_columns)).astype(dtype)
    rows, fold_of = rng.integers(0, 20, n_rows), rng.integers(-1, 3, n_rows)
    columns = rng.permutation(n_columns + 2)[:n_columns]
    layout = columns, rng.integers(0, 9, n_columns), rng.integers(200, 300, n_columns)
    found = np.full((n_rows, n_columns + 2), -7, np.int32)
    expected = reference.find_code_places(codes, rows, fold_of, *layout, found)
    kernels.find_code_places(codes, rows, fold_of, *layout, found)
    np.testing.assert_array_equal(found, expected)
