"""A boosted model without its rounds answers as the model does."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError

from bayfold import (
    AdaBoostNaiveBayesClassifier,
    BoostedNaiveBayesClassifier,
    CollapsedClassifier,
)
from tests.laws.tables import draw_table

BOOSTED = [
    BoostedNaiveBayesClassifier(n_rounds=8, n_models=1),
    AdaBoostNaiveBayesClassifier(method="real", n_rounds=4),
]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("boosted", BOOSTED, ids=lambda estimator: type(estimator).__name__)
def test_a_collapsed_model_answers_as_the_boosted_one(boosted, n_classes):
    frame, y, _ = draw_table(n_classes, 80, n_classes)
    model = clone(boosted).fit(frame, y)
    collapsed = pickle.loads(pickle.dumps(model.collapse()))
    assert is_classifier(collapsed)
    for answer in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        np.testing.assert_array_equal(
            getattr(collapsed, answer)(frame), getattr(model, answer)(frame)
        )
    told, whole = collapsed.explain(frame), model.explain(frame)
    for name in whole.names:
        np.testing.assert_array_equal(told[name], whole[name])
    for name in model.evidence_.names:
        np.testing.assert_array_equal(collapsed.evidence_[name], model.evidence_[name])
    assert list(collapsed.feature_names_in_) == list(frame.columns)
    assert collapsed.score(frame, y) == model.score(frame, y)


def test_a_collapsed_model_does_not_learn():
    with pytest.raises(AttributeError, match=r"must be made by `collapse\(\)`"):
        CollapsedClassifier().fit([[1.0]], [0])
    with pytest.raises(NotFittedError):
        CollapsedClassifier().predict([[1.0]])


def test_another_number_of_columns_is_refused():
    X = np.random.default_rng(0).normal(size=(60, 2))
    collapsed = BoostedNaiveBayesClassifier(n_rounds=2).fit(X, X[:, 0] > 0).collapse()
    with pytest.raises(ValueError, match="3 features, but CollapsedClassifier is expecting 2"):
        collapsed.predict(np.zeros((1, 3)))
