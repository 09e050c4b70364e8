"""A number of two values: what is predicted is how likely the larger one is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import bayfold
from bayfold import BoostedNaiveBayesClassifier, BoostedNaiveBayesRegressor


def draw_events(n_rows=4000, seed=0, level=-5.0):
    """About one event in a hundred rows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    chance = expit(level + X[:, 0] + X[:, 1])
    return X, (rng.random(n_rows) < chance).astype(float), chance


def fit(X, y, weights=None, **parameters):
    return BoostedNaiveBayesRegressor(n_jobs=1, **parameters).fit(X, y, weights)


def test_rare_events_keep_their_rate():
    """By squared errors alone, events of one in a hundred were predicted twice as often, in steps of a hundredth."""
    X, y, _ = draw_events(8000)
    new, _, chance = draw_events(4000, 1)
    found = fit(X, y).predict(new)
    assert found.mean() == pytest.approx(chance.mean(), rel=0.25)
    assert np.abs(np.log(found / chance)).mean() < 0.6
    by_classes = BoostedNaiveBayesClassifier(n_jobs=1).fit(X, y).predict_proba(new)[:, 1]
    errors = [np.mean((p - chance) ** 2) for p in (found, by_classes)]
    assert errors[0] < 1.5 * errors[1]


@pytest.mark.parametrize(("low", "high"), [(-1.0, 1.0), (7.0, 7.5), (-1e300, 1e300), (0.0, 1e-300)])
def test_other_values_are_another_unit(low, high):
    X, y, _ = draw_events(600, level=-1.0)
    plain = fit(X, y).predict(X)
    found = fit(X, np.where(y > 0, high, low)).predict(X)
    np.testing.assert_allclose(found, low * (1 - plain) + high * plain, rtol=1e-9)


@pytest.fixture(scope="module")
def fitted():
    X, y, _ = draw_events(1500, level=-1.0)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["place"] = np.random.default_rng(5).integers(0, 60, len(y)).astype(str)
    frame.loc[::13, "a"] = np.nan
    return frame, y, fit(frame, y)


def test_the_distribution_has_two_values(fitted):
    frame, _, model = fitted
    found, p = model.predict_distribution(frame), model.predict(frame)
    np.testing.assert_allclose(found.cdf([-0.5, 0.5, 1.5]), np.stack([0 * p, 1 - p, 0 * p + 1], 1))
    np.testing.assert_allclose(found.mean(), p, rtol=1e-12)
    np.testing.assert_allclose(found.var(), p * (1 - p), rtol=1e-9)
    assert set(np.unique(found.ppf([0.1, 0.5, 0.9]))) <= {0.0, 1.0}
    assert set(np.unique(model.predict_quantiles(frame, [0.25, 0.75]))) <= {0.0, 1.0}


def test_tables_stages_and_explanations_agree(fitted):
    frame, _, model = fitted
    new, p = frame.head(50), model.predict(frame.head(50))
    np.testing.assert_allclose(model.collapse().predict(new), p, rtol=1e-10)
    *_, last = model.staged_predict(new)
    np.testing.assert_allclose(last, p, rtol=1e-10)
    explained = model.explain(new).to_frame("pandas").groupby("row")["shift"].sum()
    np.testing.assert_allclose(explained, p, rtol=1e-8)


def test_a_file_holds_it(fitted, tmp_path):
    frame, _, model = fitted
    model.save(tmp_path / "model.bayfold")
    loaded = bayfold.load(tmp_path / "model.bayfold")
    np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame))


def test_weights_are_rows_and_order_does_not_matter():
    X, y, _ = draw_events(300, level=-1.0)
    times = np.random.default_rng(2).integers(1, 4, len(y))
    rows = np.random.default_rng(3).permutation(np.repeat(np.arange(len(y)), times))
    weighted = fit(X, y, times).predict(X)
    np.testing.assert_allclose(fit(X[rows], y[rows]).predict(X), weighted, rtol=1e-9)


def test_many_categories_are_heard_in_log_odds():
    """The start is told of a column of many categories by rates; it must not overshoot where events are rare."""
    rng = np.random.default_rng(0)
    place = rng.integers(0, 400, 20_000)
    chance = expit(np.random.default_rng(1).normal(-3.5, 1.5, 400))
    y = (rng.random(len(place)) < chance[place]).astype(float)
    X = pd.DataFrame({"place": place.astype(str), "noise": rng.normal(size=len(place))})
    places = pd.DataFrame({"place": np.arange(400).astype(str), "noise": 0.0})
    found = fit(X, y).predict(places)
    assert found.mean() == pytest.approx(chance.mean(), rel=0.15)
    by_classes = BoostedNaiveBayesClassifier(n_jobs=1).fit(X, y).predict_proba(places)[:, 1]
    errors = [np.mean((p - chance) ** 2) for p in (found, by_classes)]
    assert errors[0] < 1.1 * errors[1] < 0.2 * chance.var()


def test_separated_rows_are_nearly_certain_and_noise_is_not():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    certain = fit(X, (X[:, 0] > 0).astype(float)).predict([[2.0, 0, 0], [-2.0, 0, 0]])
    assert certain[0] > 0.98
    assert certain[1] < 0.02
    noise = fit(X, (rng.random(400) < 0.3).astype(float)).predict(X)
    assert np.abs(noise - 0.3).mean() < 0.12


def test_means_of_few_values_are_not_rounded():
    """Means were taken over a hundred quantiles: an event of one in a thousand was none, or one in a hundred."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 2))
    y = rng.choice([0.0, 1.0, 5.0], 6000, p=[0.996, 0.002, 0.002])
    model = fit(X, y)
    found = model.predict_distribution(X[:300])
    mass = np.diff(found.cdf([-1.0, 0.5, 3.0, 9.0]), axis=1)
    np.testing.assert_allclose(model.predict(X[:300]), mass @ [0.0, 1.0, 5.0], rtol=1e-9)
    variance = mass @ [0.0, 1.0, 25.0] - model.predict(X[:300]) ** 2
    np.testing.assert_allclose(found.var(), variance, rtol=1e-9)
