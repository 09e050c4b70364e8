"""Rows dealt to folds against the twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold.families.boosting import kernels
from tests.reference import dealing as reference


@given(st.integers(0, 2**32 - 1), st.integers(0, 30), st.integers(1, 12), st.integers(1, 4))
def test_each_group_is_dealt_in_turn_as_the_twin_does(seed, n_rows, n_folds, n_groups):
    rng = np.random.default_rng(seed)
    order, group_of = rng.permutation(n_rows), rng.integers(0, n_groups, n_rows)
    units, weights = rng.integers(1, 30, n_rows), rng.random(n_rows) + 0.1
    first_turns = rng.integers(0, 40, n_groups)
    rows, in_fold = reference.deal_in_turn(
        order.tolist(), group_of, units, weights, first_turns, n_folds
    )
    n_entries = int(np.minimum(units, n_folds).sum())
    folds, row, dealt = (
        np.empty(n_folds + 1, np.int64),
        np.empty(n_entries, int),
        np.empty(n_entries),
    )
    given_in_order = group_of[order], units[order], weights[order]
    kernels.deal_in_turn(order, *given_in_order, first_turns, folds, row, dealt)
    found = [row[folds[k] : folds[k + 1]].tolist() for k in range(n_folds)]
    assert found == rows
    for k in range(n_folds):
        for i, weight in zip(found[k], dealt[folds[k] : folds[k + 1]], strict=True):
            assert weight == pytest.approx(in_fold[i, k])
