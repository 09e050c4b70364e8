"""How often drift is seen where there is none, how often where there is some, and how long a large file takes.

Pairs of tables are drawn from one known distribution (``make_credit``); the model is fitted to the first. A scan is one
reading of the file by the same reader, with every cell decoded and nothing done with it.

    python -m benchmarks.drift --output benchmarks/results/drift.md
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from rich.progress import track

from bayfold import NaiveBayesClassifier
from bayfold.core.engine import open_rows
from bayfold.datasets import make_credit
from benchmarks.report import publish

LEVEL = 0.05
SCORE = "(score)"


def compare_pair(n_rows: int, seed: int, shift: float) -> tuple[bool, bool, bool]:
    """Whether any column, the score alone, and income alone are called drifted in a new table with higher incomes."""
    first = make_credit(n_rows, random_state=2 * seed)
    second = make_credit(n_rows, random_state=2 * seed + 1).columns
    second = second | {"income": second["income"] * (1 + shift)}
    model = NaiveBayesClassifier(n_jobs=1).fit(first.frame, first.target)
    found = model.compare_data(pa.table(second), level=LEVEL)
    alone = {name: bool(found.where(column=name)["p"][0] < LEVEL) for name in (SCORE, "income")}
    return bool(found["drifted"].any()), alone[SCORE], alone["income"]


def measure_alarms(n_pairs: int) -> list[str]:
    """One line for each number of rows and each drift."""
    lines = []
    for n_rows, shift in ((500, 0.0), (2000, 0.0), (2000, 0.05), (2000, 0.1)):
        pairs = track(range(n_pairs), f"{n_rows} rows, incomes x {1 + shift:g}")
        found = np.array([compare_pair(n_rows, seed, shift) for seed in pairs])
        shares = " | ".join(f"{share:.1%}" for share in found.mean(axis=0))
        lines.append(f"| {n_rows:,} | {shift:.0%} | {shares} |")
    return lines


def measure_scans(n_rows: int, n_times: int = 5) -> list[str]:
    """Seconds of reading a file, and of comparing it."""
    model = NaiveBayesClassifier().fit(make_credit(5000).frame, make_credit(5000).target)
    part = make_credit(n_rows // 8, random_state=1).frame
    table = pa.concat_tables([part] * 8)
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ("new.csv", "new.parquet"):
            path = Path(folder, name)
            if name.endswith("csv"):
                table.to_pandas().to_csv(path, index=False)
            else:
                pq.write_table(table, path)
            scans = [time_call(lambda path=path: scan(path)) for _ in range(n_times)]
            whole = [time_call(lambda path=path: compare(model, path)) for _ in range(n_times)]
            scan_time, drift_time = float(np.median(scans)), float(np.median(whole))
            predict = float(
                np.median([time_call(lambda path=path: score(model, path)) for _ in range(n_times)])
            )
            lines.append(
                f"| {name} | {n_rows:,} | {scan_time:.2f} | {drift_time:.2f} | {predict:.2f} | "
                f"{drift_time / scan_time:.2f} |"
            )
    return lines


def scan(path: Path) -> None:
    """Read all cells once."""
    opened = open_rows(path)
    for chunk in opened.chunks(opened.names):
        for column in chunk.table(opened.names).columns:
            column.labels() if column.kind == "nominal" else column.numbers(0, chunk.n_rows)


def compare(model: NaiveBayesClassifier, path: Path) -> None:
    """Drift of a file."""
    model.compare_source(path, progress=False)


def score(model: NaiveBayesClassifier, path: Path) -> None:
    """Predictions for a file, for comparison."""
    with tempfile.TemporaryDirectory() as folder:
        model.predict_source(path, Path(folder, "scored.parquet"), progress=False)


def time_call(call: object) -> float:
    """Seconds of a call."""
    start = time.perf_counter()
    call()  # type: ignore[operator]
    return time.perf_counter() - start


def main() -> None:
    """Measure and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = [
        "# Drift from two sums",
        "",
        "Written by `python -m benchmarks.drift`.",
        "",
        f"How often drift is seen at the level {LEVEL:.0%} in {arguments.pairs:,} pairs of tables, in which all",
        "incomes of the second table are raised by so much: in any column or the score after Holm's correction, in the",
        "score and in income alone.",
        "",
        "| rows | raised by | any | score alone | income alone |",
        "|---|---|---|---|---|",
        *measure_alarms(arguments.pairs),
        "",
        "Seconds (median of five) of one scan of a file (reading all cells), of `compare_source`, which is one pass,",
        "and of `predict_source`.",
        "",
        "| file | rows | scan | drift | predict | scans |",
        "|---|---|---|---|---|---|",
        *measure_scans(arguments.rows),
    ]
    publish("\n".join(lines) + "\n", arguments.output)


if __name__ == "__main__":
    main()
