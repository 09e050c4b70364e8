"""Law 5 on Dask: partitions of any size in any order, on any workers, are the model of the same rows from files."""

from __future__ import annotations

import warnings

import dask
import dask.dataframe as dd
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from distributed import Client, LocalCluster

from bayfold import NaiveBayesClassifier, NaiveBayesImputer
from bayfold.core.counts.survey import raw_rows
from bayfold.core.frames.sources import chunk
from bayfold.errors import DataWarning
from tests.laws.equal import assert_same
from tests.laws.test_law_5_sources import CASES, N_ROWS, ROWS, fit_source

COLUMNS = ["amount", "age", "place", "flag", "when"]
X = ROWS.select(COLUMNS)
FRAME = ROWS.drop(["nothing"]).to_pandas()


@pytest.fixture(autouse=True)
def many_partitions(monkeypatch):
    monkeypatch.setattr(chunk, "PARTITION_CELLS", 1 << 11)
    monkeypatch.setattr(raw_rows, "ALL_ROWS", 400)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        yield


@pytest.fixture(scope="module")
def client():
    """Two workers in threads of this process: they see what a test sets."""
    options = {"processes": False, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(n_workers=2, **options) as cluster, Client(cluster) as client:
        yield client


def fit(model, source, target, **options):
    return fit_source(model, source, target, columns=COLUMNS, **options)


@CASES
def test_no_cut_changes_the_model(model, target, client, tmp_path):
    exact = target == "y"  # sums of the target itself are rounded
    pq.write_table(ROWS, tmp_path / "rows.parquet", row_group_size=350)
    here = fit(model, tmp_path / "rows.parquet", target)
    files = fit(model, tmp_path / "rows.parquet", target, engine=client)
    assert_same(files, here, X)
    for n_partitions in (2, 7):
        frame = dd.from_pandas(FRAME, npartitions=n_partitions)
        assert_same(fit(model, frame, target), here, X, exact=exact)


@CASES
def test_few_rows_are_learnt_like_a_table(model, target, client, monkeypatch):
    monkeypatch.setattr(raw_rows, "ALL_ROWS", 20_000)
    frame = dd.from_pandas(FRAME, npartitions=4)
    found = fit(model, frame, target)
    assert_same(found, fit(model, ROWS, target), X)


def test_neither_order_nor_workers_nor_weights_change_the_model(client):
    model, _ = CASES.args[1][0]
    here = fit(model, ROWS, "y", weight="w")
    order = np.random.default_rng(0).permutation(N_ROWS)
    shuffled = dd.from_pandas(FRAME.iloc[order].reset_index(drop=True), npartitions=5)
    assert_same(fit(model, shuffled, "y", weight="w"), here, X)
    repeated = FRAME.loc[FRAME.index.repeat(FRAME["w"])].reset_index(drop=True)
    assert_same(fit(model, dd.from_pandas(repeated, npartitions=3), "y"), here, X)


def test_under_one_schema_memory_and_dask_count_the_same(client):
    model, _ = CASES.args[1][0]
    schema = fit(model, ROWS, "y").schema_
    rows = ROWS.select([*COLUMNS, "y"])
    given = type(model)(schema=schema)
    in_memory = given.fit(rows.select(COLUMNS), rows["y"])
    frame = dd.from_pandas(FRAME, npartitions=6)
    assert_same(fit(type(model)(schema=schema), frame, "y"), in_memory, X)


def test_fractions_are_the_same_in_files_and_agree_to_12_digits_in_frames(client, tmp_path):
    """Files are added in the tree of threads. The partitions of a frame are other sums, rounded otherwise."""
    model = NaiveBayesClassifier(numeric="gaussian")
    weights = np.random.default_rng(1).random(N_ROWS)
    rows = ROWS.set_column(ROWS.column_names.index("w"), "w", pa.array(weights))
    pq.write_table(rows, tmp_path / "rows.parquet", row_group_size=350)
    here = fit(model, rows, "y", weight="w")
    assert_same(fit(model, tmp_path / "rows.parquet", "y", weight="w", engine=client), here, X)
    frame = dd.from_pandas(FRAME.assign(w=weights), npartitions=5)
    assert_same(fit(model, frame, "y", weight="w"), here, X, exact=False)


def test_gaps_are_filled_alike(client):
    here = NaiveBayesImputer().fit_source(ROWS, columns=COLUMNS)
    there = NaiveBayesImputer().fit_source(dd.from_pandas(FRAME, npartitions=3), columns=COLUMNS)
    for name in COLUMNS:
        assert here.transform(X)[name].equals(there.transform(X)[name])


def test_without_a_cluster_dask_has_threads():
    model, _ = CASES.args[1][0]
    with dask.config.set(scheduler="synchronous"):
        found = fit(model, dd.from_pandas(FRAME, npartitions=3), "y")
    assert_same(found, fit(model, ROWS, "y"), X)
