"""Dealing rows to folds: copy by copy in turn, group by group."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bayfold.families.boosting.distinct_rows import _deal_copies_in_turn


def deal_one_by_one(labels, weights, n_folds):
    """The weight of each row in each fold, every copy dealt on its own."""
    dealt, turn = {}, 0
    for group in np.unique(labels):
        for row in np.flatnonzero(labels == group):
            n_copies = max(int(weights[row]), 1)
            for _ in range(n_copies):
                key = int(row), turn % n_folds
                dealt[key] = dealt.get(key, 0.0) + weights[row] / n_copies
                turn += 1
    return dealt


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.one_of(st.integers(1, 30), st.floats(0.1, 30))),
        min_size=1,
        max_size=20,
    ),
    st.integers(1, 12),
)
def test_every_copy_is_dealt_in_turn(rows, n_folds):
    labels = np.array([label for label, _ in rows])
    weights = np.array([weight for _, weight in rows], float)
    row, fold, share = _deal_copies_in_turn(labels, weights, n_folds)
    found = dict(zip(zip(row.tolist(), fold.tolist(), strict=True), share, strict=True))
    assert len(found) == len(row)  # one entry for all copies in a fold
    expected = deal_one_by_one(labels, weights, n_folds)
    assert found.keys() == expected.keys()
    np.testing.assert_allclose([found[key] for key in expected], list(expected.values()))


def test_many_folds_cost_no_more_than_the_copies_there_are():
    labels, weights = np.zeros(1000, int), np.full(1000, 2.0)
    row, fold, _ = _deal_copies_in_turn(labels, weights, 10**9)
    assert len(row) == 2000
    assert fold.max() == 1999
