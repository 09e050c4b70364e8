"""The same numbers in JavaScript."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from sklearn.base import clone

from bayfold import BoostedNaiveBayesRegressor, NaiveBayesClassifier
from bayfold.export.json import FORMAT, VERSION
from tests.export.engines import KEY
from tests.export.javascript import run_node
from tests.export.models import CLASSES, CLASSIFIERS, REGRESSORS
from tests.export.tables import draw_awkward, draw_new_rows
from tests.laws.tables import draw_table, methods, seeds, smoothings

pytestmark = pytest.mark.filterwarnings("ignore")


def assert_equal(model, X):
    answers = run_node(model.to_json(), X)
    found = np.array([answer["probabilities"] for answer in answers])
    np.testing.assert_allclose(found, model.predict_proba(X), rtol=0, atol=1e-12)
    assert [answer["prediction"] for answer in answers] == model.predict(X).tolist()
    return answers


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("kind", list(CLASSIFIERS))
def test_javascript_answers_as_python_does(kind, n_classes):
    frame, y = draw_awkward(1, n_classes=n_classes)
    model = clone(CLASSIFIERS[kind]).fit(frame, np.array(CLASSES)[y])
    X = draw_new_rows(frame).drop(columns=KEY)
    answers = assert_equal(model, X)
    if model.get_params().get("smoothing") != "none":  # infinity is null in JSON
        scores = np.array([answer["scores"] for answer in answers])
        start = json.loads(model.to_json())["intercept"]
        total = start + np.array([answer["evidence"] for answer in answers]).sum(axis=1)
        np.testing.assert_allclose(total, scores, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("statistic", list(REGRESSORS))
def test_numbers_and_quantiles_are_the_same(statistic):
    frame, y = draw_awkward(2, n_classes=4)
    model = clone(REGRESSORS[statistic]).fit(
        frame, y + np.random.default_rng(0).normal(size=len(y))
    )
    X, levels = draw_new_rows(frame).drop(columns=KEY), [0.01, 0.25, 0.5, 0.99]
    answers = run_node(model.to_json(), X, levels)
    found = [answer["prediction"] for answer in answers]
    np.testing.assert_allclose(found, model.predict(X), atol=1e-10)
    quantiles = [answer["quantiles"] for answer in answers]
    np.testing.assert_allclose(quantiles, model.predict_quantiles(X, levels), atol=1e-10)


@pytest.mark.parametrize("statistic", ["mean", "median"])
@pytest.mark.parametrize("is_discrete", [False, True])
def test_boosted_numbers_and_quantiles_are_the_same(statistic, is_discrete):
    frame, y = draw_awkward(2, n_classes=4)
    y = y * 1.0 if is_discrete else y + np.random.default_rng(0).normal(size=len(y))
    boosted = BoostedNaiveBayesRegressor(n_rounds=20, statistic=statistic).fit(frame, y)
    X, levels = draw_new_rows(frame).drop(columns=KEY), [0.0, 0.01, 0.25, 0.5, 0.99, 1.0]
    for model in (boosted, boosted.collapse()):
        answers = run_node(model.to_json(), X, levels)
        found = [answer["prediction"] for answer in answers]
        np.testing.assert_allclose(found, model.predict(X), atol=1e-10)
        quantiles = [answer["quantiles"] for answer in answers]
        np.testing.assert_allclose(quantiles, model.predict_quantiles(X, levels), atol=1e-10)


@given(seeds, methods, smoothings)
@settings(max_examples=6)
def test_whatever_the_table_and_the_parameters(seed, method, smoothing):
    frame, y, _ = draw_table(seed, 40, 3)
    model = NaiveBayesClassifier(numeric=method, smoothing=smoothing, calibration=None)
    assert_equal(model.fit(frame, y), frame)


def test_dates_are_read():
    times = pd.Series(pd.date_range("2024-01-01", periods=40, freq="D"))
    X = times.to_frame("t")
    model = NaiveBayesClassifier(numeric="kernel").fit(X, np.arange(40) > 17)
    expected = model.predict_proba(X)
    assert len(set(expected[:, 1])) > 10
    for as_dates in (True, False):
        answers = run_node(model.to_json(), X, as_dates=as_dates)
        found = [answer["probabilities"] for answer in answers]
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_names_that_every_object_has():
    X = pd.DataFrame({"constructor": ["p"] * 15 + ["q"] * 15, "__proto__": np.arange(30.0)})
    model = NaiveBayesClassifier().fit(X, np.arange(30) > 16)
    assert_equal(model, X)
    known = run_node(model.to_json(), X[["__proto__"]])
    expected = model.predict_proba(X.assign(constructor=None))
    np.testing.assert_allclose([a["probabilities"] for a in known], expected, atol=1e-12)


def test_the_format_says_what_it_is():
    model = NaiveBayesClassifier().fit([[0.0], [1.0], [2.0]], ["a", "b", "b"])
    described = json.loads(model.to_json())
    assert (described["format"], described["version"]) == (FORMAT, VERSION)
    assert described["classes"] == ["a", "b"]
    with pytest.raises(AssertionError, match="no model of version 1 or 2"):
        run_node(json.dumps(described | {"version": 3}), pd.DataFrame({"x0": [1.0]}))


@pytest.mark.parametrize("cell", ["text", True])
def test_cells_of_another_kind_are_refused_or_read(cell):
    model = NaiveBayesClassifier().fit(pd.DataFrame({"a": np.arange(30.0)}), np.arange(30) > 14)
    frame = pd.DataFrame({"a": [cell]}, dtype=object)
    if isinstance(cell, bool):
        assert len(run_node(model.to_json(), frame)) == 1  # as the number one
    else:
        with pytest.raises(AssertionError, match='Column "a" must hold finite numbers'):
            run_node(model.to_json(), frame)
