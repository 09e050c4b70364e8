"""Distinct numbers of a column, against a set that is sorted by hash."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core import kernels
from tests import reference


@given(st.integers(0, 2**32 - 1), st.integers(0, 80), st.integers(1, 60), st.booleans())
def test_the_smallest_hashes_are_kept_as_by_the_twin(seed, n_rows, n_distinct, with_odd_ones):
    rng = np.random.default_rng(seed)
    possible = rng.normal(size=n_distinct)
    if with_odd_ones:
        possible = np.append(possible, [0.0, -0.0, np.nan, np.inf, -np.inf, 5e-324])
    values, limit = rng.choice(possible, n_rows), 4
    slots, known, span = np.full(16, np.nan), np.zeros(16, np.uint64), np.array([np.inf, -np.inf])
    hashes, state = np.zeros(n_rows, np.uint64), np.array([0, 2**64 - 1], np.uint64)
    for part in (slice(n_rows // 3), slice(n_rows // 3, None)):
        kernels.collect_values(values[part], limit, slots, known, state, span, hashes[part])
    used = np.flatnonzero(~np.isnan(slots))
    found = slots[used[np.argsort(known[used])]][:limit]
    expected, expected_span, expected_hashes = reference.collect_values(values, limit)
    assert found.tolist() == expected.tolist()
    assert tuple(span) == expected_span
    assert hashes.tolist() == expected_hashes
