"""The same table from every library gives exactly the same predictions."""

import datetime
import decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tests.plain import plain_classifier

N = 240
RNG = np.random.default_rng(3)
Y = RNG.integers(0, 3, N)


def _holes(values, share=0.15):
    return [None if RNG.random() < share else value for value in values]


COLUMNS = {
    "number": _holes((RNG.normal(size=N) + Y).tolist()),
    "count": _holes((RNG.poisson(3, N) + Y).tolist()),
    "flag": _holes((RNG.random(N) < 0.2 + 0.3 * Y).tolist()),
    "word": _holes([f"w{k}" for k in RNG.integers(0, 5, N) + Y]),
    "time": _holes(
        [
            datetime.datetime(2020, 1, 1) + datetime.timedelta(hours=int(h))
            for h in RNG.integers(0, 9999, N)
        ]
    ),
    "nothing": [None] * N,
}
SCHEMA = pa.schema(
    [
        ("number", pa.float64()),
        ("count", pa.int64()),
        ("flag", pa.bool_()),
        ("word", pa.string()),
        ("time", pa.timestamp("us")),
        ("nothing", pa.null()),
    ]
)
ARROW = pa.table(COLUMNS, schema=SCHEMA)


def _arrow_variant():
    """Other types of the same cells, in several chunks."""
    labels = pa.array(["False", "True", None])  # a null in the dictionary is a missing cell
    flags = [2 if flag is None else int(flag) for flag in COLUMNS["flag"]]
    types = {
        "number": ARROW["number"],
        "count": ARROW["count"].cast(pa.decimal128(22, 2)),
        "flag": pa.DictionaryArray.from_arrays(pa.array(flags, pa.int8()), labels),
        "word": ARROW["word"].cast(pa.large_string()),
        "time": ARROW["time"].cast(pa.timestamp("ns", tz="UTC")),
        "nothing": pa.nulls(N, pa.float32()),
    }
    whole = pa.table(types)
    return pa.concat_tables([whole.slice(0, 100), whole.slice(100)])


def _pandas_objects():
    return pd.DataFrame(
        {name: pd.Series(cells, dtype=object) for name, cells in COLUMNS.items()}
    ).assign(time=pd.to_datetime(pd.Series(COLUMNS["time"])))


def _pandas_nullable():
    return pd.DataFrame(
        {
            "number": pd.array(COLUMNS["number"], dtype="Float64"),
            "count": pd.array(COLUMNS["count"], dtype="Int64"),
            "flag": pd.array(COLUMNS["flag"], dtype="boolean"),
            "word": pd.array(COLUMNS["word"], dtype="string"),
            "time": pd.to_datetime(pd.Series(COLUMNS["time"])).dt.tz_localize("UTC"),
            "nothing": pd.array([None] * N, dtype="Int8"),
        }
    )


def _pandas_plain():
    return pd.DataFrame(
        {
            "number": np.array(COLUMNS["number"], float),
            "count": np.array(COLUMNS["count"], float),
            "flag": pd.Series(COLUMNS["flag"], dtype=object),
            "word": pd.Categorical(
                COLUMNS["word"], categories=["unused", *(f"w{k}" for k in range(9))]
            ),
            "time": np.array(COLUMNS["time"], "datetime64[s]"),
            "nothing": np.full(N, np.nan),
        }
    ).set_index(RNG.permutation(N))


def _polars(word):
    frame = pl.DataFrame(COLUMNS, schema_overrides={"nothing": pl.Null})
    return frame.with_columns(pl.col("word").cast(word))


def _duckdb():
    return duckdb.connect().from_arrow(ARROW)


LIBRARIES = {
    "pyarrow, other types": _arrow_variant,
    "pyarrow, record batch": lambda: ARROW.to_batches()[0],
    "pyarrow, stream": lambda: pa.RecordBatchReader.from_batches(
        SCHEMA, ARROW.to_batches(max_chunksize=70)
    ),
    "pandas, objects": _pandas_objects,
    "pandas, nullable": _pandas_nullable,
    "pandas, plain": _pandas_plain,
    "pandas, arrow": lambda: ARROW.to_pandas(types_mapper=pd.ArrowDtype),
    "polars, strings": lambda: _polars(pl.String),
    "polars, categories": lambda: _polars(pl.Categorical),
    "polars, enum": lambda: _polars(pl.Enum([f"w{k}" for k in range(12)])),
    "polars, rechunked": lambda: pl.concat([_polars(pl.String)[:50], _polars(pl.String)[50:]]),
    "duckdb": _duckdb,
}


