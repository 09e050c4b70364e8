"""Rare types of every library: read as what they hold, or refused with the name of the column."""

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bayfold import NaiveBayesClassifier
from bayfold.core.frames import read_table
from bayfold.errors import ColumnTypeError


def cells_of(X):
    """The cells of the first column: numbers, or labels with None where missing."""
    table = read_table(X)
    column = table.columns[0]
    if column.kind == "numeric":
        return column.numbers(0, table.n_rows).tolist()
    indices, labels = column.labels()
    return [None if k < 0 else labels[k] for k in indices]


def frame(column):
    return pd.DataFrame({"a": column})


DAY = datetime.date(2020, 1, 2)
FLAGS = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([0, 1, None], pa.int8()))
CHUNKS = [pa.array([1, 2]).dictionary_encode(), pa.array([2, 3]).dictionary_encode()]
BYTES = [b"a", None, b"\xff"]


@pytest.mark.parametrize(
    ("X", "expected"),
    [
        # pandas
        (frame(pd.Categorical([1, "b", 2.5, True, None])), ["1", "b", "2.5", "1", None]),
        (frame(pd.Categorical(["b", "a"], categories=["z", "b", "a"], ordered=True)), ["b", "a"]),
        (
            frame(pd.Categorical(pd.period_range("2020-01", periods=2, freq="M"))),
            ["2020-01", "2020-02"],
        ),
        (frame(pd.Categorical([DAY, None])), ["2020-01-02", None]),
        (frame(pd.period_range("2020-01", periods=2, freq="M")), [1577836800.0, 1580515200.0]),
        (frame(pd.period_range("2020-01-01", periods=2, freq="D")), [1577836800.0, 1577923200.0]),
        (frame(pd.arrays.SparseArray([True, False])), ["True", "False"]),
        # polars
        (pl.DataFrame({"a": pl.Series(["b", None], dtype=pl.Enum(["z", "b"]))}), ["b", None]),
        (pl.DataFrame({"a": BYTES}), ["a", None, "\\xff"]),
        (pl.DataFrame({"a": [datetime.timedelta(hours=1), None]}), [3600.0, np.nan]),
        # pyarrow
        (pa.table({"a": pa.chunked_array(CHUNKS)}), ["1", "2", "2", "3"]),
        (pa.table({"a": pa.array(BYTES, pa.binary_view())}), ["a", None, "\\xff"]),
        (pa.table({"a": pa.RunEndEncodedArray.from_arrays([2, 3], ["u", None])}), ["u", "u", None]),
        (pa.table({"a": pa.RunEndEncodedArray.from_arrays([1, 3], [1.5, 2.0])}), [1.5, 2.0, 2.0]),
        (pa.table({"a": FLAGS}), ["False", "True", None]),
        (pa.table({"a": pa.array([2**61, None], pa.timestamp("s"))}), [2.0**61, np.nan]),
        (pa.table({"a": pa.array([1500, None], pa.timestamp("ms", "UTC"))}), [1.5, np.nan]),
        (
            pa.table({"a": pa.array([decimal.Decimal("1.5"), None], pa.decimal256(50, 3))}),
            [1.5, np.nan],
        ),
        # NumPy
        (np.array([("u", 1.0), ("v", 2.0)], [("name", "U1"), ("x", float)]), ["u", "v"]),
        (np.array([["a"], [np.nan]], np.dtypes.StringDType(na_object=np.nan)), ["a", None]),
        (np.array([["a"], [None]], np.dtypes.StringDType(na_object=None)), ["a", None]),
        (np.array([[2**63 + 2**20]], np.uint64), [2.0**63 + 2**20]),
        (np.arange(6.0).reshape(3, 2)[::-1, ::-1], [5.0, 3.0, 1.0]),
    ],
)
def test_cells_are_what_the_column_holds(X, expected):
    np.testing.assert_array_equal(cells_of(X), expected)


def test_a_structured_array_has_names():
    X = np.array([("u", 1.0), ("v", 2.0)], [("name", "U1"), ("x", float)])
    model = NaiveBayesClassifier().fit(X, [0, 1])
    assert model.feature_names_in_.tolist() == ["name", "x"]
    assert model.predict(pd.DataFrame({"name": ["v"], "x": [2.0]})).tolist() == [1]


def test_periods_of_another_length_are_the_same_times():
    months, days = (frame(pd.PeriodIndex(["2020-01", "2020-06"], freq=f)) for f in ("M", "D"))
    assert read_table(months).columns[0].is_time
    assert cells_of(months) == cells_of(days)


@pytest.mark.parametrize(
    ("X", "found"),
    [
        (pl.DataFrame({"a": pl.Series([object()], dtype=pl.Object)}), "Object"),
        (frame(pd.Categorical.from_codes([0], pd.Index([("u", 1)], tupleize_cols=False))), "tuple"),
        (np.array([[3]], "m8[M]"), r"timedelta64\[M\]"),
        (frame(pd.interval_range(0, 3)), "interval"),
        (np.array([[(1, 2.0)]], [("u", float), ("v", float)]), "'u'"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(X, found):
    with pytest.raises(ColumnTypeError, match=rf"Column '(a|x0)' holds cells of type .*{found}"):
        read_table(X)


def test_what_arrow_cannot_hold_is_refused_with_what_to_do():
    X = pl.DataFrame({"a": pl.Series([1, 2**70], dtype=pl.Int128)})
    with pytest.raises(TypeError, match=r"`X` must be a table that Arrow can hold\. Got .*Cast"):
        read_table(X)
