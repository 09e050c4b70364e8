"""Numbers that repeat, lie far out or come in another unit: what they must not do to a mixture."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from bayfold import NaiveBayesMixture
from bayfold.core.frames import read_table
from bayfold.core.schema import infer_schema
from bayfold.families.mixtures.numbers import choose_density, find_outlying, find_resolution

CENTRES = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])


def draw_groups(seed, n_rows=300, spread=1.0):
    rng = np.random.default_rng(seed)
    hidden = rng.integers(0, 3, n_rows)
    return CENTRES[hidden] + spread * rng.normal(size=(n_rows, 2)), hidden


def draw_passengers(seed, n_rows=600):
    """Age in years with gaps, class 1 to 3, and fares that are often one of a few prices."""
    rng = np.random.default_rng(seed)
    level = rng.choice([1, 2, 3], n_rows, p=[0.24, 0.2, 0.56])
    age = np.round(np.clip(rng.normal(np.array([0, 38, 30, 25])[level], 13), 0, 80))
    prices = {1: [26.55, 30.0, 52.0, 79.2], 2: [10.5, 13.0, 26.0], 3: [7.225, 7.75, 7.8958, 8.05]}
    listed = np.array([rng.choice(prices[one]) for one in level])
    other = np.round(np.exp(rng.normal(np.array([0, 4, 2.8, 2.2])[level], 0.5)), 4)
    fare = np.where(rng.random(n_rows) < 0.3, other, listed)
    missing = rng.random(n_rows) < 0.2
    return pd.DataFrame({"age": np.where(missing, np.nan, age), "class": level, "fare": fare})


def fit(X, n_components="cv", **parameters):
    return NaiveBayesMixture(n_components, random_state=0, n_jobs=1, **parameters).fit(X)


def test_independent_whole_numbers_are_one_component():
    found = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        found.append(fit(np.stack([rng.integers(0, 4, 300), rng.normal(size=300)], 1)))
    assert [mixture.n_components_ for mixture in found].count(1) >= 4
    assert all(mixture.n_components_ <= 2 for mixture in found)


@pytest.mark.parametrize("seed", [0, 1])
def test_prices_and_ages_do_not_make_a_component_each(seed):
    mixture = fit(draw_passengers(seed))
    assert 2 <= mixture.n_components_ <= 8
    kinds = [term.kind for term in mixture._predictor.model.terms]
    assert kinds == ["quadratic", "table", "table"]


def test_few_values_have_probabilities_and_are_sampled_as_they_are():
    rng = np.random.default_rng(0)
    X = np.stack([rng.choice([0.0, 0.5, 3.0], 200, p=[0.2, 0.3, 0.5]), rng.normal(size=200)], 1)
    mixture = fit(X, 1, smoothing=None)
    share = np.log(np.mean(X[:, 0] == 3.0))
    assert np.isclose(mixture.score_samples([[3.0, np.nan]])[0], share)
    assert set(mixture.sample(100)[0][:, 0]) == {0.0, 0.5, 3.0}
    assert "3 (5" in mixture.components_.where(column="x0")["typical"][0]


def test_a_gaussian_is_no_narrower_than_the_unit_of_its_column():
    rng = np.random.default_rng(1)
    X = np.round(rng.normal(0, 3, (400, 1)))
    mixture = fit(X, 12, numeric="gaussian")
    assert (1.0 / mixture._predictor.model.terms[0].inverse_sd).min() > 0.398
    assert mixture.score(X) < 0.0  # a probability of whole numbers


@pytest.mark.parametrize("far", [20.0, 100.0, 300.0, 1e5, 1e150])
def test_a_row_far_out_does_not_change_the_number_of_components(far):
    X, hidden = draw_groups(2)
    mixture = fit(np.vstack([X, [far, 0.0]]))
    assert mixture.n_components_ == fit(X).n_components_ == 3
    assert adjusted_rand_score(hidden, mixture.predict(X)) > 0.95


def test_a_row_far_out_does_not_take_a_component_of_a_given_number():
    for seed in range(3):
        X, hidden = draw_groups(seed)
        mixture = fit(np.vstack([X, [1e5, 0.0]]), 3)
        assert adjusted_rand_score(hidden, mixture.predict(X)) > 0.95


def test_a_row_between_tight_groups_does_not_decide_alone():
    X, _ = draw_groups(0, spread=0.01)
    assert fit(np.vstack([X, [[2.0, 2.0]]])).n_components_ >= 3


def test_rows_far_out_that_are_many_are_a_component():
    X, _ = draw_groups(0)
    far = np.random.default_rng(1).normal(1000.0, 1.0, (12, 2))
    mixture = fit(np.vstack([X, far]), 4)
    assert len(set(mixture.predict(far))) == 1
    assert np.isclose(mixture.weights_.min(), 12 / 312)


@pytest.mark.parametrize("seed", range(3))
def test_the_unit_of_a_column_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(0, 2, (4, 3))[rng.integers(0, 4, 200)] + rng.normal(size=(200, 3))
    plain = fit(X)
    for unit in (2.0, 2.0**-40):
        scaled = fit(X * [1.0, unit, 1.0])
        np.testing.assert_array_equal(
            scaled.predict_proba(X * [1.0, unit, 1.0]), plain.predict_proba(X)
        )
    for unit in (3.0, 1e-12, 1e12):
        other = fit(X * unit + unit)
        assert other.n_components_ == plain.n_components_
        np.testing.assert_allclose(
            other.predict_proba(X * unit + unit), plain.predict_proba(X), atol=1e-6
        )


def test_names_and_order_of_columns_do_not_matter():
    frame = draw_passengers(3, 200).assign(port=lambda f: np.where(f["class"] > 1, "S", "Q"))
    plain = fit(frame)
    turned = fit(frame[["port", "fare", "class", "age"]].replace({"port": {"S": "A"}}))
    assert plain.held_out_log_likelihood_.keys() == turned.held_out_log_likelihood_.keys()


@given(st.integers(0, 2**32 - 1), st.integers(1, 3))
@settings(max_examples=10)
def test_weights_are_rows_in_all_that_is_asked_of_numbers(seed, factor):
    rng = np.random.default_rng(seed)
    x, weights = np.round(rng.standard_t(1, 80), 1), rng.integers(1, 4, 80) * 1.0
    repeated = np.repeat(x, weights.astype(int))
    column = infer_schema(read_table(x[:, None])).columns[0]
    ones = np.ones(len(repeated))
    assert choose_density(column, x, weights) == choose_density(column, repeated, ones)
    assert find_resolution(x, weights) == find_resolution(repeated, ones)
    np.testing.assert_array_equal(find_outlying(x, weights), find_outlying(x, factor * weights))


@pytest.mark.parametrize(
    ("draw", "density"),
    [
        (lambda rng: rng.normal(size=400), "gaussian"),
        (lambda rng: np.round(rng.normal(size=400), 1), "gaussian"),
        (lambda rng: np.round(rng.normal(40, 15, 400)), "gaussian"),
        (lambda rng: rng.poisson(20, 400).astype(float), "gaussian"),
        (lambda rng: rng.integers(0, 10, 400).astype(float), "values"),
        (lambda rng: (rng.random(400) < 0.01).astype(float), "values"),
        (
            lambda rng: np.where(rng.random(400) < 0.3, 0.0, rng.normal(5, 1, 400)),
            "equal_frequency",
        ),
        (lambda rng: np.minimum(rng.normal(size=400), 1.0), "equal_frequency"),
        (lambda rng: np.arange(8.0), "gaussian"),
        (lambda rng: np.full(400, np.nan), "gaussian"),
    ],
)
def test_densities_suit_their_columns(draw, density):
    x = draw(np.random.default_rng(0))
    column = infer_schema(read_table(x[:, None])).columns[0]
    assert choose_density(column, x, np.ones(len(x))) == density


def test_normal_numbers_are_never_far_out():
    for seed in range(50):
        for n_rows in (10, 40, 200):
            x = np.random.default_rng(seed).normal(size=n_rows)
            assert not find_outlying(x, np.ones(n_rows)).any()


@pytest.mark.parametrize("share", [0.01, 0.02])
def test_a_number_that_stands_for_missing_cells_does_not_hide_the_groups(share):
    X, hidden = draw_groups(1)
    coded = np.where(np.random.default_rng(1).random(X.shape) < share, 99999.0, X)
    mixture = fit(coded)
    whole = (coded == X).all(axis=1)
    assert adjusted_rand_score(hidden[whole], mixture.predict(X[whole])) > 0.8


def test_components_of_huge_and_tiny_numbers_are_described():
    X, _ = draw_groups(0)
    plain, scaled = fit(X, 3).components_, fit(X * [2.0**-600, 2.0**600], 3).components_
    np.testing.assert_array_equal(scaled["weight"], plain["weight"])
