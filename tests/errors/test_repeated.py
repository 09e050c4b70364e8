"""A warning comes once per line of code, also in cross-validation, unless more is asked for."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score

import bayfold
from bayfold.errors import DataWarning, UnseenCategoryWarning, kinds


@pytest.fixture
def shown(monkeypatch):
    """What is shown with the filters that Python starts with."""
    monkeypatch.setattr(kinds, "_WARNED_BEFORE", {})
    seen: list = []
    with warnings.catch_warnings():
        warnings.resetwarnings()

        def show(message, category, *_, **__):
            if issubclass(category, DataWarning):  # scikit-learn warns of its own
                seen.append(message)

        monkeypatch.setattr(warnings, "showwarning", show)
        yield seen


X = np.stack([np.arange(40.0), np.ones(40)], axis=1)
y = np.arange(40) % 2


def test_once_in_a_cross_validation(shown):
    cross_val_score(bayfold.NaiveBayesClassifier(), X, y)
    assert [str(w).split(" has ")[0] for w in shown] == ["Column 'x1'"]


def test_categories_that_a_fold_lacks_are_no_news(shown):
    table = pd.DataFrame({"id": [f"row {k}" for k in range(40)], "x": np.arange(40.0)})
    cross_val_score(bayfold.NaiveBayesClassifier(), table, y)
    cross_val_predict(bayfold.NaiveBayesClassifier(), table, y)
    assert {type(w) for w in shown} == {DataWarning}
    assert len(shown) == 2  # an identifier, at a line for each of the two


def test_categories_of_new_rows_are_news_to_a_search(shown):
    table = pd.DataFrame({"letter": ["a", "b"] * 20})
    search = GridSearchCV(bayfold.NaiveBayesClassifier(), {"smoothing": ["laplace"]}, cv=2)
    search.fit(table, y).predict(pd.DataFrame({"letter": ["c"]}))
    assert [type(w) for w in shown] == [UnseenCategoryWarning]


def test_again_at_another_line(shown):
    bayfold.NaiveBayesClassifier().fit(X, y)
    bayfold.NaiveBayesClassifier().fit(X, y)
    assert len(shown) == 2


def test_always_means_always(shown):
    warnings.simplefilter("always")
    cross_val_score(bayfold.NaiveBayesClassifier(), X, y)
    assert len(shown) == 5


def test_errors_are_raised_every_time(shown):
    warnings.simplefilter("error", DataWarning)
    for _ in range(2):
        with pytest.raises(DataWarning):
            bayfold.NaiveBayesClassifier().fit(X, y)
