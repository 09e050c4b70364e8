"""Weights of cells averaged over parents: they add up to the score, and a row without parents is naive Bayes."""

import numpy as np
import pandas as pd
import pytest

from bayfold import AveragedOneDependenceClassifier
from tests.persist.models import table, two

SETTINGS = [{}, {"calibration": None}, {"numeric": "mdl"}, {"min_parent_count": 1e9}]


@pytest.mark.filterwarnings("ignore::bayfold.errors.UnseenCategoryWarning")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_weights_add_up_to_the_decision_function(n_classes, settings):
    X, y, _ = table()
    y = two(y) if n_classes == 2 else y
    model = AveragedOneDependenceClassifier(**settings).fit(X, y)
    rows = X.copy()
    rows.loc[0] = np.nan  # nothing known
    rows.loc[1, "letter"] = "new"
    explained = model.explain(rows)
    shape = (len(rows), 5, 1 if n_classes == 2 else n_classes)
    total = explained["weight"].reshape(shape).sum(axis=1)
    expected = model.decision_function(rows)
    np.testing.assert_allclose(np.squeeze(total), expected, rtol=1e-9, atol=1e-9)


def test_cells_that_say_nothing_have_no_weight():
    X, y, _ = table()
    model = AveragedOneDependenceClassifier().fit(X, two(y))
    explained = model.explain(X.assign(z=np.nan)[:5])
    assert not explained.where(column="z")["weight"].any()
    assert explained.where(column="z")["bin"].tolist() == ["(missing)"] * 5


def test_a_column_of_very_many_categories_speaks_alone():
    rng = np.random.default_rng(0)
    n = 3000
    many = rng.integers(0, 600, n)
    X = pd.DataFrame({"many": [f"c{k}" for k in many], "few": rng.choice(list("ab"), n)})
    y = np.where((many % 2 == 0) ^ (rng.random(n) < 0.1), "even", "odd")
    model = AveragedOneDependenceClassifier(calibration=None).fit(X, y)
    weights = model.explain(X[:50])["weight"].reshape(50, 3)
    np.testing.assert_allclose(weights.sum(axis=1), model.decision_function(X[:50]), atol=1e-9)
    assert np.abs(weights[:, 1]).mean() > 1


def test_without_smoothing_weights_are_finite():
    X = [["a", "a"], ["b", "b"]] * 5
    model = AveragedOneDependenceClassifier(smoothing=None).fit(X, [0, 1] * 5)
    weights = model.explain([["a", "a"], ["a", "b"]])["weight"]
    assert np.isfinite(weights).all()
    assert weights[1:3].max() < 0  # both cells speak for the first class
