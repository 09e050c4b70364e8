"""What cannot be exported says so, and what to use instead."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from bayfold import (
    AdaBoostNaiveBayesClassifier,
    AveragedOneDependenceClassifier,
    BoostedNaiveBayesClassifier,
    ClassDecompositionClassifier,
    MTERegressor,
    NaiveBayesClassifier,
    NaiveBayesRegressor,
    NaiveBayesTreeClassifier,
    ViaRegressionClassifier,
)
from bayfold.errors import ExportError

X = np.random.default_rng(0).normal(size=(60, 2))
REFUSED = [
    (AveragedOneDependenceClassifier(), "an average over parents is no sum"),
    (AdaBoostNaiveBayesClassifier(n_rounds=2), "votes do not add up to weights of evidence"),
    (NaiveBayesTreeClassifier(), "a tree asks about many columns at once"),
    (ClassDecompositionClassifier(n_clusters=1), "classes are unions of clusters"),
    (ViaRegressionClassifier(), "probabilities are read off several regressions"),
    (MTERegressor(n_pieces=3, bandwidth_factor=1.0), "Use NaiveBayesRegressor instead"),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("model", "reason"), REFUSED, ids=lambda x: type(x).__name__)
def test_other_models_say_why_not(model, reason):
    numeric = isinstance(model, MTERegressor)
    model.fit(X, X[:, 0] if numeric else X[:, 0] > 0)
    for export in (model.to_sql, model.to_json, model.to_onnx):
        with pytest.raises(ExportError, match=reason) as caught:
            export()
        assert isinstance(caught.value, NotImplementedError)


@pytest.mark.parametrize(
    "model", [NaiveBayesClassifier(), BoostedNaiveBayesClassifier(), NaiveBayesRegressor()]
)
def test_a_model_must_be_fitted(model):
    with pytest.raises(NotFittedError):
        model.to_sql()
