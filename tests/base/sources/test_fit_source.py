"""fit_source: roles of columns, what is refused, what is warned about, and what is told on the way."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bayfold import MDLDiscretizer, MTERegressor, NaiveBayesClassifier, NaiveBayesRegressor
from bayfold.core.counts.survey import raw_rows
from bayfold.core.frames.sources import chunk
from bayfold.errors import DataWarning, SourceError
from tests.laws.equal import assert_same
from tests.plain import plain_classifier

RNG = np.random.default_rng(0)
N = 400
Y = RNG.integers(0, 2, N)
ROWS = pa.table(
    {
        "u": RNG.normal(Y, 1.0),
        "v": pa.array([f"v{k}" for k in RNG.integers(0, 4, N) + Y]),
        "w": RNG.integers(1, 3, N),
        "y": Y,
    }
)


@pytest.fixture
def two_passes(monkeypatch):
    monkeypatch.setattr(chunk, "PARTITION_CELLS", 1 << 10)
    monkeypatch.setattr(raw_rows, "ALL_ROWS", 100)


def test_all_other_columns_are_learnt_from():
    model = plain_classifier().fit_source(ROWS, "y", weight="w")
    assert model.feature_names_in_.tolist() == ["u", "v"]
    assert plain_classifier().fit_source(ROWS, "y", columns=["v"]).n_features_in_ == 1


def test_only_the_needed_columns_are_read(two_passes):
    asked = set()

    class Watched:
        names, n_rows, n_bytes = ROWS.column_names, N, None

        def chunks(self, columns, skip=0, plain=()):
            asked.update(columns)
            from bayfold.core.frames.sources import Chunk

            yield Chunk(ROWS.select(list(columns)).slice(skip))

        def text_bytes(self, columns):
            return 0.0

        def identity(self):
            return []

        def check_unchanged(self):
            pass

    model = plain_classifier().fit_source(Watched(), "y", columns=["v"])
    assert asked == {"v", "y"}
    asked.clear()
    plain_classifier(schema=model.schema_).fit_source(Watched(), "y")
    assert asked == {"v", "y"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "z"}, "`target` must name columns of the source ('u', 'v', 'w', 'y'). Got 'z'"),
        ({"target": None}, "`target` must name columns of the source"),
        ({"target": "y", "weight": "y"}, "`target` and `weight` must be different columns"),
        ({"target": "y", "columns": ["u", "y"]}, "`columns` and `target` must be different"),
        ({"target": "y", "columns": []}, "must have a column to learn from"),
        ({"target": "y", "columns": ["q"]}, "`columns` must name columns of the source"),
    ],
)
def test_wrong_roles_are_refused(options, message):
    with pytest.raises(SourceError, match=re.escape(message)):
        plain_classifier().fit_source(ROWS, **options)


def test_a_stream_that_is_read_up_is_noticed(two_passes):
    batches = iter(ROWS.to_batches(max_chunksize=50))
    with pytest.raises(SourceError, match=r"same rows in every pass. Got 350 rows .* and 0"):
        plain_classifier().fit_source(lambda: batches, "y")


@pytest.mark.parametrize(
    ("column", "cells"),
    [("u", RNG.normal(Y, 1.0)), ("v", pa.array([f"v{k}" for k in RNG.integers(0, 4, N) + Y]))],
)
@pytest.mark.parametrize("weight", [None, "w"])
def test_as_many_rows_with_other_cells_are_noticed(column, cells, weight, two_passes):
    other = ROWS.set_column(ROWS.column_names.index(column), column, pa.array(cells))
    given = iter([ROWS, ROWS, other])  # the first is looked at for names and types
    with pytest.raises(SourceError, match=f"other cells of column '{column}' in the second"):
        plain_classifier().fit_source(lambda: [next(given)], "y", weight=weight)


def test_the_same_rows_in_another_order_are_the_same(two_passes):
    turned = ROWS.take(np.arange(N)[::-1])
    given = iter([ROWS, ROWS, turned])
    found = plain_classifier().fit_source(lambda: [next(given)], "y", weight="w")
    assert_same(
        found, plain_classifier().fit_source(ROWS, "y", weight="w"), ROWS.select(["u", "v"])
    )


def test_a_class_that_comes_later_is_noticed(two_passes):
    later = ROWS.set_column(3, "y", pa.array(Y * 3))
    given = iter([ROWS, ROWS, later])
    with pytest.raises(SourceError, match="Got a class that the first pass did not see"):
        plain_classifier().fit_source(lambda: [next(given)], "y")


def test_a_failure_leaves_the_model_as_it_was(two_passes):
    model = plain_classifier().fit_source(ROWS, "y")
    before = model.predict_proba(ROWS.drop(["y"]))
    batches = iter(ROWS.to_batches(max_chunksize=50))
    with pytest.raises(SourceError):
        model.fit_source(lambda: batches, "y")
    np.testing.assert_array_equal(model.predict_proba(ROWS.drop(["y"])), before)


def test_rows_that_do_not_count_are_told_like_those_of_a_table(two_passes):
    holes = ROWS.set_column(3, "y", pa.array(Y, mask=np.arange(N) < 7))
    with pytest.warns(DataWarning, match="7"):
        model = plain_classifier().fit_source(holes, "y")
    assert model.class_count_.sum() == N - 7
    with pytest.warns(DataWarning, match="mean"):
        plain_classifier().fit_source(
            ROWS.set_column(2, "w", pa.array(np.full(N, 50.0))), "y", weight="w"
        )


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("w", -np.ones(N), "negative"),
        ("w", np.zeros(N), "weight"),
        ("u", np.full(N, np.inf), "'u'"),
        ("y", np.zeros(N, int), "class"),
        ("y", np.full(N, np.nan), "at least one known entry"),
        ("y", RNG.normal(size=N), "continuous"),
    ],
)
def test_what_fit_refuses_is_refused(column, values, message, two_passes):
    place = ROWS.column_names.index(column)
    rows = ROWS.set_column(place, column, pa.array(values, from_pandas=True))
    with pytest.raises(ValueError, match=message):
        plain_classifier().fit_source(rows, "y", weight="w")


@pytest.mark.parametrize("all_rows", [100, 20_000])
def test_a_class_without_weight_is_not_there(all_rows, two_passes, monkeypatch):
    monkeypatch.setattr(raw_rows, "ALL_ROWS", all_rows)
    rows = ROWS.set_column(3, "y", pa.array(np.where(np.arange(N) % 50 == 0, 7, Y)))
    rows = rows.set_column(2, "w", pa.array(np.where(np.arange(N) % 50 == 0, 0, 1)))
    assert plain_classifier().fit_source(rows, "y", weight="w").classes_.tolist() == [0, 1]


def test_bins_are_cut_in_two_passes(two_passes):
    model = MDLDiscretizer().fit_source(ROWS, "y", columns=["u", "w"])
    assert model.n_bins_.tolist()[0] > 1
    assert model.transform(ROWS.select(["u", "w"])).shape == (N, 2)
    with pytest.raises(TypeError, match="'v'"):
        MDLDiscretizer().fit_source(ROWS, "y")


def test_few_rows_are_cut_as_in_a_table():
    found = MDLDiscretizer().fit_source(ROWS, "y", columns=["u", "w"])
    whole = MDLDiscretizer().fit(ROWS.select(["u", "w"]), Y)
    assert [e.tolist() for e in found.bin_edges_] == [e.tolist() for e in whole.bin_edges_]


def test_a_schema_of_classes_is_refused_for_numbers(two_passes):
    schema = plain_classifier().fit_source(ROWS, "y", columns=["u", "v"]).schema_
    with pytest.raises(ValueError, match="target"):
        NaiveBayesRegressor(schema=schema).fit_source(ROWS, "w")


def test_an_empty_source_is_refused():
    with pytest.raises(SourceError, match="at least one row"):
        plain_classifier().fit_source(ROWS.slice(0, 0), "y")


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (NaiveBayesClassifier(missing_target="em"), "`missing_target` must be 'drop' for fit_sour"),
        (MTERegressor(missing="em"), '`missing` must be "available"'),
        (NaiveBayesRegressor(bandwidth=-1), "`bandwidth`"),
    ],
)
def test_what_needs_all_rows_is_refused_before_anything_is_read(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit_source("nowhere.parquet", "y")


def test_a_callback_is_told_how_far_it_is(two_passes, tmp_path):
    pq.write_table(ROWS, tmp_path / "a.parquet")
    told = []
    plain_classifier().fit_source(tmp_path / "a.parquet", "y", callback=told.append)
    assert [now.what for now in told] == ["looking"] * 2 + ["counting"] * 2
    last = told[-1]
    assert last.rows == last.n_rows == N
    assert last.bytes == last.n_bytes == (tmp_path / "a.parquet").stat().st_size
    assert last.share == 1.0
    assert last.seconds_left == 0.0
    assert last.rate > 0


def test_nothing_is_printed_where_nobody_looks(capfd, two_passes):
    plain_classifier().fit_source(ROWS, "y")
    assert capfd.readouterr() == ("", "")
