"""Boosting on a Dask cluster of this machine: seconds, bytes and memory of a round, beside LightGBM and XGBoost.

Each measurement runs in a process of its own, which starts two workers of one thread each. Reading,
binning and starting are not part of a round. Bytes are those that went over the loopback
device; of bayfold they are sums and steps, of the others what their own sockets send. ``pip install bayfold[dask]
lightgbm xgboost``.

    python -m benchmarks.cluster_boosting --rows 1000000 --output benchmarks/results/cluster_boosting.md
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.metrics import log_loss

from bayfold import BoostedNaiveBayesClassifier
from benchmarks.child import ChildFailedError, Job, run_job
from benchmarks.report import describe_run, publish

N_COLUMNS = 14
N_WORKERS = 2
FEW_ROUNDS, MANY_ROUNDS = 20, 120
TEST_ROWS = 100_000


def make_rows(n_rows: int, seed: int) -> pa.Table:
    """Numbers, of which some tell alone, two by two or not at all, and a rare class of one in ten."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, N_COLUMNS)).astype(np.float32)
    score = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + 0.5 * X[:, 3] + (X[:, 4] > 0) * X[:, 5]
    y = rng.random(n_rows) < 1 / (1 + np.exp(3.0 - 1.5 * score))
    columns = {f"x{j}": X[:, j] for j in range(N_COLUMNS)}
    return pa.table(columns | {"y": y.astype(np.int8)})


@dataclass
class Watch:
    """CPU seconds, peak memory and bytes of this process and of its workers."""

    peak: dict[str, float] = field(default_factory=lambda: {"driver": 0.0, "worker": 0.0})
    _done: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Look at the memory now and then."""
        while not self._done.wait(0.1):
            for name, process in find_processes():
                megabytes = process.memory_info().rss / 1e6
                self.peak[name] = max(self.peak[name], megabytes)


def find_processes() -> Iterator[tuple[str, psutil.Process]]:
    """The driver, which is this process, and the workers it started."""
    me = psutil.Process()
    yield "driver", me
    for process in me.children(recursive=True):
        try:
            if "spawn_main" in " ".join(process.cmdline()):
                yield "worker", process
        except psutil.Error:
            continue


def read_meters() -> np.ndarray:
    """Seconds by the clock, CPU seconds of all processes, and bytes over loopback."""
    cpu = 0.0
    for _, process in find_processes():
        cpu += sum(process.cpu_times()[:2])
    loopback = psutil.net_io_counters(pernic=True)["lo"].bytes_sent
    return np.array([time.perf_counter(), cpu, loopback])


@contextmanager
def watch() -> Iterator[Watch]:
    """Follow the memory."""
    found = Watch()
    thread = threading.Thread(target=found.run)
    thread.start()
    yield found
    found._done.set()
    thread.join()


@contextmanager
def open_client() -> Iterator[Any]:
    """Workers with one thread each."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(N_WORKERS, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


Note = Callable[..., None]
"""Called with the number of rounds so far, by who has such a callback."""


def fit_bayfold(folder: str, n_rounds: int, client: Any, note: Note) -> Any:
    """Files that the workers read."""
    model = BoostedNaiveBayesClassifier(n_rounds=n_rounds, early_stopping=False, callback=note)
    return model.fit_source(f"{folder}/*.parquet", "y", engine=client, progress=False)


def fit_bayfold_here(folder: str, n_rounds: int, client: Any, note: Note) -> Any:
    """The same files, copied to a disk and boosted in this process."""
    model = BoostedNaiveBayesClassifier(
        n_rounds=n_rounds, early_stopping=False, n_jobs=2, callback=note
    )
    return model.fit_source(f"{folder}/*.parquet", "y", progress=False)


def fit_lightgbm(folder: str, n_rounds: int, client: Any, note: Note) -> Any:
    """Its defaults: 31 leaves, a rate of .1."""
    import lightgbm

    X, y = _read_arrays(folder, client)
    model = lightgbm.DaskLGBMClassifier(n_estimators=n_rounds, client=client, verbose=-1)
    return model.fit(X, y).to_local()


def fit_xgboost(folder: str, n_rounds: int, client: Any, note: Note) -> Any:
    """Its defaults, with histograms."""
    import xgboost.collective
    import xgboost.dask

    X, y = _read_arrays(folder, client)
    address = xgboost.collective.Config(tracker_host_ip="127.0.0.1")
    model = xgboost.dask.DaskXGBClassifier(
        n_estimators=n_rounds, tree_method="hist", coll_cfg=address
    )
    model.client = client
    model.fit(X, y)
    booster = model.get_booster()

    class Local:
        """Answers here."""

        def predict_proba(self, X: Any) -> np.ndarray:
            """Of both classes."""
            p = booster.inplace_predict(np.asarray(X))
            return np.stack([1 - p, p], axis=1)

    return Local()


