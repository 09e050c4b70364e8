"""10^11 rows on 1,000 workers: what it would take, from constants measured here, and 1,000 partial sums added up.

Each of the partial sums is that of rows of its own (the generator of ``benchmarks.out_of_core``), as a worker would
send it: as bytes. They are added in the tree that the engines use, and the outcome is compared with the fold of all
rows in one process. Tables are put into the document between its markers.

    python -m benchmarks.scaling_model --output docs/scaling.md
"""

from __future__ import annotations

import argparse
import pickle
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from bayfold import NaiveBayesClassifier
from bayfold.base.sources.fit import unfitted_with_one_thread
from bayfold.base.sources.passes import CountChunk, LookAtChunk
from bayfold.base.sources.reading import ChunkReader, Roles
from bayfold.core.counts.statistics import Statistics
from bayfold.core.engine import TreeSum
from bayfold.core.engine.partial import Partial, reduce_part
from bayfold.core.frames.sources import open_source
from benchmarks.large_table import TARGET, draw_rows
from benchmarks.report import describe_run

ROWS, WORKERS = 10**11, 1000
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
NETWORK = 1.25e8
"""Bytes per second between two workers: one gigabit, less than any cluster has."""

LONG_PART = 1 << 20
"""Rows of the part that counting is timed on: beside so many the sample costs nothing."""

DATA_RATE = 2e8
"""Bytes per second that a worker gets from a disk or a bucket: about what one core reads and unpacks of Parquet."""

BYTES_PER_ROW = 64
"""Of Parquet: 1,289 MB of 20 million rows in benchmarks/results/out_of_core.md."""

TASK_SECONDS = 1e-3
"""What a scheduler takes for a task: Dask's documentation says up to one millisecond."""


@dataclass
class Pass:
    """What was measured of one pass.

    Attributes
    ----------
    name : str
    n_bytes : list of int
        Of the partial sums as they travel.
    row_seconds : float
        CPU time per row of a part that is many times the sample.
    pack_seconds, add_seconds : float
        To make bytes of a sum and to read it again; to add two.
    total : object
        The sum of all.
    """

    name: str
    n_bytes: list[int]
    row_seconds: float
    pack_seconds: float
    add_seconds: float
    total: Any


def make_part(number: int, n_rows: int) -> pa.Table:
    """The rows of one worker."""
    return draw_rows(np.random.default_rng([7, number]), n_rows)


def run_pass(name: str, function: Any, columns: list[str], n_parts: int, n_rows: int) -> Pass:
    """Fold every part, send it as bytes, and add all up in the tree of the engines."""
    function(open_chunk(make_part(0, n_rows), columns))  # compiles
    packing = adding = 0.0
    sizes, tree = [], TreeSum()
    for number in range(n_parts):
        part = open_source(make_part(number, n_rows))
        partial = reduce_part(function, part, columns)
        folded = time.process_time()
        content = pickle.dumps(partial, protocol=5)
        received: Partial = pickle.loads(content)
        packed = time.process_time()
        tree.add(received)
        sizes.append(len(content))
        packing += packed - folded
        adding += time.process_time() - packed
    begun = time.process_time()
    total = tree.total().total
    adding += time.process_time() - begun
    per_add = adding / max(n_parts - 1, 1)
    per_row = time_rows(function, columns)
    return Pass(name, sizes, per_row, packing / n_parts, per_add, total)


def time_rows(function: Any, columns: list[str]) -> float:
    """CPU seconds of one row in a long part."""
    part = open_source(make_part(0, LONG_PART))
    begun = time.process_time()
    reduce_part(function, part, columns)
    return (time.process_time() - begun) / LONG_PART


def open_chunk(table: pa.Table, columns: list[str]) -> Any:
    """All rows as one chunk."""
    return next(iter(open_source(table).chunks(columns)))


def run_both(n_parts: int, n_rows: int) -> list[Pass]:
    """The survey, and the counts under the schema it leads to, of the default classifier."""
    names = make_part(0, 2).column_names
    roles = Roles(tuple(name for name in names if name != TARGET), TARGET)
    reader, model = ChunkReader(roles), NaiveBayesClassifier()
    look = run_pass("look", LookAtChunk(reader, frozenset()), roles.columns, n_parts, n_rows)
    rows = look.total.to_rows()
    schema = model._schema_for(rows)
    learn = unfitted_with_one_thread(model)._learn
    function = CountChunk(reader, learn, schema, Statistics.zero(), is_complete=True)
    count = run_pass("count", function, roles.columns, n_parts, n_rows)
    check_sum(count.total.statistics, model, n_parts, n_rows)
    return [look, count]


