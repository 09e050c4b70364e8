"""Every estimator says what it has learnt, and how much each of its columns matters, however it came about."""

from __future__ import annotations

import io
import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.feature_selection import SelectFromModel
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression

import bayfold
from bayfold.core.evidence import ColumnArray, Records
from bayfold.errors import DataWarning
from tests.persist.models import table

ESTIMATORS: dict[str, Any] = {
    "naive bayes": bayfold.NaiveBayesClassifier(),
    "uncalibrated": bayfold.NaiveBayesClassifier(numeric="gaussian", calibration=None),
    "pairs": bayfold.AveragedOneDependenceClassifier(),
    "additive": bayfold.BoostedNaiveBayesClassifier(n_rounds=12, n_models=2),
    "votes": bayfold.AdaBoostNaiveBayesClassifier(n_rounds=3),
    "votes of trees": bayfold.AdaBoostNaiveBayesClassifier(n_rounds=2, max_depth=1),
    "confidence": bayfold.AdaBoostNaiveBayesClassifier(method="real", n_rounds=3),
    "tree": bayfold.NaiveBayesTreeClassifier(min_samples_split=10),
    "decomposition": bayfold.ClassDecompositionClassifier(n_clusters=2, random_state=0),
    "regression": bayfold.NaiveBayesRegressor(),
    "boosted numbers": bayfold.BoostedNaiveBayesRegressor(n_rounds=12, n_models=2),
    "via regression": bayfold.ViaRegressionClassifier(),
    "exponentials": bayfold.MTERegressor(n_pieces=3),
    "mixture": bayfold.NaiveBayesMixture(2, random_state=0),
    "imputer": bayfold.NaiveBayesImputer(),
    "discretizer": bayfold.MDLDiscretizer(),
}
WITH_IMPORTANCES = [n for n, e in ESTIMATORS.items() if is_classifier(e) or is_regressor(e)]
SUMMABLE = ["naive bayes", "uncalibrated", "pairs", "regression", "exponentials"]


def every(names=ESTIMATORS):
    return pytest.mark.parametrize("name", list(names))


def choose(name: str, X: pd.DataFrame) -> tuple[Any, pd.DataFrame, np.ndarray]:
    """A new estimator, with columns and a target that suit it."""
    _, y, t = table()
    model = clone(ESTIMATORS[name])
    if name == "discretizer":
        X = X[[c for c in dict.fromkeys(X.columns) if X[c].ndim == 1 and X[c].dtype != object]]
    return model, X, (t if is_regressor(model) else y)[: len(X)]


def fit(name: str, X: pd.DataFrame | None = None) -> Any:
    model, X, y = choose(name, table()[0] if X is None else X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)


def check(model: Any, n_columns: int) -> None:
    """What holds of every summary."""
    summary = model.summary()
    assert isinstance(summary.columns, Records)
    assert len(summary.columns) == n_columns == model.n_features_in_
    assert summary.model == type(model).__name__
    assert type(model).__name__ in repr(summary)
    assert "<table>" in summary._repr_html_()
    plain = summary.to_dict()
    assert plain["columns"]["column"] == summary.columns["column"].tolist()
    assert len(pd.DataFrame(summary.columns)) == n_columns
    if hasattr(model, "feature_importances_"):
        check_importances(model.feature_importances_, n_columns)


def check_importances(found: np.ndarray, n_columns: int) -> None:
    assert found.shape == (n_columns,)
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(1.0) or not found.any()


@every()
def test_of_a_fit(name):
    model = fit(name)
    check(model, model.n_features_in_)
    summary = model.summary()
    assert summary.facts["rows"] == 120
    X = choose(name, table()[0])[1]
    assert summary.columns["missing"] == pytest.approx(X.isna().mean().to_numpy())
    assert (summary.columns["kind"] != "").all()
    if is_classifier(model):
        assert summary.classes["share"].sum() == pytest.approx(1.0)
        assert summary.classes["count"].sum() == pytest.approx(120)
    if is_regressor(model):
        assert summary.target["mean"] == pytest.approx(table()[2].mean())
        assert summary.target["max"] == pytest.approx(table()[2].max())


@every()
def test_of_ten_rows(name):
    check(model := fit(name, table()[0][:10]), model.n_features_in_)


@every()
def test_of_one_column(name):
    check(fit(name, table()[0][["few"]]), 1)


@every([n for n in ESTIMATORS if n != "discretizer"])
def test_of_columns_with_the_same_name(name):
    X = table()[0]
    X.columns = ["a", "a", "b", "c"]
    model = fit(name, X)
    X.columns = ["x", "few", "letter", "z"]
    check(model, 4)
    if hasattr(model, "feature_importances_"):
        with pytest.raises(ValueError, match="the name of 2 columns"):
            model.feature_importances_["a"]
        assert model.feature_importances_["b"] == model.feature_importances_[2]


