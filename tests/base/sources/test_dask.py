"""Dask: dataframes of any types, workers that die, files that are gone, and what is refused."""

from __future__ import annotations

import os
import re
import signal

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from distributed import Client, LocalCluster

from bayfold import NaiveBayesClassifier
from bayfold.base.sources import predict
from bayfold.core.counts.survey import raw_rows
from bayfold.core.frames.sources import chunk
from bayfold.errors import SourceError
from tests.laws.equal import assert_same
from tests.plain import plain_classifier

RNG = np.random.default_rng(0)
N = 400
Y = RNG.integers(0, 2, N)
FRAME = pd.DataFrame({"u": RNG.normal(Y, 1.0), "v": RNG.integers(0, 4, N) + Y, "y": Y})


@pytest.fixture(scope="module")
def client():
    options = {"processes": False, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(n_workers=2, **options) as cluster, Client(cluster) as client:
        yield client


@pytest.fixture
def two_passes(monkeypatch):
    monkeypatch.setattr(chunk, "PARTITION_CELLS", 1 << 8)
    monkeypatch.setattr(raw_rows, "ALL_ROWS", 100)


def in_partitions(frame, n_partitions=4):
    return dd.from_pandas(frame, npartitions=n_partitions)


def test_a_killed_worker_changes_nothing(tmp_path):
    """More rows than are learnt in memory, as what a test sets is not known in other processes."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 30_000)
    table = {
        "u": rng.normal(y, 1.0),
        "v": [f"v{k}" for k in rng.integers(0, 9, len(y)) + y],
        "y": y,
    }
    frame = in_partitions(pd.DataFrame(table), 6)
    here = NaiveBayesClassifier().fit_source(pa.table(table), "y")
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        killed, pids = [], client.run(os.getpid)

        def kill_one(now):
            if len(killed) < 2 and now.what == ("looking", "counting")[len(killed)]:
                killed.append(pids.popitem()[1])
                os.kill(killed[-1], signal.SIGKILL)

        model = NaiveBayesClassifier().fit_source(frame, "y", callback=kill_one)
    assert len(killed) == 2
    assert_same(model, here, pa.table(table).select(["u", "v"]))


def test_a_file_that_a_worker_cannot_read_is_named(client, two_passes, tmp_path):
    for k in range(3):
        part = FRAME.iloc[k::3]
        pq.write_table(pa.Table.from_pandas(part, preserve_index=False), tmp_path / f"{k}.parquet")
    model = plain_classifier()

    def remove(now):
        if now.what == "looking":
            (tmp_path / "1.parquet").unlink(missing_ok=True)

    with pytest.raises(SourceError, match=r"1\.parquet.*must be readable.*nothing was learnt"):
        model.fit_source(str(tmp_path / "*.parquet"), "y", engine=client, callback=remove)
    assert not hasattr(model, "statistics_")


def test_a_damaged_file_is_named_with_its_row_group(client, two_passes, tmp_path):
    for k in range(2):
        pq.write_table(pa.Table.from_pandas(FRAME), tmp_path / f"{k}.parquet", row_group_size=100)
    content = bytearray((tmp_path / "1.parquet").read_bytes())
    place = pq.ParquetFile(tmp_path / "1.parquet").metadata.row_group(2).column(0).data_page_offset
    content[place : place + 40] = b"\xff" * 40
    (tmp_path / "1.parquet").write_bytes(content)
    with pytest.raises(SourceError, match=r"1\.parquet, row group 2"):
        plain_classifier().fit_source(tmp_path, "y", columns=["u", "v"], engine=client)


def test_relative_paths_are_those_of_the_caller(client, tmp_path, monkeypatch):
    pq.write_table(pa.Table.from_pandas(FRAME, preserve_index=False), tmp_path / "a.parquet")
    monkeypatch.chdir(tmp_path)
    from bayfold.core.engine import open_with_engine

    source, _ = open_with_engine(["a.parquet"], client, 1)
    assert source.identity()[0][0] == str(tmp_path / "a.parquet")
    assert all(os.path.isabs(piece.path) for piece in source.pieces)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([f"label {k}" for k in FRAME["v"]]).astype("category"),
        pd.Series(FRAME["v"], dtype="category"),
        pd.Series(FRAME["v"], dtype="Int64").where(FRAME["v"] != 3),
        pd.Series(FRAME["v"] > 2, dtype="boolean").where(FRAME["v"] != 1),
        pd.Series([None if k == 1 else k > 2 for k in FRAME["v"]], dtype=object),
        pd.Series(pd.to_datetime(FRAME["v"], unit="D", utc=True)),
        pd.Series([*([None] * 200), *(["late"] * 100), *(["later"] * 100)], dtype=object),
    ],
    ids=lambda column: str(column.dtype),
)
def test_columns_of_all_types(column, client, two_passes):
    frame = FRAME.assign(v=column.to_numpy() if column.dtype == object else column)
    here = plain_classifier().fit_source(pa.Table.from_pandas(frame, preserve_index=False), "y")
    with dask_objects():
        there = plain_classifier().fit_source(in_partitions(frame), "y")
    assert_same(there, here, pa.Table.from_pandas(frame[["u", "v"]]))


def dask_objects():
    """Python's strings and nothing else stay what they are: Dask would make text of all objects."""
    import dask

    return dask.config.set({"dataframe.convert-string": False})


def test_a_partition_of_other_types_is_named(client, two_passes):
    frame = in_partitions(FRAME).map_partitions(
        lambda part, partition_info=None: (
            part.assign(v=["?"] * len(part))
            if partition_info and partition_info["number"] == 2
            else part
        ),
        meta=FRAME.iloc[:0],
    )
    with pytest.raises(SourceError, match=r"Partition 2: column 'v' must hold cells of type int64"):
        plain_classifier().fit_source(frame, "y")


def test_columns_that_cannot_be_told_apart_or_read_are_named(client):
    twice = in_partitions(FRAME.assign(x=1.0).rename(columns={"x": "u"}))
    with pytest.raises(
        SourceError, match=r"the dataframe: columns must have different names\. Got 'u'"
    ):
        plain_classifier().fit_source(twice, "y")
    mixed = FRAME.assign(v=["a", 1.5] * (N // 2))
    with dask_objects(), pytest.raises(SourceError, match="Column 'v' must hold cells of one type"):
        plain_classifier().fit_source(in_partitions(mixed), "y")
    nested = FRAME.assign(v=[[k] for k in range(N)])
    with dask_objects(), pytest.raises(TypeError, match="'v'"):
        plain_classifier().fit_source(in_partitions(nested), "y")


def test_one_row_in_each_partition(client, two_passes):
    few = pa.Table.from_pandas(FRAME.iloc[:12], preserve_index=False)
    frame = in_partitions(FRAME.iloc[:12], 12)
    assert frame.npartitions == 12
    found, known = (plain_classifier().fit_source(rows, "y") for rows in (frame, few))
    assert_same(found, known, few.select(["u", "v"]))


def test_many_columns(client, two_passes):
    rng = np.random.default_rng(3)
    wide = pd.DataFrame(rng.normal(size=(150, 600))).rename(columns=str).assign(y=Y[:150])
    model = plain_classifier(numeric="equal_width", n_bins=3)
    found = model.fit_source(in_partitions(wide, 3), "y").statistics_.counts.tables
    known = model.fit_source(pa.Table.from_pandas(wide), "y").statistics_.counts.tables
    assert all(np.array_equal(a, b) for a, b in zip(found, known, strict=True))


def test_empty_partitions_are_fine(client, two_passes):
    frame = in_partitions(FRAME, 8)
    some = frame[frame["u"] > 0.5]
    here = FRAME[FRAME["u"] > 0.5]
    found = plain_classifier().fit_source(some, "y")
    whole = plain_classifier().fit_source(pa.Table.from_pandas(here, preserve_index=False), "y")
    assert_same(found, whole, here[["u", "v"]])
    sorted_frame = in_partitions(FRAME.sort_values("u").reset_index(drop=True), 8)
    assert_same(
        plain_classifier().fit_source(sorted_frame[sorted_frame["u"] > 0.5], "y"),
        whole,
        here[["u", "v"]],
    )
    with pytest.raises(SourceError, match="at least one row"):
        plain_classifier().fit_source(frame[frame["u"] > 1e9], "y")


def test_whole_numbers_as_names(client, two_passes):
    frame = FRAME.rename(columns={"u": 0, "v": 1})
    model = plain_classifier().fit_source(in_partitions(frame), "y")
    assert model.feature_names_in_.tolist() == ["0", "1"]


def test_a_callback_is_told_how_far_it_is(client, two_passes):
    told = []
    plain_classifier().fit_source(in_partitions(FRAME, 5), "y", callback=told.append)
    assert [now.what for now in told] == ["looking"] * 5 + ["counting"] * 5
    assert told[-1].rows == told[-1].n_rows == N


def test_predictions_come_in_the_order_of_rows(client, tmp_path):
    model = plain_classifier().fit(FRAME[["u", "v"]], FRAME["y"])
    model.predict_source(in_partitions(FRAME), tmp_path / "out.parquet", keep=["v"])
    out = pq.read_table(tmp_path / "out.parquet")
    assert out["v"].to_pylist() == FRAME["v"].tolist()
    np.testing.assert_array_equal(
        out["probability_1"], model.predict_proba(FRAME[["u", "v"]])[:, 1]
    )


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        (
            {"engine": "dask"},
            TypeError,
            "`engine` must be a dask.distributed.Client or None. Got s",
        ),
        ({"resume": "here"}, ValueError, "`resume` must be None on a cluster. Got 'here'"),
    ],
)
def test_what_cannot_be_is_refused(options, kind, message):
    with pytest.raises(kind, match=re.escape(message)):
        plain_classifier().fit_source(in_partitions(FRAME), "y", **options)


def test_what_workers_cannot_read_is_refused(client):
    with pytest.raises(TypeError, match="`source` must be files that the workers can read"):
        plain_classifier().fit_source(pa.Table.from_pandas(FRAME), "y", engine=client)
    with pytest.raises(TypeError, match=r"`source` must be a path.* Got Series"):
        plain_classifier().fit_source(in_partitions(FRAME)["u"], "y")


def test_workers_write_the_parts_of_a_folder_in_the_order_of_the_rows(client, tmp_path):
    model = plain_classifier().fit(FRAME[["u", "v"]], FRAME["y"])
    frame = in_partitions(FRAME)
    told = []
    path = model.predict_source(frame, tmp_path / "scores", keep=["v"], callback=told.append)
    known = model.predict_source(frame, tmp_path / "scores.parquet", keep=["v"])
    assert pq.read_table(path).equals(pq.read_table(known))
    names = [f"part-{k:05}.parquet" for k in range(4)]
    assert sorted(p.name for p in path.iterdir()) == names
    assert told[-1].rows == len(FRAME)
    model.predict_source(frame, path, overwrite=True)  # known as written here
    assert pq.read_table(path).column_names[0] == "prediction"
    with pytest.raises(ValueError, match="at least one row"):
        model.predict_source(frame[frame["u"] > 1e9], tmp_path / "none")
    named = in_partitions(FRAME.rename(columns={"y": "prediction"}))
    with pytest.raises(ValueError, match="called like an answer"):
        model.predict_source(named, tmp_path / "none", keep=["prediction"])
    assert not (tmp_path / "none").exists()


def test_a_folder_that_workers_do_not_see_is_refused(client, tmp_path, monkeypatch):
    model = plain_classifier().fit(FRAME[["u", "v"]], FRAME["y"])
    monkeypatch.setattr(predict, "write_part", lambda path, table: None)  # as on another machine
    with pytest.raises(SourceError, match="`output` must lie where all workers and this process"):
        model.predict_source(in_partitions(FRAME), tmp_path / "scores")
    assert not os.listdir(tmp_path)