def check_sum(found: Statistics, model: NaiveBayesClassifier, n_parts: int, n_rows: int) -> None:
    """The same as one process finds, which cuts the rows in another way."""

    def batches() -> Any:
        return (
            batch for number in range(n_parts) for batch in make_part(number, n_rows).to_batches()
        )

    known = model.fit_source(batches, TARGET, progress=False).statistics_
    for table, same in zip(found.counts.tables, known.counts.tables, strict=True):
        np.testing.assert_array_equal(table, same)
    np.testing.assert_array_equal(found.sample.hashes, known.sample.hashes)
    np.testing.assert_array_equal(found.sample.weights, known.sample.weights)


def describe_passes(passes: list[Pass], n_parts: int, n_rows: int) -> list[str]:
    """The table of what was measured."""
    lines = [
        f"| measured on {n_parts:,} parts of {n_rows:,} rows | look | count |",
        "|---|---:|---:|",
    ]
    rows: list[tuple[str, list[str]]] = [
        ("microseconds of one core per row", [f"{1e6 * p.row_seconds:.2f}" for p in passes]),
        ("megabytes of a partial sum", [f"{np.mean(p.n_bytes) / 1e6:.2f}" for p in passes]),
        ("milliseconds to pack and unpack it", [f"{1e3 * p.pack_seconds:.1f}" for p in passes]),
        ("milliseconds to add two", [f"{1e3 * p.add_seconds:.1f}" for p in passes]),
    ]
    return lines + [f"| {title} | {' | '.join(cells)} |" for title, cells in rows]


def describe_model(passes: list[Pass]) -> list[str]:
    """The table of what follows for many rows and workers."""
    height = (WORKERS - 1).bit_length()
    own = ROWS / WORKERS
    reading = own * BYTES_PER_ROW / DATA_RATE
    lines = [
        f"| 10^11 rows, {WORKERS:,} workers of one core | look | count |",
        "|---|---:|---:|",
    ]
    sent = [float(np.mean(p.n_bytes)) for p in passes]
    levels = [
        height * (n / NETWORK + p.pack_seconds + p.add_seconds + TASK_SECONDS)
        for n, p in zip(sent, passes, strict=True)
    ]
    counting = [own * p.row_seconds for p in passes]
    both = list(zip(levels, counting, strict=True))
    tasks = 2 * WORKERS * TASK_SECONDS
    rows = [
        ("bytes read by a worker", [f"{own * BYTES_PER_ROW / 1e9:.1f} GB"] * 2),
        ("seconds to read them at 200 MB/s", [f"{reading:.0f}"] * 2),
        ("seconds of counting", [f"{s:.0f}" for s in counting]),
        ("height of the tree", [str(height)] * 2),
        ("bytes received by one worker, at most", [f"{height * n / 1e6:.0f} MB" for n in sent]),
        ("bytes moved by all", [f"{(WORKERS - 1) * n / 1e9:.1f} GB" for n in sent]),
        ("seconds in the tree at 1 Gbit/s", [f"{s:.1f}" for s in levels]),
        ("seconds of one scheduler, 1 ms a task", [f"{tasks:.0f}"] * 2),
        ("share of the tree in the pass", [_share(t, reading + c) for t, c in both]),
    ]
    return lines + [f"| {title} | {' | '.join(cells)} |" for title, cells in rows]


def _share(part: float, rest: float) -> str:
    return f"{100 * part / (part + rest):.1f} %"


def put_between(path: Path, text: str) -> None:
    """Replace what stands between the markers of a document."""
    before = path.read_text(encoding="utf-8")
    pattern = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.S)
    assert pattern.search(before), f"{path} has no markers"
    path.write_text(pattern.sub(lambda _: f"{BEGIN}\n{text}\n{END}", before), encoding="utf-8")


def main() -> None:
    """Add up, compare, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", type=int, default=WORKERS)
    parser.add_argument("--rows", type=int, default=25_000, help="of a part")
    parser.add_argument("--output", type=Path, help="a document with markers")
    given = parser.parse_args()
    passes = run_both(given.parts, given.rows)
    command = " ".join(["python -m benchmarks.scaling_model", *sys.argv[1:]])
    lines = [describe_run(command), "", *describe_passes(passes, given.parts, given.rows), ""]
    lines += [
        f"The sum of the {given.parts:,} partial sums was that of one process over the {given.parts * given.rows:,} "
        "rows: every count and the sample, bit for bit.",
        "",
        *describe_model(passes),
    ]
    print("\n".join(lines))
    if given.output is not None:
        put_between(given.output, "\n".join(lines))


if __name__ == "__main__":
    main()
