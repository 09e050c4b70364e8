"""Special codes: a bin and a weight each, and no part of any range, density or order."""

import numpy as np
import pandas as pd
import pytest

from bayfold import (
    AveragedOneDependenceClassifier,
    BoostedNaiveBayesClassifier,
    BoostedNaiveBayesRegressor,
    NaiveBayesClassifier,
    load,
)

pytestmark = pytest.mark.filterwarnings("ignore")


def make_table(first=-99.0, second=-98.0, n=600):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"income": rng.lognormal(3, 1, n), "age": rng.normal(45, 12, n)})
    y = rng.random(n) < 1 / (1 + np.exp(3 - np.log(frame["income"])))
    kind = rng.choice(4, n, p=[0.82, 0.08, 0.05, 0.05])
    share = np.array([0.5, 0.9, 0.1, 0.5])[kind]
    y = np.where(kind > 0, rng.random(n) < share, y).astype(int)
    income = frame["income"].to_numpy(copy=True)
    income[kind == 1] = first
    income[kind == 2] = second
    income[kind == 3] = np.nan
    return frame.assign(income=income), y


FRAME, Y = make_table()
CODES = {"income": [-98, -99]}
MODELS = {
    "smooth": NaiveBayesClassifier(),
    "missing": NaiveBayesClassifier(missing="category"),
    "mdl": NaiveBayesClassifier(numeric="mdl"),
    "equal_width": NaiveBayesClassifier(numeric="equal_width", n_bins=5),
    "monotone": NaiveBayesClassifier(monotone={"income": "increasing"}),
    "given": NaiveBayesClassifier(bins={"income": [10, 20, 40]}),
    "widths": NaiveBayesClassifier(bins={"income": 4}),
    "boosted": BoostedNaiveBayesClassifier(n_rounds=20),
    "number": BoostedNaiveBayesRegressor(n_rounds=20),
}


def answers(model, rows):
    return model.predict_proba(rows) if hasattr(model, "classes_") else model.predict(rows)


@pytest.mark.parametrize("kind", list(MODELS))
def test_what_number_a_code_is_makes_no_difference(kind):
    model = MODELS[kind].set_params(special_codes=CODES).fit(FRAME, Y)
    expected = answers(model, FRAME)
    shown = model.evidence_.to_frame("pandas").query("column == 'income'")
    weights = shown["weight" if "weight" in shown else "location"].to_numpy()
    total = shown["total"].to_numpy()
    assert shown["bin"].tolist()[-2:] == ["code -99", "code -98"]
    assert (weights[-2] > 1) & (weights[-1] < -1)
    assert abs(weights[0]) < 1  # a missing cell is neither
    income = FRAME["income"]
    counts = [(income == -99).sum(), (income == -98).sum()]
    assert total[[0, -2, -1]].tolist() == [income.isna().sum(), *counts]
    others, _ = make_table(first=30.0, second=1e12)
    model.set_params(special_codes={"income": [30.0, 1e12]}).fit(others, Y)
    np.testing.assert_allclose(answers(model, others), expected, rtol=0, atol=1e-12)


def test_sources_batches_sums_arrays_and_files_agree(tmp_path):
    FRAME.assign(y=Y).to_csv(tmp_path / "rows.csv", index=False)
    model = NaiveBayesClassifier(special_codes=[-99, -98]).fit(FRAME, Y)
    expected = model.predict_proba(FRAME)
    source = NaiveBayesClassifier(special_codes=[-99, -98]).fit_source(
        tmp_path / "rows.csv", "y", progress=False
    )
    np.testing.assert_array_equal(source.predict_proba(FRAME), expected)
    array = NaiveBayesClassifier(special_codes={0: [-99, -98], 1: [-98, -99]})
    found = array.fit(FRAME.to_numpy(), Y).predict_proba(FRAME.to_numpy())
    np.testing.assert_allclose(found, expected, atol=1e-12)
    model.save(tmp_path / "model.bayfold")
    again = load(tmp_path / "model.bayfold")
    assert again.schema_ == model.schema_
    np.testing.assert_array_equal(again.predict_proba(FRAME), expected)
    halves = [
        NaiveBayesClassifier(schema=model.schema_).fit(FRAME[part], Y[part])
        for part in (slice(0, 300), slice(300, 600))
    ]
    np.testing.assert_allclose((halves[0] + halves[1]).predict_proba(FRAME), expected, atol=1e-12)
    stream = NaiveBayesClassifier(schema=model.schema_).partial_fit(FRAME, Y)
    np.testing.assert_allclose(stream.predict_proba(FRAME), expected, atol=1e-12)


def test_a_longer_source_is_looked_at_without_the_codes(tmp_path):
    rng = np.random.default_rng(1)
    n = 30_000
    income = np.where(rng.random(n) < 0.1, -99.0, rng.uniform(0, 100, n))
    frame = pd.DataFrame({"income": income, "y": (income > 50).astype(int)})
    frame.to_parquet(tmp_path / "rows.parquet")
    model = NaiveBayesClassifier(bins={"income": 4}, special_codes={"income": -99})
    model.fit_source(tmp_path / "rows.parquet", "y", progress=False)
    column = model.schema_.columns[0]
    np.testing.assert_allclose(column.edges, [25, 50, 75], atol=0.1)
    assert model.statistics_.counts.minimum[0] >= 0
    total = model.evidence_.to_frame("pandas")["total"].tolist()
    assert total[-1] == (income == -99).sum()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"special_codes": "x"}, "1 to 100 numbers, or a dict"),
        ({"special_codes": {"z": [1]}}, "columns of the table"),
        ({"special_codes": {"income": []}}, "1 to 100 numbers"),
        ({"special_codes": {"income": [np.nan]}}, "1 to 100 numbers"),
        ({"special_codes": {"income": -99, 0: -98}}, "about each column once"),
        ({"special_codes": CODES, "numeric": "gaussian"}, "about columns with bins"),
        ({"special_codes": CODES, "bins": {"income": [["a"]]}}, "about columns of numbers"),
        ({"special_codes": CODES, "categorical_features": "income"}, "about columns of numbers"),
    ],
)
def test_codes_that_cannot_be_are_refused(settings, message):
    model = NaiveBayesClassifier(**settings)
    with pytest.raises(ValueError, match=message):
        model.fit(FRAME, Y)
    assert not hasattr(model, "schema_")


def test_who_would_take_codes_for_numbers_refuses_the_schema():
    schema = NaiveBayesClassifier(special_codes=CODES).fit(FRAME, Y).schema_
    with pytest.raises(ValueError, match="without special codes for Averaged"):
        AveragedOneDependenceClassifier(schema=schema).fit(FRAME, Y)
