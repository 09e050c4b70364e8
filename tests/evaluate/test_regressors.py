"""Cross-validation of regressors, weights in scores, and the best of several models."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import mean_absolute_error, root_mean_squared_error
from sklearn.model_selection import KFold, cross_val_predict

from bayfold.core.evidence.drift import adjust_by_holm
from bayfold.evaluate import (
    compare_with_best,
    cross_validate,
    cross_validate_regressors,
    score_folds,
    score_regressor_folds,
    summarise,
    summarise_regressors,
)
from bayfold.evaluate.peers import make_peers


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return X, X @ [1.0, -2.0, 0.0] + rng.normal(size=60)


def test_scores_are_those_of_scikit_learn(rows):
    X, y = rows
    result = cross_validate_regressors({"l": LinearRegression()}, X, y, n_repeats=1, n_folds=4)
    folds = KFold(4, shuffle=True, random_state=0)
    expected = cross_val_predict(LinearRegression(), X, y, cv=folds)
    np.testing.assert_allclose(result.predicted[0, 0], expected)
    scores = summarise_regressors(result)
    assert scores["rmse"][0] == pytest.approx(root_mean_squared_error(y, expected))
    assert scores["mae"][0] == pytest.approx(mean_absolute_error(y, expected))
    assert scores["r2"][0] == pytest.approx(1 - np.mean((y - expected) ** 2) / y.var())
    by_fold = score_regressor_folds(result)
    first = result.fold_of[0] == 0
    assert by_fold["rmse"][0] == pytest.approx(root_mean_squared_error(y[first], expected[first]))


def test_a_missing_number_is_refused(rows):
    X, y = rows
    with pytest.raises(ValueError, match="Got 1 missing"):
        cross_validate_regressors({"l": Ridge()}, X, np.where(np.arange(60) == 3, np.nan, y))


def test_rows_count_by_their_weight_in_scores():
    y = np.array(["a", "b"] * 10)
    weight = np.where(y == "a", 3.0, 1.0)
    model = {"m": DummyClassifier(strategy="most_frequent")}
    result = cross_validate(
        model, np.zeros((20, 1)), y, n_repeats=1, n_folds=2, sample_weight=weight
    )
    assert summarise(result)["error"][0] == pytest.approx(0.25)
    np.testing.assert_allclose(score_folds(result)["error"], 0.25)


def test_confidence_is_the_probability_of_the_predicted_class(rows):
    X, y = rows
    labels = np.where(y > 0, "up", "down")
    models = make_peers("classification", 0, only_baselines=True)
    result = cross_validate(models, X, labels, n_repeats=1, n_folds=3)
    right = result.predicted == result.truth
    np.testing.assert_allclose(result.confidence[right], np.exp(-result.loss[right]))
    assert (result.confidence >= 0.5 - 1e-12).all()


def test_the_best_comes_first_and_differences_are_tested(rows):
    X, y = rows
    models = {"weak": Ridge(1e4), "strong": LinearRegression(), "same": LinearRegression()}
    result = cross_validate_regressors(models, X, y, n_repeats=3, n_folds=5)
    found = compare_with_best(score_regressor_folds(result), "rmse", 5)
    assert found["model"].tolist() == ["strong", "same", "weak"]
    assert np.isnan(found["p"][0])
    assert found["p"][1] == 1.0
    assert found["p"][2] < 0.05
    assert found["difference"][2] > 0


def test_holms_rule():
    p = np.array([0.01, 0.04, 0.03, 0.005])
    np.testing.assert_allclose(adjust_by_holm(p), [0.03, 0.06, 0.06, 0.02])


def test_peers_take_strings_missing_cells_and_weights():
    from bayfold.core.frames.output import make_frame

    X = make_frame(
        {"n": [1.0, None, 3.0] * 8, "c": ["x", "y", None] * 8, "e": [None] * 24}, "arrow"
    )
    y = np.array(["a", "b", "a"] * 8)
    for peer in make_peers("classification", 0, only_baselines=True).values():
        probability = peer.fit(X, y, sample_weight=np.ones(24)).predict_proba(X)
        assert probability.shape == (24, 2)
        new = make_frame({"n": [None], "c": ["z"], "e": [None]}, "arrow")
        assert np.isfinite(peer.predict_proba(new)).all()
    for peer in make_peers("regression", 0, only_baselines=True).values():
        assert np.isfinite(peer.fit(X, np.arange(24.0)).predict(X)).all()
