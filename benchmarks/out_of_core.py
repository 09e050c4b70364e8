"""Data larger than memory: the time of a fit and of predictions beside a bare scan of the same file, and peak memory.

The file is generated: 10 columns of float32, 4 of categories (2 to 1,000 of them), a target of two classes; 20 million
rows are about 1.3 GB. Every measurement runs in a process of its own, after a small one that compiles; a scan is timed
in turn with it, so that whatever slows the machine slows both.

    python -m benchmarks.out_of_core --rows 20000000 --output benchmarks/results/out_of_core.md
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bayfold import NaiveBayesClassifier
from benchmarks.child import ChildFailedError, Job, run_job
from benchmarks.report import describe_run, publish

GROUP_ROWS = 1 << 18
NUMBERS, CATEGORIES = 10, (2, 12, 100, 1000)
TARGET = "y"
WARM_UP_ROWS = 60_000
PLAIN = {"numeric": "mdl", "calibration": None}


def generate(path: Path, n_rows: int, seed: int = 0) -> Path:
    """Write the file, a row group at a time."""
    writer = None
    for start in range(0, n_rows, GROUP_ROWS):
        rng = np.random.default_rng([seed, start])
        table = draw_rows(rng, min(GROUP_ROWS, n_rows - start))
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()
    return path


def draw_rows(rng: np.random.Generator, n_rows: int) -> pa.Table:
    """Rows of two classes that differ in two numbers of three and in every second category."""
    y = (rng.random(n_rows) < 0.3).astype(np.int8)
    columns: dict[str, Any] = {}
    for j in range(NUMBERS):
        columns[f"number{j}"] = (rng.normal(size=n_rows) + 0.3 * (j % 3) * y).astype(np.float32)
    for j, n_labels in enumerate(CATEGORIES):
        codes = (rng.exponential(size=n_rows) * n_labels / 5).astype(np.int32) + y * (j % 2)
        labels = pa.array([f"label {k}" for k in range(n_labels)])
        columns[f"category{j}"] = pa.DictionaryArray.from_arrays(
            pa.array(np.minimum(codes, n_labels - 1)), labels
        )
    return pa.table({**columns, TARGET: y})


def scan(path: str) -> int:
    """Read all columns of all rows and let them go."""
    with pq.ParquetFile(path, pre_buffer=False) as file:
        return sum(batch.num_rows for batch in file.iter_batches(1 << 16))


def scan_and_write(path: str) -> None:
    """The least that predictions need: read all, and write three columns."""
    with (
        tempfile.TemporaryDirectory() as folder,
        pq.ParquetFile(path, pre_buffer=False) as file,
    ):
        columns = [TARGET, "number0", "number1"]
        schema = pa.schema([file.schema_arrow.field(name) for name in columns])
        with pq.ParquetWriter(f"{folder}/out.parquet", schema) as writer:
            for batch in file.iter_batches(1 << 18):
                writer.write_batch(batch.select(columns))


def fit_plain(path: str) -> NaiveBayesClassifier:
    """Bins cut by MDL, no calibration."""
    return NaiveBayesClassifier(**PLAIN).fit_source(path, TARGET)


def fit_default(path: str) -> NaiveBayesClassifier:
    """With all defaults."""
    return NaiveBayesClassifier().fit_source(path, TARGET)


def fit_scikit_learn(path: str) -> Any:
    """GaussianNB of the numbers alone, batch by batch."""
    from sklearn.naive_bayes import GaussianNB

    model, columns = GaussianNB(), [f"number{j}" for j in range(NUMBERS)]
    with pq.ParquetFile(path, pre_buffer=False) as file:
        for batch in file.iter_batches(1 << 18, columns=[*columns, TARGET]):
            X = np.stack([batch.column(name).to_numpy() for name in columns], axis=1)
            model.partial_fit(X, batch.column(TARGET).to_numpy(), classes=[0, 1])
    return model


def scan_duckdb(path: str) -> Any:
    """What the sums of all numbers and the counts of all categories take DuckDB."""
    import duckdb

    sums = ", ".join(f"sum(number{j})" for j in range(NUMBERS))
    counts = ", ".join(f"count(category{j})" for j in range(len(CATEGORIES)))
    return duckdb.sql(f"select {TARGET}, {sums}, {counts} from '{path}' group by 1").fetchall()


def make_action(name: str, path: str, small: str) -> Callable[[], Any]:
    """What is measured, made ready."""
    if name == "fit with a given schema":
        schema = fit_plain(small).schema_
        return lambda: NaiveBayesClassifier(**PLAIN, schema=schema).fit_source(path, TARGET)
    if name == "predict_source":
        model = fit_plain(small)
        return lambda: _predict(model, path)
    action = ACTIONS[name]
    return lambda: action(path)


def _predict(model: NaiveBayesClassifier, path: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        model.predict_source(path, f"{folder}/scores.parquet", keep=[TARGET])


ACTIONS: dict[str, Callable[[str], Any]] = {
    "scan": scan,
    "scan and write": scan_and_write,
    "plain fit": fit_plain,
    "default fit": fit_default,
    "GaussianNB.partial_fit, numbers alone": fit_scikit_learn,
    "DuckDB: sums and counts by class": scan_duckdb,
}
NAMES = (*ACTIONS, "fit with a given schema", "predict_source")


def measure_time(name: str, path: str, small: str, repeats: int) -> dict[str, Any]:
    """Wall and CPU seconds of a job and of a scan, in turn."""
    make_action(name, small, small)()  # compiles
    action = make_action(name, path, small)
    rounds = []
    for _ in range(repeats):
        times = []
        for work in (lambda: scan(path), action):
            wall, cpu = time.perf_counter(), time.process_time()
            work()
            times += [time.perf_counter() - wall, time.process_time() - cpu]
        rounds.append(times)
    middle = [statistics.median(column) for column in zip(*rounds, strict=True)]
    ratios = [statistics.median(r[2 + k] / r[k] for r in rounds) for k in (0, 1)]
    return {"wall": middle[2], "cpu": middle[3], "wall_ratio": ratios[0], "cpu_ratio": ratios[1]}


def measure_memory(name: str, path: str, small: str) -> dict[str, Any]:
    """The most that was resident in a process that does nothing else, libraries and compiled code included."""
    make_action(name, small, small)()
    make_action(name, path, small)()
    return {"megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def measure(name: str, sizes: list[Path], small: Path, repeats: int) -> str:
    """A line of the table."""
    module, cells = "benchmarks.out_of_core", [name]
    arguments = {"name": name, "path": str(sizes[-1]), "small": str(small)}
    try:
        timed = run_job(
            Job(name, f"{module}:measure_time", {**arguments, "repeats": repeats}, timeout=3600)
        )
        cells += [f"{timed[key]:.2f}" for key in ("wall", "cpu", "wall_ratio", "cpu_ratio")]
        for path in sizes:
            found = run_job(Job(name, f"{module}:measure_memory", {**arguments, "path": str(path)}))
            cells.append(f"{found['megabytes']:.0f}")
    except ChildFailedError as error:
        cells.append(str(error).strip().splitlines()[-1])
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Generate, measure and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where the files are made; a temporary one")
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        sizes = [given.rows // 4, given.rows]
        paths = [generate(Path(folder) / f"{n}.parquet", n) for n in sizes]
        small = generate(Path(folder) / "small.parquet", WARM_UP_ROWS)
        megabytes = paths[-1].stat().st_size / 1e6
        lines = [measure(name, paths, small, given.repeats) for name in NAMES]
    command = " ".join(["python -m benchmarks.out_of_core", *sys.argv[1:]])
    titles = ["", "wall s", "CPU s", "of a scan (wall)", "of a scan (CPU)"]
    titles += [f"peak MB at {n:,} rows" for n in sizes]
    header = f"| {' | '.join(titles)} |"
    publish(
        "\n".join(
            [
                "# Data larger than memory",
                "",
                describe_run(command),
                "",
                f"{given.rows:,} rows, {NUMBERS} columns of float32, {len(CATEGORIES)} of categories: "
                f"{megabytes:,.0f} MB of Parquet. Medians of {given.repeats} rounds; ratios within a round.",
                "",
                header,
                "|---|" + "---:|" * (4 + len(sizes)),
                *lines,
            ]
        ),
        given.output,
    )


if __name__ == "__main__":
    main()
