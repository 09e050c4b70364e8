"""More workers: the same fit with 1 and 2 threads, Dask workers and Spark cores, and Spark's own naive Bayes beside it.

The file is that of ``benchmarks.out_of_core``. Every measurement runs in a process of its own, which starts its
cluster and fits a small file before the clock is started. ``pip install bayfold[dask,spark]``; Spark needs Java.

    python -m benchmarks.scaling --rows 20000000 --output benchmarks/results/scaling.md
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bayfold import NaiveBayesClassifier
from benchmarks.child import ChildFailedError, Job, run_job
from benchmarks.large_table import NUMBERS, TARGET, generate
from benchmarks.out_of_core import WARM_UP_ROWS
from benchmarks.out_of_core_jobs import PLAIN
from benchmarks.report import describe_run, publish

GROUP_NAMES = [f"number{j}" for j in range(NUMBERS)]


@contextmanager
def in_threads(n_workers: int) -> Iterator[Callable[[str], Any]]:
    """One process."""
    yield lambda path: NaiveBayesClassifier(**PLAIN, n_jobs=n_workers).fit_source(path, TARGET)


@contextmanager
def on_dask(n_workers: int) -> Iterator[Callable[[str], Any]]:
    """Workers with one thread each, which read the file."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield lambda path: NaiveBayesClassifier(**PLAIN).fit_source(path, TARGET, engine=client)


@contextmanager
def on_spark(n_workers: int) -> Iterator[Callable[[str], Any]]:
    """Cores of one executor, which Spark reads the file with."""
    with open_session(n_workers) as session:
        yield lambda path: NaiveBayesClassifier(**PLAIN).fit_source(
            session.read.parquet(path), TARGET
        )


@contextmanager
def with_mllib(n_workers: int) -> Iterator[Callable[[str], Any]]:
    """Spark's own Gaussian naive Bayes of the numbers alone, which are all it takes."""
    from pyspark.ml.classification import NaiveBayes
    from pyspark.ml.feature import VectorAssembler

    with open_session(n_workers) as session:
        assemble = VectorAssembler(inputCols=GROUP_NAMES, outputCol="features")
        learner = NaiveBayes(modelType="gaussian", labelCol=TARGET)

        def fit(path: str) -> Any:
            rows = session.read.parquet(path).select(*GROUP_NAMES, TARGET)
            return learner.fit(assemble.transform(rows).select("features", TARGET))

        yield fit


@contextmanager
def open_session(n_workers: int) -> Iterator[Any]:
    """A session of Spark in this process."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(f"local[{n_workers}]")
    options = {"ui.enabled": "false", "ui.showConsoleProgress": "false", "driver.memory": "4g"}
    for name, value in options.items():
        builder = builder.config(f"spark.{name}", value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


CLUSTERS = {
    "threads": in_threads,
    "Dask, files read by workers": on_dask,
    "Spark, dataframe": on_spark,
    "Spark MLlib, numbers alone": with_mllib,
}


def measure_fit(name: str, n_workers: int, path: str, small: str) -> float:
    """Seconds of a fit by the clock, once all is compiled and every worker is up."""
    with CLUSTERS[name](n_workers) as fit:
        fit(small)
        fit(small)
        start = time.perf_counter()
        fit(path)
        return time.perf_counter() - start


def measure(name: str, path: Path, small: Path, timeout: float) -> str:
    """A line of the table."""
    seconds = []
    for n_workers in (1, 2):
        arguments = {"name": name, "n_workers": n_workers, "path": str(path), "small": str(small)}
        job = Job(name, "benchmarks.scaling:measure_fit", arguments, timeout=timeout)
        try:
            seconds.append(run_job(job))
        except ChildFailedError as error:
            print(error, file=sys.stderr)
            return f"| {name} | {error.in_short} | | |"
    one, two = seconds
    return f"| {name} | {one:.1f} | {two:.1f} | {one / two:.2f} |"


def main() -> None:
    """Generate, measure and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--timeout", type=float, default=900, help="seconds for one measurement")
    parser.add_argument("--folder", type=Path, help="where the files are made; a temporary one")
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        path = generate(Path(folder) / "rows.parquet", given.rows)
        small = generate(Path(folder) / "small.parquet", WARM_UP_ROWS)
        lines = [measure(name, path, small, given.timeout) for name in CLUSTERS]
    command = " ".join(["python -m benchmarks.scaling", *sys.argv[1:]])
    text = [
        "# More workers",
        "",
        describe_run(command, ("dask", "pyspark")),
        "",
        f"{given.rows:,} rows of the file of [out_of_core](out_of_core.md); seconds of one fit by the clock, with bins "
        "cut by MDL and without calibration, in two passes.",
        "",
        "| | 1 worker | 2 workers | times as fast |",
        "|---|---:|---:|---:|",
        *lines,
    ]
    publish("\n".join(text), given.output)


if __name__ == "__main__":
    main()
