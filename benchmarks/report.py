"""The results as Markdown."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import bayfold
from benchmarks.models import OURS
from benchmarks.plan import Plan
from benchmarks.speed import MIXED_PEER
from benchmarks.verdict import Results, judge_figures, numeric_records

LIBRARIES = ("bayfold", "numpy", "numba", "scikit-learn", "scipy", "pandas", "polars", "pyarrow")

THREADS_TITLE = {"default": "threads as each library sets them", "one": "one thread"}


def write_report(results: Results, plan: Plan, command: str, failures: list[str]) -> str:
    """The whole report."""
    parts = ["# Core benchmark", describe_run(command)]
    for threads, title in THREADS_TITLE.items():
        parts += [f"## 20 numeric columns, {title}", numeric_table(results, threads)]
    for threads, title in THREADS_TITLE.items():
        parts += [f"## Strings, numbers and missing cells, {title}", mixed_table(results, threads)]
    parts += ["## Peak extra memory at fit, 20 numeric columns, 2 classes", memory_table(results)]
    parts += [f"## Kernels, one thread, {plan.reference:,} x 20", kernel_table(results)]
    parts += ["## Start of a process", startup_table(results)]
    parts += [f"## Required and reached, {plan.reference:,} x 20, 2 classes"]
    parts += [verdict_table(results, plan)]
    if failures:
        parts += ["## Failed", "\n".join(f"* {failure}" for failure in failures)]
    return "\n\n".join(parts) + "\n"


def publish(report: str, output: Path | None) -> None:
    """Print the report, and write it to a file if there is one."""
    print(report)
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(report.rstrip("\n") + "\n", encoding="utf-8")


def describe_run(command: str, others: tuple[str, ...] = ()) -> str:
    """The command, the machine and the versions, of ``others`` too."""
    versions = ", ".join(f"{name} {find_version(name)}" for name in (*LIBRARIES, *others))
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return "\n".join(
        [
            f"* Command: `{command}`",
            f"* Machine: {count_cores()} cores, {find_processor()}, {platform.system()}",
            f"* Versions: {python}, {versions}",
        ]
    )


def count_cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def find_processor() -> str:
    """The model of the processor."""
    path = Path("/proc/cpuinfo")
    if path.exists():
        for line in path.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def find_version(name: str) -> str:
    """Version of an installed library."""
    if name == "bayfold":
        return bayfold.__version__
    try:
        return version(name)
    except PackageNotFoundError:
        return "(not installed)"


def format_table(header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table, first column to the left and numbers to the right."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [header, rule, *rows])


def milliseconds(seconds: float) -> str:
    """Seconds as milliseconds to three digits."""
    value = 1e3 * seconds
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def times(ratio: float) -> str:
    """A ratio to three digits."""
    return f"{ratio:.0f}x" if ratio >= 100 else f"{ratio:.3g}x"


def numeric_table(results: Results, threads: str) -> str:
    """Seconds, ratios and memory passes of every model in every case."""
    header = ["model", "rows", "classes", "columns", "fit ms", "predict_proba ms"]
    header += [f"fit / {OURS}", f"predict_proba / {OURS}", "fit / X.sum()"]
    header += ["predict_proba / X.sum()", "accuracy"]
    rows = [
        [
            record["model"],
            f"{record['rows']:,}",
            str(record["classes"]),
            record["shape"],
            milliseconds(record["fit_seconds"]),
            milliseconds(record["predict_seconds"]),
            times(record["fit_ratio"]),
            times(record["predict_ratio"]),
            times(record["fit_passes"]),
            times(record["predict_passes"]),
            f"{record['accuracy']:.4f}",
        ]
        for record in numeric_records(results, threads)
    ]
    return format_table(header, rows)


def mixed_table(results: Results, threads: str) -> str:
    """Ours against the pipeline for every dataframe library."""
    header = ["input", "rows", "fit ms", "predict_proba ms", "peer fit ms"]
    header += ["peer predict_proba ms", "peer fit / fit", "peer predict_proba / predict_proba"]
    header += ["accuracy", "peer accuracy"]
    rows = [
        [
            record["library"],
            f"{record['rows']:,}",
            milliseconds(record["fit_seconds"]),
            milliseconds(record["predict_seconds"]),
            milliseconds(record["peer_fit_seconds"]),
            milliseconds(record["peer_predict_seconds"]),
            times(record["fit_ratio"]),
            times(record["predict_ratio"]),
            f"{record['accuracy']:.4f}",
            f"{record['peer_accuracy']:.4f}",
        ]
        for case in results[f"mixed, {threads}"]
        for record in case or ()
    ]
    note = f"The peer is {MIXED_PEER}; for pyarrow, which it does not take, its time on pandas."
    return format_table(header, rows) + "\n\n" + note


def memory_table(results: Results) -> str:
    """Peaks as shares of the input."""
    header = ["model", "rows", "input MB", "resident, % of input", "traced, % of input"]
    rows = [
        [
            record["model"],
            f"{record['rows']:,}",
            f"{record['input_bytes'] / 1e6:.1f}",
            percent(record["resident"]),
            percent(record["traced"]),
        ]
        for record in results["memory"]
        if record is not None
    ]
    return format_table(header, rows)


def percent(share: float | None) -> str:
    """A share in percent."""
    return "-" if share is None else f"{100 * share:.1f}"


def kernel_table(results: Results) -> str:
    """Nanoseconds per row and column."""
    return format_table(["kernel", "ns per row and column"], named_rows(results["kernels"], 2))


def startup_table(results: Results) -> str:
    """Seconds of imports and first calls."""
    first_calls, imports = results["startup"]
    rows = [
        [f"first fit and predict_proba on 1,000 rows, {row[0]}", row[1]]
        for row in named_rows([first_calls], 3)
    ]
    rows += [[f"import {row[0]}", row[1]] for row in named_rows([imports], 3)]
    return format_table(["what", "seconds"], rows)


def named_rows(results: list[Any], digits: int) -> list[list[str]]:
    """Rows of name and number from results that map one to the other."""
    return [
        [name, f"{value:.{digits}f}"]
        for result in results
        for name, value in (result or {}).items()
    ]


def verdict_table(results: Results, plan: Plan) -> str:
    """The closing table."""
    header = ["figure", "required", "aim", "measured", "measured, one thread", "reached"]
    return format_table(header, judge_figures(results, plan))
