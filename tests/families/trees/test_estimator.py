"""Trees with naive Bayes leaves as an estimator: what they equal, what they say, what they refuse."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from bayfold import AdaBoostNaiveBayesClassifier, NaiveBayesTreeClassifier
from bayfold.errors import DataWarning
from tests.laws.tables import draw_table, seeds
from tests.plain import plain_classifier


def draw_exclusive_or(n_rows=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.choice(["a", "b"], (n_rows, 3)).astype(object)
    return X, np.where(X[:, 0] == X[:, 1], "same", "different")


@given(seeds)
@settings(max_examples=10)
def test_depth_zero_is_naive_bayes(seed):
    """With almost no smoothing: the two estimators smooth differently."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 400)
    X = (y[:, None] + rng.integers(0, 3, (400, 3))) % 3
    X = X.astype(str).astype(object)  # every value occurs with every class
    tree = NaiveBayesTreeClassifier(0, m=1e-12, calibration=None).fit(X, y)
    plain = plain_classifier(smoothing="none", priors="laplace").fit(X, y)
    np.testing.assert_allclose(tree.predict_proba(X), plain.predict_proba(X), rtol=1e-8)
    np.testing.assert_allclose(tree.decision_function(X), plain.decision_function(X), atol=1e-8)


@pytest.mark.parametrize("split", ["multiway", "threshold"])
@pytest.mark.parametrize("utility", ["gain_ratio", "leave_one_out"])
@pytest.mark.parametrize("denominator", ["known", "all"])
def test_probabilities_are_probabilities_and_weight_two_is_the_row_twice(
    split, utility, denominator
):
    frame, y, rng = draw_table(5, 150, 3)
    model = NaiveBayesTreeClassifier(2, split=split, utility=utility, denominator=denominator)
    weights = rng.integers(0, 3, 150)
    weighted = clone(model).fit(frame, y, weights)
    repeated = clone(model).fit(frame.loc[frame.index.repeat(weights)], np.repeat(y, weights))
    p = weighted.predict_proba(frame)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert (p >= 0).all()
    np.testing.assert_allclose(p, repeated.predict_proba(frame), rtol=1e-9)
    assert weighted.export_text() == repeated.export_text()


@given(seeds)
@settings(max_examples=8)
def test_the_order_of_rows_does_not_matter(seed):
    frame, y, rng = draw_table(seed, 90)
    order = rng.permutation(90)
    model = NaiveBayesTreeClassifier(2)
    a = clone(model).fit(frame, y)
    b = clone(model).fit(frame.iloc[order], y[order])
    np.testing.assert_allclose(a.predict_proba(frame), b.predict_proba(frame), rtol=1e-9)


def test_a_tree_learns_what_naive_bayes_cannot():
    X, y = draw_exclusive_or()
    assert NaiveBayesTreeClassifier(0).fit(X, y).score(X, y) < 0.7
    for utility in ("gain_ratio", "leave_one_out"):
        model = NaiveBayesTreeClassifier(1, utility=utility).fit(X, y)
        assert model.score(X, y) == 1.0
        assert (model.depth_, model.n_leaves_) == (1, 2)


def test_missing_and_unseen_cells_take_every_branch():
    X, y = draw_exclusive_or()
    model = NaiveBayesTreeClassifier(1).fit(X, y)
    column = int(model.tree_.column[0])
    row = np.array([["a", "a", "a"]], object)
    row[0, column] = None
    share = model.tree_.share[1:]
    each = []
    for value in ("a", "b"):
        known = row.copy()
        known[0, column] = value
        each.append(model.predict_proba(known)[0])
    np.testing.assert_allclose(model.predict_proba(row)[0], share @ np.array(each), rtol=1e-9)
    unseen = row.copy()
    unseen[0, column] = "z"
    with pytest.warns(UserWarning, match="did not occur in training: 'z'"):
        found = model.predict_proba(unseen)
    np.testing.assert_array_equal(found, model.predict_proba(row))


def test_libraries_and_threads_make_no_difference():
    frame, y, _ = draw_table(3, 120)
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    expected = NaiveBayesTreeClassifier(2, n_jobs=1).fit(frame, y).predict_proba(frame)
    for table in (arrow, pl.from_arrow(arrow)):
        model = NaiveBayesTreeClassifier(2, n_jobs=2).fit(table, y)
        np.testing.assert_array_equal(model.predict_proba(table), expected)
        assert model.feature_names_in_.tolist() == ["u", "v", "w", "z"]


def test_numbers_as_categories():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (300, 2)).astype(float)
    y = (X[:, 0] % 2 == X[:, 1] % 2).astype(int)
    model = NaiveBayesTreeClassifier(1, categorical_features=[0, 1]).fit(X, y)
    assert model.score(X, y) == 1.0
    assert "x0 = 0 " in model.export_text() or "x1 = 0 " in model.export_text()


def test_text_of_a_tree():
    X = pd.DataFrame({"size": [1.0, 2.0, 8.0, 9.0] * 20, "shape": ["flat"] * 40 + ["round"] * 40})
    y = ["small"] * 2 + ["large"] * 2
    model = NaiveBayesTreeClassifier(1, split="threshold").fit(X, y * 20)
    assert model.export_text().splitlines() == [
        "all  [80 rows: large 50%, small 50%]",
        "size < 5  [40 rows: small 100%]",
        "|   prior only",
        "size >= 5  [40 rows: large 100%]",
        "|   prior only",
    ]
    many = NaiveBayesTreeClassifier(1).fit(X, y * 20)
    assert "size < 5" in many.export_text()


