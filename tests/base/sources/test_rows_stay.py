"""Methods that go over their rows many times, with the rows on the workers of a Dask cluster."""

from __future__ import annotations

import os
import re
import signal
import time

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from distributed import Client, LocalCluster

from bayfold import (
    AdaBoostNaiveBayesClassifier,
    BoostedNaiveBayesRegressor,
    NaiveBayesMixture,
    NaiveBayesTreeClassifier,
)
from bayfold.base.sources.fit import SourceFit, SourceOptions
from bayfold.core.counts.survey import raw_rows
from bayfold.core.engine.kept_rows import find_grid, round_to_grid
from bayfold.core.frames.sources import chunk
from bayfold.errors import DataWarning, SourceError
from bayfold.families.adaboost.row_weights import BoostedPart

pytestmark = pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")

RNG = np.random.default_rng(0)
N = 3000
Y = RNG.integers(0, 3, N)
NAMES = np.array([f"v{k}" for k in range(9)], object)
FRAME = pd.DataFrame(
    {
        "u": np.where(RNG.random(N) < 0.1, np.nan, RNG.normal(Y, 1.0)),
        "v": np.where(RNG.random(N) < 0.1, None, NAMES[RNG.integers(0, 6, N) + Y]),
        "few": RNG.integers(0, 4, N),
        "other": RNG.integers(0, 3, N) + Y % 2,
        "times": RNG.integers(0, 4, N),
        "y": np.array(["a", "b", "c"])[Y],
    }
)
COLUMNS = ["u", "v", "few", "other"]
X = FRAME[COLUMNS]

MODELS = {
    "tree": NaiveBayesTreeClassifier(),
    "deep tree": NaiveBayesTreeClassifier(3, split="threshold", min_samples_branch=10),
    "tree to the letter": NaiveBayesTreeClassifier(2, pruning=None, calibration=None),
    "real": AdaBoostNaiveBayesClassifier(method="real", n_rounds=4, learning_rate=0.5),
    "m1": AdaBoostNaiveBayesClassifier(n_rounds=6, restarts=False),
    "m1 of trees": AdaBoostNaiveBayesClassifier(
        n_rounds=2, restarts=False, max_depth=2, class_weight="balanced", calibration=None
    ),
}
EACH = pytest.mark.parametrize("name", MODELS)


