"""Strings that are numbers with units, money and percent are numbers, from wherever they come."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bayfold
from bayfold import BoostedNaiveBayesClassifier, NaiveBayesClassifier, NaiveBayesRegressor
from bayfold.core.schema import Schema
from bayfold.errors import DataWarning

N_ROWS = 400
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}
pytestmark = pytest.mark.filterwarnings("ignore:Strings are read as numbers", "ignore:The exported")


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(0)
    amount = np.round(rng.lognormal(7, 1, N_ROWS), 2)
    rate = np.round(rng.uniform(0, 20, N_ROWS), 1)
    balance = rng.integers(-99, 99, N_ROWS).astype(float)
    numbers = {
        "amount": amount,
        "rate": rate,
        "balance": balance,
        "code": rng.choice(["A1", "A2"], N_ROWS),
    }
    written = numbers | {
        "amount": [f"${x:,.2f}" for x in amount],
        "rate": [f"{x} %" for x in rate],
        "balance": [f"({-x:.0f})" if x < 0 else f"{x:.0f}" for x in balance],
    }
    y = np.where(amount * np.exp(rng.normal(0, 0.5, N_ROWS)) > 1100, "yes", "no")
    return numbers, written, y


@pytest.mark.parametrize("build", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("estimator", [NaiveBayesClassifier, BoostedNaiveBayesClassifier])
def test_the_model_is_that_of_the_numbers(made, build, estimator):
    numbers, written, y = made
    expected = estimator().fit(build(numbers), y).predict_proba(build(numbers))
    model = estimator().fit(build(written), y)
    np.testing.assert_array_equal(model.predict_proba(build(written)), expected)
    np.testing.assert_array_equal(model.predict_proba(build(numbers)), expected)


def test_streams_and_batches_make_the_same_model(made):
    numbers, written, y = made
    expected = NaiveBayesClassifier().fit(pa.table(numbers), y)
    source = pa.table(written | {"y": y})
    streamed = NaiveBayesClassifier().fit_source(source, "y", progress=False)
    np.testing.assert_array_equal(
        streamed.predict_proba(pa.table(written)), expected.predict_proba(pa.table(numbers))
    )
    models = [NaiveBayesClassifier(), NaiveBayesClassifier()]
    for model, cells in zip(models, (numbers, written), strict=True):
        frame = pd.DataFrame(cells)
        for k in range(0, N_ROWS, 100):
            model.partial_fit(frame[k : k + 100], y[k : k + 100], classes=["no", "yes"])
    answers = [model.predict_proba(pd.DataFrame(written)) for model in models[1:]]
    np.testing.assert_array_equal(answers[0], models[0].predict_proba(pd.DataFrame(numbers)))


def test_long_streams_survey_the_labels_of_all_rows(made):
    _, written, y = made
    repeats = {name: np.tile(cells, 60) for name, cells in written.items()}
    source = pa.table(repeats | {"y": np.tile(y, 60)})
    model = NaiveBayesClassifier().fit_source(source, "y", progress=False)
    assert [column.kind for column in model.schema_.columns] == ["numeric"] * 3 + ["nominal"]
    model.predict(pa.table(written))


def test_one_notice_shows_how_each_column_is_read(made):
    _, written, y = made
    with pytest.warns(
        DataWarning, match=r"'amount' \('\$1,234.5' is 1234.5\), 'rate'.*, 'balance'"
    ) as said:
        NaiveBayesClassifier().fit(pd.DataFrame(written), y)
    assert sum("read as numbers" in str(warning.message) for warning in said) == 1


def test_a_report_tells_it_once(made):
    _, written, y = made
    frame = pd.DataFrame(written)
    found = bayfold.report.gather(NaiveBayesClassifier().fit(frame, y), frame, y)
    assert sum("read as numbers" in warning for warning in found["data"]["warnings"]) == 1


def test_columns_named_as_categories_stay_so(made):
    _, written, y = made
    model = NaiveBayesClassifier(categorical_features=["rate"]).fit(pd.DataFrame(written), y)
    assert [column.kind for column in model.schema_.columns[:2]] == ["numeric", "nominal"]


def test_doubt_is_told():
    frame = pd.DataFrame({"weight": ["1,234 kg", "5,678 kg"] * 20})
    with pytest.warns(DataWarning, match="decimals or thousands"):
        model = NaiveBayesClassifier().fit(frame, [0, 1] * 20)
    assert model.schema_.columns[0].kind == "nominal"


def test_numbers_among_question_marks_in_an_object_column():
    cells = [1.5, 2, "?", 4, "n/a", 6.25] * 10
    model = NaiveBayesClassifier().fit(pd.DataFrame({"x": cells}), [0, 0, 1, 1, 0, 1] * 10)
    assert model.schema_.columns[0].kind == "numeric"
    known = pd.DataFrame({"x": [1.5, np.nan]})
    strings = pd.DataFrame({"x": ["1.5", "-"]})
    np.testing.assert_array_equal(model.predict_proba(known), model.predict_proba(strings))


@pytest.mark.parametrize("cell", ["€12", "12 kg", "free"])
def test_another_unit_at_predict_is_an_error_by_name(made, cell):
    _, written, y = made
    model = NaiveBayesClassifier().fit(pd.DataFrame(written), y)
    with pytest.raises(bayfold.errors.ColumnTypeError, match=f"'amount'.*'\\$12'.*{cell!r}"):
        model.predict(pd.DataFrame(written | {"amount": cell}))


def test_the_notation_is_kept_and_shown(made, tmp_path):
    _, written, y = made
    frame = pd.DataFrame(written)
    model = NaiveBayesClassifier().fit(frame, y)
    model.save(tmp_path / "m.bayfold")
    loaded = bayfold.load(tmp_path / "m.bayfold")
    np.testing.assert_array_equal(loaded.predict_proba(frame), model.predict_proba(frame))
    assert Schema.from_dict(model.schema_.to_dict()) == model.schema_
    assert str(model.explain(frame[:1]).where(column="rate")["bin"][0]).endswith(" %")


def test_exports_say_that_they_want_numbers(made):
    _, written, y = made
    model = NaiveBayesClassifier().fit(pd.DataFrame(written), y)
    for export in (model.to_sql, model.to_json):
        with pytest.warns(DataWarning, match=r"'amount' \(12 for '\$12'\)"):
            export()


def test_a_report_asks_for_numbers(made):
    _, written, y = made
    frame = pd.DataFrame(written)
    found = bayfold.report.gather(NaiveBayesClassifier().fit(frame, y), frame, y)
    assert {"least", "most"} <= found["nomogram"]["inputs"][0].keys()


def test_regressors_too(made):
    numbers, written, _ = made
    y = numbers["amount"]
    models = [NaiveBayesRegressor().fit(pd.DataFrame(cells), y) for cells in (numbers, written)]
    np.testing.assert_array_equal(
        models[0].predict(pd.DataFrame(numbers)), models[1].predict(pd.DataFrame(written))
    )
