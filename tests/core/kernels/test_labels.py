"""Labels counted and hashed, against a loop in Python."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core import kernels
from tests import reference


@given(st.integers(0, 2**32 - 1), st.integers(0, 40), st.integers(0, 5))
def test_labels_are_counted_as_by_the_twin(seed, n_rows, n_labels):
    rng = np.random.default_rng(seed)
    indices = rng.integers(-1, n_labels, n_rows).astype(np.int32)
    words = rng.integers(0, 2**63, n_labels + 1, np.uint64)
    weights, hashes = rng.random(n_rows), rng.integers(0, 2**63, n_rows, np.uint64)
    found, expected = np.zeros(n_labels + 1), np.zeros(n_labels + 1)
    expected_hashes = hashes.copy()
    kernels.count_labels(indices, weights, words, found, hashes)
    reference.count_labels(indices, weights, words, expected, expected_hashes)
    assert found.tolist() == expected.tolist()
    assert hashes.tolist() == expected_hashes.tolist()


@given(st.integers(0, 2**32 - 1), st.integers(0, 40), st.integers(0, 5))
def test_labels_are_marked_and_coded_as_by_the_twins(seed, n_rows, n_labels):
    rng = np.random.default_rng(seed)
    indices = rng.integers(-1, n_labels, n_rows).astype(np.int32)
    used = rng.random(n_labels) < 0.2  # some are known already
    expected = used.copy()
    kernels.mark_used(indices, used)
    reference.mark_used(indices, expected)
    assert used.tolist() == expected.tolist()
    lookup = rng.integers(0, 256, n_labels + 1).astype(np.uint8)
    codes = np.zeros((n_rows, 3), np.uint8)
    expected_codes = codes.copy()
    kernels.write_codes(indices, lookup, 1, codes)
    reference.write_codes(indices, lookup, 1, expected_codes)
    np.testing.assert_array_equal(codes, expected_codes)


@given(st.lists(st.integers(-1, 3), max_size=30), st.integers(0, 2**32 - 1))
def test_labels_of_equal_weight_are_counted_by_turns(labels, seed):
    rng = np.random.default_rng(seed)
    indices = np.array(labels, np.int32)
    words = rng.integers(0, 2**64, 5, np.uint64, endpoint=False)
    hashes = rng.integers(0, 2**64, len(labels), np.uint64, endpoint=False)
    found, expected, expected_hashes = *np.zeros((2, 4, 5), np.uint32), hashes.copy()
    kernels.count_equal_labels(indices, words, found, hashes)
    reference.count_equal_labels(indices, words, expected, expected_hashes)
    np.testing.assert_array_equal(found.sum(axis=0), expected.sum(axis=0))
    np.testing.assert_array_equal(hashes, expected_hashes)
