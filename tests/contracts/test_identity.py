"""What is the same is one thing, what differs stays apart: exactly, or the table is refused by name."""

import datetime
import decimal
import itertools

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bayfold import NaiveBayesClassifier, NaiveBayesMixture
from bayfold.core.frames import read_table
from bayfold.errors import ColumnTypeError
from tests.plain import plain_classifier


def objects(cells):
    column = np.empty(len(cells), object)
    column[:] = cells
    return column


def read_objects(cells):
    return read_table(pd.DataFrame({"a": objects(cells)})).columns[0]


# columns of the same name


def draw(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (n_rows, 3)).astype(float)
    return X, (X.sum(axis=1) + rng.normal(size=n_rows) > 6).astype(int)


@pytest.mark.parametrize("dtype", [float, str])
def test_columns_of_the_same_name_are_told_apart_by_position(dtype):
    X, y = draw(300)
    X[:, 1] = X[:, 0]  # equal codes under equal names would cancel
    cells = X.astype(int).astype(str) if dtype is str else X
    same, other = (
        NaiveBayesClassifier().fit(pd.DataFrame(cells, columns=list(names), dtype=object), y)
        for names in ("aab", "abc")
    )
    n_distinct = len(np.unique(np.c_[X, y], axis=0))
    assert same.statistics_.sample.n_rows == other.statistics_.sample.n_rows == n_distinct


def test_same_names_add_up_and_predict_by_position():
    X, y = draw(200)
    frame = pd.DataFrame(X, columns=["a", "a", "a"])
    first = plain_classifier().fit(frame[:100], y[:100])
    rest = plain_classifier(schema=first.schema_).fit(frame[100:], y[100:])
    whole = plain_classifier(schema=first.schema_).fit(frame, y)
    unnamed = plain_classifier(schema=plain_classifier().fit(X[:100], y[:100]).schema_).fit(X, y)
    for model in (first + rest, whole):
        np.testing.assert_array_equal(model.predict_proba(frame), unnamed.predict_proba(X))


@pytest.mark.parametrize(
    ("settings", "parameter"),
    [
        ({"categorical_features": ["a"]}, "categorical_features"),
        ({"numeric": {"a": "mdl"}}, "numeric"),
        ({"n_bins": {"a": 3}, "numeric": "equal_width"}, "n_bins"),
    ],
)
def test_a_name_that_two_columns_have_is_refused_where_one_is_meant(settings, parameter):
    X, y = draw(50)
    frame = pd.DataFrame(X, columns=["a", "a", "b"])
    message = rf"`{parameter}` must be given by .*Got 'a', the name of 2 columns.*position"
    with pytest.raises(ValueError, match=message):
        NaiveBayesClassifier(**settings).fit(frame, y)
    NaiveBayesClassifier(categorical_features=["b", 0]).fit(frame, y)


def test_categories_cannot_be_declared_for_a_name_that_two_columns_have():
    frame = pd.DataFrame([["u", "v"], ["v", "u"]], columns=["a", "a"])
    schema = NaiveBayesClassifier().fit(frame, [0, 1]).schema_
    with pytest.raises(ValueError, match="Got 'a', the name of 2 columns"):
        schema.with_categories({"a": ["w"]})


# columns whose names are whole numbers


def test_a_whole_number_that_names_one_column_and_counts_another_is_refused():
    X, y = draw(60)
    frame = pd.DataFrame(X, columns=[2, 0, 1])
    message = r"`categorical_features` must .*Got 1, .*named \[2, 0, 1\].*astype\(str\)"
    for model in (NaiveBayesClassifier, NaiveBayesMixture):
        with pytest.raises(ValueError, match=message):
            model(categorical_features=[1]).fit(frame, y)
    with pytest.raises(ValueError, match="`numeric` must"):
        NaiveBayesClassifier(numeric={0: "mdl"}).fit(frame, y)


def test_whole_numbers_that_can_mean_one_column_only_are_taken():
    X, y = draw(60)
    for names, entry, position in (([0, 1, 2], 1, 1), ([10, 20, 30], 1, 1), ([0, 5, 1], 0, 0)):
        frame = pd.DataFrame(X, columns=names)
        model = NaiveBayesClassifier(categorical_features=[entry]).fit(frame, y)
        kinds = [column.kind for column in model.schema_.columns]
        assert kinds == ["nominal" if j == position else "numeric" for j in range(3)]
    masked = NaiveBayesClassifier(categorical_features=[False, True, False])
    masked.fit(pd.DataFrame(X, columns=[2, 0, 1]), y)


# labels


@pytest.mark.parametrize(
    "make",
    [
        lambda ids: np.array(ids)[:, None],
        lambda ids: pd.DataFrame({"x0": ids}),
        lambda ids: pd.DataFrame({"x0": pd.array([*ids[:-1], None], dtype="Int64")}),
        lambda ids: pa.table({"x0": ids}),
        lambda ids: pd.DataFrame({"x0": np.array(ids, float)}),
    ],
)
def test_whole_numbers_beyond_the_floats_are_no_categories(make):
    ids = [2**53, 2**53 + 1, 2**53 + 2, 7]
    message = r"Column 'x0': .*beyond 2\*\*53.*as strings"
    model = plain_classifier(categorical_features=[0])
    with pytest.raises(ValueError, match=message):
        model.fit(make(ids), [0, 1, 0, 1])
    with pytest.raises(ValueError, match=message):
        model.partial_fit(make(ids), [0, 1, 0, 1])


