"""Both counting kernels against their twin: exact for whole weights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core import kernels
from tests import reference


def random_codes(rng, n_rows, n_codes, dtype):
    codes = np.empty((n_rows, len(n_codes)), dtype)
    for j, n in enumerate(n_codes):
        codes[:, j] = rng.integers(0, n, n_rows)
    return codes


def table_layout(n_codes, n_groups):
    starts = np.cumsum([0, *(n * n_groups for n in n_codes)]).astype(np.int64)
    return starts[:-1], int(starts[-1])


shapes = st.tuples(
    st.integers(0, 2**32 - 1),  # seed
    st.integers(0, 40),  # rows
    st.lists(st.integers(1, 256), max_size=4),  # codes of each column
    st.integers(1, 60),  # groups
    st.sampled_from([np.uint8, np.uint16]),
)


@given(shapes)
def test_counting_whole_weights_is_exact(shape):
    seed, n_rows, n_codes, n_groups, dtype = shape
    rng = np.random.default_rng(seed)
    codes = random_codes(rng, n_rows, n_codes, dtype)
    groups = rng.integers(0, n_groups, n_rows).astype(np.int32)
    weights = rng.integers(0, 9, n_rows).astype(float)
    offsets, size = table_layout(n_codes, n_groups)
    counts = np.zeros(size)
    kernels.count_codes(codes, groups, weights, offsets, n_groups, counts)
    expected = reference.count_codes(codes, groups, weights, offsets, n_groups, size)
    np.testing.assert_array_equal(counts, expected)


@given(shapes)
def test_counting_and_hashing_match_the_twin(shape):
    seed, n_rows, n_codes, n_groups, dtype = shape
    rng = np.random.default_rng(seed)
    codes = random_codes(rng, n_rows, n_codes, dtype)
    groups = rng.integers(0, n_groups, n_rows).astype(np.int32)
    weights = rng.integers(0, 9, n_rows).astype(float)
    offsets, size = table_layout(n_codes, n_groups)
    word_offsets, n_words = table_layout(n_codes, 1)
    words, start = (rng.integers(0, 2**64, n, np.uint64, endpoint=False) for n in (n_words, n_rows))
    counts, hashes = np.zeros(size), start.copy()
    rows = codes, groups, weights, offsets, n_groups
    n_hashed = 2 * rng.integers(0, codes.shape[1] // 2 + 1)
    kernels.count_and_hash(*rows, counts, word_offsets, words, n_hashed, hashes)
    expected = reference.count_and_hash(*rows, size, word_offsets, words, n_hashed, start)
    np.testing.assert_array_equal(counts, expected[0])
    np.testing.assert_array_equal(hashes, expected[1])


@given(shapes)
def test_counting_in_part_matches_the_twin(shape):
    seed, n_rows, n_codes, n_groups, dtype = shape
    rng = np.random.default_rng(seed)
    codes = random_codes(rng, n_rows, n_codes, dtype)
    membership = rng.dirichlet(np.ones(n_groups), n_rows)
    offsets, size = table_layout(n_codes, n_groups)
    counts = np.zeros(size)
    kernels.count_fractional(codes, membership, offsets, counts)
    expected = reference.count_fractional(codes, membership, offsets, size)
    np.testing.assert_allclose(counts, expected, rtol=1e-14, atol=0)


@pytest.mark.parametrize("code", [0, 255, 256, 65535])
def test_every_two_byte_code_has_its_cell(code):
    counts = np.zeros(65536 * 3)
    codes = np.array([[code]], np.uint16)
    group, weight = np.array([2], np.int32), np.array([1.5])
    kernels.count_codes(codes, group, weight, np.zeros(1, np.int64), 3, counts)
    assert np.flatnonzero(counts).tolist() == [code * 3 + 2]
    kernels.count_fractional(codes, np.array([[0.0, 0.0, 1.5]]), np.zeros(1, np.int64), counts)
    assert counts[code * 3 + 2] == 3.0
    assert counts.sum() == 3.0


def test_both_kernels_agree_on_certain_membership_and_add_to_what_is_there():
    rng = np.random.default_rng(1)
    codes = random_codes(rng, 200, [5, 7], np.uint8)
    groups = rng.integers(0, 4, 200).astype(np.int32)
    offsets, size = table_layout([5, 7], 4)
    whole, part = np.ones(size), np.ones(size)
    kernels.count_codes(codes, groups, np.full(200, 3.0), offsets, 4, whole)
    kernels.count_fractional(codes, 3.0 * np.eye(4)[groups], offsets, part)
    np.testing.assert_array_equal(whole, part)
    assert whole.sum() == size + 2 * 200 * 3.0
