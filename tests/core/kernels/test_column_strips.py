"""Columns coded, counted and hashed at once against one step after the other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core import kernels
from bayfold.core.kernels import strips
from bayfold.core.schema import NumericColumn, Schema
from tests import reference
from tests.core.kernels.test_count_numbers import draw_numbers

# without compilation NumPy warns that the products overflow, as they must
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


@given(
    st.integers(0, 2**32 - 1),
    st.integers(0, 1100),
    st.integers(1, 5),
    st.sampled_from([np.float32, np.float64]),
)
def test_columns_are_coded_as_their_twin_codes_them(seed, n_rows, n_columns, dtype):
    """Of four and of eight bytes; rows behind the last and other columns stay as they are."""
    rng = np.random.default_rng(seed)
    values, edges = draw_numbers(rng, n_rows, n_columns)
    values = values.astype(dtype)
    *grid, crowded = Schema(
        tuple(NumericColumn(f"x{j}", e) for j, e in enumerate(edges))
    ).grids.arrays
    assert len(crowded) == 0
    codes = np.full((n_columns + 1, n_rows + 2), 77, np.uint8)
    ranges = np.full(n_columns, np.inf), np.full(n_columns, -np.inf)
    for j in range(n_columns):
        numbers = np.ascontiguousarray(values[:, j])
        kernels.encode_column(numbers, j, tuple(grid), ranges, codes)
        expected, smallest, largest = reference.encode_column(numbers.astype(float), edges[j])
        np.testing.assert_array_equal(codes[j, :n_rows], expected)
        assert (ranges[0][j], ranges[1][j]) == (smallest, largest)
    assert (codes[-1] == 77).all()
    assert (codes[:, n_rows:] == 77).all()


@given(
    st.integers(0, 2**32 - 1),
    st.integers(0, 60),
    st.tuples(st.integers(0, 6), st.integers(0, 3), st.integers(0, 2)),
    st.integers(1, 3),
    st.sampled_from([0, 1 << 62, (1 << 64) - 1]),
)
def test_counts_and_hashes_match_the_twin(seed, n_rows, n_columns, n_groups, threshold):
    check(np.random.default_rng(seed), n_rows, n_columns, n_groups, threshold)


def test_several_strips_match_the_twin():
    check(np.random.default_rng(5), 2 * strips.HASHED_ROWS + 7, (5, 2, 1), 2, 1 << 62)


def check(rng, n_rows, n_columns, n_groups, threshold):
    """Of columns whose words are multiples, of other narrow ones and of wide ones."""
    n_factors, n_labels, n_wide = n_columns
    n_narrow = n_factors + n_labels
    sizes = rng.integers(1, 9, n_narrow), rng.integers(300, 400, n_wide)
    codes = []
    for own, dtype in zip(sizes, (np.uint8, np.uint16), strict=True):
        drawn = [rng.integers(0, size, n_rows + 3) for size in own]
        codes.append(np.array(drawn, dtype).reshape(len(own), n_rows + 3))
    starts = [np.cumsum([0, *own]).astype(np.int64) for own in sizes]
    groups = rng.integers(0, n_groups, n_rows).astype(np.int32)
    draw = lambda n: rng.integers(0, 2**64, n, np.uint64, endpoint=False)  # noqa: E731
    wide_starts = starts[1][:-1] + starts[0][-1]
    code_hashes = draw(int(starts[0][-1] + starts[1][-1]))
    words = draw(n_factors), starts[0][:-1], wide_starts, code_hashes
    offsets = [own[:-1] * n_groups for own in starts]
    counts = [np.zeros(own[-1] * n_groups, np.uint32) for own in starts]
    found = np.empty(n_rows, np.int64), np.empty(n_rows, np.uint64)
    tables = tuple(zip(offsets, counts, strict=True))
    limits = rng.permuted(
        np.full(n_groups, threshold, np.uint64) >> np.arange(n_groups, dtype=np.uint64)
    )
    n_found = kernels.count_columns(*codes, groups, n_groups, tables, words, limits, found)
    sized = [(own, len(flat)) for own, flat in tables]
    expected = reference.count_columns(*codes, groups, n_groups, sized, words, limits)
    for part, wanted in zip(counts, expected[0], strict=True):
        np.testing.assert_array_equal(part, wanted)
    for part, wanted in zip(found, expected[1], strict=True):
        np.testing.assert_array_equal(part[:n_found], wanted)
