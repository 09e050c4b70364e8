"""The rules of inference, one test or more for each, over every library where it applies."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bayfold.core.frames import read_table
from bayfold.core.kernels.encode import FIRST_BIN, MISSING, NARROW_BINS
from bayfold.core.schema import Coder, NominalColumn, NumericColumn, edges, infer, infer_schema

D = decimal.Decimal


def describe(X, **options):
    return infer_schema(read_table(X), **options).columns[0]


def as_numpy(cells):
    return np.array(cells)[:, None]


def as_objects(cells):
    array = np.empty((len(cells), 1), object)
    array[:, 0] = cells
    return array


def as_pandas(cells):
    return pd.DataFrame({"x0": cells})


def as_polars(cells):
    return pl.DataFrame({"x0": cells})


def as_arrow(cells):
    return pa.table({"x0": cells})


ALL = [as_numpy, as_objects, as_pandas, as_polars, as_arrow]
WITH_MISSING = [as_objects, as_pandas, as_polars, as_arrow]


# Integers, floats, decimals, nullable numbers, and object columns of numbers only: numeric


@pytest.mark.parametrize("build", ALL)
@pytest.mark.parametrize("cells", [[3, 1, 2, 1], [3.0, 1.0, 2.0, 1.0]])
def test_numbers_are_numeric(build, cells):
    column = describe(build(cells))
    assert isinstance(column, NumericColumn)
    assert column.values.tolist() == [1.0, 2.0, 3.0]
    assert column.edges.tolist() == [1.5, 2.5]
    assert not column.is_time


@pytest.mark.parametrize("build", WITH_MISSING)
@pytest.mark.parametrize("cells", [[3, None, 1], [3.0, None, 1.0], [D("3"), None, D("1.0")]])
def test_numbers_with_missing_cells_are_numeric(build, cells):
    column = describe(build(cells))
    assert isinstance(column, NumericColumn)
    assert column.values.tolist() == [1.0, 3.0]


@pytest.mark.parametrize(
    "dtype", ["Int8", "UInt32", "Int64", "Float32", "Float64", "int64[pyarrow]"]
)
def test_nullable_pandas_numbers_are_numeric(dtype):
    column = describe(pd.DataFrame({"x0": pd.array([3, None, 1], dtype=dtype)}))
    assert isinstance(column, NumericColumn)
    assert column.values.tolist() == [1.0, 3.0]


def test_an_object_column_of_numbers_only_is_numeric():
    cells = [1, 2.5, D("4"), np.float32(8), None, float("nan"), pd.NA]
    column = describe(pd.DataFrame({"x0": pd.Series(cells, dtype=object)}))
    assert column.values.tolist() == [1.0, 2.5, 4.0, 8.0]


@pytest.mark.parametrize("build", ALL)
def test_small_whole_numbers_are_labels_only_on_request(build):
    assert describe(build([0, 1, 0])).kind == "numeric"
    asked = describe(build([0, 1, 0]), nominal=frozenset([0]))
    assert asked.categories == ("0", "1")


# Timestamps and dates: numeric, seconds since 1970; durations and times of day: numeric, seconds

TIMES = np.array(["1970-01-01T00:01:00", "1969-12-31T23:59:59", "2024-02-29T12:00:00"], "M8[s]")
SECONDS = [-1.0, 60.0, 1709208000.0]


def time_frames():
    yield "NumPy", TIMES[:, None]
    for unit in ("s", "ms", "us", "ns"):
        yield f"NumPy {unit}", TIMES.astype(f"M8[{unit}]")[:, None]
        yield f"pandas {unit}", pd.DataFrame({"x0": TIMES.astype(f"M8[{unit}]")})
        yield f"arrow {unit}", pa.table({"x0": pa.array(TIMES.astype(f"M8[{unit}]"))})
    zoned = pd.Series(TIMES).dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")
    yield "pandas with zone", pd.DataFrame({"x0": zoned})
    yield "polars", pl.DataFrame({"x0": TIMES.astype("M8[us]")})


TIME_FRAMES = dict(time_frames())


@pytest.mark.parametrize("source", TIME_FRAMES)
def test_timestamps_are_seconds_since_1970(source):
    column = describe(TIME_FRAMES[source])
    assert isinstance(column, NumericColumn)
    assert column.is_time
    assert column.values.tolist() == SECONDS


def test_timestamps_may_be_finer_than_microseconds():
    fine = np.array([1, 500_000_001], "M8[ns]")
    for frame in (pd.DataFrame({"x0": fine}), pa.table({"x0": fine})):
        np.testing.assert_allclose(describe(frame).values, [0.0, 0.5], atol=1e-6)


@pytest.mark.parametrize("build", [as_polars, as_arrow])
def test_dates_are_seconds_since_1970(build):
    column = describe(build([datetime.date(1970, 1, 2), None, datetime.date(1969, 12, 31)]))
    assert column.is_time
    assert column.values.tolist() == [-86400.0, 86400.0]


@pytest.mark.parametrize("build", [as_numpy, as_pandas, as_polars, as_arrow])
def test_durations_are_seconds(build):
    column = describe(build(np.array([90_000, 1_500], "m8[ms]")))
    assert isinstance(column, NumericColumn)
    assert not column.is_time
    assert column.values.tolist() == [1.5, 90.0]


@pytest.mark.parametrize("build", [as_polars, as_arrow])
def test_times_of_day_are_seconds(build):
    column = describe(build([datetime.time(1, 0, 0, 500_000), None, datetime.time(0, 0, 2)]))
    assert isinstance(column, NumericColumn)
    assert not column.is_time
    assert column.values.tolist() == [2.0, 3600.5]


# Strings, categories, booleans, and object columns that mix strings, booleans and numbers: nominal


@pytest.mark.parametrize("build", ALL)
@pytest.mark.parametrize(
    ("cells", "categories"),
    [
        (["b", "a", "b"], ("a", "b")),
        (["10", "9"], ("10", "9")),  # text that looks like numbers stays text
        ([True, False, True], ("False", "True")),
        ([True, True], ("True",)),
    ],
)
def test_strings_and_booleans_are_nominal(build, cells, categories):
    column = describe(build(cells))
    assert isinstance(column, NominalColumn)
    assert column.categories == categories
    assert not column.has_other


@pytest.mark.parametrize("build", WITH_MISSING)
@pytest.mark.parametrize("cells", [["b", None, "a"], [True, None, False]])
def test_missing_labels_are_no_category(build, cells):
    column = describe(build(cells))
    assert column.categories == tuple(sorted(str(cell) for cell in cells if cell is not None))


def test_categories_are_nominal_whatever_they_hold():
    assert describe(pd.DataFrame({"x0": pd.Categorical([2, 1, 2])})).categories == ("1", "2")
    assert describe(as_polars(pl.Series(["b", "a"], dtype=pl.Categorical))).categories == ("a", "b")
    encoded = pa.array(["b", "a", None]).dictionary_encode()
    assert describe(pa.table({"x0": encoded})).categories == ("a", "b")


def test_categories_that_do_not_occur_are_left_out():
    cells = pd.Categorical(["a", "a"], categories=["a", "never"])
    assert describe(pd.DataFrame({"x0": cells})).categories == ("a",)


@pytest.mark.parametrize("build", [as_objects, as_pandas])
def test_mixed_objects_are_nominal_by_their_text(build):
    column = describe(build(["a", True, 1, 1.0, 2.5, None]))
    assert column.categories == ("1", "2.5", "True", "a")


# A column without a single known cell: numeric with one bin, which never gives evidence


@pytest.mark.parametrize(
    "frame",
    [
        np.full((3, 1), np.nan),
        as_objects([None, None]),
        as_pandas([None, None]),
        as_pandas([np.nan, np.nan]),
        pd.DataFrame({"x0": pd.array([None, None], dtype="Int64")}),
        as_polars([None, None]),
        as_arrow([None, None]),
        pa.table({"x0": pa.array([None], pa.float64())}),
    ],
)
def test_a_column_of_nothing_is_numeric_with_one_bin(frame):
    column = describe(frame)
    assert isinstance(column, NumericColumn)
    assert column.n_bins == 1
    assert column.is_empty


# Categories are all that occur; beyond the cap the most frequent keep a bin, the others share one


def codes_of(schema, cells):
    block = Coder(schema).open(read_table(as_arrow(cells)), warn_unseen=False).block(0, len(cells))
    return block.narrow[:, 0].tolist()


def test_beyond_the_cap_the_most_frequent_keep_their_bin():
    cells = ["rare", "z", "z", "z", "a", "a", None, "odd"]
    schema = infer_schema(read_table(as_arrow(cells)), max_categories=2)
    column = schema.columns[0]
    assert column.categories == ("a", "z")
    assert column.has_other
    a, z, other = FIRST_BIN, FIRST_BIN + 1, FIRST_BIN + 2
    assert codes_of(schema, cells) == [other, z, z, z, a, a, MISSING, other]
    assert codes_of(schema, ["never seen"]) == [other]


def test_frequency_is_weight_and_ties_are_broken_by_name():
    table = read_table(as_arrow(["a", "b", "c", "d"]))
    assert infer_schema(table, max_categories=2).columns[0].categories == ("a", "b")
    weighted = infer_schema(table, np.array([1.0, 1.0, 5.0, 1.0]), max_categories=2)
    assert weighted.columns[0].categories == ("a", "c")


def test_as_many_categories_as_the_cap_need_no_other():
    column = infer_schema(read_table(as_arrow(["b", "a"])), max_categories=2).columns[0]
    assert column.categories == ("a", "b")
    assert not column.has_other


# Fine bins of a numeric column come from a sample of a long table


@pytest.mark.parametrize("n_rows", [20_001, 25_000, 39_999, 123_457])
def test_the_sample_takes_one_row_of_every_strip(n_rows):
    rows = edges.choose_rows(n_rows, 20_000)
    assert len(rows) == 20_000
    assert (np.diff(rows) > 0).all()
    assert rows[0] >= 0
    assert rows[-1] < n_rows
    strip = n_rows / 20_000
    assert (np.abs(rows - strip * np.arange(20_000)) <= strip + 1).all()


def test_a_small_table_is_its_own_sample():
    assert len(edges.choose_rows(20_000, 20_000)) == 20_000


@pytest.fixture
def small_sample(monkeypatch):
    monkeypatch.setattr(infer, "ALL_ROWS", 1000)
    monkeypatch.setattr(infer, "SAMPLE_ROWS", 600)


@pytest.mark.usefixtures("small_sample")
@pytest.mark.parametrize("weighted", [False, True])
def test_edges_are_those_of_the_sampled_rows(weighted):
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(3000, 2))
    weights = rng.integers(1, 4, 3000).astype(float) if weighted else None
    rows = edges.draw_by_content(read_table(matrix), weights, 600)
    sampled = infer_schema(read_table(matrix[rows]), None if weights is None else weights[rows])
    assert infer_schema(read_table(matrix), weights) == sampled


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["different rows", "some equal rows", "few different rows"])
@pytest.mark.usefixtures("small_sample")
def test_neither_the_order_of_rows_nor_that_of_columns_moves_an_edge(kind, weighted):
    rng = np.random.default_rng(3)
    matrix = rng.normal(size=(3000, 3))
    if kind == "some equal rows":
        matrix[rng.random(3000) < 0.4] = 0.0
    if kind == "few different rows":
        matrix = matrix[rng.integers(0, 700, 3000)]
    weights = rng.integers(1, 4, 3000).astype(float) if weighted else None
    expected = infer_schema(read_table(matrix), weights).columns
    rows = rng.permutation(3000)
    other = matrix[rows][:, ::-1]
    found = infer_schema(read_table(other), None if weights is None else weights[rows]).columns
    for column, same in zip(expected, found[::-1], strict=True):
        np.testing.assert_array_equal(column.edges, same.edges)
        np.testing.assert_allclose(column.shift, same.shift, atol=1e-12)


@pytest.mark.parametrize("share", [0.01, 0.3, 0.9])
def test_rows_that_are_often_equal_have_their_share_of_the_sample(share):
    rng = np.random.default_rng(4)
    matrix = rng.normal(size=(50_000, 2))
    matrix[rng.random(50_000) < share] = 0.0
    rows = edges.draw_by_content(read_table(matrix), None, 10_000)
    assert abs(len(rows) - 10_000) <= 300
    is_equal = (matrix == 0).all(axis=1)
    # rows with a small hash are drawn while those that are equal are too few to be noticed
    assert abs(is_equal[rows].mean() - is_equal.mean()) <= (0.001 if share > 0.1 else 0.03)


@pytest.mark.usefixtures("small_sample")
@pytest.mark.parametrize("weighted", [False, True])
def test_equal_width_sees_the_range_of_all_rows_in_every_column(weighted):
    rng = np.random.default_rng(1)
    matrix = rng.normal(size=(3000, 3))
    matrix[5] = [100.0, -100.0, 100.0]  # a row the sample would hardly contain
    matrix[7, 1] = np.nan
    weights = np.ones(3000) if weighted else None
    schema = infer_schema(read_table(matrix), weights, width_bins={0: 10, 1: 10})
    for column in schema.columns[:2]:
        assert np.abs(column.edges).max() > 40.0, "the far value must have a bin of its own"
        assert column.n_bins <= NARROW_BINS
    plain = infer_schema(read_table(matrix), weights)
    assert schema.columns[2] == plain.columns[2]


def test_a_numeric_column_has_no_more_bins_than_asked_for():
    values = np.arange(100.0)
    column = infer_schema(read_table(values[:, None]), max_bins=32).columns[0]
    assert column.n_bins == 32
    assert column.values is None
    own = infer_schema(read_table(values[:32, None]), max_bins=32).columns[0]
    assert own.values.tolist() == values[:32].tolist()