@pytest.fixture(scope="module")
def client():
    options = {"processes": False, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(n_workers=2, **options) as cluster, Client(cluster) as client:
        yield client


def new(name):
    model = MODELS[name]
    return type(model)(**model.get_params(deep=False))


def in_partitions(frame, n_partitions):
    return dd.from_pandas(frame, npartitions=n_partitions)


def assert_same(found, known, X=X):
    assert found.schema_ == known.schema_
    assert found.classes_.tolist() == known.classes_.tolist()
    np.testing.assert_array_equal(found.class_count_, known.class_count_)
    np.testing.assert_array_equal(found.predict_proba(X), known.predict_proba(X))


@EACH
def test_no_partitioning_changes_the_model(name, client):
    """Whole weights: in memory, where equal rows are one, and on workers, where they are not, bit for bit."""
    here = new(name).fit(X, FRAME["y"], FRAME["times"])
    order = np.random.default_rng(1).permutation(N)
    for n_partitions in (1, 2, 5):
        rows = in_partitions(FRAME.iloc[order].reset_index(drop=True), n_partitions)
        found = new(name).fit_source(rows, "y", weight="times", columns=COLUMNS)
        assert_same(found, here)
    local = new(name).fit_source(pa.Table.from_pandas(FRAME), "y", weight="times", columns=COLUMNS)
    assert_same(local, here)


@EACH
def test_rows_beyond_those_that_fit_in_memory(name, client, monkeypatch, tmp_path):
    monkeypatch.setattr(chunk, "PARTITION_CELLS", 1 << 11)
    monkeypatch.setattr(raw_rows, "ALL_ROWS", 400)
    pq.write_table(pa.Table.from_pandas(FRAME), tmp_path / "rows.parquet", row_group_size=500)
    one = new(name)
    options = SourceOptions(progress=False)
    path = tmp_path / "rows.parquet"
    roles = {"target": "y", "weight": None, "columns": COLUMNS}
    one._fit_kept(SourceFit(one, path, options=options, **roles))  # threads: one worker
    files = new(name).fit_source(path, "y", columns=COLUMNS, engine=client)
    assert_same(files, one)
    found = new(name).fit_source(in_partitions(FRAME, 7), "y", columns=COLUMNS)
    assert_same(found, one)


def test_fractional_weights_agree_to_nine_digits(client):
    weights = np.random.default_rng(2).random(N)
    for name in ("deep tree", "real"):
        here = new(name).fit(X, FRAME["y"], weights)
        rows = in_partitions(FRAME.assign(w=weights), 5)
        found = new(name).fit_source(rows, "y", weight="w", columns=COLUMNS)
        np.testing.assert_allclose(found.predict_proba(X), here.predict_proba(X), atol=1e-9)


def test_without_a_client_dask_has_threads():
    found = new("m1").fit_source(in_partitions(FRAME, 3), "y", columns=COLUMNS)
    assert_same(found, new("m1").fit(X, FRAME["y"]))


def test_empty_partitions_and_missing_targets_are_fine(client):
    rows = FRAME.assign(y=FRAME["y"].where(FRAME["few"] > 0, None))
    frame = in_partitions(rows.sort_values("u").reset_index(drop=True), 8)
    some = rows[rows["u"] > 0.5]
    with pytest.warns(DataWarning, match="have no target"):
        found = new("deep tree").fit_source(frame[frame["u"] > 0.5], "y", columns=COLUMNS)
    with pytest.warns(DataWarning, match="have no target"):
        here = new("deep tree").fit(some[COLUMNS], some["y"])
    assert_same(found, here)
    with pytest.raises(ValueError, match="class"):
        new("tree").fit_source(in_partitions(FRAME.assign(y="a"), 2), "y", columns=COLUMNS)
    with pytest.raises(SourceError, match="at least one row"):
        new("tree").fit_source(frame[frame["u"] > 1e9], "y", columns=COLUMNS)


def test_what_was_learnt_is_recorded_and_can_be_saved(client, tmp_path):
    import bayfold

    told = []
    model = new("real").fit_source(
        in_partitions(FRAME.assign(same=1), 4),
        "y",
        callback=told.append,
        columns=[*COLUMNS, "same"],
    )
    assert [now.what for now in told] == ["looking"] * 4 + ["counting"] * 4 + ["keeping"]
    assert told[-1].rows == N
    assert any("same" in str(warning) for warning in model.fit_warnings_)
    assert model.feature_names_in_.tolist() == [*COLUMNS, "same"]
    model.save(tmp_path / "model.bayfold")
    again = bayfold.load(tmp_path / "model.bayfold")
    wide = X.assign(same=1)
    np.testing.assert_array_equal(again.predict_proba(wide), model.predict_proba(wide))


def test_a_step_that_fails_once_is_tried_again(client, monkeypatch):
    known = new("m1").fit(X, FRAME["y"])
    reweigh = BoostedPart.reweigh
    failed = []

    def fail_once(part, *args):
        if len(failed) < 2:
            failed.append(1)
            raise OSError("the disk hiccups")
        return reweigh(part, *args)

    monkeypatch.setattr(BoostedPart, "reweigh", fail_once)
    found = new("m1").fit_source(in_partitions(FRAME, 3), "y", columns=COLUMNS)
    assert failed
    assert_same(found, known)


def test_what_is_cancelled_leaves_nothing_on_the_cluster(client):
    def stop(n_rounds, *_):
        if n_rounds == 3:
            raise KeyboardInterrupt

    model = new("m1").set_params(callback=stop)
    with pytest.raises(KeyboardInterrupt):
        model.fit_source(in_partitions(FRAME, 3), "y", columns=COLUMNS)
    assert not hasattr(model, "classes_")
    for _ in range(50):
        left = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
        if not left:
            break
        time.sleep(0.1)
    assert left == 0


def test_a_worker_killed_in_round_seven_changes_nothing():
    """More rows than are learnt in memory, in bins that do not depend on which rows are drawn."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 24_000)
    few = pd.DataFrame({f"x{k}": rng.integers(0, 20, len(y)) + k * y for k in range(3)})
    frame = few.assign(y=y)
    model = AdaBoostNaiveBayesClassifier(n_rounds=10, restarts=False, calibration=None)
    here = model.fit_source(pa.Table.from_pandas(frame), "y").predict_proba(few)
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        killed = []
        pids = client.run(os.getpid)

        def kill_one(n_rounds, *_):
            if n_rounds == 7:
                killed.append(pids.popitem()[1])
                os.kill(killed[0], signal.SIGKILL)

        model.set_params(callback=kill_one).fit_source(in_partitions(frame, 4), "y")
    assert len(killed) == 1
    assert model.n_rounds_ == 10
    np.testing.assert_array_equal(model.predict_proba(few), here)


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (AdaBoostNaiveBayesClassifier(), {}, "`restarts` must not need all rows in one place"),
        (
            NaiveBayesTreeClassifier(utility="leave_one_out"),
            {},
            "`utility` must not need all rows in one place where NaiveBayesTreeClassifier leaves them",
        ),
        (
            AdaBoostNaiveBayesClassifier(
                restarts=False, base=NaiveBayesTreeClassifier(2, utility="leave_one_out")
            ),
            {},
            "`base` must not need all rows",
        ),
        (
            AdaBoostNaiveBayesClassifier(method="real"),
            {"groups": "few"},
            "`groups` must be None where AdaBoostNaiveBayesClassifier leaves the rows on the workers",
        ),
        (NaiveBayesTreeClassifier(), {"resume": "here"}, "`resume` must be None on a cluster"),
        (NaiveBayesTreeClassifier(), {"engine": 1}, "`engine` must be a dask.distributed.Client"),
        (BoostedNaiveBayesRegressor(), {"engine": 1}, "`engine` must be None for Boosted"),
        (NaiveBayesMixture(), {"engine": 1}, "`engine` must be None for NaiveBayesMixture"),
    ],
)
def test_what_needs_all_rows_is_refused_before_any_is_read(model, options, message):
    def fail(part):
        raise AssertionError("a row was read")

    unread = in_partitions(FRAME, 2).map_partitions(fail, meta=FRAME.iloc[:0].astype({"v": "str"}))
    with pytest.raises((ValueError, TypeError), match=re.escape(message)):
        model.fit_source(unread, "y", **options)


def test_rows_that_change_between_passes_are_refused(client):
    def draw(part):
        return part.assign(few=np.random.default_rng().integers(0, 4, len(part)))

    frame = in_partitions(FRAME, 2).map_partitions(draw, meta=FRAME.iloc[:0].astype({"v": "str"}))
    tree = NaiveBayesTreeClassifier(2, bins={"few": [1, 2, 3]})  # bins that no cut merges
    with pytest.raises(SourceError, match="Got other cells of column 'few'"):
        tree.fit_source(frame, "y", columns=COLUMNS)


def test_a_folder_for_scratch_means_that_rows_are_copied(client, tmp_path):
    model = AdaBoostNaiveBayesClassifier(n_rounds=3)
    found = model.fit_source(in_partitions(FRAME, 3), "y", columns=COLUMNS, scratch=tmp_path)
    assert_same(found, AdaBoostNaiveBayesClassifier(n_rounds=3).fit(X, FRAME["y"]))
    with pytest.raises(ValueError, match="`scratch` must be None where"):
        NaiveBayesTreeClassifier().fit_source(
            in_partitions(FRAME, 3), "y", engine=client, scratch=tmp_path
        )


def test_sums_of_multiples_of_the_grid_are_exact():
    rng = np.random.default_rng(4)
    for total in (3.7, 1e3, 1e9):
        weights = rng.random(1000)
        weights *= total / weights.sum()
        round_to_grid(weights, find_grid(total))
        sums = {float(np.sum(rng.permutation(weights))) for _ in range(50)}
        assert len(sums) == 1
        np.testing.assert_allclose(sums.pop(), total, rtol=1e-9)
