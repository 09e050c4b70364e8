"""``bayfold papers``: measure what the store lacks, write the pages, update the summary."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from rich.console import Console

from papers.shared.page import read_tables
from papers.shared.paper import Paper, Results
from papers.shared.runner import run_experiment
from papers.shared.store import Store
from papers.shared.summary import update_summary

HERE = Path(__file__).resolve().parent
NAMES = ("frank1998", "elkan1997", "ting2003", "vilalta2003", "fernandez2008", "defaults")
"""In the order of the cost of a full run, about; ``defaults`` is the table no paper has."""

FOLDS = "folds"
"""The folder beside the pages that holds what they were made from, so that others can go on from it."""


@dataclass(frozen=True)
class Run:
    """What the command was asked for."""

    names: tuple[str, ...]
    quick: bool = False
    n_jobs: int = 1
    stored_only: bool = False
    adopt: bool = False
    store: Path = HERE / "store"
    results: Path | None = None

    @property
    def folder(self) -> Path:
        """Where pages go: those of a quick run never in place of the full ones."""
        return self.results or HERE / "results" / ("quick" if self.quick else "")

    @property
    def command(self) -> str:
        """What a reader types to get the same; how many jobs changes nothing."""
        return shlex.join(["bayfold", "papers", *self.names, *(["--quick"] if self.quick else [])])


def find_papers(names: Sequence[str]) -> list[Paper]:
    """The papers asked for."""
    wanted = NAMES if "all" in names else names
    return [import_module(f"papers.{name}").PAPER for name in wanted]


def run_papers(run: Run, console: Console) -> list[str]:
    """Measure and write; what failed, as sentences."""
    results = Results(Store(run.store), run.folder, run.quick)
    warnings.filterwarnings("ignore", "The least populated class")  # of folds
    failures, pages = [], []
    for paper in find_papers(run.names):
        if run.adopt and not run.quick:
            adopt_committed(paper, results, console)
        for experiment in paper.experiments if not run.stored_only else ():
            units = results.plan(experiment)
            failures += run_experiment(experiment, units, results.store, run.n_jobs, console)
        if not any(results.progress(experiment)[0] for experiment in paper.experiments):
            failures.append(f"{paper.name}: nothing is stored, so its page stays as it is")
            continue
        page = paper.make_page(results)
        page.is_whole = not run.quick and results.is_whole(paper)
        page.write_tables(run.folder)
        page.claims = paper.judge(read_tables(run.folder, paper.name))
        page.write(run.folder, Run((paper.name,), run.quick).command)
        if not run.quick:
            for experiment in paper.experiments:
                results.store.publish(experiment, run.folder / FOLDS)
        pages.append(page)
        console.print(f"{paper.name}: {run.folder / f'{paper.name}.md'}", highlight=False)
        update_summary(run.folder, pages)
    return failures


def adopt_committed(paper: Paper, results: Results, console: Console) -> None:
    """Begin with the folds that the repository holds of a paper, and say how many those are."""
    for experiment in paper.experiments:
        count = results.store.adopt(experiment, HERE / "results" / FOLDS)
        said = f"{paper.name} {experiment.name}: {count:,} committed folds taken over"
        console.print(said, highlight=False)
