"""Names, types and texts that were made to break a statement."""

from __future__ import annotations

import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayfold import NaiveBayesClassifier
from bayfold.errors import ExportError
from bayfold.export.dialects import DIALECTS
from bayfold.export.sql_stages import name_results
from tests.export.engines import KEY, run_duckdb, run_sqlite

pytestmark = pytest.mark.filterwarnings("ignore")
EVIL = 'x"; DROP TABLE victims; --'
Y = np.repeat([0, 1], 20)


def tell(first, second):
    """Two values that tell the classes apart, mostly."""
    return np.array([first] * 17 + [second] * 18 + [first] * 5, object)


def fit(**columns):
    X = pd.DataFrame(columns)
    return NaiveBayesClassifier(calibration=None).fit(X, Y), X


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_no_name_ends_the_statement(dialect):
    model, X = fit(**{EVIL: np.arange(40.0), "b": tell("'; DROP TABLE victims; --", "b")})
    sql = model.to_sql(dialect, table=EVIL, keep=[EVIL])
    quoted = '"' + EVIL.replace('"', '""') + '"'
    connection = (duckdb.connect if dialect == "duckdb" else sqlite3.connect)(":memory:")
    for statement in (
        "CREATE TABLE victims (a INTEGER)",
        f"CREATE TABLE {quoted} ({quoted} DOUBLE, b VARCHAR)",
    ):
        connection.execute(statement)
    connection.executemany(f"INSERT INTO {quoted} VALUES (?, ?)", X.to_numpy().tolist())
    answers = sorted(connection.execute(sql).fetchall())
    np.testing.assert_allclose([a[3] for a in answers], model.predict_proba(X)[:, 1], atol=1e-12)
    assert connection.execute("SELECT count(*) FROM victims").fetchall() == [(0,)]


anything = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12
)


@given(
    st.lists(anything, min_size=3, max_size=3, unique_by=str.casefold),
    st.lists(anything, min_size=2, max_size=4, unique=True),
    st.lists(anything, min_size=2, max_size=2, unique=True),
)
@settings(max_examples=12)
def test_names_categories_and_classes_are_any_text(names, categories, classes):
    rng = np.random.default_rng(0)
    picks = np.array(categories, object)
    X = pd.DataFrame(
        {
            names[0]: picks[(np.arange(40) > 17).astype(int)],
            names[1]: picks[rng.integers(0, len(picks), 40)],
            names[2]: rng.normal(size=40) + (np.arange(40) > 21),
        }
    )
    model = NaiveBayesClassifier(calibration=None).fit(X, np.array(classes, object)[Y])
    key = "key" + "".join(names)  # none of them
    for dialect, run in (("duckdb", run_duckdb), ("sqlite", run_sqlite)):
        answers = run(model.to_sql(dialect, keep=[key]), X.assign(**{key: np.arange(40)}), key=key)
        found = answers.iloc[:, 2:].to_numpy(np.float64)
        np.testing.assert_allclose(found, model.predict_proba(X), atol=1e-12)
        assert answers.iloc[:, 1].tolist() == model.predict(X).tolist()


def test_a_table_can_have_a_schema():
    model, X = fit(a=np.arange(40.0))
    with duckdb.connect() as connection:
        connection.execute('CREATE SCHEMA "my schema"')
        connection.register("frame", X)
        connection.execute('CREATE TABLE "my schema"."my.table" AS SELECT * FROM frame')
        sql = model.to_sql(table=["my schema", "my.table"])
        assert len(connection.execute(sql).fetchall()) == 40


def test_a_column_that_is_not_there_is_an_error():
    """SQLite would take a quoted name that it does not know for a string."""
    model, X = fit(a=np.arange(40.0))
    rows = X.rename(columns={"a": "other"}).assign(**{KEY: 0})
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        run_sqlite(model.to_sql("sqlite", keep=[KEY]), rows)


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_columns_that_differ_in_case_only_are_refused(dialect):
    model, _ = fit(a=np.arange(40.0), A=np.arange(40.0) * 2)
    with pytest.raises(ExportError, match=rf"that {dialect} can tell apart. Got \['a', 'A'\]"):
        model.to_sql(dialect)
    assert "A" in model.to_sql("postgres")


def test_a_zero_character_is_refused():
    model, _ = fit(a=tell("\0", "b"))
    with pytest.raises(ExportError, match="must not have a zero character"):
        model.to_sql("sqlite")


def test_an_unknown_dialect_is_refused():
    model, _ = fit(a=np.arange(40.0))
    with pytest.raises(ValueError, match='`dialect` must be "duckdb", "sqlite" or "postgres"'):
        model.to_sql("oracle")


def test_long_names_stay_different_when_they_are_cut():
    labels = ["ä" * 40 + tail for tail in "ab"]
    names = name_results(DIALECTS["postgres"], labels)
    assert len(set(names)) == 2
    assert all(len(name.encode()) <= 63 for name in names)


def sqlite_cells(model, cells, declared=""):
    """The probability of the second class for each cell of one column."""
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE data (a {declared}, k INTEGER)")
    connection.executemany("INSERT INTO data VALUES (?, ?)", [(c, i) for i, c in enumerate(cells)])
    found = connection.execute(model.to_sql("sqlite", keep=["k"])).fetchall()
    return np.array([row[3] for row in sorted(found)])


