"""Cross-validation on the same folds against scikit-learn's, and the decomposition of its errors."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

from bayfold import NaiveBayesClassifier
from bayfold.evaluate import (
    CrossValidation,
    cross_validate,
    find_bias_and_variance,
    score_folds,
    summarise,
)


def draw(n_rows=90, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_rows)
    return rng.normal(y[:, None], 1.5, (n_rows, 3)), np.array(["a", "b", "c"])[y]


def test_errors_and_losses_are_scikit_learn_s_on_the_same_folds():
    X, y = draw()
    result = cross_validate({"g": GaussianNB()}, X, y, n_repeats=2, n_folds=4, random_state=7)
    records = score_folds(result)
    for repeat in range(2):
        folds = StratifiedKFold(4, shuffle=True, random_state=7 + repeat)
        accuracy = cross_val_score(GaussianNB(), X, y, cv=folds)
        loss = -cross_val_score(GaussianNB(), X, y, cv=folds, scoring="neg_log_loss")
        mine = records.where(repeat=repeat)
        np.testing.assert_allclose(mine["error"], 1 - accuracy)
        np.testing.assert_allclose(mine["log_loss"], loss)
    assert (records["seconds"] > 0).all()


def test_all_models_have_the_same_folds_and_equal_models_equal_results():
    X, y = draw()
    models = {"one": GaussianNB(), "other": NaiveBayesClassifier(), "again": GaussianNB()}
    result = cross_validate(models, X, y, n_repeats=3)
    np.testing.assert_array_equal(result.predicted[0], result.predicted[2])
    assert result.fold_of.shape == (3, 90)
    for folds in result.fold_of:
        assert sorted(np.bincount(folds)) == [30, 30, 30]
    assert not np.array_equal(result.fold_of[0], result.fold_of[1])
    table = summarise(result)
    assert table["model"].tolist() == list(models)
    np.testing.assert_allclose(table["error"][0], (result.predicted[0] != result.truth).mean())
    assert (table["error_sd"] > 0).all()


def test_processes_and_frames_make_no_difference():
    X, y = draw()
    frames = [X, pd.DataFrame(X), pl.DataFrame(X), pa.table({str(j): X[:, j] for j in range(3)})]
    # calibration deals folds by what is in a row, names of columns included
    models = {"m": NaiveBayesClassifier(numeric="mdl", calibration=None)}
    results = [cross_validate(models, frame, y, n_repeats=1) for frame in frames]
    results.append(cross_validate(models, X, y, n_repeats=1, n_jobs=2))
    for result in results[1:]:
        np.testing.assert_array_equal(result.predicted, results[0].predicted)
        np.testing.assert_array_equal(result.loss, results[0].loss)


def test_a_model_without_probabilities_has_no_loss():
    X, y = draw()
    result = cross_validate({"r": RidgeClassifier()}, X, y, n_repeats=1)
    assert np.isnan(result.loss).all()
    assert summarise(result)["error"][0] < 0.6


def test_errors_are_those_of_predict():
    class Cautious(GaussianNB):
        def predict(self, X):
            return np.full(len(X), "c")

    X, y = draw()
    result = cross_validate({"c": Cautious()}, X, y, n_repeats=1)
    assert result.classes[result.predicted].tolist() == [[["c"] * len(y)]]
    assert np.isfinite(result.loss).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"models": [GaussianNB()]}, "`models` must be a dict with at least one classifier. Got"),
        ({"models": GaussianNB()}, "`models` must be a dict with at least one classifier. Got"),
        ({"n_repeats": 0}, "`n_repeats` must be a whole number from 1. Got 0."),
        ({"n_folds": 1}, "`n_folds` must be a whole number from 2. Got 1."),
        ({"n_folds": 2.5}, "`n_folds` must be a whole number from 2. Got 2.5."),
        (
            {"random_state": None},
            "`random_state` must be a whole number that is not negative. Got None.",
        ),
        ({"y": ["a", "b"] * 10}, "Found input variables with inconsistent numbers of samples"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    X, y = draw()
    with pytest.raises(ValueError) as raised:
        cross_validate(**{"models": {"g": GaussianNB()}, "X": X, "y": y, **parameters})
    assert str(raised.value).startswith(message)


def test_a_class_that_no_training_row_has_costs_the_least_probability():
    X, y = draw(30)
    y = y.astype(object)
    y[0] = "once"
    with pytest.warns(UserWarning, match="least populated class"):
        result = cross_validate({"g": GaussianNB()}, X, y, n_repeats=1)
    np.testing.assert_allclose(result.loss[0, 0, 0], -np.log(1e-15))


def test_no_models_and_missing_targets_are_refused():
    X, y = draw(30)
    with pytest.raises(ValueError, match="`models` must be a dict with at least one classifier"):
        cross_validate({}, X, y)
    y = y.astype(object)
    y[:2] = None
    with pytest.raises(ValueError, match=r"`y` must have a class for every row\. Got 2 missing"):
        cross_validate({"g": GaussianNB()}, X, y)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 20), st.integers(2, 4))
def test_bias_and_variance_add_up_to_the_error(seed, n_repeats, n_rows, n_classes):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_classes, n_rows)
    predicted = rng.integers(0, n_classes, (2, n_repeats, n_rows))
    nothing = np.zeros((2, n_repeats, 1))
    result = CrossValidation(
        ["a", "b"],
        np.arange(n_classes),
        truth,
        predicted[0] * 0,
        predicted,
        predicted * 0.0,
        nothing,
    )
    records = find_bias_and_variance(result)
    np.testing.assert_allclose(records["bias"] + records["variance"], records["error"], atol=1e-12)
    np.testing.assert_allclose(records["error"], (predicted != truth).mean(axis=(1, 2)))
    assert (records["variance"] >= -1e-12).all()
    assert (records["bias"] >= 0).all()


def test_a_model_that_never_changes_its_mind_has_no_variance():
    truth = np.array([0, 1, 1])
    predicted = np.tile([0, 0, 1], (1, 4, 1))
    result = CrossValidation(
        ["m"], np.arange(2), truth, predicted[0], predicted, predicted * 0.0, np.zeros((1, 4, 1))
    )
    records = find_bias_and_variance(result)
    assert records["variance"].tolist() == pytest.approx([0.0])
    assert records["bias"].tolist() == pytest.approx([1 / 3])


def test_warnings_come_once():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"a": rng.normal(size=60), "empty": np.nan, "id": [f"i{k}" for k in range(60)]}
    )
    y = np.where(X["a"] > 0, "p", "q")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cross_validate({"nb": NaiveBayesClassifier()}, X, y, n_repeats=2, n_folds=3)
    texts = [str(each.message) for each in caught]
    assert sorted(text[:12] for text in texts) == ["Column 'empt", "Column 'id' "]
