"""What ClassDecompositionClassifier promises."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from bayfold import (
    AdaBoostNaiveBayesClassifier,
    ClassDecompositionClassifier,
    NaiveBayesClassifier,
    NaiveBayesMixture,
)
from bayfold.errors import DataWarning
from bayfold.evaluate import expected_calibration_error
from tests.laws.tables import draw_table

seeds = st.integers(0, 2**32 - 1)


def draw_quadrants(n_rows=300, seed=0):
    """Two classes on opposite corners each: naive Bayes can only guess."""
    rng = np.random.default_rng(seed)
    corner = rng.integers(0, 4, n_rows)
    centre = 3.0 * np.array([[-1, -1], [1, 1], [-1, 1], [1, -1]])[corner]
    X = centre + rng.normal(size=(n_rows, 2))
    return X, np.where(corner < 2, "same", "opposite")


X, Y = draw_quadrants()


@given(seeds, st.sampled_from(["equal_frequency", "gaussian", "mdl"]), st.integers(2, 4))
@settings(max_examples=10)
def test_with_one_cluster_per_class_it_is_the_estimator(seed, numeric, n_classes):
    frame, y, _ = draw_table(seed, 40, n_classes)
    base = NaiveBayesClassifier(numeric=numeric, calibration="temperature", n_jobs=1)
    whole = ClassDecompositionClassifier(base, n_clusters=1).fit(frame, y)
    base.fit(frame, y)
    np.testing.assert_array_equal(whole.predict_proba(frame), base.predict_proba(frame))
    np.testing.assert_array_equal(whole.predict(frame), base.predict(frame))
    np.testing.assert_array_equal(whole.classes_, base.classes_)


@pytest.mark.parametrize(
    "base",
    [
        LogisticRegression(),
        DecisionTreeClassifier(random_state=0),
        RandomForestClassifier(5, random_state=0),
        make_pipeline(StandardScaler(), KNeighborsClassifier()),
    ],
)
def test_any_classifier_will_do_and_one_cluster_leaves_it_as_it_is(base):
    whole = ClassDecompositionClassifier(base, n_clusters=1).fit(X, Y)
    np.testing.assert_array_equal(whole.predict_proba(X), base.fit(X, Y).predict_proba(X))
    split = ClassDecompositionClassifier(base, n_clusters=2, random_state=0).fit(X, Y)
    assert split.n_clusters_.tolist() == [2, 2]
    assert split.score(X, Y) > 0.9


@pytest.mark.parametrize(
    "clusterer",
    [
        KMeans(n_init=1),
        GaussianMixture(init_params="random_from_data"),  # without the threads of k-means
        AgglomerativeClustering(),
        make_pipeline(StandardScaler(), KMeans(n_init=1)),
        NaiveBayesMixture(numeric="equal_frequency", n_bins=4),
    ],
)
@pytest.mark.parametrize("n_clusters", [2, "accuracy"])
def test_any_clusterer_will_do(clusterer, n_clusters):
    folds = {"n_folds": 2} if n_clusters == "accuracy" else {}
    model = ClassDecompositionClassifier(
        clusterer=clusterer, n_clusters=n_clusters, random_state=0, **folds
    ).fit(X, Y)
    assert (model.n_clusters_ >= 2).all()
    assert model.score(X, Y) > 0.9


@pytest.mark.parametrize("n_clusters", ["accuracy", "cv"])
def test_classes_that_lie_apart_are_split(n_clusters):
    base = NaiveBayesClassifier(numeric="gaussian")
    model = ClassDecompositionClassifier(base, n_clusters=n_clusters, random_state=0).fit(X, Y)
    assert (model.n_clusters_ >= 2).all()
    fresh, truth = draw_quadrants(500, seed=1)
    assert base.fit(X, Y).score(fresh, truth) < 0.7
    assert model.score(fresh, truth) > 0.97


def test_classes_that_are_compact_are_not():
    n_split = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 200)
        compact = rng.normal(size=(200, 3)) + 1.5 * y[:, None]
        model = ClassDecompositionClassifier(random_state=0, n_folds=3).fit(compact, y)
        assert model.search_["clusters"][0] == "1 1"
        n_split += model.n_clusters_.max() > 1
    assert n_split <= 1  # a standard error is met by luck now and then


def test_the_sum_adds_up_subclasses_and_the_maximum_takes_the_best():
    split = {
        r: ClassDecompositionClassifier(n_clusters=2, readout=r, calibration=None, random_state=0)
        for r in ("sum", "max")
    }
    inner = split["sum"].fit(X, Y).estimator_.predict_proba(X)
    np.testing.assert_allclose(
        split["sum"].predict_proba(X), np.stack([inner[:, :2].sum(1), inner[:, 2:].sum(1)], axis=1)
    )
    largest = np.stack([inner[:, :2].max(1), inner[:, 2:].max(1)], axis=1)
    found = split["max"].fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(found, largest / largest.sum(1, keepdims=True))
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_numbers_may_differ_by_class_and_small_classes_stay_whole():
    y = Y.astype(object).copy()
    y[:5] = "rare"
    model = ClassDecompositionClassifier(n_clusters={"same": 3, "rare": 2}, random_state=0).fit(
        X, y
    )
    assert dict(zip(model.classes_, model.n_clusters_.tolist(), strict=True)) == {
        "opposite": 1,
        "rare": 1,
        "same": 3,
    }


def test_subclasses_are_described():
    model = ClassDecompositionClassifier(n_clusters=2, random_state=0).fit(
        pd.DataFrame(X, columns=["left", "up"]), Y
    )
    records = model.subclasses_
    assert records["class"].tolist() == ["opposite", "opposite", "same", "same"]
    assert records["subclass"].tolist() == [0, 1, 0, 1]
    assert records["count"].sum() == len(Y)
    np.testing.assert_allclose(records.where(**{"class": "same"})["share"].sum(), 1.0)
    assert all("left:" in text and "up:" in text for text in records["typical"])


def test_an_explanation_tells_the_subclass_and_adds_up():
    model = ClassDecompositionClassifier(n_clusters=2, random_state=0).fit(X, Y)
    records = model.explain([[3.0, 3.0], [-3.0, 3.0]])
    assert records.where(row=0)["class"][0] == "same"
    assert records.where(row=1)["class"][0] == "opposite"
    assert records.where(row=0)["column"].tolist() == ["(prior)", "x0", "x1"]
    assert (records["probability"] > 0.9).all()
    scores = model.estimator_.decision_function([[3.0, 3.0]])[0]
    believed = model._scale.slope * scores.max()
    assert np.isclose(records.where(row=0)["weight"].sum(), believed)


def test_evidence_is_what_explanations_say():
    """Law 12: as far as the probabilities of classes are believed."""
    model = ClassDecompositionClassifier(n_clusters=2, random_state=0).fit(X, Y)
    assert model._scale.slope != 1
    shown = model.evidence_["weight"] / model.estimator_.evidence_["weight"]
    np.testing.assert_allclose(shown[np.isfinite(shown)], model._scale.slope)


def test_an_explanation_of_whole_classes_speaks_for_the_predicted_one():
    model = ClassDecompositionClassifier(n_clusters=1).fit(X, Y)
    rows = X[:5]
    records, odds = model.explain(rows), model.estimator_.decision_function(rows)
    for row in range(5):
        total = records.where(row=row)["weight"].sum()
        assert np.isclose(total, abs(odds[row]))


def test_estimators_without_explanations_still_tell_the_subclass():
    model = ClassDecompositionClassifier(
        LogisticRegression(), KMeans(n_init=1), n_clusters=2, random_state=0
    )
    records = model.fit(X, Y).explain(X[:3])
    assert records.names == ["row", "class", "subclass", "probability"]
    assert records["class"].tolist() == model.predict(X[:3]).tolist()


def test_votes_do_not_explain_cells_but_tell_the_subclass():
    votes = AdaBoostNaiveBayesClassifier(n_rounds=2)
    model = ClassDecompositionClassifier(votes, n_clusters=2, random_state=0).fit(X, Y)
    assert model.explain(X[:3])["row"].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "container", [pd.DataFrame, pl.DataFrame, lambda f: pa.table(dict(f)), list]
)
def test_foreign_parts_get_the_container_they_know(container):
    columns = {"a": X[:, 0], "b": X[:, 1]}
    table = X.tolist() if container is list else container(columns)
    target = [None, *Y[1:]]  # the first row is left out, also from what the others see
    model = ClassDecompositionClassifier(
        LogisticRegression(), KMeans(n_init=1), n_clusters=2, random_state=0
    )
    if container not in (pd.DataFrame, list):
        model.set_params(estimator=NaiveBayesClassifier(), clusterer=None)
    with pytest.warns(UserWarning, match=r"1 row\(s\) have no target"):
        model.fit(table, target)
    assert model.score(table, Y) > 0.9


def test_mixed_columns_and_missing_cells_are_fine():
    frame, y, _ = draw_table(3, 120, 3)
    model = ClassDecompositionClassifier(random_state=0, n_folds=2).fit(frame, y)
    assert model.predict_proba(frame).shape == (120, 3)
    assert list(model.feature_names_in_) == list(frame.columns)


def test_the_estimator_keeps_its_columns_while_the_search_goes_on():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    labels = 2 * rng.integers(0, 5, 300) + y  # odd for the second class: as numbers they overlap
    rows = np.stack([labels, rng.normal(size=300)], axis=1)
    base = NaiveBayesClassifier(categorical_features=[0])
    model = ClassDecompositionClassifier(base, n_folds=2, random_state=0).fit(rows, y)
    assert model.search_["accuracy"][0] == 1.0


def test_the_search_does_not_repeat_warnings():
    """What is odd about a fold is no news; what is odd about the table is said once."""
    table = np.column_stack([X, np.ones(len(Y))])
    with pytest.warns(DataWarning) as said:
        ClassDecompositionClassifier(n_folds=2, random_state=0).fit(table, Y)
    assert [str(one.message).split(".")[0] for one in said] == ["Column 'x2' has a single value"]


def test_pipelines_of_clusterers_are_reproducible():
    clusterer = make_pipeline(StandardScaler(), KMeans(n_init=1))
    model = ClassDecompositionClassifier(clusterer=clusterer, n_clusters=3, random_state=0)
    first = model.fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(first, model.fit(X, Y).predict_proba(X))


def test_a_weight_of_two_is_the_row_twice():
    weights = np.random.default_rng(5).integers(0, 3, len(Y))
    repeat = np.repeat(np.arange(len(Y)), weights)
    for chosen in ({"n_clusters": 2}, {"n_folds": 2}):
        model = ClassDecompositionClassifier(**chosen, random_state=0)
        weighted = model.fit(X, Y, sample_weight=weights).predict_proba(X)
        np.testing.assert_allclose(
            weighted, model.fit(X[repeat], Y[repeat]).predict_proba(X), atol=1e-12
        )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"n_clusters": 0},
            '`n_clusters` must be "accuracy", "cv", a whole number from 1, or a dict',
        ),
        ({"n_clusters": "many"}, "`n_clusters` must be"),
        ({"n_clusters": {"same": 0}}, "`n_clusters` must be"),
        ({"n_clusters": {"same": "cv"}}, "or a dict from classes to numbers"),
        ({"clusterer": DBSCAN(), "n_clusters": 2}, "`clusterer` must have a parameter"),
        ({"n_clusters": {"other": 2}}, "`n_clusters` must be about the classes"),
        ({"readout": "mean"}, '`readout` must be "sum" or "max"'),
        ({"min_class_size": 0}, "`min_class_size` must be a whole number from 1"),
        ({"n_folds": 1}, "`n_folds` must be a whole number from 2"),
        ({"estimator": RidgeClassifier()}, "`estimator` must be a classifier with predict_proba"),
        ({"clusterer": StandardScaler()}, "`clusterer` must be a clusterer with fit_predict"),
        ({"clusterer": KMeans(), "n_clusters": "cv"}, "`clusterer` must have a parameter"),
        ({"n_jobs": 0}, "`n_jobs` must be"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        ClassDecompositionClassifier(**parameters).fit(X, Y)


def test_weights_for_an_estimator_that_takes_none_are_refused():
    model = ClassDecompositionClassifier(KNeighborsClassifier(), n_clusters=2)
    with pytest.raises(ValueError, match="`sample_weight` must be None for KNeighborsClassifier"):
        model.fit(X, Y, sample_weight=np.ones(len(Y)))


def test_a_single_class_is_refused():
    with pytest.raises(ValueError, match="`y` must hold at least two classes"):
        ClassDecompositionClassifier().fit(X, np.zeros(len(Y)))


class Broken(NaiveBayesClassifier):
    """An estimator whose explanation goes wrong."""

    def explain(self, X):
        return self.no_such_thing


def test_an_error_in_the_explanation_of_the_estimator_is_not_hidden():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 2
    model = ClassDecompositionClassifier(Broken(), n_clusters=2, random_state=0).fit(X, y)
    with pytest.raises(AttributeError, match="no_such_thing"):
        model.explain(X)
    votes = AdaBoostNaiveBayesClassifier(n_rounds=2)
    model = ClassDecompositionClassifier(votes, n_clusters=2, random_state=0).fit(X, y)
    assert "weight" not in model.explain(X).columns


def test_the_default_is_not_surer_than_held_out_rows_show():
    """One column five times is five times the evidence, as naive Bayes is written."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 700)
    X = np.repeat(rng.normal(1.2 * y, 1.0)[:, None], 5, axis=1) + 0.1 * rng.normal(size=(700, 5))
    model = ClassDecompositionClassifier(random_state=0).fit(X[:300], y[:300])
    assert expected_calibration_error(y[300:], model.predict_proba(X[300:])[:, 1]) < 0.1
