"""Dealing rows to folds: unit by unit in turn."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold import NaiveBayesClassifier
from bayfold.core.counts.fold_counts import count_folds, count_in_folds, count_outside_folds
from bayfold.core.counts.folds import deal_rows, shuffle_units
from bayfold.core.counts.layout import join_counts
from bayfold.errors import DataWarning


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


def test_units_are_shuffled_within_their_group_alone():
    """However the draw falls, each fold has as many units of each group as any other."""
    group_of = np.repeat([0, 1], [5, 10])
    units = np.full(15, 4)
    for seed in range(5):
        rng = np.random.RandomState(seed)
        dealt = shuffle_units(np.arange(15), group_of, units, 4, rng)
        for group in (0, 1):
            in_fold = np.bincount(dealt.fold[group_of[dealt.row] == group], minlength=4)
            assert in_fold.tolist() == [5 * (group + 1)] * 4


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


@pytest.mark.parametrize("is_exact", [True, False])
def test_folds_add_up_to_all_rows(is_exact):
    """Where the sample is all rows and sums are exact, what it adds up to is known and not counted again."""
    rng = np.random.default_rng(0)
    frame = {"x": rng.normal(size=300), "c": rng.choice(["a", "b"], 300)}
    frame["wide"] = np.append(np.arange(280), np.arange(20)).astype(str)  # too many for one byte
    y, weights = rng.integers(0, 3, 300), np.ones(300) if is_exact else rng.random(300)
    model = NaiveBayesClassifier(calibration=None)
    with pytest.warns(DataWarning, match="nearly as many categories"):
        model.fit(pd.DataFrame(frame), y, weights)
    counts = model.statistics_.counts
    folds = count_folds(model.statistics_.sample, counts)
    for j, table in enumerate(counts.tables):
        inside = [fold.inside(j) for fold in folds.folds]
        np.testing.assert_allclose(folds.folds[0].whole[j], folds.share * table)
        np.testing.assert_allclose(sum(inside), folds.share * table)
        assert np.shares_memory(folds.folds[0].whole[j], table) == is_exact


def test_tables_that_lie_together_are_not_copied():
    whole = np.arange(12.0)
    first, second = whole[:8].reshape(4, 2), whole[8:].reshape(2, 2)
    assert np.shares_memory(join_counts([first, second]), whole)
    for tables in ([second, first], [first], [first.copy(), second], [first, second.copy()]):
        joined = join_counts(tables)
        np.testing.assert_array_equal(joined, np.concatenate(tables))
        assert not np.shares_memory(joined, whole)
