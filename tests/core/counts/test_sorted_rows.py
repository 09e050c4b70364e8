"""Rows in the order of their hashes, bucket by bucket: as if they were sorted at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core import long_arrays
from bayfold.core.counts import equal_rows
from bayfold.core.counts.equal_rows import collapse_equal_rows, merge_equal_rows, sort_rows
from tests.reference.hashing import sort_hashes

ROWS = 40


@pytest.fixture(autouse=True, scope="module")
def small_buckets():
    """Buckets of a few rows, pieces of fewer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(equal_rows, "BUCKET_ROWS", 4)
        patch.setattr(equal_rows, "LET_GO_ROWS", 8)
        patch.setattr(long_arrays, "PIECE_ROWS", 7)
        yield


def draw_rows(seed, few):
    """Hashes, of which some or all are equal, and arrays of all sizes of cells beside them."""
    rng = np.random.default_rng(seed)
    hashes = rng.integers(0, 2**64, ROWS, dtype=np.uint64)
    if few:
        hashes = hashes[rng.integers(0, few, ROWS)]
    arrays = [
        rng.integers(0, 256, (ROWS, 13)).astype(np.uint8),
        rng.integers(0, 2**16, (ROWS, 1)).astype(np.uint16),
        np.empty((ROWS, 0), np.uint16),
        rng.integers(-1, 9, ROWS).astype(np.int32),
        rng.normal(size=ROWS),
        np.arange(ROWS),
    ]
    return hashes, arrays, rng.random(ROWS)


seeds, fews = st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 5, 30])


@given(seeds, fews)
def test_rows_are_sorted_by_their_hashes_as_the_twin_does(seed, few):
    hashes, arrays, _ = draw_rows(seed, few)
    keys, found = sort_rows(hashes, arrays)
    expected, order = sort_hashes(hashes)
    assert keys.tolist() == expected
    for array, sorted_array in zip(arrays, found, strict=True):
        assert sorted_array.dtype == array.dtype
        np.testing.assert_array_equal(sorted_array, array[order])


@given(seeds, fews, st.booleans())
def test_equal_rows_become_one_as_if_all_were_looked_at_at_once(seed, few, weighted):
    hashes, arrays, weights = draw_rows(seed, few)
    given_weights = weights if weighted else None
    equal = collapse_equal_rows(hashes, given_weights)
    found, summed = merge_equal_rows(hashes, arrays, given_weights)
    np.testing.assert_array_equal(summed, equal.weights)  # to the last bit
    for array, collapsed in zip(arrays, found, strict=True):
        np.testing.assert_array_equal(collapsed, array[equal.first])
