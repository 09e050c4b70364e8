"""Columns of many categories: none is dropped, none knows its own row, and noise costs little."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import log_loss

from bayfold import (
    BoostedNaiveBayesClassifier,
    NaiveBayesClassifier,
)
from bayfold.errors import UnseenCategoryWarning
from bayfold.families.boosting import kernels
from tests.reference import categories as reference

pytestmark = pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")
seeds = st.integers(0, 2**32 - 1)


def draw_shops(n_rows, n_shops, n_classes=2, seed=0):
    """Shops that each have their own odds, and a number that has some too."""
    rng = np.random.default_rng(7)
    odds, slope = 2 * rng.normal(size=(n_shops, n_classes)), rng.normal(size=n_classes)
    rng = np.random.default_rng(seed)
    shop, x = rng.integers(0, n_shops, n_rows), rng.normal(size=n_rows)
    scores = odds[shop] + x[:, None] * slope
    y = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    return pd.DataFrame({"shop": [f"s{k:05d}" for k in shop], "x": x}), y


def draw_rows(seed, n_groups, n_parts=4, n_rows=30):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 6, n_rows)
    labels, part_of = rng.integers(0, n_groups, n_rows), rng.integers(0, n_parts, n_rows)
    weights = rng.choice([1.0, 2.0, 0.5], n_rows)
    return codes, labels, weights, part_of, rng.dirichlet(np.ones(n_groups))


def count_in_two_runs(codes, labels, weights, part_of, n_groups):
    """The counts of the first two of six categories, and those of the others."""
    for first, n_values in ((0, 2), (2, 4)):
        counts = np.zeros((n_values, 4, n_groups))
        kernels.count_parts(codes, labels, weights, part_of, first, counts)
        yield first, counts


@given(seeds, st.integers(2, 4))
def test_counts_match_the_twin(seed, n_groups):
    codes, labels, weights, part_of, _ = draw_rows(seed, n_groups)
    parts = count_in_two_runs(codes, labels, weights, part_of, n_groups)
    counts = np.concatenate([counts for _, counts in parts])
    assert counts.tolist() == reference.count_parts(codes, labels, weights, part_of, counts.shape)


@given(seeds, st.integers(2, 4))
def test_gains_match_the_twin(seed, n_groups):
    codes, labels, weights, part_of, prior = draw_rows(seed, n_groups)
    strengths, gains = np.array([0.5, 8.0]), np.zeros((2, 2))
    for _, counts in count_in_two_runs(codes, labels, weights, part_of, n_groups):
        kernels.sum_category_gains(counts, prior, strengths, gains)
    expected = reference.sum_category_gains(codes, labels, weights, part_of, prior, strengths)
    np.testing.assert_allclose(gains, expected, rtol=1e-9, atol=1e-9)


@given(seeds, st.integers(2, 4), st.integers(0, 3), st.integers(0, 3))
def test_evidence_matches_the_twin(seed, n_groups, first, n_left_out):
    codes, labels, weights, part_of, prior = draw_rows(seed, n_groups)
    left_out = np.array([first, first + n_left_out])
    begin = np.random.default_rng(seed).normal(size=(30, 1 if n_groups == 2 else n_groups))
    scores = begin.copy()
    for start, counts in count_in_two_runs(codes, labels, weights, part_of, n_groups):
        how = start, counts, left_out, prior, 2.0
        kernels.add_category_evidence(codes, part_of, *how, scores)
    expected = reference.add_category_evidence(
        codes, labels, weights, part_of, range(*left_out), prior, 2.0, begin
    )
    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("n_shops", "n_classes"), [(100, 2), (600, 2), (600, 5)])
def test_many_categories_are_learnt_as_well_as_by_naive_bayes(n_shops, n_classes):
    X, y = draw_shops(6000, n_shops, n_classes)
    new, truth = draw_shops(6000, n_shops, n_classes, seed=1)
    boosted = BoostedNaiveBayesClassifier().fit(X, y)
    naive = NaiveBayesClassifier(smoothing="m_estimate").fit(X, y)  # what boosting begins with
    assert boosted.score(new, truth) >= naive.score(new, truth) - 0.002
    ours, theirs = (log_loss(truth, model.predict_proba(new)) for model in (boosted, naive))
    assert ours < theirs


def test_every_category_has_a_weight_of_its_own():
    X, y = draw_shops(4000, 400)
    model = BoostedNaiveBayesClassifier(n_rounds=20).fit(X, y)
    shops = model.evidence_.where(column="shop")
    assert set(X["shop"]) <= set(shops["bin"])
    share = pd.Series(y).groupby(X["shop"].to_numpy()).mean()
    weight = pd.Series(shops["weight"], shops["bin"])[share.index]
    assert len(weight.unique()) > 100
    assert np.corrcoef(weight, share)[0, 1] > 0.95
    records = model.explain(X[:5])
    total = records["weight"].reshape(5, -1).sum(axis=1)
    np.testing.assert_allclose(total, model.decision_function(X[:5]), rtol=1e-12)


@pytest.mark.parametrize("n_noise", [100, 400, 5000, 100_000])
@pytest.mark.filterwarnings("ignore::bayfold.errors.UnseenCategoryWarning")
def test_a_noise_column_costs_at_most_a_point(n_noise):
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(6000, 3))
    y = (numbers[:, 0] + numbers[:, 1] * numbers[:, 2] + rng.normal(size=6000) > 0).astype(int)
    X = pd.DataFrame(numbers, columns=list("abc"))
    noisy = X.assign(noise=[f"n{k}" for k in rng.integers(0, n_noise, 6000)])
    scores = []
    for table in (X, noisy):
        model = BoostedNaiveBayesClassifier().fit(table[:2000], y[:2000])
        scores.append(model.score(table[2000:], y[2000:]))
    assert scores[1] > scores[0] - 0.01


def test_an_identifier_says_nothing_even_of_rows_it_knows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=600), "id": [f"r{k}" for k in range(600)]})
    y = (X["x"] + rng.normal(size=600) > 0).to_numpy()
    model = BoostedNaiveBayesClassifier().fit(X, y)
    assert (model.evidence_.where(column="id")["weight"] == 0).all()


def test_columns_that_repeat_each_other_do_not_count_twice():
    X, y = draw_shops(5000, 400)
    new, truth = draw_shops(5000, 400, seed=1)
    losses = []
    for repeats in (1, 3):
        more = {f"again{k}": lambda t, k=k: t["shop"] + str(k) for k in range(repeats - 1)}
        model = BoostedNaiveBayesClassifier().fit(X.assign(**more), y)
        losses.append(log_loss(truth, model.predict_proba(new.assign(**more))))
    assert losses[1] < 1.01 * losses[0]


@settings(max_examples=5)
@given(seeds, st.sampled_from([2, 3]))
def test_weights_are_repetitions_and_order_does_not_matter(seed, n_classes):
    X, y = draw_shops(400, 300, n_classes, seed)
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 3, 400)
    weights[:100] = 1
    repeated = rng.permutation(np.repeat(np.arange(400), weights))
    weighted = BoostedNaiveBayesClassifier(n_rounds=5).fit(X, y, weights.astype(float))
    twice = BoostedNaiveBayesClassifier(n_rounds=5).fit(X.iloc[repeated], y[repeated])
    with pytest.warns(UnseenCategoryWarning):
        ours, theirs = weighted.predict_proba(X), twice.predict_proba(X)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


def test_threads_change_nothing():
    X, y = draw_shops(20_000, 300)
    one, two = (
        BoostedNaiveBayesClassifier(n_rounds=10, n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_single_column_of_many_categories_is_enough(n_classes):
    X, y = draw_shops(3000, 300, n_classes)
    model = BoostedNaiveBayesClassifier().fit(X[["shop"]], y)
    assert model.n_rounds_ == 0
    (only,) = model.staged_predict_proba(X[["shop"]])
    np.testing.assert_array_equal(only, model.predict_proba(X[["shop"]]))
    prior = np.bincount(y).max() / len(y)
    assert model.score(X[["shop"]], y) > prior + 0.1


def test_a_given_schema_keeps_its_categories():
    X, y = draw_shops(2000, 300)
    given = NaiveBayesClassifier().fit(X, y).schema_
    assert len(given.wide) == 1
    model = BoostedNaiveBayesClassifier(n_rounds=5, schema=given).fit(X, y)
    assert model.schema_.columns[0] == given.columns[0]


def test_stages_lead_to_the_model():
    X, y = draw_shops(2000, 300)
    model = BoostedNaiveBayesClassifier(n_rounds=5).fit(X, y)
    *_, last = model.staged_predict_proba(X)
    np.testing.assert_allclose(last, model.predict_proba(X), rtol=1e-12)
