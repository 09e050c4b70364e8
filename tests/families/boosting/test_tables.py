"""Tables of two columns against their twins."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core import kernels as bayfold_kernels
from bayfold.core.kernels.count import LARGE_TABLES, ROWS_OF_LARGE
from bayfold.families.boosting import kernels as boosting_kernels
from bayfold.families.boosting.kernels import tables
from tests.plain import callable_kernel
from tests.reference import boost
from tests.reference import tree_tables as reference

add_tree_parts = callable_kernel(tables.add_tree_parts)
refine_bins = callable_kernel(tables.refine_bins)

seeds = st.integers(0, 2**32 - 1)


def draw_splits(rng, n, n_codes):
    return np.stack([rng.integers(0, 4, n), rng.integers(0, n_codes, n)], axis=1)


@given(seeds, st.integers(0, 600), st.integers(1, 5), st.integers(0, 1))
def test_scores_match_the_twin(seed, n_rows, n_moved, n_still):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 6, (n_rows, 3)).astype(np.uint8)
    positions = np.array([[0, 1], [2, 0]])
    steps = np.zeros((2, 2, 256), np.int32)
    steps[:, 0, :6] = rng.integers(0, 4, (2, 6)) * 3 * n_moved
    steps[:, 1, :6] = rng.integers(0, 3, (2, 6)) * n_moved
    tables = rng.normal(size=2 * 12 * n_moved)
    offsets = np.array([0, 12 * n_moved])
    start = rng.normal(size=(n_rows, n_moved + n_still))
    scores = start.copy()
    bayfold_kernels.score_pairs(codes, positions, steps, offsets, tables, n_moved, scores)
    expected = reference.score_pairs(codes, positions, steps, offsets, tables, n_moved, start)
    np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-14)


def test_scores_do_not_depend_on_how_many_rows_pass_at_once():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 6, (ROWS_OF_LARGE + 300, 2)).astype(np.uint8)
    steps = np.zeros((2, 2, 256), np.int32)
    steps[:, 0, :6], steps[:, 1, :6] = 12 * np.arange(6), 2 * np.arange(6)
    tables, start = rng.normal(size=144), rng.normal(size=(len(codes), 2))
    found = []
    for n_beyond in (0, LARGE_TABLES):
        scores, given_to = start.copy(), np.append(tables, np.zeros(n_beyond))
        places = np.array([[0, 1], [1, 0]]), steps, np.array([0, 72])
        bayfold_kernels.score_pairs(codes, *places, given_to, 2, scores)
        found.append(scores)
    np.testing.assert_array_equal(*found)


@given(seeds, st.integers(1, 12), st.integers(0, 8))
def test_bins_match_the_twin(seed, n_codes, n_splits):
    rng = np.random.default_rng(seed)
    splits = draw_splits(rng, n_splits, n_codes)
    live = rng.random(n_codes) < 0.8
    merge = np.empty(n_codes, np.int64)
    n_bins = refine_bins(splits[:, 0].copy(), splits[:, 1].copy(), live, merge)
    expected, n_expected = reference.refine_bins(splits[:, 0], splits[:, 1], live)
    assert n_bins == n_expected
    np.testing.assert_array_equal(merge, expected)


@given(seeds, st.integers(0, 6), st.integers(1, 3))
def test_quarters_of_trees_match_the_twin(seed, n_quarters, n_scores):
    rng = np.random.default_rng(seed)
    splits = np.stack([draw_splits(rng, n_quarters, 6) for _ in range(3)], axis=1)
    sides, on_a = rng.integers(0, 2, (n_quarters, 2)), rng.random(n_quarters) < 0.5
    values = rng.normal(size=(n_quarters, 2, n_scores))
    code_a, code_b = np.array([-1, 0, 2, 3]), np.array([-1, 2, 5])
    table = rng.normal(size=(4, 3, n_scores))
    expected = reference.add_tree_parts(splits, sides, on_a, values, code_a, code_b, table)
    add_tree_parts(splits, sides, on_a, values, code_a, code_b, table)
    np.testing.assert_allclose(table, expected, rtol=1e-12, atol=1e-13)


@given(seeds, st.integers(0, 12), st.integers(2, 9), st.integers(2, 9), st.integers(1, 3))
def test_tables_of_pairs_match_the_twin(seed, n_quarters, n_codes_a, n_codes_b, n_scores):
    rng = np.random.default_rng(seed)
    on_a = rng.random(n_quarters) < 0.5
    of_a, of_b = (draw_splits(rng, n_quarters, n) for n in (n_codes_a, n_codes_b))
    third = np.where(
        on_a[:, None],
        draw_splits(rng, n_quarters, n_codes_a),
        draw_splits(rng, n_quarters, n_codes_b),
    )
    splits = np.stack([of_a, of_b, third], axis=1)
    sides = rng.integers(0, 2, (n_quarters, 2))
    values = rng.normal(size=(n_quarters, 2, n_scores))
    live = rng.random(n_codes_a) < 0.8, rng.random(n_codes_b) < 0.8
    more = [draw_splits(rng, rng.integers(0, 3), n) for n in (n_codes_a, n_codes_b)]
    found = boosting_kernels.tabulate_pair(splits, sides, on_a, values, *live, *more)
    expected = reference.tabulate_pair(splits, sides, on_a, values, *live, *more)
    for fast, slow in zip(found, expected, strict=True):
        np.testing.assert_allclose(fast, slow, rtol=1e-12, atol=1e-13)


@given(seeds, st.integers(0, 6), st.integers(1, 3))
def test_quarters_of_one_column_match_the_twin(seed, n_quarters, n_scores):
    rng = np.random.default_rng(seed)
    splits = np.stack([draw_splits(rng, n_quarters, 6) for _ in range(3)], axis=1)
    sides, values = rng.integers(0, 2, (n_quarters, 2)), rng.normal(size=(n_quarters, 2, n_scores))
    table = rng.normal(size=(6, n_scores))
    expected = reference.add_column_parts(splits, sides, values, table)
    boosting_kernels.add_column_parts(splits, sides, values, table)
    np.testing.assert_allclose(table, expected, rtol=1e-12, atol=1e-14)


@given(seeds, st.integers(0, 40))
def test_counts_match_the_twin(seed, n_rows):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 5, (n_rows, 3)).astype(np.uint8)
    labels, weights = rng.integers(0, 2, n_rows), rng.integers(1, 4, n_rows).astype(float)
    merges = rng.integers(0, 3, 5), rng.integers(0, 4, 5)
    counts = np.zeros((3, 4, 2))
    expected = reference.count_pair(codes, labels, weights, 2, 0, *merges, counts)
    boosting_kernels.count_pair(codes, labels, weights, 2, 0, *merges, counts)
    np.testing.assert_array_equal(counts, expected)


@given(seeds, st.integers(2, 6), st.integers(2, 6), st.integers(1, 3))
def test_purified_tables_have_no_means_and_add_up(seed, n_a, n_b, n_scores):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(n_a, n_b, n_scores))
    weights = rng.integers(0, 5, (n_a, n_b)).astype(float)
    weights[0], weights[:, 0] = 0.0, 0.0  # nobody has a code that gives no evidence
    before = table.copy()
    of_row, of_column = np.zeros((n_a, n_scores)), np.zeros((n_b, n_scores))
    boosting_kernels.purify_table(table, weights, of_row, of_column, 2000, 1e-12)
    inner, w = table[1:, 1:], weights[1:, 1:]
    np.testing.assert_allclose(inner + of_row[1:, None] + of_column[1:], before[1:, 1:], atol=1e-12)
    np.testing.assert_array_equal(table[0], before[0])
    np.testing.assert_array_equal(table[:, 0], before[:, 0])
    np.testing.assert_allclose(np.einsum("ab,abs->as", w, inner), 0.0, atol=1e-8)
    np.testing.assert_allclose(np.einsum("ab,abs->bs", w, inner), 0.0, atol=1e-8)


@given(seeds, st.integers(2, 5), st.integers(2, 5), st.integers(1, 3), st.integers(0, 4))
def test_purifying_matches_the_twin(seed, n_a, n_b, n_scores, n_sweeps):
    rng = np.random.default_rng(seed)
    table, weights = rng.normal(size=(n_a, n_b, n_scores)), rng.random((n_a, n_b))
    weights[0], weights[:, 0] = 0.0, 0.0
    found = table, rng.normal(size=(n_a, n_scores)), rng.normal(size=(n_b, n_scores))
    expected = reference.purify_table(table, weights, *found[1:], n_sweeps, 1e-3)
    boosting_kernels.purify_table(table, weights, *found[1:], n_sweeps, 1e-3)
    for fast, slow in zip(found, expected, strict=True):
        np.testing.assert_allclose(fast, slow, rtol=1e-10, atol=1e-12)


@given(seeds, st.integers(0, 20), st.integers(1, 3))
def test_a_round_scores_like_the_twin(seed, n_rows, n_scores):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 6, (n_rows, 3)).astype(np.uint8)
    splits = np.stack([rng.integers(0, n, (2, 7)) for n in (3, 4, 6)], axis=2)
    values = rng.normal(size=(2, 8, n_scores))
    scores = np.zeros((n_rows, n_scores))
    boosting_kernels.score_round(codes, splits, values, scores)
    expected = boost.score_trees(codes, splits[:, None], values[:, None], np.zeros(n_scores))
    np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-14)


@given(seeds, st.integers(0, 20), st.integers(1, 4), st.integers(1, 3))
def test_sums_and_steps_of_cells_match_the_twin(seed, n_rows, n_grids, n_scores):
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 7, (n_rows, n_grids)).astype(np.uint16)
    scores, tables = rng.normal(size=(n_rows, n_scores)), rng.normal(size=(7, n_scores))
    first, last = np.sort(rng.integers(0, n_rows + 1, 2)).tolist()
    expected = reference.sum_in_cells(cells, scores, first, last, tables)
    moved = reference.add_from_cells(cells, tables, scores)
    boosting_kernels.add_from_cells(cells, tables, fast := scores.copy())
    boosting_kernels.sum_in_cells(cells, scores, first, last, tables)
    np.testing.assert_allclose(tables, expected, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(fast, moved, rtol=1e-12, atol=1e-13)
