"""Cells: missing, unseen, out of range, infinite, of another kind."""

import datetime
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bayfold import NaiveBayesClassifier
from bayfold.errors import ColumnTypeError, DataWarning, SchemaError, UnseenCategoryWarning
from tests.plain import plain_classifier, with_bins

METHODS = ["equal_frequency", "equal_width", "gaussian"]
JOBS = ["none", "temp", "fixed", "fixed", "temp", "fixed"]
INCOME = [1.0, 2.0, 3.0, 4.0, 5.0, 7.0]
TARGET = ["no", "no", "no", "yes", "yes", "yes"]


def table(income=INCOME, job=JOBS):
    return pa.table({"income": pa.array(income, pa.float64()), "job": pa.array(job, pa.string())})


def fit(numeric="auto", **parameters):
    return NaiveBayesClassifier(**with_bins(numeric, 3), **parameters).fit(table(), TARGET)


def weights_of(model, rows):
    records = model.explain(rows)
    return dict(zip(records["column"], records["weight"], strict=True))


@pytest.mark.parametrize("numeric", METHODS)
def test_missing_cells_are_ignored_at_predict(numeric):
    model = fit(numeric=numeric)
    whole = weights_of(model, table([4.5], ["fixed"]))
    partly = weights_of(model, table([None], ["fixed"]))
    assert whole["income"] != 0
    assert partly == {**whole, "income": 0.0}
    nothing = model.predict_proba(table([None], [None]))
    np.testing.assert_allclose(nothing, [[0.5, 0.5]], rtol=1e-15)


@pytest.mark.parametrize("numeric", METHODS)
def test_missing_cells_are_ignored_at_fit(numeric):
    income = [1.0, None, 3.0, 4.0, None, 7.0]
    model = NaiveBayesClassifier(**with_bins(numeric, 3)).fit(table(income), TARGET)
    known = [x is not None for x in income]
    alone = NaiveBayesClassifier(**with_bins(numeric, 3)).fit(
        pa.table({"income": [x for x in income if x is not None]}),
        [y for y, keep in zip(TARGET, known, strict=True) if keep],
    )
    expected = weights_of(alone, pa.table({"income": [3.5]}))["income"]
    assert weights_of(model, table([3.5], ["fixed"]))["income"] == pytest.approx(
        expected, rel=1e-12
    )


@pytest.mark.parametrize("numeric", METHODS)
def test_a_missing_cell_can_be_a_category(numeric):
    income = [None, None, 3.0, 4.0, 5.0, 7.0]
    job = [None, "a", "b", "a", "b", "a"]
    model = plain_classifier(**with_bins(numeric, 1), missing="category").fit(
        table(income, job), TARGET
    )
    found = weights_of(model, table([None], [None]))
    # Laplace over {missing, known}: 2 of 3 "no" rows and 0 of 3 "yes" rows are missing
    assert found["income"] == pytest.approx(np.log((1 / 5) / (3 / 5)), rel=1e-12)
    # Laplace over {missing, a, b}: 1 of 3 and 0 of 3
    assert found["job"] == pytest.approx(np.log((1 / 6) / (2 / 6)), rel=1e-12)


def test_nothing_missing_in_training_gives_no_evidence_later():
    model = fit(missing="category")
    assert weights_of(model, table([None], [None]))["job"] == 0.0


@pytest.mark.parametrize("answer", ["predict", "predict_proba", "decision_function", "explain"])
def test_unseen_category_warns_once_and_says_nothing(answer):
    model = fit()
    rows = table([3.5] * 9, ["fixed", "u1", "u2", "u3", "u4", "u5", "u6", "u7", "u1"])
    with pytest.warns(UnseenCategoryWarning) as caught:
        getattr(model, answer)(rows)
    assert len(caught) == 1
    message = str(caught[0].message)
    assert "Column 'job'" in message
    assert "'u1', 'u2', 'u3', 'u4', 'u5' and 2 more" in message
    assert "no evidence" in message
    assert caught[0].filename == __file__


def test_unseen_category_is_worth_as_much_as_a_missing_one():
    model = fit()
    with pytest.warns(UnseenCategoryWarning):
        unseen = model.decision_function(table([3.5], ["new"]))
    assert unseen == model.decision_function(table([3.5], [None]))


def test_a_declared_category_that_no_row_holds_is_not_reported():
    model = NaiveBayesClassifier().fit(pd.DataFrame({"job": pd.Categorical(JOBS)}), TARGET)
    rows = pd.DataFrame({"job": pd.Categorical(["temp"], categories=["temp", "never used"])})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(rows)


@pytest.mark.parametrize("numeric", ["equal_frequency", "equal_width"])
def test_numbers_out_of_range_fall_into_the_outermost_bins(numeric):
    model = fit(numeric=numeric)
    inside = model.decision_function(table([1.0, 7.0], ["temp"] * 2))
    for low, high in [(0.0, 8.0), (-1e300, 1e300)]:
        outside = model.decision_function(table([low, high], ["temp"] * 2))
        np.testing.assert_array_equal(outside, inside)


