"""Data larger than memory: the time of a fit and of predictions beside a bare scan of the same file, and peak memory.

The file is generated: 10 columns of float32, 4 of categories (2 to 1,000 of them), a target of two classes; 20 million
rows are about 1.3 GB. Every measurement runs in a process of its own, after a small one that compiles; a scan is timed
in turn with it, so that whatever slows the machine slows both. With ``--folder`` the files and every line of the table
are kept there, and the same command goes on from where it was interrupted.

    python -m benchmarks.out_of_core --folder /tmp/out_of_core --output benchmarks/results/out_of_core.md
    python -m benchmarks.out_of_core --quick
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any

from benchmarks.child import ChildFailedError, Job, run_job
from benchmarks.large_table import CATEGORIES, NUMBERS, generate
from benchmarks.out_of_core_jobs import LIGHTGBM, NAMES, ONCE, make_action, scan
from benchmarks.report import describe_run, publish

WARM_UP_ROWS = 60_000
QUICK_ROWS = 1_000_000


@dataclass(frozen=True)
class Options:
    """What is measured: rows of the larger file, rounds, most seconds of a measurement, and of LightGBM how much."""

    rows: int
    repeats: int
    limit: float
    lightgbm: bool
    lightgbm_whole: bool


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
    """The most that was resident in a process that does nothing else, libraries and compiled code included.

    Pages of mapped files count as resident while there is memory to spare; what the process must have is the rest.
    """
    make_action(name, small, small)()
    with _Watch() as watch:
        make_action(name, path, small)()
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"megabytes": resident, "anonymous": watch.most / 1024}


class _Watch:
    """The most memory that was not that of files, looked at fifty times a second."""

    def __init__(self) -> None:
        self.most = 0
        self._done = Event()
        self._thread = Thread(target=self._look)

    def _look(self) -> None:
        while not self._done.wait(0.02):
            status = Path("/proc/self/status").read_text()
            found = re.search(r"RssAnon:\s+(\d+)", status)
            self.most = max(self.most, int(found[1]) if found else 0)

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()


def measure(name: str, sizes: list[Path], small: Path, given: Options) -> str:
    """A line of the table; of LightGBM, which needs all rows in memory, perhaps of the smaller file alone."""
    only_small = name == LIGHTGBM and not given.lightgbm_whole
    timed_path = sizes[0] if only_small else sizes[-1]
    arguments = {"name": name, "path": str(timed_path), "small": str(small)}
    timed = {**arguments, "repeats": 1 if name in ONCE else given.repeats}
    title = f"{name}, {given.rows // 4:,} rows" if only_small else name
    cells = [title, *_measure_cells("measure_time", timed, _TIMES, given.limit)]
    for path in sizes:
        if only_small and path != timed_path:
            cells.append("not run")
            continue
        of_memory = {**arguments, "path": str(path)}
        cells += _measure_cells("measure_memory", of_memory, _MEMORY, given.limit)
    return f"| {' | '.join(cells)} |"


_TIMES = ("{wall:.2f}", "{cpu:.2f}", "{wall_ratio:.2f}", "{cpu_ratio:.2f}")
_MEMORY = ("{megabytes:.0f} ({anonymous:.0f})",)


def _measure_cells(
    function: str, arguments: dict[str, Any], forms: tuple[str, ...], limit: float
) -> list[str]:
    """What was found, in cells of these forms; or in the first of them why there is nothing."""
    job = Job(arguments["name"], f"benchmarks.out_of_core:{function}", arguments, timeout=limit)
    try:
        found = run_job(job)
    except ChildFailedError as error:
        print(error, file=sys.stderr)
        return [error.in_short, *[""] * (len(forms) - 1)]
    return [form.format(**found) for form in forms]


def measure_all(folder: Path, given: Options) -> list[str]:
    """Every line, of which those in the folder are not measured again."""
    rows, repeats = given.rows, given.repeats
    paths = [generate(folder / f"{n}.parquet", n) for n in (rows // 4, rows)]
    small = generate(folder / "small.parquet", WARM_UP_ROWS)
    kept = folder / f"lines_{rows}_{repeats}.json"
    lines: dict[str, str] = json.loads(kept.read_text()) if kept.exists() else {}
    names = [name for name in NAMES if given.lightgbm or name != LIGHTGBM]
    for name in names:
        if name not in lines:
            print(f"{name} ...", file=sys.stderr)
            lines[name] = measure(name, paths, small, given)
            kept.write_text(json.dumps(lines))
    return [lines[name] for name in names]


def main() -> None:
    """Generate, measure and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="a million rows, once")
    parser.add_argument("--limit", type=float, default=1200, help="seconds of one measurement")
    parser.add_argument("--no-lightgbm", action="store_true", help="its line takes the longest")
    parser.add_argument(
        "--lightgbm-whole", action="store_true", help="LightGBM on all rows, not on a quarter"
    )
    parser.add_argument("--folder", type=Path, help="keeps files and lines; a temporary one")
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    rows, repeats = (QUICK_ROWS, 1) if given.quick else (given.rows, given.repeats)
    options = Options(rows, repeats, given.limit, not given.no_lightgbm, given.lightgbm_whole)
    if given.folder is None:
        with tempfile.TemporaryDirectory() as folder:
            lines = measure_all(Path(folder), options)
    else:
        given.folder.mkdir(parents=True, exist_ok=True)
        lines = measure_all(given.folder, options)
    publish("\n".join([*_head(rows, repeats), *lines]), given.output)


def _head(rows: int, repeats: int) -> list[str]:
    command = " ".join(["python -m benchmarks.out_of_core", *sys.argv[1:]])
    titles = ["", "wall s", "CPU s", "of a scan (wall)", "of a scan (CPU)"]
    titles += [f"peak MB at {n:,} rows" for n in (rows // 4, rows)]
    return [
        "# Data larger than memory",
        "",
        describe_run(command),
        "",
        f"{rows:,} rows, {NUMBERS} columns of float32, {len(CATEGORIES)} of categories, in Parquet. Medians of "
        f"{repeats} rounds (boosting and LightGBM to their own stop: once); ratios within a round. Peak memory: "
        "resident (and without the pages of mapped files, which the system takes when it needs them).",
        "",
        f"| {' | '.join(titles)} |",
        "|---|" + "---:|" * (len(titles) - 1),
    ]


if __name__ == "__main__":
    main()
