"""Rows in reports: equal ones, columns that go together, a sample to try, and what changed since another model."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats.contingency import association

import bayfold
from bayfold.core.frames import read_table
from bayfold.datasets import make_credit
from bayfold.report import gather, write
from bayfold.report.rows import count_equal_rows, find_associations, find_cramers_v, sample_rows
from tests.report.test_report import read_page


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    city = rng.choice(["Rome", "Oslo", "Bonn"], 400)
    return pd.DataFrame(
        {
            "city": np.where(np.arange(400) % 50 == 0, None, city),
            "country": pd.Series(city).map({"Rome": "Italy", "Oslo": "Norway", "Bonn": "Germany"}),
            "size": rng.normal(size=400).round(1),
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 99, 400), "D"),
            "noise": rng.normal(size=400),
        }
    )


@pytest.mark.parametrize("columns", [["city", "size"], ["city", "country"], ["size"]])
def test_equal_rows_are_those_of_pandas(frame, columns):
    expected = int(frame[columns].duplicated().sum())
    assert count_equal_rows(read_table(frame[columns])) == expected


def test_minus_zero_and_missing_cells_are_equal_to_themselves():
    cells = np.array([[0.0, np.nan], [-0.0, -np.nan], [1.0, np.nan]])
    assert count_equal_rows(read_table(cells)) == 1


def test_a_column_that_tells_another_stands_first(frame):
    found = find_associations(read_table(frame))
    assert found[0]["names"] == ["city", "country"]
    assert found[0]["strength"] > 0.95
    assert all("noise" not in each["names"] or each["strength"] < 0.2 for each in found)


def test_cramers_v_of_many_rows_is_that_of_scipy():
    counts = np.array([[500, 300, 10], [20, 700, 400]]) * 1000
    assert find_cramers_v(counts.astype(float)) == pytest.approx(
        association(counts, method="cramer"), rel=1e-4
    )


@pytest.mark.parametrize("n_columns", [0, 1, 250])
def test_any_number_of_columns_can_be_compared(n_columns):
    table = read_table(np.random.default_rng(0).normal(size=(60, max(n_columns, 1))))
    assert len(find_associations(table)) <= 6


def test_the_sample_holds_the_cells_of_its_rows(frame):
    sample = sample_rows(read_table(frame))
    assert len(sample["rows"]) == 40
    city = sample["columns"][0]["cells"]
    expected = frame["city"].iloc[np.array(sample["rows"]) - 1]
    assert city == [None if pd.isna(x) else x for x in expected]
    assert sample["columns"][3]["shown"][0] == str(frame["when"].iloc[0].date())


@pytest.fixture(scope="module")
def models():
    credit = make_credit(200, random_state=0)
    old = bayfold.NaiveBayesClassifier(numeric="mdl").fit(
        credit.frame.drop_columns(["weekday"]).slice(0, 100), credit.target[:100]
    )
    new = bayfold.NaiveBayesClassifier().fit(credit.frame, credit.target)
    return credit, old, new


def test_what_changed_since_another_model(models, tmp_path):
    credit, old, new = models
    found = gather(new, credit.frame, credit.target, n_folds=2, against=old)["against"]
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["new"] == ["weekday"]
    assert found["gone"] == []
    assert found["parameters"] == [{"name": "numeric", "before": "'mdl'", "after": "default"}]
    seen = credit.frame.drop_columns(["weekday"])
    differ = np.mean(old.predict(seen) != new.predict(credit.frame))
    assert found["differ"] == pytest.approx(differ)
    moved = np.abs(old.predict_proba(seen) - new.predict_proba(credit.frame))[:, 0]
    assert found["moved"][0]["row"] == int(moved.argmax()) + 1
    assert found["moved"][0]["moved"] == pytest.approx(moved.max())
    assert found["scores"][1]["error"] == pytest.approx(np.mean(old.predict(seen) != credit.target))
    write(new, credit.frame, credit.target, tmp_path / "r.html", n_folds=2, against=old)
    assert "What changed" in read_page(tmp_path / "r.html")[1]


def test_numbers_are_compared_by_their_predictions(models):
    credit, _, _ = models
    y = np.nan_to_num(credit.frame["income"].to_numpy(), nan=1e4)
    y[3] = np.nan
    X = credit.frame.drop_columns(["income"])
    known = np.isfinite(y)
    new = bayfold.NaiveBayesRegressor().fit(X.filter(known), y[known])
    old = bayfold.NaiveBayesRegressor().fit(X.slice(10, 90), y[10:100])
    found = gather(new, X, y, n_folds=2, against=old)
    moved = np.abs(old.predict(X) - new.predict(X))
    moved[3] = 0
    assert found["against"]["differ"] == pytest.approx(moved[known].mean())
    assert found["against"]["moved"][0]["row"] == int(moved.argmax()) + 1
    assert 4 not in found["data"]["sample"]["rows"]


def test_models_that_cannot_be_compared_are_refused(models):
    credit, old, new = models
    number = bayfold.NaiveBayesRegressor().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    with pytest.raises(TypeError, match="`against` must be a model that predicts what NaiveBayes"):
        gather(new, credit.frame, credit.target, n_folds=2, against=number)
    fewer = credit.frame.drop_columns(["age"])
    model = bayfold.NaiveBayesClassifier().fit(fewer, credit.target)
    with pytest.raises(ValueError, match=r"Got one that reads 'age', too\."):
        gather(model, fewer, credit.target, n_folds=2, against=old)
    with pytest.raises(ValueError, match="`against` must be None without a target"):
        gather(bayfold.NaiveBayesMixture(2).fit(fewer), fewer, against=old)
