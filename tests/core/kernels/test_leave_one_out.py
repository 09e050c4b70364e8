"""Rows left out of the counts: against the twin that leaves them out one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bayfold.core import kernels
from bayfold.core.kernels.encode import FIRST_BIN
from tests.reference import leave_one_out as reference


@given(
    st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(2, 4), st.sampled_from([0, 3, 99])
)
@settings(max_examples=60)
def test_gains_match_the_twin(seed, n_rows, n_groups, few_values):
    rng = np.random.default_rng(seed)
    n_codes = np.array([5, 9], np.int64) + FIRST_BIN
    starts = np.append(0, n_codes[:1])
    group_of, weights = rng.integers(0, n_groups, n_rows), rng.integers(1, 4, n_rows).astype(float)
    counts = np.zeros((1, int(n_codes.sum()), n_groups))
    codes = [rng.integers(0, n, n_rows) for n in n_codes]  # missing and unseen ones too
    for start, code in zip(starts, codes, strict=True):
        np.add.at(counts[0], (start + code, group_of), weights)
    gain = np.empty((1, 2))
    kernels.find_left_out_gains(counts, starts, n_codes, 2.0, few_values, 50.0, gain)
    for j, code in enumerate(codes):
        is_known = code >= FIRST_BIN
        expected = reference.find_left_out_gains(
            code[is_known].tolist(),
            group_of[is_known].tolist(),
            weights[is_known].tolist(),
            2.0,
            few_values,
            50.0,
        )
        np.testing.assert_allclose(gain[0, j], expected, rtol=1e-9, atol=1e-9)
