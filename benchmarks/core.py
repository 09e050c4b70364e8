"""The benchmark of the core: fit and predict_proba against peers, memory, kernels, start-up.

Run from the root of the repository: ``python -m benchmarks.core``.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.child import ChildFailedError, run_job
from benchmarks.plan import QUICK_SIZES, SIZES, Plan
from benchmarks.report import publish, write_report
from benchmarks.verdict import Results


def run_plan(plan: Plan) -> tuple[Results, list[str]]:
    """Run all measurements one after another; a failed one leaves None and its reason."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    sections = plan.jobs()
    results: Results = {}
    failures: list[str] = []
    with Progress(
        *columns, TimeElapsedColumn(), console=console, disable=not console.is_terminal
    ) as progress:
        bar = progress.add_task("", total=sum(map(len, sections.values())))
        for section, jobs in sections.items():
            results[section] = []
            for job in jobs:
                progress.update(bar, description=job.title)
                result: Any = None
                try:
                    result = run_job(job)
                except ChildFailedError as error:
                    failures.append(str(error))
                results[section].append(result)
                progress.advance(bar)
    return results, failures


def read_sizes(text: str) -> tuple[int, ...]:
    """Row counts from ``"10000,1e6"``."""
    try:
        sizes = tuple(sorted({int(float(part)) for part in text.split(",")}))
    except ValueError as error:
        raise typer.BadParameter(f"must be numbers of rows with commas. Got {text!r}.") from error
    if not sizes or sizes[0] < 1_000:
        raise typer.BadParameter(f"must be at least 1,000 rows. Got {text!r}.")
    return sizes


def main(
    sizes: Annotated[str, typer.Option(help="Numbers of rows, with commas.")] = "",
    max_rows: Annotated[int, typer.Option(help="Leave out larger sizes.")] = max(SIZES),
    everything: Annotated[
        bool, typer.Option("--all", help="The slow peers at every size too.")
    ] = False,
    quick: Annotated[bool, typer.Option("--quick", help="10^4 and 10^5 rows, few rounds.")] = False,
    output: Annotated[Path | None, typer.Option(help="Markdown file to write.")] = None,
) -> None:
    """Measure bayfold against scikit-learn and print the tables as Markdown."""
    wanted = read_sizes(sizes) if sizes else (QUICK_SIZES if quick else SIZES)
    kept = tuple(size for size in wanted if size <= max_rows)
    if not kept:
        raise typer.BadParameter(f"--max-rows must leave a size. Got {max_rows}.")
    plan = Plan(kept, everything, quick)
    command = shlex.join(["python", "-m", "benchmarks.core", *sys.argv[1:]])
    results, failures = run_plan(plan)
    report = write_report(results, plan, command, failures)
    publish(report, output)
    raise typer.Exit(1 if failures else 0)


if __name__ == "__main__":
    typer.run(main)
