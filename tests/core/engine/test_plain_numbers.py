"""A matrix of numbers without weights takes a way of its own; its statistics are those of weights of one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from bayfold.core.counts import LabelledRows
from bayfold.core.engine import reduce
from bayfold.core.engine.learn import learn_statistics
from bayfold.core.engine.plain_columns import PlainNumbers
from bayfold.core.frames import read_table
from bayfold.core.schema import infer_schema
from bayfold.core.schema.infer import ALL_ROWS

SAMPLE_SIZE = 50


@pytest.fixture(autouse=True)
def small_sample(monkeypatch):
    monkeypatch.setattr(reduce, "SAMPLE_SIZE", SAMPLE_SIZE)


def draw_matrix(n_rows):
    """Normal, skewed, rare, constant and missing numbers, and all rows from some on once more."""
    rng = np.random.default_rng(n_rows)
    X = rng.normal(size=(n_rows, 5))
    X[:, 1] = rng.random(n_rows) < 0.01
    X[:, 2] = 7.0
    X[:, 3] = np.round(np.exp(X[:, 3]), 1)
    X[rng.random(X.shape) < 0.05] = np.nan
    X[n_rows // 2 :] = X[: n_rows - n_rows // 2]
    return X


LAYOUTS = {
    "rows": lambda X: X,
    "columns": np.asfortranarray,
    "read-only": lambda X: np.frombuffer(X.tobytes()).reshape(X.shape),
    "every second column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "backwards": lambda X: X[::-1],
    "four bytes": lambda X: X.astype(np.float32),
}


def learn(matrix, weights=None, n_threads=1, schema=None):
    groups = np.array(["a", "b", "c"])
    group_of = (np.arange(len(matrix)) % 7 % 3).astype(np.int32)
    rows = LabelledRows(read_table(matrix), groups, group_of, weights)
    schema = schema or infer_schema(rows.table)
    return learn_statistics(rows, schema, n_threads=n_threads)


def assert_same(found, expected):
    for name in ("totals", "minimum", "maximum"):
        np.testing.assert_array_equal(getattr(found.counts, name), getattr(expected.counts, name))
    for mine, theirs in zip(found.counts.tables, expected.counts.tables, strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)
    for name in ("hashes", "narrow", "wide", "group_of", "weights", "numbers"):
        mine, theirs = getattr(found.sample, name), getattr(expected.sample, name)
        assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
        np.testing.assert_array_equal(mine, theirs, err_msg=name)
    assert found.sample.threshold == expected.sample.threshold


def count_calls(monkeypatch):
    """How many segments are reduced so from now on."""
    calls, new_counter = [], PlainNumbers.new_counter
    monkeypatch.setattr(
        PlainNumbers, "new_counter", lambda self, n: calls.append(n) or new_counter(self, n)
    )
    return calls


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_any_layout_gives_the_statistics_of_weights_of_one(layout, monkeypatch):
    X, calls = layout(draw_matrix(ALL_ROWS + 1)), count_calls(monkeypatch)
    expected = learn(X, np.ones(len(X)))
    assert not calls
    assert_same(learn(X), expected)
    assert_same(learn(X, n_threads=2), expected)
    assert calls


@pytest.mark.parametrize("n_rows", [62, 63, 64, 1000])
def test_tables_about_as_large_as_the_sample(n_rows):
    X = draw_matrix(n_rows)
    assert_same(learn(X), learn(X, np.ones(n_rows)))


def test_far_fewer_distinct_rows_than_the_sample_wants():
    X = np.tile(draw_matrix(20), (60, 1))
    statistics = learn(X)
    assert_same(statistics, learn(X, np.ones(len(X))))
    assert statistics.counts.n_rows == statistics.sample.weights.sum() == len(X)


def test_values_that_a_schema_has_learnt_later_are_hashed_by_what_they_are(monkeypatch):
    """Such a column's words are no multiples: the other way is taken."""
    first, calls = np.tile(np.arange(4.0), 500)[:, None], count_calls(monkeypatch)
    schema, later = infer_schema(read_table(first)), np.append(first, [[9.5]], axis=0)
    assert_same(learn(later, schema=schema), learn(later, np.ones(len(later)), schema=schema))
    assert not calls


@pytest.mark.parametrize("n_threads", [1, 2])
def test_infinite_cells_are_refused_by_name(n_threads):
    X = draw_matrix(ALL_ROWS + 1)
    X[-3, 3] = -np.inf
    with pytest.raises(ValueError, match="x3"):
        learn(X, n_threads=n_threads)


def test_columns_whose_edges_crowd_take_the_other_way(monkeypatch):
    rng, calls = np.random.default_rng(0), count_calls(monkeypatch)
    X = np.exp(8 * rng.normal(size=(ALL_ROWS + 1, 2)))
    assert_same(learn(X), learn(X, np.ones(len(X))))
    assert not calls


def test_rows_of_no_group_are_left_out_before():
    X = draw_matrix(500)
    rows = LabelledRows(read_table(X), np.array([0, 1]), np.arange(500, dtype=np.int32) % 3 - 1)
    known = rows.labelled()
    schema = infer_schema(known.table)
    expected = learn_statistics(replace(known, weights=np.ones(known.n_rows)), schema)
    assert_same(learn_statistics(known, schema), expected)


def test_columns_of_one_byte_and_of_two_are_counted_as_weights_of_one_are():
    """Numbers and labels in columns of their own, one column with more categories than a byte has codes."""
    rng = np.random.default_rng(5)
    n_rows = ALL_ROWS + 1
    frame = pd.DataFrame(
        {
            "few": rng.choice(["a", "b", None], n_rows),
            "x": rng.normal(size=n_rows),
            "many": np.char.add("c", rng.integers(0, 400, n_rows).astype(str)),
        }
    )
    expected = learn(frame, np.ones(n_rows))
    assert len(expected.counts.schema.wide) == 1
    assert_same(learn(frame), expected)
