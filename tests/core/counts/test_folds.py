"""Dealing rows to folds: unit by unit in turn."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core.counts.fold_counts import count_in_folds, count_outside_folds
from bayfold.core.counts.folds import deal_rows


def deal_one_by_one(order, weights, units, n_folds):
    """The weight of each row in each fold, every unit dealt on its own."""
    dealt, turn = {}, 0
    for row in order.tolist():
        for _ in range(units[row]):
            key = row, turn % n_folds
            dealt[key] = dealt.get(key, 0.0) + weights[row] / units[row]
            turn += 1
    return dealt


@given(
    st.lists(st.tuples(st.integers(1, 30), st.floats(0.1, 30)), min_size=1, max_size=20),
    st.integers(1, 12),
    st.randoms(use_true_random=False),
)
def test_every_unit_is_dealt_in_turn(rows, n_folds, random):
    units, weights = np.array(rows).T
    units = units.astype(int)
    order = np.array(random.sample(range(len(rows)), len(rows)))
    dealt = deal_rows(order, weights, units, n_folds)
    keys = zip(dealt.row.tolist(), dealt.fold.tolist(), strict=True)
    found = dict(zip(keys, dealt.weights, strict=True))
    assert len(found) == len(dealt.row)  # one entry for all units in a fold
    expected = deal_one_by_one(order, weights, units, n_folds)
    assert found.keys() == expected.keys()
    np.testing.assert_allclose([found[key] for key in expected], list(expected.values()))
    np.testing.assert_allclose(dealt.as_matrix().sum(axis=1), weights)


def test_many_folds_cost_no_more_than_the_units_there_are():
    dealt = deal_rows(np.arange(1000), np.full(1000, 2.0), np.full(1000, 2), 10**9)
    assert len(dealt.row) == 2000
    assert dealt.fold.max() == 1999


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 4), st.integers(1, 9)),
        min_size=1,
        max_size=30,
    )
)
def test_counts_outside_a_fold_are_those_of_the_rows_in_the_others(rows):
    code, group, fold, weight = np.array(rows).T
    found = count_outside_folds(count_in_folds(code, group, fold, weight, (5, 4, 3)))
    expected = np.zeros((5, 4, 3))
    for k in range(5):
        for c, g, f, w in rows:
            if f != k:
                expected[k, c, g] += w
    np.testing.assert_array_equal(found, expected)
