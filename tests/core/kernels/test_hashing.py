"""Content hashes against Python integers, bit by bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core import kernels
from tests import reference
from tests.reference.hashing import mix

# without compilation NumPy warns that the products overflow, as they must
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def hashes_of(narrow, wide, narrow_offsets, wide_offsets, words, start):
    hashes = start.copy()
    kernels.hash_rows(narrow, wide, narrow_offsets, wide_offsets, words, hashes)
    return hashes


def random_rows(seed, n_rows, n_narrow, n_wide):
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 2**64, 256 * n_narrow + 65536 * n_wide, np.uint64, endpoint=False)
    narrow = rng.integers(0, 256, (n_rows, n_narrow)).astype(np.uint8)
    wide = rng.integers(0, 65536, (n_rows, n_wide)).astype(np.uint16)
    narrow_offsets = 256 * np.arange(n_narrow)
    wide_offsets = 256 * n_narrow + 65536 * np.arange(n_wide)
    start = rng.integers(0, 2**64, n_rows, np.uint64, endpoint=False)
    return narrow, wide, narrow_offsets, wide_offsets, words, start


@given(st.integers(0, 2**32 - 1), st.integers(0, 20), st.integers(0, 5), st.integers(0, 2))
def test_hashes_match_the_twin_bit_by_bit(seed, n_rows, n_narrow, n_wide):
    rows = random_rows(seed, n_rows, n_narrow, n_wide)
    np.testing.assert_array_equal(hashes_of(*rows), reference.hash_rows(*rows))


@given(st.integers(0, 2**32 - 1), st.integers(0, 20), st.integers(0, 40), st.integers(0, 2))
def test_words_that_are_multiples_match_the_twin(seed, n_rows, n_factors, n_more):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 256, (n_rows, n_factors + n_more)).astype(np.uint8)
    factors = rng.integers(0, 2**64, n_factors, np.uint64, endpoint=False)
    start = rng.integers(0, 2**64, n_rows, np.uint64, endpoint=False)
    unmixed = start.copy()
    kernels.hash_multiples(codes, factors, unmixed)
    np.testing.assert_array_equal(unmixed, reference.hash_multiples(codes, factors, start))


@given(st.lists(st.floats()), st.integers(0, 2**32 - 1))
def test_added_hashes_of_numbers_match_the_twin(numbers, seed):
    numbers = np.array([*numbers, -0.0, np.nan])
    start = np.random.default_rng(seed).integers(0, 2**64, len(numbers), np.uint64, endpoint=False)
    hashes = start.copy()
    kernels.add_number_hashes(numbers, hashes)
    np.testing.assert_array_equal(hashes, reference.add_number_hashes(numbers, start))


@given(st.integers(0, 2**32 - 1), st.integers(0, 20))
def test_mixing_alone_matches_the_twin(seed, n_rows):
    start = np.random.default_rng(seed).integers(0, 2**64, n_rows, np.uint64, endpoint=False)
    hashes = start.copy()
    kernels.mix_hashes(hashes)
    np.testing.assert_array_equal(hashes, reference.mix_hashes(start))


@given(st.integers(0, 2**32 - 1), st.integers(0, 200), st.integers(1, 5))
def test_the_words_of_groups_match_the_twin(seed, n_rows, n_groups):
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, n_groups, n_rows).astype(np.int32)
    words = rng.integers(0, 2**64, n_groups, np.uint64, endpoint=False)
    hashes = np.empty(n_rows, np.uint64)
    kernels.begin_hashes(groups, words, hashes)
    np.testing.assert_array_equal(hashes, reference.begin_hashes(groups, words))


@given(
    st.integers(0, 2**32 - 1), st.integers(0, 200), st.sampled_from([0, 2**56, 2**62, 2**64 - 1])
)
def test_small_hashes_match_the_twin(seed, n_rows, threshold):
    start = np.random.default_rng(seed).integers(0, 2**64, n_rows, np.uint64, endpoint=False)
    hashes, places = start.copy(), np.full(n_rows, -1)
    n_found = kernels.mix_and_find(hashes, np.uint64(threshold), places)
    mixed, expected = reference.mix_and_find(start, threshold)
    np.testing.assert_array_equal(hashes, mixed)
    assert places[:n_found].tolist() == expected
    assert (places[n_found:] == -1).all()


def test_the_twin_mixes_like_splitmix64():
    # the generator adds the golden gamma to its state and mixes; its first outputs for seed 1234567
    state, gamma = 1234567, 0x9E3779B97F4A7C15
    outputs = [mix((state + k * gamma) % 2**64) for k in (1, 2, 3)]
    assert outputs == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_the_order_of_columns_does_not_matter():
    narrow, wide, narrow_offsets, wide_offsets, words, start = random_rows(4, 50, 4, 2)
    turned = hashes_of(
        np.ascontiguousarray(narrow[:, ::-1]),
        np.ascontiguousarray(wide[:, ::-1]),
        np.ascontiguousarray(narrow_offsets[::-1]),
        np.ascontiguousarray(wide_offsets[::-1]),
        words,
        start,
    )
    plain = hashes_of(narrow, wide, narrow_offsets, wide_offsets, words, start)
    np.testing.assert_array_equal(turned, plain)


@given(st.integers(0, 2**32 - 1), st.integers(0, 20), st.integers(0, 5))
def test_hashes_of_numbers_match_the_twin_bit_by_bit(seed, n_rows, n_numbers):
    rng = np.random.default_rng(seed)
    numbers = rng.choice([0.0, -0.0, 1.5, -2.0, 1e300, np.nan], (n_rows, n_numbers))
    start = rng.integers(0, 2**64, n_rows, np.uint64, endpoint=False)
    hashes = start.copy()
    kernels.hash_numbers(numbers, hashes)
    np.testing.assert_array_equal(hashes, reference.hash_numbers(numbers, start))


def test_rows_with_the_same_numbers_have_the_same_hash_and_others_do_not():
    numbers = np.array([[0.0, np.nan], [-0.0, -np.nan], [np.nan, 0.0], [0.0, 1.0], [1.0, 0.0]])
    hashes = np.zeros(5, np.uint64)
    kernels.hash_numbers(numbers, hashes)
    assert hashes[0] == hashes[1]
    assert len(set(hashes.tolist())) == 4


@given(
    st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 5) | st.integers(2**64 - 5, 2**64 - 1)),
    st.integers(1, 3),
)
def test_rows_are_sorted_by_their_hashes_as_the_twin_does(some, n_copies):
    hashes = np.array(some * n_copies, np.uint64)
    keys, order = np.empty(len(hashes), np.uint64), np.empty(len(hashes), np.int64)
    kernels.sort_hashes(hashes, np.empty((2, len(hashes)), np.uint64), keys, order)
    expected = reference.sort_hashes(hashes)
    assert (keys.tolist(), order.tolist()) == expected
    numbers, first = kernels.number_equal(hashes)
    assert (numbers.tolist(), first.tolist()) == reference.number_equal(hashes)


@given(st.integers(0, 2**32 - 1), st.integers(0, 20), st.integers(0, 3))
def test_words_are_added_to_codes_as_the_twin_does(seed, n_rows, n_columns):
    narrow, _, offsets, _, _, told = random_rows(seed, n_rows, n_columns, 0)
    sums = np.zeros(256 * n_columns, np.uint64)
    kernels.add_to_codes(narrow, offsets, told, sums)
    assert sums.tolist() == reference.add_to_codes(narrow, offsets, told, len(sums))


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 4))
def test_words_of_groups_and_codes_are_added_to_each_other_as_the_twins_do(seed, n_codes, n_groups):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.7, (n_codes, n_groups)) * 1.0
    tells = rng.random(n_codes) < 0.8
    unit = rng.choice([1.0, 0.3, 1e-5])
    for add, twin, n_words, n_sums in (
        (kernels.add_groups_to_codes, reference.add_groups_to_codes, n_groups, n_codes),
        (kernels.add_codes_to_groups, reference.add_codes_to_groups, n_codes, n_groups),
    ):
        words = rng.integers(0, 2**64, n_words, np.uint64)
        sums = np.zeros(n_sums, np.uint64)
        add(counts, tells, unit, words, sums)
        assert sums.tolist() == twin(counts, tells, unit, words)
