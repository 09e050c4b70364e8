"""Coding, counting and hashing at once against one step after the other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core import kernels
from bayfold.core.kernels import encode
from bayfold.core.schema import NumericColumn, Schema
from tests import reference

# without compilation NumPy warns that the products overflow, as they must
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def draw_numbers(rng, n_rows, n_columns):
    """Numbers on edges, between them and missing; columns of no edge, of one, of aligned ones and of others."""
    edges = [
        [np.empty(0), np.array([0.5]), np.arange(9.0), np.unique(rng.normal(size=7).round(2))][
            j % 4
        ]
        for j in range(n_columns)
    ]
    values = rng.normal(size=(n_rows, n_columns)) * 3
    on_edge = rng.random(values.shape) < 0.3
    values[on_edge] = np.round(values[on_edge])
    values[rng.random(values.shape) < 0.1] = np.nan
    return values, edges


def count(values, edges, groups, n_groups, factors, limits):
    grids = Schema(tuple(NumericColumn(f"x{j}", e) for j, e in enumerate(edges))).grids
    *grid, crowded = grids.arrays
    assert len(crowded) == 0
    starts = np.cumsum([0, *((len(e) + 3) * n_groups for e in edges)]).astype(np.int64)
    ranges = np.full(len(edges), np.inf), np.full(len(edges), -np.inf)
    counts = np.zeros(starts[-1], np.uint32)
    codes = np.empty(values.shape, np.uint8)
    found = np.empty(len(values), np.int64), np.empty(len(values), np.uint64), codes
    tables = starts[:-1], counts
    arguments = tuple(grid), ranges, groups, n_groups, tables, factors, limits, found
    n_found = kernels.count_numbers(values, *arguments)
    return counts, ranges, tuple(part[:n_found] for part in found), (starts[:-1], len(counts))


@given(
    st.integers(0, 2**32 - 1),
    st.integers(0, 70),
    st.integers(1, 9),
    st.integers(1, 3),
    st.sampled_from([0, 1 << 62, (1 << 64) - 1]),
)
def test_one_pass_matches_the_twin_step_by_step(seed, n_rows, n_columns, n_groups, threshold):
    rng = np.random.default_rng(seed)
    values, edges = draw_numbers(rng, n_rows, n_columns)
    groups = rng.integers(0, n_groups, n_rows).astype(np.int32)
    factors = rng.integers(0, 2**64, n_columns, np.uint64, endpoint=False)
    limits = rng.permuted(
        np.full(n_groups, threshold, np.uint64) >> np.arange(n_groups, dtype=np.uint64)
    )
    rows = values, edges, groups, n_groups
    counts, ranges, found, tables = count(*rows, factors, limits)
    expected = reference.count_numbers(*rows, tables, factors, limits)
    np.testing.assert_array_equal(counts, expected[0])
    for part, wanted in zip((*ranges, *found), (*expected[1], *expected[2]), strict=True):
        np.testing.assert_array_equal(part, wanted)


@pytest.mark.parametrize("n_columns", [1, 3, 20, 700])
def test_strips_of_rows_match_the_other_kernels(n_columns):
    """More rows than a strip, in narrow and wide tables: the same as coding, hashing and counting all of them."""
    rng = np.random.default_rng(n_columns)
    n_rows = 2 * max(encode.STRIP // n_columns, encode.LEAST_STRIP_ROWS) + 5
    values, edges = draw_numbers(rng, n_rows, n_columns)
    groups = rng.integers(0, 2, n_rows).astype(np.int32)
    factors = rng.integers(0, 2**64, n_columns, np.uint64, endpoint=False)
    limits = np.array([1 << 62, 1 << 60], np.uint64)
    counts, ranges, found, (offsets, _) = count(values, edges, groups, 2, factors, limits)
    grids = Schema(tuple(NumericColumn(f"x{j}", e) for j, e in enumerate(edges))).grids
    codes = np.empty(values.shape, np.uint8)
    span = np.full(n_columns, np.inf), np.full(n_columns, -np.inf)
    grids.encode(values, codes, *span)
    expected, hashes = np.zeros(len(counts)), np.zeros(n_rows, np.uint64)
    kernels.count_codes(codes, groups, np.ones(n_rows), offsets, 2, expected)
    kernels.hash_multiples(codes, factors, hashes)
    kernels.mix_hashes(hashes)
    small = np.flatnonzero(hashes <= limits[groups])
    for part, wanted in zip(
        (counts, *ranges, *found),
        (expected, *span, small, hashes[small], codes[small]),
        strict=True,
    ):
        np.testing.assert_array_equal(part, wanted)


def test_a_row_whose_hash_is_the_threshold_is_found():
    values, edges = draw_numbers(np.random.default_rng(3), 40, 3)
    groups = np.zeros(40, np.int32)
    factors = np.random.default_rng(4).integers(0, 2**64, 3, np.uint64)
    hashes = count(values, edges, groups, 1, factors, np.full(1, 2**64 - 1, np.uint64))[2][1]
    threshold = np.array(np.sort(hashes)[10])
    places = count(values, edges, groups, 1, factors, threshold[None])[2][0]
    np.testing.assert_array_equal(places, np.flatnonzero(hashes <= threshold))
