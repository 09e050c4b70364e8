"""How numbers of clusters are chosen, and how subclasses become classes again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core.counts import LabelledRows
from bayfold.core.frames import read_table
from bayfold.families.decomposition.search import AccuracySearch, deal_by_class
from bayfold.families.decomposition.splitter import Subclasses

seeds = st.integers(0, 2**32 - 1)


def say_as_much(right):
    """Rows that are right or wrong, with probabilities that say so."""
    return right, np.where(right, -0.1, -2.0)


def search_over(accuracy, n_rows=1000, seed=0, judge=say_as_much):
    """A search in which so many splits are right with a given probability; more splits have the accuracy of 1."""
    rng = np.random.default_rng(seed)
    luck = rng.random(n_rows)
    return AccuracySearch(
        lambda numbers: judge(luck < accuracy(numbers)),
        rng.integers(0, 5, n_rows),
        np.ones(n_rows),
        np.ones(n_rows),
    )


def test_no_split_is_taken_where_none_helps():
    search = search_over(lambda numbers: 0.8)
    assert search.choose([5, 5], [1, 2, 3]) == (1, 1)


def test_the_best_split_is_taken_where_it_helps():
    search = search_over(lambda numbers: {1: 0.6, 2: 0.7, 3: 0.9, 5: 0.85}[min(numbers)])
    assert search.choose([9, 9], [1, 2, 3, 5]) == (3, 3)
    assert search.accuracy((3, 3)) > search.accuracy((1, 1))


def test_a_class_that_gains_nothing_is_put_together_again():
    search = search_over(lambda numbers: 0.9 if numbers[0] > 1 else 0.6)
    assert search.choose([4, 4, 4], [1, 2]) == (2, 1, 1)


def test_a_split_that_is_right_more_often_and_too_sure_of_itself_is_not_taken():
    def be_sure(right):
        is_split = right.mean() > 0.7
        return right, np.where(right, -0.01, -20.0) if is_split else np.full(len(right), -0.5)

    accuracy = {1: 0.6, 2: 0.8}
    for judge, chosen in ((say_as_much, (2, 2)), (be_sure, (1, 1))):
        search = search_over(lambda numbers: accuracy[min(numbers)], judge=judge)
        assert search.choose([4, 4], [1, 2]) == chosen


def test_no_class_gets_more_clusters_than_it_may():
    search = search_over(lambda numbers: 0.5 + 0.05 * sum(numbers))
    assert search.choose([1, 2, 6], [1, 2, 4]) == (1, 2, 4)


def test_luck_among_many_is_not_taken_for_skill():
    rng = np.random.default_rng(3)
    taken = 0
    for _ in range(60):
        outcome: dict = {}
        search = AccuracySearch(
            lambda numbers, outcome=outcome: outcome.setdefault(
                numbers, say_as_much(rng.random(200) < 0.7)
            ),
            rng.integers(0, 5, 200),
            np.ones(200),
            np.ones(200),
        )
        taken += search.choose([12, 12], [1, 2, 3, 4, 6, 8, 12]) != (1, 1)
    assert taken < 20  # the best of six is ahead by a standard error far more often


@given(seeds, st.integers(1, 4), st.integers(1, 5))
def test_subclasses_are_numbered_by_class_without_gaps(seed, n_classes, n_clusters):
    rng = np.random.default_rng(seed)
    present = rng.random(n_classes) < 0.7  # a fold may lack a class
    present[rng.integers(n_classes)] = True
    group_of = rng.choice(np.flatnonzero(present), rng.integers(1, 31))
    clusters = rng.integers(0, n_clusters, len(group_of))
    found = Subclasses.number(group_of, clusters)
    np.testing.assert_array_equal(found.class_of[found.of_row], group_of)
    assert (np.diff(found.class_of) >= 0).all()
    for group in range(n_classes):
        own = found.cluster_of[found.class_of == group]
        np.testing.assert_array_equal(own, np.arange(len(own)))
    pairs = {(g, c) for g, c in zip(group_of.tolist(), clusters.tolist(), strict=True)}
    assert len(pairs) == len(found.class_of)
    assert found.is_split == (len(pairs) > len(set(group_of.tolist())))


@pytest.mark.parametrize("readout", ["sum", "max"])
@given(seed=seeds)
def test_probabilities_of_classes_add_up_to_one(readout, seed):
    rng = np.random.default_rng(seed)
    subclasses = Subclasses.number(np.array([0, 0, 1, 2, 2, 2]), np.array([0, 1, 0, 0, 1, 2]))
    probability = rng.dirichlet(np.ones(6), 5)
    found = subclasses.read_out(probability, readout)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    if readout == "sum":
        np.testing.assert_allclose(found[:, 2], probability[:, 3:].sum(axis=1))


def test_copies_do_not_make_a_gain_sure():
    """Eight rows of 50 gain and six lose: at weight 1 that is no standard error, nor is it at weights of 30."""
    gains = np.repeat([1.0, -1.0, 0.0], [8, 6, 36])
    for weight in (1.0, 30.0):
        weights = np.full(50, weight)
        search = AccuracySearch(np.ones_like, np.zeros(50), weights, weights)
        assert not search.is_better(gains, np.zeros(50))
    honest = AccuracySearch(np.ones_like, np.zeros(50), weights, np.ones(50))
    assert honest.is_better(gains, np.zeros(50))


def deal(X, group_of, rows, weights=None):
    labelled = LabelledRows(read_table(X[rows]), np.arange(3), group_of[rows], weights)
    return deal_by_class(labelled, 4, np.random.RandomState(1))


@given(seeds)
def test_folds_do_not_depend_on_the_order_of_rows_and_keep_copies_together(seed):
    rng = np.random.default_rng(seed)
    X, group_of = rng.normal(size=(60, 2)), rng.integers(0, 3, 60)
    order = rng.permutation(np.repeat(np.arange(60), 3))
    fold_of = deal(X, group_of, order).fold_of
    of_row = np.empty(60, np.int64)
    of_row[order] = fold_of
    np.testing.assert_array_equal(of_row[order], fold_of)
    np.testing.assert_array_equal(deal(X, group_of, np.sort(order)).fold_of, np.repeat(of_row, 3))


@given(seeds)
def test_weights_are_dealt_as_equal_rows_are(seed):
    """Into the same folds, with the same weights, also where a table is coarse and repeats are dealt apart."""
    rng = np.random.default_rng(seed)
    X, group_of = rng.integers(0, 2, (30, 2)).astype(float), rng.integers(0, 3, 30)
    copies = rng.integers(1, 6, 30)
    raw = deal(X, group_of, np.repeat(np.arange(30), copies))
    summed = deal(X, group_of, np.arange(30), copies.astype(float))
    key = np.column_stack([X, group_of])
    found = {}
    for dealt, source, weights in (
        (raw, np.repeat(np.arange(30), copies), np.ones(copies.sum())),
        (summed, summed.source, summed.weights),
    ):
        cells = np.column_stack([key[source], dealt.fold_of, dealt.unit_weights])
        distinct, place = np.unique(cells, axis=0, return_inverse=True)
        found[len(found)] = distinct, np.bincount(place.ravel(), weights)
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])