def test_whole_numbers_of_any_size_stay_apart_where_the_type_is_a_category():
    ids = [2**53, 2**53 + 1, 2**63, 2**63 + 1]
    labels = sorted(map(str, ids))
    categories = read_table(pd.DataFrame({"a": pd.Categorical(ids)})).columns[0]
    assert sorted(categories.labels()[1]) == labels
    assert sorted(read_objects([*ids, "a"]).labels()[1]) == [*labels, "a"]


@pytest.mark.parametrize(
    "make",
    [
        lambda cells: np.array(cells, dtype="S4")[:, None],
        lambda cells: pd.DataFrame({"a": objects(cells)}),
        lambda cells: pa.table({"a": pa.array(cells, pa.binary())}),
        lambda cells: pd.DataFrame({"a": objects([*cells, 1])})[: len(cells)],
    ],
)
def test_bytes_that_are_no_text_stay_apart(make):
    cells = [b"\xff", b"\xfe", b"\xe9t\xe9", b"a", "ü".encode()]
    labels = read_table(make(cells)).columns[0].labels()[1]
    assert sorted(labels) == sorted(["\\xff", "\\xfe", "\\xe9t\\xe9", "a", "ü"])


def test_strings_that_no_file_can_hold_are_labels_like_others():
    X = objects(["\udcff", "b", "\udcff", "b"])[:, None]
    model = NaiveBayesClassifier().fit(X, [0, 1, 0, 1])
    assert model.predict(X).tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("dtype", ["U1", "S1", object])
def test_masked_strings_are_missing(dtype):
    data = np.array([["a"], ["b"], ["c"], ["a"]], dtype)
    table = read_table(np.ma.masked_array(data, mask=[[0], [1], [0], [0]]))
    indices, labels = table.columns[0].labels()
    assert (indices.tolist(), labels) == ([0, -1, 1, 0], ["a", "c"])


def test_masked_booleans_and_times_are_missing():
    mask = [[False], [True], [False]]
    flags = read_table(np.ma.masked_array([[True], [True], [False]], mask=mask)).columns[0]
    assert (flags.labels()[0].tolist(), flags.labels()[1]) == ([0, -1, 1], ["True", "False"])
    days = np.array([["2020-01-01"], ["2020-01-02"], ["2020-01-03"]], "M8[ns]")
    times = read_table(np.ma.masked_array(days, mask=mask)).columns[0]
    assert times.is_time
    np.testing.assert_array_equal(times.numbers(0, 3), [1577836800.0, np.nan, 1578009600.0])


# objects of several types: what they are does not depend on which comes first

DAY, MOMENT = datetime.date(2020, 1, 2), datetime.datetime(2020, 1, 2, 3, 4)
AWARE = datetime.datetime(2020, 1, 2, 3, 4, tzinfo=datetime.UTC)


@pytest.mark.parametrize(
    "cells",
    [
        [1.5, True],
        [1, True, None],
        [np.bool_(True), 1],
        [np.float32(0.5), False, np.nan],
        [decimal.Decimal("1.5"), "a", True],
        [b"a", 1, 2.5],
    ],
)
def test_numbers_beside_booleans_or_strings_are_labels(cells):
    expected = None
    for order in itertools.permutations(cells):
        column = read_objects(order)
        assert column.kind == "nominal"
        found = sorted(column.labels()[1])
        expected = expected or found
        assert found == expected
        assert len(found) == sum(cell is not None and cell == cell for cell in cells)


@pytest.mark.parametrize(
    ("cells", "seconds"),
    [
        ([DAY, MOMENT], [1577923200.0, 1577934240.0]),
        ([np.datetime64("2020-01-02"), MOMENT], [1577923200.0, 1577934240.0]),
        ([pd.Timestamp("2020-01-02"), DAY, None, pd.NaT], [1577923200.0, 1577923200.0]),
        ([datetime.timedelta(1), np.timedelta64(2, "h")], [86400.0, 7200.0]),
        ([1, decimal.Decimal("2.5"), np.float32(0.5)], [1.0, 2.5, 0.5]),
    ],
)
def test_objects_of_one_family_are_numbers_in_any_order(cells, seconds):
    for order in itertools.permutations(range(len(cells))):
        column = read_objects([cells[k] for k in order])
        found = column.numbers(0, len(cells))[np.argsort(order)]
        np.testing.assert_array_equal(found[: len(seconds)], seconds)


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        ([DAY, 1], "date, int"),
        ([MOMENT, 1.5], "datetime, float"),
        ([datetime.timedelta(1), 1], "int, timedelta"),
        ([datetime.time(1), 1], "int, time"),
        ([MOMENT, "a"], "datetime, str"),
        ([DAY, True], "bool, date"),
        ([AWARE, MOMENT], "time zone"),
        ([AWARE, DAY], "time zone"),
    ],
)
def test_times_beside_anything_else_are_refused_in_any_order(cells, found):
    for order in (cells, cells[::-1], [None, *cells, np.nan]):
        with pytest.raises(ColumnTypeError, match=rf"Column 'a': .*Got .*{found}"):
            read_objects(order)
