"""Values beside the known ones, against a comparison cell by cell."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core import kernels
from tests import reference


@given(st.integers(0, 2**32 - 1), st.integers(0, 40), st.integers(1, 4))
def test_unknown_values_are_counted_as_the_twin_does(seed, n_rows, n_columns):
    rng = np.random.default_rng(seed)
    possible = np.array([-np.inf, -2.5, -0.0, 0.0, 1.0, 5e-324, 1e300, np.inf, np.nan])
    values, known = rng.choice(possible, (n_rows, n_columns)), rng.choice(possible, (n_columns, 5))
    codes = rng.integers(0, 5, (n_rows, n_columns)).astype(np.uint8)
    found, expected = np.zeros((2, n_columns), np.int64)
    kernels.count_unknown(values, codes, known, found)
    reference.count_unknown(values, codes, known, expected)
    assert found.tolist() == expected.tolist()