@pytest.mark.parametrize("declared", ["", "TEXT", "REAL", "NUMERIC", "INTEGER", "BLOB"])
def test_numbers_kept_as_text_are_numbers(declared):
    model, _ = fit(a=np.arange(40.0))
    cells = ["12", " 12.0 ", "1.2e1", 12, 12.0, "35"]
    expected = model.predict_proba([[12.0]] * 5 + [[35.0]])[:, 1]
    np.testing.assert_allclose(sqlite_cells(model, cells, declared), expected, atol=1e-12)


def test_text_that_is_no_number_is_missing():
    """A cast would make it zero."""
    model, _ = fit(a=np.arange(40.0))
    cells = ["", "abc", "12 apples", "2024-01-01", "null", "[1]", None, b"12"]
    expected = model.predict_proba([[np.nan]] * len(cells))[:, 1]
    np.testing.assert_allclose(sqlite_cells(model, cells), expected, atol=1e-12)


def test_whole_numbers_that_no_float_holds_stay_apart_as_categories():
    model, _ = fit(a=tell(str(2**53), str(2**53 + 1)), b=np.arange(40.0))
    rows = pd.DataFrame({"a": [2**53, 2**53 + 1, 2**53 + 2], "b": [1.0] * 3, KEY: range(3)})
    texts = rows.assign(a=rows["a"].astype(str)).drop(columns=KEY)
    expected = model.predict_proba(texts)[:, 1]
    assert len(set(expected)) == 3
    for dialect, run in (("duckdb", run_duckdb), ("sqlite", run_sqlite)):
        found = run(model.to_sql(dialect, keep=[KEY]), rows)["probability_1"]
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_whole_numbers_beyond_floats_are_rounded_as_in_python():
    model, _ = fit(a=2**53 + np.arange(40))
    cells = [2**53 + 1, 2**53 + 3, 2**63 - 1]
    expected = model.predict_proba(np.array(cells, np.int64)[:, None])[:, 1]
    np.testing.assert_allclose(sqlite_cells(model, cells), expected, atol=1e-12)


def test_the_collation_of_a_column_does_not_count():
    model, _ = fit(a=tell("p", "Q"), b=np.arange(40.0))
    columns = "k INTEGER, b DOUBLE, a VARCHAR COLLATE NOCASE"
    expected = model.predict_proba(pd.DataFrame({"a": ["p", "P", "q", "Q"], "b": [3.0] * 4}))[:, 1]
    assert len(set(expected)) == 3
    for dialect, connect in (("duckdb", duckdb.connect), ("sqlite", sqlite3.connect)):
        connection = connect(":memory:")
        connection.execute(f"CREATE TABLE data ({columns})")
        connection.execute("INSERT INTO data VALUES (0,3,'p'), (1,3,'P'), (2,3,'q'), (3,3,'Q')")
        found = sorted(connection.execute(model.to_sql(dialect, keep=["k"])).fetchall())
        np.testing.assert_allclose([row[3] for row in found], expected, atol=1e-12)


WHEN = pd.to_datetime(
    ["1969-12-31 23:59:59.999999", "2024-03-31 02:30:00.9996", "2024-02-29"], format="ISO8601"
)


def fit_times():
    start = np.datetime64("2024-03-31T02:30:00")
    times = start + np.arange(-20, 20) * np.timedelta64(100, "ms")
    model = NaiveBayesClassifier(numeric="kernel", calibration=None)
    return model.fit(pd.DataFrame({"a": times}), Y)


def test_times_in_sqlite_are_text_or_seconds():
    model = fit_times()
    expected = model.predict_proba(pd.DataFrame({"a": WHEN}))[:, 1]
    seconds = [t.timestamp() for t in WHEN.tz_localize("UTC")]
    with_t = [t.isoformat() for t in WHEN]
    zoned = [t.isoformat() for t in WHEN.tz_localize("UTC").tz_convert("Asia/Tokyo")]
    marked = [f"{t}Z" for t in with_t]
    for cells in (seconds, with_t, zoned, marked, [str(t) for t in WHEN]):
        np.testing.assert_allclose(sqlite_cells(model, cells), expected, atol=1e-9)


def test_times_in_duckdb_have_any_type_and_zone():
    model = fit_times()
    rows = pd.DataFrame({"a": WHEN, KEY: range(3)})
    expected = model.predict_proba(rows[["a"]])[:, 1]
    sql = model.to_sql(keep=[KEY])
    with duckdb.connect() as connection:
        for kind in ("TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "TIMESTAMP_MS", "TIMESTAMP_NS"):
            connection.execute("SET timezone = 'America/New_York'")
            zone = " AT TIME ZONE 'UTC'" if "ZONE" in kind else ""
            connection.register("frame", rows)
            connection.execute(
                f'CREATE OR REPLACE TABLE data AS SELECT CAST(a{zone} AS {kind}) AS a, "{KEY}" FROM frame'
            )
            found = connection.execute(sql).df().sort_values(KEY)["probability_1"]
            few_digits = 1e-2 if kind == "TIMESTAMP_MS" else 1e-9
            np.testing.assert_allclose(found, expected, atol=few_digits)
