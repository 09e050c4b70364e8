"""The three scoring kernels against their twins, for one score, two, and many."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core import kernels
from tests import reference

seeds = st.integers(0, 2**32 - 1)
rows = st.integers(0, 25)


def numbers(rng, n_rows, n_columns):
    """Numbers of every size, some missing."""
    values = rng.normal(size=(n_rows, n_columns)) * 10.0 ** rng.integers(-3, 4, (n_rows, n_columns))
    values[rng.random(values.shape) < 0.2] = np.nan
    return values


def some_columns(rng, n_columns):
    return rng.permutation(n_columns)[: rng.integers(1, n_columns + 1)].astype(np.int64)


@given(seeds, rows, st.lists(st.integers(1, 300), max_size=5), st.integers(1, 30))
def test_tables_match_the_twin(seed, n_rows, n_codes, n_scores):
    rng = np.random.default_rng(seed)
    dtype = np.uint16 if max(n_codes, default=1) > 256 else np.uint8
    codes = np.empty((n_rows, len(n_codes)), dtype)
    for j, n in enumerate(n_codes):
        codes[:, j] = rng.integers(0, n, n_rows)
    starts = np.cumsum([0, *(n * n_scores for n in n_codes)]).astype(np.int64)
    tables = rng.normal(size=int(starts[-1]))
    start = rng.normal(size=(n_rows, n_scores))
    scores = start.copy()
    kernels.score_tables(codes, starts[:-1], tables, scores)
    expected = reference.score_tables(codes, starts[:-1], tables, start)
    np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("n_scores", [1, 3])
def test_impossible_values_stay_impossible(n_scores):
    tables = np.zeros(2 * n_scores)
    tables[n_scores] = -np.inf
    scores = np.zeros((1, n_scores))
    kernels.score_tables(np.array([[1]], np.uint8), np.zeros(1, np.int64), tables, scores)
    assert scores[0].tolist() == [-np.inf] + [0.0] * (n_scores - 1)


@pytest.mark.parametrize("code", [0, 256, 65535])
@pytest.mark.parametrize("n_scores", [1, 3])
def test_every_two_byte_code_reads_its_own_entry(code, n_scores):
    tables = np.arange(65536.0 * n_scores)
    scores = np.zeros((1, n_scores))
    kernels.score_tables(np.array([[code]], np.uint16), np.zeros(1, np.int64), tables, scores)
    np.testing.assert_array_equal(scores[0], code * n_scores + np.arange(n_scores))


@given(seeds, rows, st.integers(1, 4), st.integers(1, 12), st.booleans())
def test_quadratics_match_the_twin(seed, n_rows, n_columns, n_groups, centred):
    rng = np.random.default_rng(seed)
    values, columns = numbers(rng, n_rows, n_columns), some_columns(rng, n_columns)
    mean, constant, missing = rng.normal(size=(3, len(columns), n_groups))
    inverse_sd = rng.exponential(size=(len(columns), n_groups))
    n_scores = 1 if centred and n_groups == 2 else n_groups
    start = rng.normal(size=(n_rows, n_scores))
    scores = start.copy()
    term = (values, columns, mean, inverse_sd, constant, missing, centred)
    kernels.score_quadratics(*term, scores)
    expected = reference.score_quadratics(*term, start)
    # groups are compared by differences of squares: the error is that of the largest square
    largest = 1.0 + np.nanmax(values**2, initial=0.0) * inverse_sd.max() ** 2
    np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-14 * largest)


def test_groups_far_from_zero_are_compared_without_cancellation():
    shift = 2.0**40
    mean, ones = np.array([[shift, shift + 1.0]]), np.ones((1, 2))
    scores = np.zeros((1, 1))
    nothing = np.zeros((1, 2))
    values, columns = np.array([[shift + 0.25]]), np.zeros(1, np.int64)
    kernels.score_quadratics(values, columns, mean, ones, nothing, nothing, True, scores)
    assert scores[0, 0] == (0.25**2 - 0.75**2) / 2


@given(seeds, rows, st.integers(1, 4), st.integers(1, 8))
def test_interpolated_curves_match_the_twin(seed, n_rows, n_columns, n_scores):
    rng = np.random.default_rng(seed)
    values, columns = numbers(rng, n_rows, n_columns), some_columns(rng, n_columns)
    n_nodes = rng.integers(2, 9, len(columns))
    low, scale = rng.normal(size=len(columns)), rng.exponential(size=len(columns))
    starts = np.cumsum([0, *(n_nodes * n_scores)]).astype(np.int64)
    tables = rng.normal(size=int(starts[-1]))
    missing = rng.normal(size=(len(columns), n_scores))
    start = rng.normal(size=(n_rows, n_scores))
    scores = start.copy()
    term = (values, columns, low, scale, n_nodes, starts[:-1], tables, missing)
    kernels.score_interpolated(*term, scores)
    expected = reference.score_interpolated(*term, start)
    np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-12)


def test_curves_meet_their_nodes_and_stay_level_beyond_the_ends():
    nodes = np.array([3.0, -1.0, 4.0, 1.5])
    x = np.array([[-1e308], [0.0], [0.5], [1.0], [1.5], [np.nextafter(1.5, 9)], [1e308], [np.nan]])
    scores = np.zeros((len(x), 1))
    one = np.zeros(1, np.int64)
    kernels.score_interpolated(
        x,
        one,
        np.zeros(1),
        np.full(1, 2.0),
        np.array([4]),
        one,
        nodes,
        np.full((1, 1), 9.0),
        scores,
    )
    assert scores[:, 0].tolist() == [3.0, 3.0, -1.0, 4.0, 1.5, 1.5, 1.5, 9.0]


def test_a_curve_that_rules_a_group_out_does_so_everywhere():
    scores, one = np.zeros((3, 1)), np.zeros(1, np.int64)
    x, nodes = np.array([[0.0], [0.3], [9.0]]), np.full(4, -np.inf)
    kernels.score_interpolated(
        x, one, np.zeros(1), np.ones(1), np.array([4]), one, nodes, np.zeros((1, 1)), scores
    )
    assert scores[:, 0].tolist() == [-np.inf] * 3


def test_an_impossible_group_is_left_out_of_the_average():
    values, columns = np.full((1, 1), np.nan), np.zeros(1, np.int64)
    flat = np.zeros((1, 3))
    missing = np.array([[-np.inf, np.log(0.25), np.log(0.5)]])
    scores = np.zeros((1, 3))
    kernels.score_quadratics(values, columns, flat, flat, flat, missing, True, scores)
    np.testing.assert_allclose(scores, [[-np.inf, -np.log(2) / 2, np.log(2) / 2]])


@given(seeds, rows, st.lists(st.integers(1, 8), min_size=1, max_size=4), st.integers(1, 5))
def test_curves_match_the_twin(seed, n_rows, n_bins, n_scores):
    rng = np.random.default_rng(seed)
    values = numbers(rng, n_rows, len(n_bins))
    columns = some_columns(rng, len(n_bins))
    edges = [np.sort(rng.normal(size=n - 1) * 10) for n in n_bins]
    codes = np.zeros(values.shape, np.uint8)
    for j, cuts in enumerate(edges):
        known = ~np.isnan(values[:, j])
        codes[known, j] = 2 + np.searchsorted(cuts, values[known, j], side="right")
    ends = [np.concatenate([[-99.0], cuts, [99.0]]) for cuts in edges]
    places = [low[:-1] + rng.random(len(low) - 1) * np.diff(low) for low in ends]
    chosen = [places[j] for j in columns]
    offsets = np.cumsum([0, *(len(p) for p in chosen)]).astype(np.int64)
    gaps = np.concatenate([np.append(1 / np.diff(p), 0.0) for p in chosen])
    tables = [rng.normal(size=len(p) * n_scores) for p in chosen]
    table_offsets = np.cumsum([0, *(len(t) for t in tables[:-1])]).astype(np.int64)
    missing, start = rng.normal(size=(len(columns), n_scores)), rng.normal(size=(n_rows, n_scores))
    arrays = offsets, np.concatenate(chosen), gaps, table_offsets, np.concatenate(tables), missing
    scores = start.copy()
    kernels.score_curves(values, codes, columns, *arrays, scores)
    expected = reference.score_curves(values, codes, columns, *arrays, start)
    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-9)