@pytest.mark.filterwarnings("ignore:Column 'nothing' without")
@pytest.mark.parametrize("numeric", ["equal_frequency", "equal_width", "gaussian"])
@pytest.mark.parametrize("library", LIBRARIES)
def test_all_libraries_give_the_same_model(library, numeric):
    expected = plain_classifier(numeric=numeric).fit(ARROW, Y)
    model = plain_classifier(numeric=numeric).fit(LIBRARIES[library](), Y)
    assert model.schema_ == expected.schema_
    assert model.feature_names_in_.tolist() == list(COLUMNS)
    answers = expected.predict_proba(ARROW)
    np.testing.assert_array_equal(model.predict_proba(ARROW), answers)
    np.testing.assert_array_equal(expected.predict_proba(LIBRARIES[library]()), answers)
    np.testing.assert_array_equal(
        model.statistics_.sample.hashes, expected.statistics_.sample.hashes
    )


@pytest.mark.filterwarnings("ignore:Column 'x5' without", "ignore:X does not have valid")
@pytest.mark.parametrize(
    "make", [lambda rows: np.array(rows, object), list], ids=["object", "lists"]
)
def test_arrays_of_objects_give_the_same_answers(make):
    seconds = [
        None if t is None else (t - datetime.datetime(1970, 1, 1)).total_seconds()
        for t in COLUMNS["time"]
    ]
    rows = make([list(row) for row in zip(*{**COLUMNS, "time": seconds}.values(), strict=True)])
    names = {name: f"x{j}" for j, name in enumerate(COLUMNS)}
    numbers = ARROW.set_column(4, "time", pa.array(seconds)).rename_columns(list(names.values()))
    expected = plain_classifier().fit(numbers, Y)
    np.testing.assert_array_equal(
        plain_classifier().fit(rows, Y).predict_proba(rows), expected.predict_proba(numbers)
    )


@pytest.mark.parametrize(
    "array",
    [
        np.asfortranarray,
        lambda X: X.astype(np.float32),
        lambda X: X[::-1][::-1],
        lambda X: np.repeat(X, 2, axis=1)[:, ::2],
        lambda X: X.tolist(),
        lambda X: pd.DataFrame(X),
        lambda X: X.astype(">f8"),
        lambda X: np.frombuffer(X.tobytes()).reshape(X.shape),
    ],
    ids=["F", "float32", "reversed", "strided", "list", "pandas", "big-endian", "read-only"],
)
def test_layouts_and_number_types_do_not_matter(array):
    X = RNG.integers(0, 99, (N, 3)) / 4.0  # exact in 32 bits
    expected = plain_classifier(numeric={2: "gaussian"}).fit(X, Y)
    model = plain_classifier(numeric={2: "gaussian"}).fit(array(X), Y)
    np.testing.assert_array_equal(model.predict_proba(array(X)), expected.predict_proba(X))


@pytest.mark.parametrize("dtype", ["U", "S", object, bool])
def test_arrays_of_labels(dtype):
    labels = RNG.integers(0, 2, (N, 2)).astype(bool)
    X = labels if dtype is bool else np.where(labels, "yes", "no").astype(dtype)
    model = plain_classifier().fit(X, Y)
    plain = plain_classifier(categorical_features=[0, 1]).fit(labels.astype(int), Y)
    np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(labels.astype(int)))


def test_decimals_and_times_of_day_are_numbers():
    table = pa.table(
        {
            "price": pa.array(
                [decimal.Decimal("1.25"), None, decimal.Decimal("3.50"), decimal.Decimal("4")]
            ),
            "at": pa.array([datetime.time(1), datetime.time(2), None, datetime.time(4, 30)]),
            "day": pa.array([datetime.date(2020, 1, day) for day in (1, 2, 3, 4)]),
            "lasts": pa.array([datetime.timedelta(minutes=m) for m in (1, 2, 3, 4)]),
        }
    )
    columns = plain_classifier().fit(table, [0, 0, 1, 1]).schema_.columns
    assert [column.values.tolist() for column in columns] == [
        [1.25, 3.5, 4.0],
        [3600.0, 7200.0, 16200.0],
        [1577836800.0 + 86400 * k for k in range(4)],
        [60.0, 120.0, 180.0, 240.0],
    ]
    assert [column.is_time for column in columns] == [False, False, True, False]


def test_more_categories_than_one_byte_tells_apart():
    words = [f"c{k}" for k in RNG.integers(0, 600, 3000)]
    y = RNG.integers(0, 2, 3000)
    number = RNG.normal(size=3000)
    frame = pl.DataFrame({"w": words, "x": number})
    model = plain_classifier().fit(frame, y)
    assert model.schema_.wide.tolist() == [0]
    codes = np.array([int(word[1:]) for word in words])
    plain = plain_classifier(categorical_features=[0]).fit(np.c_[codes, number], y)
    np.testing.assert_array_equal(
        model.predict_proba(frame), plain.predict_proba(np.c_[codes, number])
    )
