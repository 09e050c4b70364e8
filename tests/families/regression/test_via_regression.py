"""Classification through regression."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score

from bayfold import NaiveBayesRegressor, ViaRegressionClassifier
from bayfold.errors import DataWarning


def mixed(n=150, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    frame = pd.DataFrame(
        {"u": y + 0.7 * rng.normal(size=n), "v": np.array(["p", "q", "r"], object)[y]}
    )
    return frame.mask(rng.random(frame.shape) < 0.1), np.array(["a", "b", "c"])[y]


@pytest.mark.parametrize("two_points", [True, False])
def test_three_classes_have_three_regressors_and_two_have_one(two_points):
    frame, y = mixed()
    model = ViaRegressionClassifier(two_points=two_points).fit(frame, y)
    assert len(model.regressors_) == 3
    assert model.score(frame, y) > 0.8
    scores = model.decision_function(frame)
    for k, regressor in enumerate(model.regressors_):
        np.testing.assert_array_equal(scores[:, k], regressor.predict(frame))
        assert len(regressor.grid_) == 2 or not two_points
    probability = model.predict_proba(frame)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.classes_[probability.argmax(axis=1)], model.predict(frame))
    two = ViaRegressionClassifier(two_points=two_points).fit(frame, y == "b")
    assert len(two.regressors_) == 1
    np.testing.assert_array_equal(two.predict(frame), two.decision_function(frame) > 0)


def test_two_points_cost_little_accuracy():
    X, y = load_iris(return_X_y=True)
    paper = NaiveBayesRegressor(bandwidth="frank1998", calibration=None)
    short, full = (
        cross_val_score(ViaRegressionClassifier(paper, two_points=two), X, y).mean()
        for two in (True, False)
    )
    assert short > 0.93
    assert abs(short - full) < 0.03


def test_any_regressor_will_do():
    X, y = load_iris(return_X_y=True)
    assert ViaRegressionClassifier(Ridge()).fit(X, y).score(X, y) > 0.8


def test_a_grid_of_the_users_own_is_kept():
    X, y = load_iris(return_X_y=True)
    model = ViaRegressionClassifier(NaiveBayesRegressor(grid_size=5)).fit(X, y)
    assert len(model.regressors_[0].grid_) > 5


@pytest.mark.parametrize("make", [pd.DataFrame, lambda frame: pa.Table.from_pandas(frame)])
def test_rows_without_a_class_or_weight_are_left_out(make):
    frame, y = mixed()
    labels = y.astype(object)
    labels[:5] = None
    weights = np.ones(len(y))
    weights[5:9] = 0
    with pytest.warns(DataWarning, match=r"5 row\(s\) have no target"):
        model = ViaRegressionClassifier().fit(make(frame), labels, sample_weight=weights)
    expected = ViaRegressionClassifier().fit(frame[9:], y[9:]).decision_function(frame)
    np.testing.assert_allclose(model.decision_function(make(frame)), expected)


def test_refusals():
    frame, y = mixed()
    with pytest.raises(ValueError, match=r"`two_points` must be True or False\. Got 3\."):
        ViaRegressionClassifier(two_points=3).fit(frame, y)
    with pytest.raises(ValueError, match="`y` must hold at least two classes"):
        ViaRegressionClassifier().fit(frame, ["a"] * len(y))
    with pytest.raises(ValueError, match="requires y to be passed"):
        ViaRegressionClassifier().fit(frame, None)


def test_a_rare_flag_decides():
    flag = (np.random.default_rng(0).random(3000) < 0.01).astype(float)
    model = ViaRegressionClassifier().fit(flag[:, None], flag.astype(int))
    assert model.predict_proba([[1.0]])[0, 1] > 0.99
    assert model.predict_proba([[0.0]])[0, 1] < 0.01