def _read_arrays(folder: str, client: Any) -> tuple[Any, Any]:
    import dask.dataframe as dd

    frame = client.persist(dd.read_parquet(folder, split_row_groups=False))
    return frame.drop(columns="y"), frame["y"]


METHODS = {
    "bayfold, rows on the workers": fit_bayfold,
    "LightGBM (`lightgbm.dask`)": fit_lightgbm,
    "XGBoost (`xgboost.dask`)": fit_xgboost,
    "bayfold, a copy here, 2 threads": fit_bayfold_here,
}


def measure(name: str, folder: str, seed: int) -> dict[str, float]:
    """A fit of many rounds, and of few of who has no callbacks, once all is compiled and every worker is up."""
    fit = METHODS[name]
    test = make_rows(TEST_ROWS, seed)
    X = test.drop(["y"]).to_pandas()
    with open_client() as client, watch() as seen:
        fit(folder, FEW_ROUNDS, client, lambda *_: None)
        start = read_meters()
        at: dict[int, np.ndarray] = {}
        model = fit(folder, MANY_ROUNDS, client, lambda n, *_: at.setdefault(n, read_meters()))
        if not at:
            at[MANY_ROUNDS] = read_meters()
            fit(folder, FEW_ROUNDS, client, lambda *_: None)
            at[FEW_ROUNDS] = start + read_meters() - at[MANY_ROUNDS]
    each = (at[MANY_ROUNDS] - at[FEW_ROUNDS]) / (MANY_ROUNDS - FEW_ROUNDS)
    before = at[FEW_ROUNDS] - start - FEW_ROUNDS * each
    probability = np.asarray(model.predict_proba(X))[:, 1]
    return {
        "seconds": each[0],
        "cpu": each[1],
        "kilobytes": each[2] / 1e3,
        "before": before[1],
        "driver": seen.peak["driver"],
        "worker": seen.peak["worker"],
        "loss": log_loss(test["y"].to_numpy(), probability),
    }


def describe(name: str, folder: str, timeout: float) -> str:
    """A line of the table."""
    arguments = {"name": name, "folder": folder, "seed": 1}
    job = Job(name, "benchmarks.cluster_boosting:measure", arguments, timeout=timeout)
    try:
        found = run_job(job)
    except ChildFailedError as error:
        print(error, file=sys.stderr)
        return f"| {name} | {error.in_short} | | | | | | |"
    is_here = METHODS[name] is fit_bayfold_here
    cells = [
        f"{1000 * found['seconds']:.0f}",
        f"{1000 * found['cpu']:.0f}",
        "" if is_here else f"{found['kilobytes']:.0f}",
        f"{found['before']:.1f}",
        f"{found['driver']:.0f}",
        "" if is_here else f"{found['worker']:.0f}",
        f"{found['loss']:.4f}",
    ]
    return f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    """Make files, measure, write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--timeout", type=float, default=900, help="seconds for one measurement")
    parser.add_argument("--folder", type=Path, help="where the files are made; a temporary one")
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        n_files = 2 * N_WORKERS
        for k in range(n_files):
            table = make_rows(given.rows // n_files, 10 + k)
            pq.write_table(table, os.path.join(folder, f"part-{k}.parquet"))
        lines = [describe(name, folder, given.timeout) for name in METHODS]
    command = " ".join(["python -m benchmarks.cluster_boosting", *sys.argv[1:]])
    text = [
        "# Boosting on a cluster",
        "",
        describe_run(command, ("dask", "lightgbm", "xgboost")),
        "",
        f"{given.rows:,} made rows of {N_COLUMNS} numbers and two classes in {n_files} files, a Dask cluster of "
        f"{N_WORKERS} workers of one thread each on this machine, everything by default. A round is one of those from "
        f"{FEW_ROUNDS} to {MANY_ROUNDS}, without early stopping: by callbacks, or by two fits. What comes before the "
        "first round is in CPU seconds. CPU seconds are those of all processes, megabytes the peak of the resident "
        "memory of a process (after another fit), kilobytes those that went over loopback, by which nothing else "
        f"should go at the time. The log-loss is that of {TEST_ROWS:,} other rows after {MANY_ROUNDS} rounds: trees of "
        "bayfold have four leaves in these rounds, those of LightGBM 31, so it learns less from each.",
        "",
        "| | ms a round | CPU ms a round | kB a round | before, CPU s | driver, MB | worker, MB | log-loss |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
        *lines,
    ]
    publish("\n".join(text), given.output)


if __name__ == "__main__":
    main()
