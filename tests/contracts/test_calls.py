"""Errors name the class that was called, not one it is built on."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

import bayfold

ESTIMATORS = {
    name: getattr(bayfold, name)
    for name in bayfold.__all__
    if isinstance(getattr(bayfold, name), type)
    and issubclass(getattr(bayfold, name), BaseEstimator)
}
LEARNERS = sorted(name for name in ESTIMATORS if not name.startswith("Collapsed"))
QUICK = {
    "BoostedNaiveBayesClassifier": {"n_rounds": 2, "early_stopping": False},
    "BoostedNaiveBayesRegressor": {"n_rounds": 2, "early_stopping": False},
    "MTERegressor": {"n_pieces": 2, "bandwidth_factor": 1.0},
}
X = np.random.default_rng(0).normal(size=(40, 2))
y = (X[:, 0] > 0).astype(int)


def use(model):
    """The method that answers."""
    return model.transform if hasattr(model, "transform") else model.predict


@pytest.mark.parametrize("name", sorted(ESTIMATORS))
def test_before_fit(name):
    with pytest.raises(NotFittedError, match=f"This {name} instance"):
        use(ESTIMATORS[name]())(X)


@pytest.mark.parametrize("name", LEARNERS)
def test_the_wrong_number_of_columns(name):
    model = ESTIMATORS[name](**QUICK.get(name, {})).fit(X, y)
    with pytest.raises(ValueError, match=f"X has 3 features, but {name} is expecting 2"):
        use(model)(np.zeros((1, 3)))


@pytest.mark.parametrize("name", LEARNERS)
def test_a_parameter_that_there_is_not(name):
    with pytest.raises(TypeError, match=f"{name}.*'colour'"):
        ESTIMATORS[name](colour="red")


@pytest.mark.parametrize("name", LEARNERS)
def test_arguments_that_are_missing_or_too_many(name):
    with pytest.raises(
        TypeError, match=re.escape(f"{name}.fit() missing a required argument: 'X'")
    ):
        ESTIMATORS[name]().fit()
    with pytest.raises(TypeError, match=re.escape(f"{name}.fit() got an unexpected keyword")):
        ESTIMATORS[name]().fit(X, y, weights=y)
