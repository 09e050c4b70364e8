"""Filled tables keep their types, whatever a column is made of."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bayfold.core.frames.fill import fill_gaps
from bayfold.core.frames.filling import Filling

DAY = 86400.0
NOON = datetime.datetime(2020, 1, 16, 12)
NOON_SECONDS = 18277.5 * DAY


def number(value, is_time=False):
    return Filling(np.array([1]), np.array([value]), is_time)


def label(text):
    return Filling(np.array([1]), np.array([text], object))


def seconds(value):
    return number(value, is_time=True)


OBJECTS = {
    "datetime": (datetime.datetime(2020, 1, 1), seconds(NOON_SECONDS), NOON),
    "timestamp": (pd.Timestamp("2020-01-01"), seconds(NOON_SECONDS), pd.Timestamp(NOON)),
    "date": (datetime.date(2020, 1, 1), seconds(NOON_SECONDS), NOON.date()),
    "timedelta": (datetime.timedelta(1), number(2 * DAY), datetime.timedelta(2)),
    "time": (datetime.time(1), number(7200.0), datetime.time(2)),
    "decimal": (decimal.Decimal("1.25"), number(2.126), decimal.Decimal("2.13")),
    "aware": (
        datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC),
        seconds(NOON_SECONDS),
        NOON.replace(tzinfo=datetime.UTC),
    ),
    "number": (1, number(2.5), 2.5),
    "boolean": (True, label("True"), True),
    "bytes": (b"a", label("a"), b"a"),
    "string": ("a", label("a"), "a"),
}


@pytest.mark.parametrize("name", list(OBJECTS))
def test_cells_that_are_objects_are_filled_with_objects_of_their_type(name):
    cell, filling, expected = OBJECTS[name]
    cells = pd.Series([cell, None], dtype=object)
    for filled in (
        fill_gaps(pd.DataFrame({"x": cells}), {0: filling})["x"].tolist(),
        fill_gaps(cells.to_numpy()[:, None], {0: filling})[:, 0].tolist(),
    ):
        assert filled == [cell, expected]
        assert type(filled[1]) is type(expected)


ARROW = {
    "decimal": (
        pa.decimal128(6, 2),
        decimal.Decimal("1.25"),
        number(2.126),
        decimal.Decimal("2.13"),
    ),
    "whole labels": (pa.int64(), 10, label("20"), 20),
    "labels with a point": (pa.float64(), 10.0, label("2.5"), 2.5),
    "date": (pa.date32(), datetime.date(2020, 1, 1), seconds(NOON_SECONDS), NOON.date()),
    "seconds": (pa.timestamp("s"), datetime.datetime(2020, 1, 1), seconds(NOON_SECONDS), NOON),
    "time": (pa.time64("us"), datetime.time(1), number(7200.0), datetime.time(2)),
    "boolean": (pa.bool_(), True, label("True"), True),
    "small": (pa.int8(), 1, number(2.4), 2),
    "single": (pa.float32(), 1.0, number(2.5), 2.5),
    "views": (pa.string_view(), "a", label("b"), "b"),
    "large strings": (pa.large_string(), "a", label("b"), "b"),
}


@pytest.mark.parametrize("name", list(ARROW))
def test_arrow_and_polars_columns_keep_their_type(name):
    kind, cell, filling, expected = ARROW[name]
    table = pa.table({"x": pa.array([cell, None], kind)})
    filled = fill_gaps(table, {0: filling})
    assert filled.schema == table.schema
    assert filled["x"].to_pylist() == [cell, expected]
    frame = pl.from_arrow(table)
    filled = fill_gaps(frame, {0: filling})
    assert filled.schema == frame.schema
    assert filled["x"].to_list() == [cell, expected]


@pytest.mark.parametrize("text", ["b", "c", "new"])
def test_the_levels_of_a_category_keep_their_order(text):
    levels = ["c", "a", "b"]
    frame = pd.DataFrame({"x": pd.Categorical(["a", None], levels, ordered=True)})
    expected = levels if text in levels else [*levels, text]
    filled = fill_gaps(frame, {0: label(text)})["x"]
    assert filled.tolist() == ["a", text]
    assert filled.cat.categories.tolist() == expected
    assert filled.cat.ordered
    table = pa.Table.from_pandas(frame)
    table = pa.concat_tables([table, table])  # two chunks
    filled = fill_gaps(table, {0: label(text)})
    assert filled.schema == table.schema
    assert filled["x"].to_pylist() == ["a", text, "a", None]
    assert filled["x"].chunk(0).dictionary.to_pylist() == expected
    enum = pl.DataFrame({"x": pl.Series(["a", None], dtype=pl.Enum(levels))})
    filled = fill_gaps(enum, {0: label(text)})["x"]
    assert filled.to_list() == ["a", text]
    assert filled.dtype.categories.to_list() == expected


@pytest.mark.parametrize(
    ("series", "text", "expected"),
    [
        (pd.Series([10.0, np.nan]), "20", [10.0, 20.0]),
        (pd.array([10, None], dtype="Int64"), "20", [10, 20]),
        (pd.array([True, None], dtype="boolean"), "False", [True, False]),
        (pd.arrays.SparseArray([10.0, np.nan]), "20", [10.0, 20.0]),
    ],
)
def test_numbers_taken_as_labels_stay_numbers(series, text, expected):
    frame = pd.DataFrame({"x": series})
    filled = fill_gaps(frame, {0: label(text)})["x"]
    assert filled.dtype == frame["x"].dtype
    assert filled.tolist() == expected


ALL = np.array([0, 1])
NOTHING_KNOWN = {
    "label": (Filling(ALL, np.array(["a", "b"], object)), ["a", "b"]),
    "number": (Filling(ALL, np.array([1.5, 2.5])), [1.5, 2.5]),
    "time": (Filling(ALL, np.full(2, NOON_SECONDS), is_time=True), [NOON, NOON]),
}


@pytest.mark.parametrize("name", list(NOTHING_KNOWN))
@pytest.mark.parametrize(
    "make",
    [
        lambda: pd.DataFrame({"x": [None, None]}),
        lambda: pd.DataFrame({"x": [np.nan, np.nan]}),
        lambda: pl.DataFrame({"x": [None, None]}),
        lambda: pa.table({"x": pa.nulls(2)}),
    ],
)
def test_columns_that_say_nothing_of_their_type_get_a_fitting_one(name, make):
    filling, expected = NOTHING_KNOWN[name]
    filled = fill_gaps(make(), {0: filling})
    column = filled["x"].to_pylist() if isinstance(filled, pa.Table) else list(filled["x"])
    assert column == expected
    if isinstance(filled, pd.DataFrame):
        assert filled["x"].dtype.kind == {"label": "O", "number": "f", "time": "M"}[name]


def test_periods_stay_periods():
    frame = pd.DataFrame({"x": pd.PeriodIndex(["2020-01", "NaT"], freq="M")})
    filled = fill_gaps(frame, {0: seconds(pd.Timestamp("2020-03-17").timestamp())})["x"]
    assert filled.dtype == frame["x"].dtype
    assert str(filled[1]) == "2020-03"


def test_arrays_of_numbers_and_times():
    array = np.array([[1.0], [np.nan]], np.float32)
    assert fill_gaps(array, {0: number(2.5)}).dtype == np.float32
    assert fill_gaps(np.full((2, 1), np.nan), {0: label("a")})[1, 0] == "a"
    times = np.array([["2020-01-01"], ["NaT"]], "datetime64[s]")
    filled = fill_gaps(times, {0: seconds(NOON_SECONDS)})
    assert filled.dtype == times.dtype
    assert filled[1, 0] == np.datetime64(NOON)
