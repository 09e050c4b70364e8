"""Measure what the store lacks, with a progress bar."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence

from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from threadpoolctl import threadpool_limits

from papers.shared.experiment import Experiment, Row, Unit
from papers.shared.store import Store

SAY_EVERY = 60.0
"""Seconds between two lines where there is no terminal for a bar."""


def measure_one(experiment: Experiment, unit: Unit) -> tuple[Unit, list[Row] | str]:
    """The rows of a unit; of a failure, what it says, in the same words wherever a library is missing."""
    warnings.simplefilter("ignore")  # unseen categories, small classes, constant columns in folds
    try:
        with threadpool_limits(1):
            return unit, experiment.measure(unit)
    except ImportError as error:
        return unit, f"{unit.method}: {error}"
    except Exception as error:  # one unit that fails must not end a run of hours
        return unit, f"{unit.method} on {unit.dataset}: {type(error).__name__}: {error}"


def run_experiment(
    experiment: Experiment, units: Sequence[Unit], store: Store, n_jobs: int, console: Console
) -> list[str]:
    """Measure the units that are missing; what failed, as sentences."""
    left = store.find_missing(experiment, units)
    if not left:
        return []
    title = f"{experiment.paper} {experiment.name}"
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    times = (TimeElapsedColumn(), TimeRemainingColumn())
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    failures: dict[str, None] = {}  # each once
    said = time.monotonic()
    with Progress(
        *columns, *times, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(title, total=len(left))
        done = parallel(delayed(measure_one)(experiment, unit) for unit in left)
        for count, (unit, found) in enumerate(done, start=1):
            if isinstance(found, str):
                failures[f"{title}, {found}"] = None
            else:
                store.add(experiment, unit, found)
            bar.advance(task)
            if not console.is_terminal and time.monotonic() - said > SAY_EVERY:
                console.print(f"{title}: {count} of {len(left)}", highlight=False)
                said = time.monotonic()
    return list(failures)
