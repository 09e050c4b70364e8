"""Rows are shuffled by frequencies: no name, order of columns or unit matters, and no two columns cancel."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from bayfold import NaiveBayesClassifier
from bayfold.core.counts.count_hashes import CountHashes
from bayfold.core.counts.folds import deal_rows
from tests.laws.tables import draw_table, seeds


def deal_table(X, y, n_folds=5):
    """The row of the table and the fold of every row, where no two rows are equal."""
    statistics = NaiveBayesClassifier(calibration=None, numeric="smooth").fit(X, y).statistics_
    sample = statistics.sample
    words = CountHashes(statistics.counts, sample.block(), sample.group_of, sample.weights)
    order = words.sort_by_group(
        words.shuffle_rows(sample.block(), sample.group_of), sample.group_of
    )
    dealt = deal_rows(order, sample.weights, np.ones(len(order), int), n_folds)
    return sample, dealt.as_matrix().argmax(axis=1)


def find_folds(X, y):
    """Folds of a table whose first column tells its rows apart."""
    sample, fold = deal_table(X, y)
    by_value = np.argsort(sample.narrow[:, 0])  # the first column has one bin per value
    return fold[by_value]


@settings(deadline=None, derandomize=True, max_examples=25)
@given(seeds, st.floats(0.1, 10))
def test_names_order_and_units_do_not_matter(seed, factor):
    X, y, rng = draw_table(seed, n_rows=100, n_classes=3, missing=0.0)
    X = X.assign(u=rng.permutation(100).astype(float))
    names = dict(zip("pqr", rng.permutation(["zebra", "p", "Ärger"]), strict=True))
    other = X.assign(w=X["w"].map(names), u=factor * X["u"]).rename(columns={"v": "a", "z": "b"})
    other = other[["u", *rng.permutation(other.columns[1:])]]
    classes = rng.permutation(["b", "a", "c"])
    np.testing.assert_array_equal(find_folds(X, y), find_folds(other, classes[y]))


def test_a_column_that_is_the_same_in_all_rows_deals_no_other_folds():
    X, y, _ = draw_table(4, n_rows=100, n_classes=3, missing=0.0)
    X = X.assign(u=np.arange(100.0))[["u", *X.columns]]
    for same in (1.0, np.nan, "x"):
        np.testing.assert_array_equal(find_folds(X, y), find_folds(X.assign(same=same), y))


def test_equal_columns_do_not_cancel():
    rng = np.random.default_rng(0)
    x, y = rng.permutation(200).astype(float), rng.integers(0, 2, 200)
    sample, _ = deal_table(pd.DataFrame({"a": x, "b": x}), y)
    model = NaiveBayesClassifier(calibration=None).fit(pd.DataFrame({"a": x, "b": x}), y)
    rows = sample.block(), sample.group_of
    keys = CountHashes(model.statistics_.counts, *rows, sample.weights).hash_block(*rows)
    assert len(np.unique(keys)) == 200


def test_folds_hold_their_share_of_every_group():
    rng = np.random.default_rng(1)
    y = rng.choice(3, 300, p=[0.8, 0.15, 0.05])
    sample, fold = deal_table(pd.DataFrame(rng.normal(size=(300, 3))), y)
    table = np.zeros((3, 5))
    np.add.at(table, (sample.group_of, fold), 1)
    assert np.ptp(table, axis=1).max() <= 1
    assert np.ptp(table.sum(axis=0)) <= 1
