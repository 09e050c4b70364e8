"""Law 6: probabilities are finite, not negative, and sum to one, whatever the input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from bayfold import NaiveBayesClassifier
from tests.laws.tables import (
    METHODS,
    calibrations,
    densities,
    draw_table,
    methods,
    missing_rules,
    seeds,
    smoothings,
)
from tests.plain import plain_classifier, with_bins

pytestmark = pytest.mark.filterwarnings(
    "ignore::bayfold.errors.DataWarning", "error::RuntimeWarning"
)

any_number = st.one_of(
    st.floats(-10, 10),
    st.floats(allow_infinity=False),
    st.sampled_from([0.0, -0.0, 1e300, -1e300, 1.7e308, -1.7e308, 5e-324, 1e-300, np.nan]),
)


def check(model, X):
    p = model.predict_proba(X)
    assert p.shape == (len(X), len(model.classes_))
    assert np.isfinite(p).all()
    assert (p >= 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    log_p = model.predict_log_proba(X)
    assert not np.isnan(log_p).any()
    np.testing.assert_allclose(np.exp(log_p), p, rtol=1e-9, atol=1e-300)
    np.testing.assert_array_equal(model.classes_[log_p.argmax(axis=1)], model.predict(X))


@settings(deadline=None, derandomize=True, max_examples=50)
@given(
    hnp.arrays(float, st.tuples(st.integers(2, 12), st.just(2)), elements=any_number),
    hnp.arrays(float, (5, 2), elements=any_number),
    methods,
    missing_rules,
    smoothings,
    st.integers(2, 3),
    st.sampled_from([1e-9, 0.0]),
)
def test_any_numbers(X, new, numeric, missing, smoothing, n_classes, floor):
    y = np.arange(len(X)) % n_classes
    model = plain_classifier(
        missing=missing,
        smoothing=smoothing,
        **with_bins(numeric, 3),
        **({"variance_floor": floor} if numeric == "gaussian" else {}),
    ).fit(X, y)
    check(model, X)
    check(model, new)
    assert not np.isnan(model.score_samples(new)).any()
    assert not np.isnan(model.explain(new)["weight"]).any()
    assert not np.isnan(model.evidence_["weight"]).any()


@pytest.mark.parametrize("numeric", METHODS)
def test_many_extreme_values(numeric):
    rng = np.random.default_rng(0)
    X = np.ldexp(rng.normal(size=(600, 2)), rng.integers(-1000, 1000, (600, 2)))
    X[:2] = [[1.7e308, -1.7e308], [-1.7e308, 1.7e308]]
    for n_classes in (2, 3):
        check(plain_classifier(numeric=numeric).fit(X, np.arange(600) % n_classes), X)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_where_every_class_is_impossible_the_prior_is_left(n_classes):
    rows = [["a", "x"], ["b", "y"], ["c", "z"], ["a", "x"]][: n_classes + 2]
    y = [0, 1, 2, 0] if n_classes == 3 else [0, 1, 1, 0]
    model = plain_classifier(smoothing="none").fit(np.array(rows, object), y)
    prior = np.bincount(y) / 4
    p = model.predict_proba(np.array([["a", "y"], ["b", "x"], ["b", "y"]], object))
    np.testing.assert_allclose(p[:2], [prior, prior], rtol=1e-12)
    np.testing.assert_array_equal(p[2], np.eye(n_classes)[1])


def test_an_impossible_class_leaves_the_others_as_they_are():
    # the third class never has a known cell in x0, so a known one rules it out
    X = np.array([[0.0, 1], [1, 2], [2, 3], [3, 5], [np.nan, 2], [np.nan, 4]])
    y = [0, 0, 1, 1, 2, 2]
    for numeric in set(METHODS) - {"mdl"}:  # which cuts where another class would be ruled out too
        model = plain_classifier(smoothing="none", missing="category", **with_bins(numeric, 1))
        p = model.fit(X, y).predict_proba([[0.5, 2.5], [np.nan, 2.5]])
        assert p[0, 2] == 0
        assert p[0, :2].min() > 0
        np.testing.assert_array_equal(p[1], [0, 0, 1])


def test_far_outside_a_gaussian_other_columns_still_count():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = np.c_[rng.normal(size=60), rng.normal(4.0 * y)]
    model = plain_classifier(numeric="gaussian").fit(X, y)
    assert model.predict([[1e250, 0.0], [-1e250, 4.0], [1e308, 8.0]]).tolist() == [0, 1, 2]


@settings(deadline=None, derandomize=True, max_examples=25)
@given(seeds, methods, missing_rules, smoothings)
def test_many_classes(seed, numeric, missing, smoothing):
    X, y, _ = draw_table(seed, n_rows=200, n_classes=60)
    new, _, _ = draw_table(seed + 1, n_rows=50, n_classes=60)
    model = plain_classifier(numeric=numeric, missing=missing, smoothing=smoothing).fit(X, y)
    check(model, X)
    check(model, new)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(seeds, methods, missing_rules, smoothings)
def test_two_rows(seed, numeric, missing, smoothing):
    X, _, _ = draw_table(seed)
    model = plain_classifier(numeric=numeric, missing=missing, smoothing=smoothing)
    check(model.fit(X[:2], ["a", "b"]), X)


@pytest.mark.parametrize("priors", [[0.0, 1.0], [1.0, 0.0], "uniform", "laplace"])
@pytest.mark.parametrize("smoothing", ["laplace", "none"])
def test_any_priors(priors, smoothing):
    X, y, _ = draw_table(1)
    check(plain_classifier(priors=priors, smoothing=smoothing).fit(X, y), X)


def test_log_probabilities_do_not_underflow():
    X = np.tile(np.array([["a"], ["b"]], object), (1, 3000))
    model = plain_classifier().fit(np.repeat(X, 50, axis=0), np.repeat([0, 1], 50))
    log_p = model.predict_log_proba(X)
    assert model.predict_proba(X)[0].tolist() == [1.0, 0.0]
    assert log_p[0, 1] == pytest.approx(3000 * np.log(1 / 51), rel=1e-12)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(seeds, densities, calibrations, missing_rules, smoothings, st.integers(2, 30))
def test_calibrated_models(seed, numeric, calibration, missing, smoothing, n_classes):
    X, y, _ = draw_table(seed, n_rows=80, n_classes=n_classes)
    new, _, _ = draw_table(seed + 1, n_rows=70, n_classes=n_classes)
    model = NaiveBayesClassifier(
        numeric=numeric, calibration=calibration, missing=missing, smoothing=smoothing
    ).fit(X, y)
    check(model, X)
    check(model, new)
