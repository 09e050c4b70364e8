"""What cannot be exported says so, and what to use instead."""

from __future__ import annotations

import datetime

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

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
from bayfold.errors import ExportError

X = np.random.default_rng(0).normal(size=(60, 2))
REFUSED = [
    (AveragedOneDependenceClassifier(), "an average over parents is no sum"),
    (AdaBoostNaiveBayesClassifier(n_rounds=2), "votes do not add up to weights of evidence"),
    (NaiveBayesTreeClassifier(), "a tree asks about many columns at once"),
    (ClassDecompositionClassifier(n_clusters=1), "classes are unions of clusters"),
    (ViaRegressionClassifier(), "probabilities are read off several regressions"),
    (MTERegressor(n_pieces=3, bandwidth_factor=1.0), "Use NaiveBayesRegressor .* instead"),
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


def test_boosted_numbers_are_written_as_json_only():
    model = BoostedNaiveBayesRegressor(n_rounds=5).fit(X, X[:, 0])
    for boosted in (model, model.collapse()):
        for export in (boosted.to_sql, boosted.to_onnx):
            with pytest.raises(ExportError, match="Use `to_json`, or NaiveBayesRegressor"):
                export()


@pytest.mark.parametrize(
    "model", [NaiveBayesClassifier(), BoostedNaiveBayesClassifier(), NaiveBayesRegressor()]
)
def test_a_model_must_be_fitted(model):
    with pytest.raises(NotFittedError):
        model.to_sql()


def fit_labels(first, second):
    """Fitted to classes of any type."""
    y = np.empty(len(X), object)
    y[:] = [first if x > 0 else second for x in X[:, 0]]
    return NaiveBayesClassifier().fit(X, y)


def test_classes_that_sql_and_json_cannot_write():
    model = fit_labels(datetime.date(2020, 1, 1), datetime.date(2020, 1, 2))
    with pytest.raises(ExportError, match=r"in SQL must be strings, booleans or numbers\. Got"):
        model.to_sql()
    with pytest.raises(ExportError, match=r"in JSON must be .* Fit with strings instead"):
        model.to_json()


def test_classes_that_javascript_would_take_for_one():
    with pytest.raises(ExportError, match=r"in JSON must be .* within 2\*\*53. Got"):
        fit_labels(2**60, 2**60 + 1).to_json()
    assert f" {2**60 + 1} " in fit_labels(2**60, 2**60 + 1).to_sql()


def test_one_name_is_no_list_of_names():
    model = NaiveBayesClassifier().fit(X, X[:, 0] > 0)
    with pytest.raises(
        ValueError, match=r"`keep` must be a list of names, such as \['rid'\]. Got 'rid'"
    ):
        model.to_sql(keep="rid")
    with pytest.raises(ValueError, match=r"`keep` must be a list of names"):
        model.predict_source(lambda: iter(()), "out", keep="rid")


def test_a_scorecard_of_millions_of_rows_is_refused():
    model = NaiveBayesClassifier(numeric="gaussian").fit(X, X[:, 0] > 0)
    with pytest.raises(
        ExportError, match=r"at most 65,536 points.*smaller `points_to_double_odds`"
    ):
        model.to_scorecard(points_to_double_odds=10**9)


@pytest.mark.parametrize("setting", ["points_to_double_odds", "base_points"])
def test_points_that_no_whole_number_holds_are_refused(setting):
    model = NaiveBayesClassifier(numeric="mdl").fit(X, X[:, 0] > 0)
    with pytest.raises(ExportError, match=r"must be below 2\^53.*smaller `points_to_double_odds`"):
        model.to_scorecard(**{setting: 1e300})
