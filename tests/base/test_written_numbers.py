"""Strings that are numbers with units, money and percent are numbers, from wherever they come."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bayfold
from bayfold import (
    BoostedNaiveBayesClassifier,
    MDLDiscretizer,
    NaiveBayesClassifier,
    NaiveBayesImputer,
    NaiveBayesMixture,
    NaiveBayesRegressor,
)
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


DIGITS = [f"{k:03d}" for k in range(100)] * 4
THOUSANDS = [f"{1 + k % 9},{k % 1000:03d}" for k in range(0, 4 * N_ROWS, 4)]


@pytest.mark.parametrize(
    ("cells", "asked", "numbers"),
    [
        (DIGITS, ["x"], [float(cell) for cell in DIGITS]),
        (THOUSANDS, {"x": "."}, [float(cell.replace(",", "")) for cell in THOUSANDS]),
        (THOUSANDS, {"x": ","}, [float(cell.replace(",", ".")) for cell in THOUSANDS]),
        (["12 kg", "?", "7", "3.5 kg"] * 100, "x", [12.0, np.nan, 7.0, 3.5] * 100),
        ([1.5, 2.5] * 200, [True], [1.5, 2.5] * 200),
    ],
    ids=["digits", "point", "comma", "unit", "numbers"],
)
def test_strings_are_numbers_where_somebody_says_so(made, cells, asked, numbers):
    y = made[2]
    model = NaiveBayesClassifier(numeric_features=asked).fit(pd.DataFrame({"x": cells}), y)
    expected = NaiveBayesClassifier().fit(pd.DataFrame({"x": numbers}), y)
    for frame in (pd.DataFrame({"x": cells}), pd.DataFrame({"x": numbers})):
        np.testing.assert_array_equal(
            model.predict_proba(frame), expected.predict_proba(pd.DataFrame({"x": numbers}))
        )
    streamed = NaiveBayesClassifier(numeric_features=asked)
    streamed.fit_source(pa.table({"x": cells, "y": y}), "y", progress=False)
    assert streamed.schema_ == model.schema_


@pytest.mark.parametrize(
    ("cells", "parameters", "message"),
    [
        (["a", "1"], {}, "columns of numbers in one unit. Got 'a' in 'x'"),
        (["1:30", "2:00"], {}, "Got '1:30' in 'x'"),
        (["1 kg", "500 g"], {}, "Got '1 kg' and '500 g', in different units in 'x'"),
        (["1.5", "2,5"], {}, "Got '2,5' and '1.5', with different decimal signs"),
        (["1,234", "5,678"], {}, "decimal sign of 'x', whose cells do not tell it. Got '1,234'"),
        (["1", "2"], {"categorical_features": ["x"]}, "other columns than `categorical_features`"),
        (["1", "2"], {"text_features": ["x"]}, "other columns than `text_features`"),
        (["1", "2"], {"numeric_features": {"x": ";"}}, "from columns to '.' or ','. Got ';'"),
        (["1", "2"], {"numeric_features": "z"}, "`numeric_features` must be given by columns"),
    ],
)
def test_what_cannot_be_numbers_is_refused_by_name(cells, parameters, message):
    model = NaiveBayesClassifier(**{"numeric_features": ["x"]} | parameters)
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        model.fit(pd.DataFrame({"x": cells * 20}), [0, 1] * 20)


def test_cuts_are_those_of_the_numbers(made):
    numbers, written, y = made
    columns = ["amount", "rate", "balance"]
    cut = MDLDiscretizer().fit(pd.DataFrame(written)[columns], y)
    expected = MDLDiscretizer().fit(pd.DataFrame(numbers)[columns], y)
    np.testing.assert_array_equal(
        cut.transform(pd.DataFrame(written)[columns]),
        expected.transform(pd.DataFrame(numbers)[columns]),
    )
    with pytest.raises(bayfold.errors.ColumnTypeError, match="categories in column 'code'"):
        MDLDiscretizer().fit(pd.DataFrame(written), y)


@pytest.mark.parametrize("build", FRAMES.values(), ids=FRAMES)
def test_gaps_are_filled_as_the_column_is_written(made, build):
    numbers, written, _ = made
    gaps = np.arange(N_ROWS) % 5 == 0
    cells = written | {"amount": np.where(gaps, None, written["amount"]).tolist()}
    plain = numbers | {"amount": np.where(gaps, np.nan, numbers["amount"])}
    filled = NaiveBayesImputer().fit_transform(build(cells))["amount"]
    filled = np.array(filled.to_pylist() if build is pa.table else filled.to_list())
    assert (filled[~gaps] == np.array(written["amount"])[~gaps]).all()
    expected = NaiveBayesImputer().fit_transform(pd.DataFrame(plain))["amount"].to_numpy()
    assert filled[gaps].tolist() == [f"${x:,.2f}" for x in expected[gaps]]


def test_clusters_too(made):
    numbers, written, _ = made
    models = [
        NaiveBayesMixture(3, random_state=0).fit(pd.DataFrame(cells))
        for cells in (numbers, written)
    ]
    np.testing.assert_array_equal(
        models[0].predict_proba(pd.DataFrame(numbers)),
        models[1].predict_proba(pd.DataFrame(written)),
    )


def test_dates_that_are_strings_are_told(made):
    days = pd.date_range("2025-01-01", periods=N_ROWS)
    frame = pd.DataFrame({"day": days.strftime("%d.%m.%Y"), "time": days})
    with pytest.warns(DataWarning, match=r"kept as categories: 'day' \('01.01.2025'\)"):
        NaiveBayesClassifier().fit(frame, made[2])
