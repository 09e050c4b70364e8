"""What explains rows names them as the frame does, and adds up; what has no evidence says which model has."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

import bayfold
from tests.contracts.test_summary import fit
from tests.persist.models import table, two

EXPLAINING = [
    "naive bayes",
    "pairs",
    "additive",
    "confidence",
    "tree",
    "decomposition",
    "regression",
    "via regression",
    "exponentials",
    "mixture",
]


@pytest.mark.parametrize("name", EXPLAINING)
def test_rows_have_the_names_of_the_frame(name):
    model, X = fit(name), table()[0][:6]
    plain = model.explain(X)
    assert "index" not in plain.names
    named = model.explain(X.set_axis([f"client {k}" for k in range(6)]))
    assert named["index"].tolist() == [f"client {k}" for k in named["row"]]
    assert named["row"].tolist() == plain["row"].tolist()
    some = model.explain(X[3:])  # the middle of a frame keeps its numbers
    assert (some["index"] == some["row"] + 3).all()
    assert len(named.where(index="client 4")) == len(plain.where(row=4))


def test_times_and_levels_are_names_too():
    model, X = fit("naive bayes"), table()[0][:2]
    days = pd.date_range("2024-01-01", periods=2)
    assert model.explain(X.set_axis(days))["index"][0] == np.datetime64("2024-01-01")
    pairs = pd.MultiIndex.from_tuples([("a", 1), ("b", 2)])
    assert model.explain(X.set_axis(pairs))["index"][0] == ("a", 1)
    frame = model.explain(X.set_axis(days)).to_frame()
    assert frame["index"].dtype.kind == "M"


@pytest.mark.parametrize("name", ["regression", "exponentials"])
def test_bins_of_regressors_agree_with_rows_that_know_nothing_else(name):
    model, (X, _, t) = fit(name), table()
    evidence = model.evidence_
    shown = ["count", "mean", "shift", "low", "high", "sd"]
    assert evidence.names == ["column", "bin", "lower", "upper", *shown]
    alone = pd.DataFrame({c: [np.nan] for c in X}).astype({"letter": object})
    for letter in "abcd":
        alone.loc[0, "letter"] = letter
        found = evidence.where(column="letter", bin=letter)[0]
        assert found["mean"] == pytest.approx(model.predict(alone)[0], rel=1e-9)
        distribution = model.predict_distribution(alone)
        assert found["sd"] == pytest.approx(np.sqrt(distribution.var()[0]), rel=1e-6)
        assert found["count"] == (X["letter"] == letter).sum()
    for column in X:
        assert evidence.where(column=column)["count"].sum() == len(t)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_shifts_of_each_class_add_up(n_classes):
    X, y, _ = table()
    y = two(y) if n_classes == 2 else y
    model = bayfold.ViaRegressionClassifier().fit(X, y)
    explained = model.explain(X[:20])
    decision = model.decision_function(X[:20])
    for k, label in enumerate(model.classes_[-1:] if n_classes == 2 else model.classes_):
        of_class = explained.where(**{"class": label})
        total = np.bincount(of_class["row"], of_class["shift"])
        expected = decision if n_classes == 2 else decision[:, k]
        np.testing.assert_allclose(total, expected, atol=1e-9)
    assert set(model.evidence_["class"]) == set(explained["class"])


def test_evidence_of_pairs_is_the_mean_over_rows():
    X, y, _ = table()
    model = bayfold.AveragedOneDependenceClassifier().fit(X, two(y))
    explained = model.explain(X)
    for letter in "abcd":
        of_rows = explained.where(column="letter", value=letter)["weight"].mean()
        assert model.evidence_.where(column="letter", bin=letter)["weight"][0] == pytest.approx(
            of_rows
        )


def test_evidence_of_subclasses_names_the_class():
    model = fit("decomposition")
    evidence = model.evidence_
    assert set(evidence["class"]) == set(model.classes_)
    assert set(evidence["subclass"]) == {0, 1}


def test_what_has_no_evidence_says_what_has():
    X, y, _ = table()
    numbers = X[["x"]].fillna(0.0)
    via = bayfold.ViaRegressionClassifier(LinearRegression()).fit(numbers, y)
    split = bayfold.ClassDecompositionClassifier(LogisticRegression(), n_clusters=1).fit(numbers, y)
    with pytest.raises(AttributeError, match="Use an estimator of bayfold"):
        via.explain(numbers)
    for model in (via, split):
        with pytest.raises(AttributeError, match="Use an estimator of bayfold"):
            model.evidence_  # noqa: B018
    votes = fit("votes")
    with pytest.raises(AttributeError, match="use BoostedNaiveBayesClassifier"):
        votes.explain(X)


def test_decomposition_of_regressions_still_explains():
    X, y, _ = table()
    model = bayfold.ClassDecompositionClassifier(
        bayfold.ViaRegressionClassifier(), n_clusters=2, random_state=0
    ).fit(X, y)
    assert "weight" not in model.explain(X[:3]).names
