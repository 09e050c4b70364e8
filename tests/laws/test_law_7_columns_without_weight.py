"""Law 7: noise of any cardinality, an identifier or a constant costs the default a point of accuracy at most."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_regressor

from bayfold import (
    AdaBoostNaiveBayesClassifier,
    AveragedOneDependenceClassifier,
    BoostedNaiveBayesClassifier,
    BoostedNaiveBayesRegressor,
    ClassDecompositionClassifier,
    MTERegressor,
    NaiveBayesClassifier,
    NaiveBayesRegressor,
    NaiveBayesTreeClassifier,
    ViaRegressionClassifier,
)

pytestmark = pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")

N_ROWS, N_NEW = 400, 4000


def draw_table(seed):
    """Numbers and a category that tell two classes apart, mostly; training rows, then new ones."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, N_ROWS + N_NEW)
    X = pd.DataFrame(rng.normal(0.8 * y[:, None], 1.0, (len(y), 3)), columns=list("abc"))
    X["d"] = np.where(rng.random(len(y)) < 0.7, y, rng.integers(0, 2, len(y))).astype(str)
    return X, y, rng


def add_noise(X, rng, cardinality):
    """A column that says nothing; the new rows of an identifier have known identities."""
    if cardinality == "identifier":
        return X.assign(noise=[f"id {k % N_ROWS}" for k in range(len(X))])
    if cardinality == "number":
        return X.assign(noise=rng.normal(size=len(X)))
    return X.assign(noise=rng.integers(0, cardinality, len(X)).astype(str))


def find_accuracy(X, y):
    model = NaiveBayesClassifier().fit(X[:N_ROWS], y[:N_ROWS])
    return model.score(X[N_ROWS:], y[N_ROWS:])


def find_loss(model, X, y):
    return -np.log(model.predict_proba(X)[np.arange(len(y)), y]).mean()


@pytest.mark.parametrize("cardinality", [1, 2, 20, 100, 200, 400, "identifier", "number"])
def test_noise_costs_next_to_nothing(cardinality):
    """On average over a few tables: a single one says as much about chance."""
    lost = []
    for seed in range(4):
        X, y, rng = draw_table(seed)
        lost.append(find_accuracy(X, y) - find_accuracy(add_noise(X, rng, cardinality), y))
    assert np.mean(lost) < 0.01


@pytest.mark.parametrize("weight", [1.0, 2.0])
@pytest.mark.parametrize("parameters", [{}, {"select": True}, {"calibration": "temperature"}])
def test_an_identifier_has_no_weight(parameters, weight):
    X, y, rng = draw_table(0)
    with_id = add_noise(X, rng, "identifier")
    weights = np.full(N_ROWS, weight)
    without = NaiveBayesClassifier(**parameters).fit(X[:N_ROWS], y[:N_ROWS], weights)
    model = NaiveBayesClassifier(**parameters).fit(with_id[:N_ROWS], y[:N_ROWS], weights)
    assert model.column_weights_[-1] == 0.0
    assert model.feature_importances_[-1] == 0.0
    # other folds are dealt, and nothing else
    lost = find_loss(model, with_id[N_ROWS:], y[N_ROWS:]) - find_loss(
        without, X[N_ROWS:], y[N_ROWS:]
    )
    assert abs(lost) < 0.02


def test_nothing_but_an_identifier_leaves_the_prior():
    X = pd.DataFrame({"id": [f"id {k}" for k in range(60)]})
    model = NaiveBayesClassifier().fit(X, np.arange(60) % 3 == 0)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / 3, atol=0.02)


def test_an_identifier_has_no_weight_about_a_number():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=200), "id": [f"id {k}" for k in range(200)]})
    model = NaiveBayesRegressor().fit(X, X["x"] + 0.3 * rng.normal(size=200))
    assert model.column_weights_[1] == 0.0
    assert model.column_weights_[0] > 0.5


ESTIMATORS = [
    NaiveBayesClassifier(),
    NaiveBayesClassifier(numeric="gaussian"),
    AveragedOneDependenceClassifier(),
    BoostedNaiveBayesClassifier(n_models=4),
    NaiveBayesTreeClassifier(),
    AdaBoostNaiveBayesClassifier(n_rounds=5),
    ClassDecompositionClassifier(n_clusters=2, random_state=0),
    ViaRegressionClassifier(),
    NaiveBayesRegressor(),
    MTERegressor(),
    BoostedNaiveBayesRegressor(n_models=4),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", ESTIMATORS, ids=lambda model: type(model).__name__)
def test_columns_that_never_change_change_nothing(model):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(150, 3)).round(2), columns=list("abc"))
    X["d"] = np.where(X["a"] > rng.normal(size=150), "u", "v")
    t = X["a"] + X["b"] * X["c"] + 0.5 * rng.normal(size=150)
    y, answer = (t, "predict_interval") if is_regressor(model) else (t > 0, "predict_proba")
    same = X.assign(number=3.0, letter="k", nothing=np.nan)[
        ["number", "a", "b", "letter", "c", "nothing", "d"]
    ]
    p, q = (getattr(clone(model).fit(T, y), answer)(T) for T in (X, same))
    np.testing.assert_allclose(p, q, rtol=0, atol=1e-12)
