"""Law 5 and faults on Spark: needs the extra ``spark`` and Java; about a minute, most of it Spark's own start.

pytest -m spark tests/base/sources/test_spark.py
"""

from __future__ import annotations

import os
import shutil
import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bayfold import (
    AdaBoostNaiveBayesClassifier,
    BoostedNaiveBayesClassifier,
    NaiveBayesClassifier,
    NaiveBayesRegressor,
    NaiveBayesTreeClassifier,
)
from bayfold.base.sources.fit import SourceFit, SourceOptions
from bayfold.errors import DataWarning
from tests.laws.equal import assert_same
from tests.laws.test_law_5_sources import draw_rows
from tests.plain import plain_classifier

pytest.importorskip("pyspark", reason="pyspark is not installed: pip install bayfold[spark]")

HAS_JAVA = shutil.which("java") is not None or "JAVA_HOME" in os.environ
pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(not HAS_JAVA, reason="Spark needs Java, which is not installed"),
    pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning"),
]

N_ROWS = 25_000
"""More than are learnt in memory: workers are other processes, which know nothing of what a test sets."""

COLUMNS = ["amount", "age", "place", "flag", "when"]
ROWS = draw_rows(N_ROWS).drop(["nothing"])
X = ROWS.select(COLUMNS).slice(0, 500)


@pytest.fixture(scope="module")
def spark():
    """Two threads, and a task may fail twice."""
    from pyspark.sql import SparkSession

    options = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "1g",
        "spark.sql.session.timeZone": "UTC",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
    }
    builder = SparkSession.builder.master("local[2,3]")
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    pq.write_table(ROWS, path, row_group_size=4000)
    return str(path)


@pytest.fixture(scope="module")
def here(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return NaiveBayesClassifier().fit_source(path, "y", weight="w", columns=COLUMNS)


@pytest.mark.parametrize("n_partitions", [2, 10])
def test_no_cut_and_no_order_changes_the_model(n_partitions, spark, path, here):
    """Ten partitions are more than one task adds."""
    frame = spark.read.parquet(path).repartition(n_partitions)  # this shuffles the rows, too
    found = NaiveBayesClassifier().fit_source(frame, "y", weight="w", columns=COLUMNS)
    assert_same(found, here, X)


def test_a_numeric_target(spark, path):
    frame = spark.read.parquet(path).repartition(2)
    model = NaiveBayesRegressor(calibration=None)
    found, known = (model.fit_source(s, "z", columns=COLUMNS) for s in (frame, path))
    assert_same(found, known, X, exact=False)


def test_a_task_that_fails_is_repeated(spark, path, here, tmp_path):
    """The third partition fails the first time it is asked for, after half of its rows."""
    folder = str(tmp_path)

    def fail_once(batches):
        from pyspark import TaskContext

        place = TaskContext.get().partitionId()
        for number, batch in enumerate(batches):
            marker = os.path.join(folder, "failed")
            if place == 2 and number == 1 and not os.path.exists(marker):
                open(marker, "w").close()
                os._exit(1)  # the worker is gone
            yield batch

    rows = spark.read.parquet(path).repartition(3)
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "1000")
    frame = rows.mapInArrow(fail_once, rows.schema)
    found = NaiveBayesClassifier().fit_source(frame, "y", weight="w", columns=COLUMNS)
    assert os.listdir(folder) == ["failed"]
    assert_same(found, here, X)


def test_what_is_wrong_with_rows_is_said_as_elsewhere(spark):
    frame = spark.createDataFrame(
        [(1.5, 0.0), (float("inf"), 1.0), (2.5, 1.0)], "`a.b` double, y double"
    )
    with pytest.raises(ValueError, match=r"a\.b"):
        plain_classifier().fit_source(frame, "y")
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        plain_classifier().fit_source(frame.selectExpr("1 as x", "y + 0.25 as y"), "y")


def test_types_and_order_of_a_small_table(spark, tmp_path):
    frame = spark.sql(
        "select id, cast(id % 3 as string) s, date_add(date'2024-01-01', int(id % 9)) d, id % 2 = 0 b, "
        "cast(id % 7 as decimal(5, 2)) n, if(id % 4 = 0, null, id % 5) h, void v, id % 2 y "
        "from range(0, 300, 1, 3) lateral view explode(array(null)) as void"
    )
    table = pa.table(
        {
            "id": np.arange(300),
            "s": [str(k % 3) for k in range(300)],
            "y": np.arange(300) % 2,
        }
    )
    columns = ["id", "s"]
    found = plain_classifier().fit_source(frame, "y", columns=columns)
    assert_same(
        found, plain_classifier().fit(table.select(columns), table["y"]), table.select(columns)
    )
    every = plain_classifier().fit_source(frame, "y")
    kinds = {c.name: type(c).__name__ for c in every.schema_.columns}
    assert kinds["s"] == kinds["b"] == "NominalColumn"
    assert kinds["d"] == kinds["n"] == kinds["h"] == kinds["v"] == "NumericColumn"
    found.predict_source(frame, tmp_path / "out.parquet", keep=["id"])
    assert pq.read_table(tmp_path / "out.parquet")["id"].to_pylist() == list(range(300))
    found.predict_source(frame, tmp_path / "out", keep=["id"])  # written by the workers
    assert pq.read_table(tmp_path / "out").equals(pq.read_table(tmp_path / "out.parquet"))


@pytest.mark.parametrize(
    "model",
    [
        NaiveBayesTreeClassifier(2),
        AdaBoostNaiveBayesClassifier(n_rounds=2, restarts=False, calibration=None),
        AdaBoostNaiveBayesClassifier(method="real", n_rounds=2),
        BoostedNaiveBayesClassifier(n_rounds=20, n_models=2),
    ],
    ids=["tree", "m1", "real", "boosted"],
)
def test_rows_that_stay_give_the_model_of_one_worker(model, spark, path):
    one = type(model)(**model.get_params(deep=False))
    roles = {"target": "y", "weight": "w", "columns": COLUMNS}
    one._fit_kept(SourceFit(one, path, options=SourceOptions(progress=False), **roles))
    frame = spark.read.parquet(path).repartition(3)  # this shuffles the rows, too
    model.fit_source(frame, "y", weight="w", columns=COLUMNS)
    assert model.schema_ == one.schema_
    np.testing.assert_array_equal(model.predict_proba(X), one.predict_proba(X))
    assert not spark.sparkContext._jsc.getPersistentRDDs().size()
