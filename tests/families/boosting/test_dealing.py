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
    cut = rng.integers(0, n_rows + 1)  # dealt in two pieces
    n_in_fold, next_fold = np.zeros(n_folds, np.int64), first_turns % n_folds
    for piece in (order[:cut], order[cut:]):
        kernels.count_turns(group_of[piece], units[piece], next_fold, n_in_fold)
    folds = np.append(0, np.cumsum(n_in_fold))
    row, dealt = np.empty(folds[-1], int), np.empty(folds[-1])
    ends, next_fold = folds[:-1].copy(), first_turns % n_folds
    for piece in (order[:cut], order[cut:]):
        n_entries = int(np.minimum(units[piece], n_folds).sum())
        own, place, weight = np.empty(n_entries, int), np.empty(n_entries, int), np.empty(n_entries)
        given = group_of[piece], units[piece], weights[piece]
        n = kernels.deal_in_turn(*given, next_fold, ends, own, place, weight)
        assert n == n_entries
        row[place], dealt[place] = piece[own], weight
    found = [row[folds[k] : folds[k + 1]].tolist() for k in range(n_folds)]
    assert found == rows
    for k in range(n_folds):
        for i, weight in zip(found[k], dealt[folds[k] : folds[k + 1]], strict=True):
            assert weight == pytest.approx(in_fold[i, k])


@given(st.integers(0, 2**32 - 1), st.integers(0, 9), st.integers(0, 4))
def test_codes_are_arranged_as_the_twin_does(seed, n_rows, n_columns):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 256, (n_rows, n_columns)).astype(np.uint8)
    columns = rng.permutation(n_columns)
    places = rng.integers(0, 256, (n_columns, 256)).astype(np.uint8)
    arranged = np.empty_like(codes)
    kernels.arrange_codes(codes, columns, places, arranged)
    assert arranged.tolist() == reference.arrange_codes(codes, columns, places)
