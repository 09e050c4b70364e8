"""The same numbers in a database as in Python."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from bayfold import BoostedNaiveBayesClassifier, NaiveBayesClassifier, NaiveBayesRegressor
from tests.export.engines import KEY, run_duckdb, run_sqlite
from tests.export.models import CLASSES, CLASSIFIERS, REGRESSORS
from tests.export.tables import COUNT, draw_awkward, draw_new_rows
from tests.laws.tables import calibrations, draw_table, methods, missing_rules, seeds, smoothings

pytestmark = pytest.mark.filterwarnings("ignore")
RUN = {"duckdb": run_duckdb, "sqlite": run_sqlite}
dialects = pytest.mark.parametrize("dialect", list(RUN))


def assert_equal(model, rows, answers):
    """Probabilities to 1e-12, and the same classes."""
    X = rows.drop(columns=KEY)
    found = answers.filter(like="probability_").to_numpy(np.float64)
    np.testing.assert_allclose(found, model.predict_proba(X), rtol=0, atol=1e-12)
    assert answers["prediction"].tolist() == model.predict(X).tolist()


@dialects
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("kind", list(CLASSIFIERS))
def test_a_database_answers_as_python_does(kind, n_classes, dialect):
    frame, y = draw_awkward(1, n_classes=n_classes)
    model = clone(CLASSIFIERS[kind]).fit(frame, np.array(CLASSES)[y])
    rows = draw_new_rows(frame)
    assert_equal(model, rows, RUN[dialect](model.to_sql(dialect, keep=[KEY]), rows))


@dialects
@pytest.mark.parametrize("statistic", list(REGRESSORS))
def test_numbers_and_quantiles_are_the_same(statistic, dialect):
    frame, y = draw_awkward(2, n_classes=4)
    model = clone(REGRESSORS[statistic]).fit(
        frame, y + np.random.default_rng(0).normal(size=len(y))
    )
    rows, levels = draw_new_rows(frame), [0.01, 0.25, 0.5, 0.99]
    answers = RUN[dialect](model.to_sql(dialect, keep=[KEY], quantiles=levels), rows)
    X = rows.drop(columns=KEY)
    np.testing.assert_allclose(answers["prediction"], model.predict(X), atol=1e-10)
    quantiles = answers.filter(like="quantile_").to_numpy(np.float64)
    np.testing.assert_allclose(quantiles, model.predict_quantiles(X, levels), atol=1e-10)


@given(seeds, st.integers(2, 3), methods, missing_rules, calibrations, smoothings)
@settings(max_examples=12)
def test_whatever_the_table_and_the_parameters(seed, k, method, missing, calibration, smoothing):
    frame, y, rng = draw_table(seed, 40, k)
    how = {"missing": missing, "smoothing": smoothing}
    how["calibration"] = None if smoothing == "none" else calibration
    model = NaiveBayesClassifier(numeric=method, **how).fit(frame, y)
    rows = frame.copy()
    rows.loc[:5, "u"] = rng.normal(0, 1e3, 6)
    rows.loc[:1, "w"] = ["unseen", "P"]
    rows[KEY] = rng.permutation(len(rows))
    rows = rows.sort_values(KEY).reset_index(drop=True)
    for dialect, run in RUN.items():
        assert_equal(model, rows, run(model.to_sql(dialect, keep=[KEY]), rows))


@given(seeds, st.integers(2, 3), st.sampled_from([1, 2]))
@settings(max_examples=6)
def test_boosted_tables_of_two_columns(seed, n_classes, interactions):
    frame, y, _ = draw_table(seed, 60, n_classes)
    how = {"interactions": interactions, "n_models": 1}
    model = BoostedNaiveBayesClassifier(n_rounds=10, **how).fit(frame, y).collapse()
    rows = frame.assign(**{KEY: np.arange(len(frame))})
    for dialect, run in RUN.items():
        assert_equal(model, rows, run(model.to_sql(dialect, keep=[KEY]), rows))


@dialects
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", ["smooth", "gaussian", "boosted"])
def test_the_evidence_is_that_of_explain(kind, n_classes, dialect):
    frame, y = draw_awkward(3, n_classes=n_classes)
    model = clone(CLASSIFIERS[kind]).fit(frame, np.array(CLASSES)[y])
    rows = draw_new_rows(frame)
    answers = RUN[dialect](model.to_sql(dialect, keep=[KEY], evidence=True), rows)
    assert_equal(model, rows, answers)
    records = model.explain(rows.drop(columns=KEY))
    named = answers.filter(like="evidence_").columns
    assert len(named) >= frame.shape[1] - 2
    suffixes = {c: f"_{c}" if n_classes > 2 else "" for c in records["class"]}
    for label, suffix in suffixes.items():
        for column in {*records["column"]}:
            name = f"evidence_{column}{suffix}"
            if name in named:
                weights = records.where(column=column, **{"class": label})["weight"]
                np.testing.assert_allclose(answers[name], weights, rtol=1e-9, atol=1e-9)
    start = records.where(column="(prior)")["weight"][: len(suffixes)]
    scores = model.decision_function(rows.drop(columns=KEY)).reshape(len(rows), -1)
    total = answers[named].to_numpy(np.float64).reshape(len(rows), len(suffixes), -1).sum(axis=2)
    ordinary = np.abs(scores) < 1e6  # beyond, sums in another order differ by more
    np.testing.assert_allclose((start + total)[ordinary], scores[ordinary], atol=1e-8)


@dialects
def test_the_evidence_of_many_classes(dialect):
    frame, y = draw_wide(200, 4, 9)
    rows = frame[:20].assign(**{KEY: np.arange(20)})
    for numeric in ("equal_frequency", "smooth", "gaussian"):
        model = NaiveBayesClassifier(numeric=numeric).fit(frame, y)
        answers = RUN[dialect](model.to_sql(dialect, keep=[KEY], evidence=True), rows)
        assert_equal(model, rows, answers)
        records = model.explain(frame[:20])
        for column, label in (("c0", 3), ("c1", 8)):
            weights = records.where(column=column, **{"class": label})["weight"]
            if f"evidence_{column}_{label}" in answers:
                np.testing.assert_allclose(
                    answers[f"evidence_{column}_{label}"], weights, atol=1e-9
                )


@dialects
def test_ties_go_to_the_first_class(dialect):
    X = pd.DataFrame({"a": [0.0, 1.0] * 20, "b": ["p", "q"] * 20})
    y = np.repeat([0, 1, 2, 0], 10)[: len(X)]
    rows = pd.DataFrame({"a": [None], "b": [None], KEY: [0]})
    for classes in (y, (y > 0).astype(int)):
        model = NaiveBayesClassifier(priors="uniform", calibration=None).fit(X, classes)
        answers = RUN[dialect](model.to_sql(dialect, keep=[KEY]), rows)
        assert answers["prediction"].tolist() == [0]


@dialects
@pytest.mark.parametrize("labels", [[False, True], [-7, 2**40], ["TRUE", "true"]])
def test_classes_keep_their_type(labels, dialect):
    X = pd.DataFrame({"a": np.arange(40.0)})
    model = NaiveBayesClassifier().fit(X, np.repeat(labels, 20))
    rows = X.assign(**{KEY: np.arange(40)})
    answers = RUN[dialect](model.to_sql(dialect, keep=[KEY]), rows)
    assert answers["prediction"].tolist() == model.predict(X).tolist()
    assert len(set(answers.columns)) == 4


@dialects
def test_columns_without_evidence_are_not_read(dialect):
    X = pd.DataFrame({"a": np.arange(60.0), "constant": 1.0, "nothing": np.nan})
    model = NaiveBayesClassifier().fit(X, np.repeat([0, 1], 30))
    rows = X[["a"]].assign(**{KEY: np.arange(60)})
    answers = RUN[dialect](model.to_sql(dialect, keep=[KEY]), rows)
    np.testing.assert_allclose(answers["probability_1"], model.predict_proba(X)[:, 1], atol=1e-12)


@dialects
def test_a_model_that_reads_nothing_answers_with_the_prior(dialect):
    X = pd.DataFrame({"constant": np.ones(30)})
    model = NaiveBayesClassifier().fit(X, np.repeat([0, 1, 2], [15, 10, 5]))
    rows = X.assign(**{KEY: np.arange(30)})
    assert_equal(model, rows, RUN[dialect](model.to_sql(dialect, keep=[KEY]), rows))


@dialects
def test_a_single_class_is_certain(dialect):
    X = pd.DataFrame({"a": np.arange(30.0)})
    model = NaiveBayesClassifier().partial_fit(X, ["only"] * 30)
    rows = X.assign(**{KEY: np.arange(30)})
    assert_equal(model, rows, RUN[dialect](model.to_sql(dialect, keep=[KEY]), rows))


def draw_wide(n_rows, n_columns, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(n_classes), rng.integers(0, n_classes, n_rows - n_classes))
    numbers = rng.normal(size=(n_rows, n_columns)) + (y[:, None] % 7) / 3
    frame = pd.DataFrame(numbers, columns=[f"c{j}" for j in range(n_columns)])
    frame["c0"] = np.array(["p", "q", "r"])[rng.integers(0, 3, n_rows)]
    return frame, y


WIDE = [
    (200, 2, "duckdb"),
    (6, 50, "duckdb"),
    (200, 2, "sqlite"),
    (1100, 2, "sqlite"),  # more than expressions may be deep
    (6, 50, "sqlite"),
    (4, 130, "sqlite"),  # more than a function may have arguments
    (70, 9, "sqlite"),  # more than tables may be joined
]


@pytest.mark.parametrize(("n_columns", "n_classes", "dialect"), WIDE)
def test_wide_models_stay_within_the_limits(n_columns, n_classes, dialect):
    frame, y = draw_wide(200, n_columns, n_classes)
    how = {"numeric": "equal_frequency", "n_bins": 4, "calibration": None}
    model = NaiveBayesClassifier(**how).fit(frame, y)
    rows = frame[:20].assign(**{KEY: np.arange(20)})
    sql = model.to_sql(dialect, keep=[KEY])
    assert len(sql) < 1_000_000  # what SQLite once took at most
    assert_equal(model, rows, RUN[dialect](sql, rows))


@dialects
def test_boosted_models_of_many_columns(dialect):
    frame, y = draw_wide(400, 40, 2)
    model = BoostedNaiveBayesClassifier(n_rounds=30, n_models=2).fit(frame, y)
    assert len(model.collapse().model_.pairs) > 20
    rows = frame[:20].assign(**{KEY: np.arange(20)})
    assert_equal(model, rows, RUN[dialect](model.to_sql(dialect, keep=[KEY]), rows))


@dialects
def test_many_categories_are_found(dialect):
    rng = np.random.default_rng(0)
    words = np.array([f"{k}'ü" for k in range(700)] + ["007", "7", "7.5", " 7", "1e3", "NaN"])
    X = pd.DataFrame({"w": rng.choice(words, 4000)})
    y = np.char.str_len(X["w"].to_numpy(str)) % 2 ^ (rng.random(4000) < 0.2)
    model = NaiveBayesClassifier(calibration=None).fit(X, y)
    rows = pd.DataFrame({"w": [*words, "new", "", None]})
    rows[KEY] = np.arange(len(rows))
    assert_equal(model, rows, RUN[dialect](model.to_sql(dialect, keep=[KEY]), rows))


@dialects
def test_numbers_far_from_zero_and_close_together(dialect):
    """Nodes of a curve closer than the floats around them: the edges are those of the kernel, rounding included."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": 1e9 + 1e-6 * np.round(rng.normal(size=200) * 20)})
    for numeric in ("kernel", "smooth", "gaussian"):
        model = NaiveBayesClassifier(numeric=numeric).fit(X, X["a"] > 1e9)
        rows = pd.DataFrame({"a": np.nextafter(1e9, 2e9) + np.arange(-60, 60) * 1.2e-7})
        rows[KEY] = np.arange(len(rows))
        assert_equal(model, rows, RUN[dialect](model.to_sql(dialect, keep=[KEY]), rows))