def test_numbers_out_of_range_follow_the_tail_of_a_gaussian():
    X, y = np.array([[-1.0], [1.0], [3.0], [5.0]]), [0, 0, 1, 1]
    odds = NaiveBayesClassifier(numeric="gaussian").fit(X, y).decision_function([[10.0], [100.0]])
    # both classes have variance 1, means 0 and 4: the log-odds are 4 x - 8
    np.testing.assert_allclose(odds, [32.0, 392.0], rtol=1e-12)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("numeric", METHODS)
def test_infinity_is_refused_with_the_name_of_the_column(value, numeric):
    bad = table([1.0, value, 3.0, 4.0, 5.0, 7.0])
    with pytest.raises(ValueError, match=r"infinity in column 'income'\. Replace it by NaN"):
        NaiveBayesClassifier(numeric=numeric).fit(bad, TARGET)
    model = fit(numeric=numeric)
    for answer in ("predict", "predict_proba", "explain", "score_samples"):
        with pytest.raises(ValueError, match="infinity in column 'income'"):
            getattr(model, answer)(bad)


def test_infinity_names_every_column_that_holds_it():
    X = np.ones((4, 3))
    X[1, 0], X[2, 2] = np.inf, -np.inf
    with pytest.raises(ValueError, match="columns 'x0', 'x2'"):
        NaiveBayesClassifier().fit(X, [0, 1, 0, 1])


@pytest.mark.parametrize("make", [np.array, lambda y: np.array(y, object), pd.Series, list])
def test_infinity_in_the_target_is_refused(make):
    with pytest.raises(ValueError, match="Input y contains infinity"):
        NaiveBayesClassifier().fit([[0.0], [1.0], [2.0]], make([0.0, 1.0, np.inf]))


def kinds(frame, n=4):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        model = NaiveBayesClassifier().fit(frame, [0, 1] * (n // 2))
    return [column.kind for column in model.schema_.columns]


def objects(*cells):
    return pd.DataFrame({"a": pd.Series(list(cells), dtype=object)})


def test_object_columns_of_numbers_are_numeric():
    assert kinds(objects(1, 2.5, None, np.float32(3))) == ["numeric"]
    assert kinds(objects(1, np.nan, pd.NA, 2)) == ["numeric"]


def test_object_columns_that_mix_are_nominal_by_str():
    frame = objects("b", True, 1.0, None)
    model = NaiveBayesClassifier().fit(frame, [0, 1, 0, 1])
    assert model.schema_.columns[0].categories == ("1", "True", "b")


def test_a_mixed_column_takes_rows_that_hold_numbers_only():
    model = NaiveBayesClassifier(smoothing="none").fit(objects("b", 1, "b", 1), list("ynyn"))
    assert model.predict(objects(1)).tolist() == ["n"]
    assert model.predict(pd.DataFrame({"a": [1]})).tolist() == ["n"]


@pytest.mark.parametrize(
    "cell", [{"k": 1}, [1, 2], (1, 2), {1}, 1j, object()], ids=lambda cell: type(cell).__name__
)
def test_other_objects_are_refused_with_the_name_of_the_column(cell):
    frame = pd.DataFrame({"fine": [1, 2], "odd": pd.Series([cell, None], dtype=object)})
    with pytest.raises(
        ColumnTypeError, match=rf"Column 'odd' holds cells of type {type(cell).__name__}.*drop"
    ):
        NaiveBayesClassifier().fit(frame, [0, 1])
    assert issubclass(ColumnTypeError, TypeError)


def test_nested_arrow_types_are_refused_with_the_name_of_the_column():
    with pytest.raises(TypeError, match=r"Column 'odd' holds cells of type list<"):
        NaiveBayesClassifier().fit(pa.table({"odd": [[1], [2]]}), [0, 1])


def test_lists_of_lists_keep_numbers_and_missing_cells():
    rows = [["a", 1.0], ["b", 2.0], [float("nan"), 3.0], [None, 4.0]]
    model = NaiveBayesClassifier().fit(rows, [0, 1, 0, 1])
    assert [column.kind for column in model.schema_.columns] == ["nominal", "numeric"]
    assert model.schema_.columns[0].categories == ("a", "b")


def test_masked_cells_are_missing():
    X = np.ma.masked_array([[1.0], [2.0], [9.0], [4.0]], mask=[[0], [0], [1], [0]])
    model = NaiveBayesClassifier().fit(X, [0, 1, 0, 1])
    assert model.statistics_.counts.maximum.tolist() == [4.0]
    assert model.evidence_.where(bin="(missing)")["total"].tolist() == [1.0]


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (pd.array([1, 0, None, 1], dtype="Int64"), "numeric"),
        (pd.array([1, 0, None, 1], dtype="Float32"), "numeric"),
        (pd.array([True, False, None, True], dtype="boolean"), "nominal"),
        (pd.array(["a", "b", None, "a"], dtype="string"), "nominal"),
        (pd.Categorical([1, 2, None, 1]), "nominal"),
        (pd.cut([1.0, 2.0, np.nan, 3.0], 2), "nominal"),
        (pd.to_datetime(["2020-01-01", None, "2020-01-03", "2020-01-04"]), "numeric"),
        (pd.to_timedelta([1, None, 2, 3], unit="h"), "numeric"),
        (pd.period_range("2020-01", periods=4, freq="M"), "numeric"),
        (pd.arrays.SparseArray([0.0, 0.0, 1.0, 0.0]), "numeric"),
        (pd.array([True, False, True, True], dtype=bool), "nominal"),
    ],
    ids=lambda value: str(getattr(value, "dtype", value)),
)
def test_kinds_of_pandas_columns(column, kind):
    assert kinds(pd.DataFrame({"a": column})) == [kind]


