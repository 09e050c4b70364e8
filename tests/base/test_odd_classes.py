"""Classes that other tools trip over: exact, or refused in words."""

from __future__ import annotations

import datetime

import numpy as np
import pytest
from sklearn.base import clone

from bayfold import (
    BoostedNaiveBayesClassifier,
    ClassDecompositionClassifier,
    NaiveBayesClassifier,
    ViaRegressionClassifier,
)
from bayfold.errors import DataWarning

X = np.array([[-1.0], [1.0]] * 20)


@pytest.mark.parametrize(
    "classes",
    [
        (3, 2**63 + 5),
        (2**63 + 5, 2**63 + 6),
        (3, 2**70),
        ("b", "lone \ud800"),
    ],
)
@pytest.mark.parametrize("as_given", [list, lambda y: np.array(y, object)])
def test_classes_stay_what_they_are(classes, as_given):
    y = list(classes) * 20
    model = NaiveBayesClassifier().fit(X, as_given(y))
    assert model.classes_.tolist() == list(classes)
    assert model.predict(X[:2]).tolist() == list(classes)


def test_large_numbers_that_are_neighbours_are_two_classes():
    """As floats, 2**63 + 5 and 2**63 + 6 would be one, and 3 beside them made them floats."""
    y = [3, 2**63 + 5, 2**63 + 6, 3] * 10
    assert NaiveBayesClassifier().fit(X, y).classes_.tolist() == [3, 2**63 + 5, 2**63 + 6]


DAYS = [datetime.date(2020, 1, 1), datetime.date(2020, 2, 1)]


@pytest.mark.parametrize(
    "model",
    [
        NaiveBayesClassifier(),
        BoostedNaiveBayesClassifier(n_rounds=2, early_stopping=False),
        ClassDecompositionClassifier(n_clusters=1),
        ViaRegressionClassifier(),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("classes", [DAYS, ["no", "yes"], [3, 2**70], [False, True], [3.0, 4.0]])
def test_accuracy_of_all_kinds_of_classes(model, classes):
    y = classes * 20
    model = clone(model).fit(X, y)
    assert model.score(X, y) == 1.0
    wrong = [*y[:5], y[6], *y[6:]]
    assert model.score(X, wrong) == pytest.approx(39 / 40)
    weights = np.where(np.arange(40) == 5, 3.0, 1.0)
    assert model.score(X, wrong, weights) == pytest.approx(39 / 42)


def test_accuracy_says_which_classes_were_never_learnt():
    model = NaiveBayesClassifier().fit(X, ["3", "4"] * 20)
    with pytest.warns(DataWarning, match=r"not learnt: '3.0', '4.0'\. .*classes are '3', '4'"):
        assert model.score(X, ["3.0", "4.0"] * 20) == 0.0
    with pytest.warns(DataWarning, match="not learnt: 'new'"):
        assert model.score(X, ["3", "new"] * 20) == 0.5


def test_accuracy_leaves_out_rows_without_a_class():
    model = NaiveBayesClassifier().fit(X, ["a", "b"] * 20)
    with pytest.warns(DataWarning, match=r"^10 row\(s\) have no target"):
        assert model.score(X, [None, *["b", "a", "b"]] * 10, np.arange(40)) == 1.0


def test_accuracy_of_no_weight_at_all_is_refused():
    model = NaiveBayesClassifier().fit(X, ["a", "b"] * 20)
    with pytest.raises(ValueError, match=r"^`sample_weight` must be positive"):
        model.score(X, ["a", "b"] * 20, np.zeros(40))
