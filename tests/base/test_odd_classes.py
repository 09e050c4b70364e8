"""Classes that other tools trip over: exact, or refused in words."""

from __future__ import annotations

import numpy as np
import pytest

from bayfold import NaiveBayesClassifier

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