def test_infinity_is_a_number_far_out():
    X = pd.DataFrame({"a": np.arange(40.0)})
    rows = pd.DataFrame({"a": [np.inf, -np.inf, 1e300, -1e300], KEY: range(4)})
    for numeric in ("smooth", "kernel", "mdl"):
        model = NaiveBayesClassifier(numeric=numeric).fit(X, X["a"] > 15)
        for dialect, run in RUN.items():
            found = run(model.to_sql(dialect, keep=[KEY]), rows)["probability_True"]
            np.testing.assert_allclose(found[:2], found[2:], atol=1e-12)


def test_quantiles_are_between_zero_and_one():
    X = np.arange(30.0)[:, None]
    model = NaiveBayesRegressor().fit(X, X[:, 0])
    with pytest.raises(ValueError, match="`quantiles` must be"):
        model.to_sql(quantiles=[1.0])


def test_a_constant_target_is_predicted():
    frame, _ = draw_awkward(0)
    X = frame[[COUNT]]
    model = NaiveBayesRegressor().fit(X, np.arange(len(X)) % 2)
    rows = X.assign(**{KEY: np.arange(len(X))})
    for dialect, run in RUN.items():
        found = run(model.to_sql(dialect, keep=[KEY]), rows)["prediction"]
        np.testing.assert_allclose(found, model.predict(X), atol=1e-10)