def test_categories_of_intervals_read_as_pandas_shows_them():
    frame = pd.DataFrame({"a": pd.cut([1.0, 2.0, 5.0, 6.0], [0, 3, 7])})
    model = NaiveBayesClassifier().fit(frame, [0, 0, 1, 1])
    assert model.schema_.columns[0].categories == ("(0, 3]", "(3, 7]")


NUMBER, WORD = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0]}), pd.DataFrame({"a": list("uvwz")})
TIME = pd.DataFrame({"a": pd.date_range("2020", periods=4)})


@pytest.mark.parametrize(
    ("at_fit", "later", "message"),
    [
        (
            NUMBER,
            WORD,
            r"Column 'a' must be numeric, as it was at fit\. Got categories such as 'u'",
        ),
        (WORD, NUMBER, r"Column 'a' must be nominal, as it was at fit\. Got numbers"),
        (NUMBER, TIME, r"Column 'a' must be numeric, as it was at fit\. Got timestamps"),
        (TIME, NUMBER, r"Column 'a' must be timestamps, as it was at fit\. Got numeric"),
        (NUMBER, objects(1, "x"), r"Column 'a' must be numeric.*'x'"),
    ],
)
def test_a_column_of_another_kind_is_refused_by_name(at_fit, later, message):
    y = [0, 1, 0, 1]
    model = NaiveBayesClassifier().fit(at_fit, y)
    before = model.statistics_
    for call in (model.predict, model.explain, lambda X: model.partial_fit(X, y[: len(X)])):
        with pytest.raises(SchemaError, match=message):
            call(later)
    assert model.statistics_ is before
    with pytest.raises(SchemaError, match=message):
        NaiveBayesClassifier(schema=model.schema_).fit(later, y[: len(later)])


def test_all_numbers_are_of_one_kind():
    model = NaiveBayesClassifier().fit(NUMBER, [0, 0, 1, 1])
    expected = model.predict_proba(NUMBER)
    for dtype in ("int8", "uint16", "int64", "float32", "Int64", "Float64", object):
        np.testing.assert_array_equal(model.predict_proba(NUMBER.astype(dtype)), expected)


@pytest.mark.parametrize("at_fit", [NUMBER, WORD, TIME])
@pytest.mark.parametrize(
    "nothing",
    [
        pd.DataFrame({"a": [None, None]}),
        pd.DataFrame({"a": [np.nan, np.nan]}),
        pd.DataFrame({"a": pd.to_datetime([None, None])}),
        pd.DataFrame({"a": pd.array([None, None], dtype="string")}),
        pa.table({"a": pa.nulls(2)}),
    ],
    ids=["object", "float", "time", "string", "null"],
)
def test_a_column_without_known_cells_fits_any_kind(at_fit, nothing):
    model = NaiveBayesClassifier().fit(at_fit, [0, 1, 0, 1])
    np.testing.assert_array_equal(model.predict_proba(nothing), np.full((2, 2), 0.5))


def test_missing_numbers_in_a_nominal_column_are_missing():
    model = NaiveBayesClassifier().fit(WORD, [0, 1, 0, 1])
    rows = pd.DataFrame({"a": [np.nan]})  # what pandas makes of a missing word in a single row
    np.testing.assert_array_equal(model.predict_proba(rows), [[0.5, 0.5]])


def test_dates_of_all_sources_are_one_kind():
    days = [datetime.date(2020, 1, day) for day in (1, 2, 3, 4)]
    model = NaiveBayesClassifier().fit(TIME, [0, 0, 1, 1])
    rows = pa.table({"a": pa.array(days, pa.date32())})
    np.testing.assert_array_equal(model.predict_proba(rows), model.predict_proba(TIME))
