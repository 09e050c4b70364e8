"""Counts and amounts with an exposure: factors, balance, distributions, and what is refused."""

from __future__ import annotations

import io
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import PoissonRegressor

import bayfold
from bayfold import BoostedNaiveBayesRegressor

FACTORS = {"a": 0.5, "b": 1.0, "c": 1.5, "d": 3.0}


@cache
def make_table(n=4000, seed=0):
    """Claims of four kinds of policies, observed for a day to two years; a number and a column of noise beside."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "kind": rng.choice(list(FACTORS), n).astype(object),
            "age": rng.uniform(18, 80, n).round(),
            "noise": rng.normal(size=n),
        }
    )
    years = rng.uniform(1 / 365, 2.0, n)
    rate = 0.4 * X["kind"].map(FACTORS).to_numpy(float) * np.exp(-0.02 * (X["age"] - 49))
    return X, rng.poisson(years * rate).astype(float), years, rate.to_numpy()


@cache
def fit_table():
    X, y, years, _ = make_table()
    return BoostedNaiveBayesRegressor(loss="poisson").fit(X, y, exposure=years)


def test_the_rates_of_one_column_are_those_of_a_generalised_linear_model():
    X, y, years, _ = make_table()
    model = BoostedNaiveBayesRegressor(loss="poisson").fit(X[["kind"]], y, exposure=years)
    oracle = PoissonRegressor(alpha=0, tol=1e-9, max_iter=1000)
    dummies = pd.get_dummies(X["kind"]).to_numpy(float)
    oracle.fit(dummies, y / years, sample_weight=years)
    each = pd.DataFrame({"kind": list(FACTORS)}, dtype=object)
    np.testing.assert_allclose(model.predict(each), oracle.predict(np.eye(4)), rtol=0.02)


def test_rates_multiply_and_balance():
    X, y, years, rate = make_table()
    model = fit_table()
    found = model.predict(X)
    np.testing.assert_allclose(model.predict(X, exposure=years), years * found)
    assert (years * found).sum() == pytest.approx(y.sum())
    assert np.abs(np.log(found / rate)).mean() < 0.08
    explained = model.explain(X[:20])
    np.testing.assert_allclose(explained["factor"].reshape(20, -1).prod(axis=1), found[:20])
    assert 0.1 < model.score(X, y, exposure=years) < 0.3


def test_factors_are_shown_with_what_they_were_learnt_from():
    X, _, years, _ = make_table()
    model = fit_table()
    of_kind = model.evidence_["column"] == "kind"
    shown = {r["bin"]: r for r in model.evidence_[of_kind] if r["total"] > 0}
    for kind in FACTORS:
        assert shown[kind]["total"] == (X["kind"] == kind).sum()
        assert shown[kind]["exposure"] == pytest.approx(years[X["kind"] == kind].sum())
    ratio = shown["d"]["factor"] / shown["a"]["factor"]
    assert ratio == pytest.approx(6.0, rel=0.2)
    rated = model.to_rating_table()
    assert rated["column"][0] == "(prior)"
    assert rated["exposure"][0] == pytest.approx(years.sum())
    assert (rated["factor"] != 1.0).all()


def test_neither_the_unit_of_the_exposure_nor_an_offset_in_its_place_changes_rates():
    X, y, years, _ = make_table()
    found = fit_table().predict(X[:50])
    fit = BoostedNaiveBayesRegressor(loss="poisson").fit
    in_days = fit(X, y, exposure=365 * years).predict(X[:50])
    np.testing.assert_allclose(365 * in_days, found, rtol=1e-6)
    by_offset = fit(X, y, offset=np.log(years)).predict(X[:50])
    np.testing.assert_allclose(by_offset, found, rtol=0.02)


def test_a_weight_of_two_is_the_row_twice():
    X, y, years, _ = make_table(300)
    weights = np.arange(300) % 3
    fit = BoostedNaiveBayesRegressor(loss="poisson", n_rounds=20).fit
    once = fit(X, y, weights, exposure=years)
    twice = np.repeat(np.arange(300), weights)
    often = fit(X.iloc[twice], y[twice], exposure=years[twice])
    np.testing.assert_allclose(once.predict(X), often.predict(X))


@pytest.mark.parametrize("loss", ["poisson", "gamma", "tweedie"])
def test_distributions_agree_with_their_means(loss):
    X, y, years, rate = make_table(1500)
    rng = np.random.default_rng(1)
    if loss != "poisson":
        y = y * rng.gamma(2.0, rate)
    if loss == "gamma":
        X, y, years = X[y > 0], y[y > 0], years[y > 0]
    model = BoostedNaiveBayesRegressor(loss=loss).fit(X, y, exposure=years)
    found = model.predict_distribution(X, exposure=years)
    np.testing.assert_allclose(found.mean(), model.predict(X, exposure=years))
    draws = found.sample(4000, 0)
    error = 5 * found.std() / np.sqrt(4000)
    assert (np.abs(draws.mean(axis=1) - found.mean()) < error).mean() > 0.99
    assert np.median(draws.std(axis=1) / found.std()) == pytest.approx(1.0, abs=0.05)
    q = np.array([0.05, 0.5, 0.95])
    assert (found.cdf(found.ppf(q)) >= q - 1e-9).all()
    assert (found.cdf(np.nextafter(found.ppf(q), -1)) <= q + 1e-6).all()
    none = found.pdf(0.0)
    assert none.sum() == pytest.approx((y == 0).sum(), abs=4 * np.sqrt(len(y)) + 1e-9)
    bounds = found.interval(0.9)
    assert ((bounds[:, 0] <= y) & (y <= bounds[:, 1])).mean() > 0.87


def test_what_was_learnt_comes_back_from_a_file():
    X, _, years, _ = make_table()
    model = fit_table()
    file = io.BytesIO()
    model.save(file)
    file.seek(0)
    again = bayfold.load(file)
    np.testing.assert_array_equal(
        again.predict(X, exposure=years), model.predict(X, exposure=years)
    )
    assert again.to_rating_table()["factor"].tolist() == model.to_rating_table()["factor"].tolist()
    collapsed = model.collapse()
    np.testing.assert_array_equal(collapsed.predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("loss", "change", "words"),
    [
        ("poisson", {"y": -1.0}, "`y` must not be negative with loss='poisson'"),
        ("poisson", {"y": 0.5}, "`y` must hold whole numbers with loss='poisson'. Got 0.5"),
        ("gamma", {}, "`y` must be above 0 for every row with loss='gamma'"),
        ("poisson", {"exposure": 0.0}, "`exposure` must be a finite number above 0"),
        ("poisson", {"exposure": np.nan}, "Got nan in row 3"),
        ("tweedie", {"exposure": -1.0}, "Got -1.0 in row 3"),
        ("poisson", {"offset": np.inf}, "`offset` must be a finite number"),
        ("squared", {"exposure": 1.0}, "`exposure` must be None with loss='squared'"),
        ("squared", {"offset": 1.0}, "`offset` must be None with loss='squared'"),
    ],
)
def test_what_has_no_rate_is_refused(loss, change, words):
    X, y, _, _ = make_table(300)
    given = {"y": y.copy()}
    for name, value in change.items():
        given.setdefault(name, np.ones(300))[3] = value
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        BoostedNaiveBayesRegressor(loss=loss).fit(X, **given)


def test_more_that_is_refused():
    X, y, years, _ = make_table(300)
    model = BoostedNaiveBayesRegressor(loss="poisson")
    with pytest.raises(ValueError, match="`y` must be above 0 for at least one row"):
        model.fit(X, 0 * y)
    with pytest.raises(ValueError, match="`exposure` must have one entry per row"):
        model.fit(X, y, exposure=years[1:])
    with pytest.raises(ValueError, match="tweedie_power"):
        BoostedNaiveBayesRegressor(loss="poisson", tweedie_power=1.2).fit(X, y)
    with pytest.raises(ValueError, match="`exposure` must have one entry per row"):
        fit_table().predict(X, exposure=years[1:])
    with pytest.raises(ValueError, match="`exposure` must be None with loss='squared'"):
        BoostedNaiveBayesRegressor(n_rounds=2).fit(X, y).predict(X, exposure=years)