@every(SUMMABLE)
def test_of_batches_and_sums(name):
    model, X, y = choose(name, table()[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        batches = clone(model)
        for start in range(0, 120, 40):
            batches.partial_fit(X[start : start + 40], y[start : start + 40])
        first = clone(model).fit(X[:60], y[:60])
        second = clone(model).set_params(schema=first.schema_).fit(X[60:], y[60:])
        total = first + second
    for found in (batches, total):
        check(found, 4)
        assert found.summary().facts["rows"] == 120


@every()
@pytest.mark.parametrize("statistics", [True, False])
def test_of_a_loaded_file(name, statistics):
    model, file = fit(name), io.BytesIO()
    model.save(file, statistics=statistics)
    loaded = bayfold.load(io.BytesIO(file.getvalue()))
    check(loaded, model.n_features_in_)
    assert repr(loaded.summary().columns) == repr(model.summary().columns)
    assert repr(loaded.summary().held_out) == repr(model.summary().held_out) or not statistics


@every()
def test_a_summary_follows_the_last_fit(name):
    model = fit(name)
    model.summary()
    model, X, y = model, *choose(name, table()[0][:30])[1:]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    assert model.summary().facts["rows"] == 30


@every()
def test_warnings_of_the_fit_are_remembered(name):
    model, X, y = choose(name, table()[0].assign(const=1.0))
    if name == "discretizer":
        pytest.skip("gives no warning of columns")
    with pytest.warns(DataWarning, match="'const' has a single value"):
        model.fit(X, y)
    assert any("'const' has a single value" in text for text in model.summary().warnings)
    assert "'const' has a single value" in repr(model.summary())
    note = dict(zip(*(model.summary().columns[k] for k in ("column", "note")), strict=True))
    assert note["const"] == "constant"
    model.fit(X.drop(columns="const"), y)
    assert not any("const" in text for text in model.summary().warnings)


@every(["naive bayes", "pairs", "additive", "regression", "exponentials"])
def test_held_out_scores_beat_the_prior_where_columns_tell(name):
    held_out = fit(name).summary().held_out
    assert held_out.model.keys() == held_out.prior.keys()
    assert all(held_out.model[measure] < held_out.prior[measure] for measure in held_out.model)
    left_out = 30 if name == "additive" else 120  # two models of eight folds leave out a fold each
    assert 0.95 * left_out < held_out.n_rows <= left_out + 1e-9  # copies count once


@every(["uncalibrated", "votes", "votes of trees", "confidence", "tree"])
def test_what_was_not_held_out_is_not_invented(name):
    summary = fit(name).summary()
    assert summary.held_out is None
    assert "not held out" in repr(summary)


# importances


@every(WITH_IMPORTANCES)
def test_noise_and_constants_matter_less_than_what_tells(name):
    X = table()[0].assign(const=1.0)
    importances = fit(name, X).feature_importances_
    assert importances["const"] == 0
    assert importances["few"] > importances["const"]


@every(WITH_IMPORTANCES)
def test_importances_are_read_by_name_and_pickled(name):
    model = fit(name)
    found = model.feature_importances_
    assert isinstance(found, ColumnArray)
    again = pickle.loads(pickle.dumps(found))
    assert again["x"] == found["x"] == found[0]
    assert type(found * 2) is np.ndarray
    assert found.to_dict().keys() == {"x", "few", "letter", "z"}


@every(WITH_IMPORTANCES)
def test_importances_work_in_scikit_learn(name):
    model, X, y = choose(name, table()[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chosen = SelectFromModel(model, threshold=-np.inf, max_features=2).fit(X, y)
    strongest = np.argsort(-np.asarray(chosen.estimator_.feature_importances_))[:2]
    assert sorted(np.flatnonzero(chosen.get_support())) == sorted(strongest)


def test_importances_agree_with_permutation_on_the_strongest_column():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = (X[:, 1] + 0.3 * rng.normal(size=400) > 0).astype(int)
    model = bayfold.NaiveBayesClassifier().fit(X, y)
    measured = permutation_importance(model, X, y, n_repeats=2, random_state=0).importances_mean
    assert measured.argmax() == model.feature_importances_.argmax() == 1


def test_columns_that_only_tell_together_share_their_importance():
    rng = np.random.default_rng(0)
    X = rng.choice(["a", "b"], size=(400, 3))
    y = X[:, 0] == X[:, 1]
    for model in (
        bayfold.BoostedNaiveBayesClassifier(n_rounds=50, n_models=1),
        bayfold.NaiveBayesTreeClassifier(),
        bayfold.AveragedOneDependenceClassifier(),
    ):
        found = model.fit(X, y).feature_importances_
        assert found[:2].min() > 0.3
        assert found[2] < 0.1


def test_a_foreign_estimator_without_importances_has_none():
    X, y, _ = table()
    numbers = X[["x"]].fillna(0.0)
    model = bayfold.ClassDecompositionClassifier(LogisticRegression(), n_clusters=1).fit(numbers, y)
    assert not hasattr(model, "feature_importances_")
    with pytest.raises(AttributeError, match="permutation_importance"):
        model.feature_importances_  # noqa: B018
    check(model, 1)