def test_evidence_adds_up_to_the_decision_function():
    X, y = draw_exclusive_or()
    model = NaiveBayesTreeClassifier(1).fit(X, y)
    evidence = model.evidence_
    column = int(model.tree_.column[0])
    for row in X[:10]:
        path = f"x{column} = {row[column]}"
        here = evidence.where(path=path)
        total = here.where(column="(prior)")["weight"][0]
        for j in {0, 1, 2} - {column}:  # the column of the split says nothing more in its leaves
            total += here.where(column=f"x{j}", bin=row[j])["weight"].sum()
        np.testing.assert_allclose(model.decision_function(row[None])[0], total)
    assert set(evidence["class"]) == {"same"}
    prior = evidence.where(column="(prior)")
    assert prior["count"].sum() == len(X)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_explanations_add_up_within_every_leaf(n_classes):
    frame, y, _ = draw_table(8, 200, n_classes, missing=0.3)
    model = NaiveBayesTreeClassifier(2).fit(frame, y)
    rows = frame.iloc[:25]
    records = model.explain(rows)
    scores = model.decision_function(rows).reshape(25, -1)
    probability = model.predict_proba(rows)
    n_mixed = 0
    for i in range(25):
        mine = records.where(row=i)
        mixture = np.zeros(n_classes)
        for path in dict.fromkeys(mine["path"]):
            here = mine.where(path=path)
            share = here["share"][0]
            shown = model.classes_[-1:] if n_classes == 2 else model.classes_
            total = np.array([here.where(**{"class": c})["weight"].sum() for c in shown])
            log_p = np.append(0.0, total) if n_classes == 2 else total
            mixture += share * np.exp(log_p) / np.exp(log_p).sum()
            if share == 1:
                np.testing.assert_allclose(total, scores[i], atol=1e-9)
        n_mixed += len(set(mine["path"])) > 1
        np.testing.assert_allclose(mixture, probability[i], rtol=1e-9)
    assert n_mixed > 0


def test_more_classes_have_a_record_each():
    frame, y, _ = draw_table(3, 120, 3)
    model = NaiveBayesTreeClassifier(1).fit(frame, y)
    evidence = model.evidence_
    assert set(evidence["class"]) == {0, 1, 2}
    shown = ["count", "weight", "low", "high"]
    assert evidence.names == ["leaf", "path", "column", "bin", "class", *shown]
    assert "..." not in model.export_text()


def test_wide_columns_are_fine():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"id": rng.integers(0, 400, 3000).astype(str), "x": rng.normal(size=3000)})
    y = (X["id"].str.len() % 2).to_numpy()
    model = NaiveBayesTreeClassifier(1).fit(X, y)
    assert model.score(X, y) > 0.99


def test_grid_search():
    X, y = draw_exclusive_or()
    search = GridSearchCV(NaiveBayesTreeClassifier(), {"max_depth": [0, 1]}, cv=3).fit(X, y)
    assert search.best_params_ == {"max_depth": 1}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_depth": -1}, "`max_depth` must be a whole number that is not negative. Got -1."),
        ({"max_depth": 1.5}, "`max_depth` must be a whole number that is not negative. Got 1.5."),
        ({"split": "binary"}, '`split` must be "multiway" or "threshold". Got \'binary\'.'),
        ({"utility": 3}, '`utility` must be "gain_ratio" or "leave_one_out". Got 3.'),
        ({"min_samples_split": 0}, "`min_samples_split` must be a number above zero. Got 0."),
        ({"min_samples_split": None}, "`min_samples_split` must be a number above zero. Got None."),
        (
            {"min_samples_branch": -2},
            "`min_samples_branch` must be None or a number above zero. Got -2.",
        ),
        ({"m": 0}, "`m` must be a number above zero. Got 0."),
        ({"denominator": "none"}, '`denominator` must be "known" or "all". Got \'none\'.'),
        ({"categorical_features": ["q"]}, "`categorical_features` must be given by columns"),
        ({"n_jobs": 0}, "`n_jobs` must be None or a whole number that is not zero. Got 0."),
        (
            {"max_depth": 0, "split": "threshold"},
            "`split` must be 'multiway' with max_depth=0, which makes no use of it.",
        ),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    X, y = draw_exclusive_or(40)
    with pytest.raises(ValueError) as caught:
        NaiveBayesTreeClassifier(**parameters).fit(X, y)
    assert str(caught.value).startswith(message)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="`y` must hold at least two classes"):
        NaiveBayesTreeClassifier().fit([[1.0], [2.0]], [1, 1])


@pytest.mark.parametrize("n_twice", [0, 15])
@pytest.mark.parametrize(
    "model",
    [
        NaiveBayesTreeClassifier(2, calibration=None),
        NaiveBayesTreeClassifier(2, utility="leave_one_out", calibration=None),
        AdaBoostNaiveBayesClassifier(n_rounds=5, restarts=False, calibration=None),
        AdaBoostNaiveBayesClassifier(n_rounds=5, restarts=False, max_depth=1, calibration=None),
        AdaBoostNaiveBayesClassifier(method="real", n_rounds=5),
    ],
)
def test_an_identifier_changes_no_prediction(model, n_twice):
    """Its categories know training rows by heart, so that a tree tests nothing else and boosting finds no error.

    Rows are distinct: with an identifier nobody can tell whether equal ones were copies. Without calibration, whose
    folds are dealt by whole rows.
    """
    frame, y, _ = draw_table(9, 200, missing=0)
    names = np.append(np.repeat(np.arange(n_twice), 2), 1000 + np.arange(200 - 2 * n_twice))
    named = frame.assign(name=names.astype(str))
    expected = clone(model).fit(frame, y).predict_proba(frame)
    with pytest.warns(DataWarning, match="Column 'name' has nearly as many categories as rows"):
        found = clone(model).fit(named, y)
    np.testing.assert_allclose(found.predict_proba(named), expected, rtol=1e-7)
