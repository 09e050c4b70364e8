"""How the cost of a fit grows with rows, columns and classes, beside scikit-learn: CPU time on one thread, and memory.

Every fit runs in a process of its own, after a small one that compiles.

    python -m benchmarks.growth --output benchmarks/results/growth.md   # also writes growth.png beside it
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.ticker import NullFormatter

from benchmarks.child import ONE_THREAD, ChildFailedError, Job, run_job
from benchmarks.report import describe_run, publish

CLASSIFIERS = ("default", "plain", "boosted", "GaussianNB", "HistGradientBoosting")
PATIENCE = 240.0
"""Seconds after which a fit is given up, and larger ones of the model are not tried."""


@dataclass(frozen=True)
class Axis:
    """What grows while the rest stays."""

    name: str
    cases: tuple[tuple[int, int, int], ...]
    models: tuple[str, ...]

    def size(self, case: tuple[int, int, int]) -> int:
        """The number that grows."""
        return case[("rows", "columns", "classes").index(self.name.split()[0])]


AXES = (
    Axis(
        "rows",
        ((150, 4, 3), (1_000, 20, 2), (10_000, 20, 2), (100_000, 20, 2), (1_000_000, 20, 2)),
        CLASSIFIERS,
    ),
    Axis(
        "columns",
        ((1_000, 20, 2), (1_000, 200, 2), (1_000, 1_000, 2), (1_000, 5_000, 2), (10_000, 2_000, 2)),
        CLASSIFIERS,
    ),
    Axis("classes", tuple((10_000, 50, n) for n in (2, 20, 100, 1_000)), CLASSIFIERS),
    Axis(
        "columns of regressors and imputer",
        tuple((1_000, n, 2) for n in (20, 100, 200)),
        ("regressor", "MTE regressor", "imputer"),
    ),
)


def measure_axis(axis: Axis) -> dict[str, dict[tuple[int, int, int], dict[str, Any] | str]]:
    """Seconds and megabytes of every model and case, or why there are none."""
    found: dict[str, dict[tuple[int, int, int], dict[str, Any] | str]] = {}
    for model in axis.models:
        found[model] = {}
        for case in axis.cases:
            title = f"{model}, {case[0]} x {case[1]}, {case[2]} classes"
            print(title, file=sys.stderr)
            sizes = dict(zip(("n_rows", "n_columns", "n_classes"), case, strict=True))
            function = "benchmarks.growth_cases:measure_fit"
            job = Job(title, function, {"model": model, **sizes}, ONE_THREAD, PATIENCE)
            try:
                found[model][case] = run_job(job)
            except ChildFailedError as failure:
                found[model][case] = str(failure).split(": ", 1)[1]
                break
    return found


def measure_other() -> list[tuple[str, dict[str, Any] | str]]:
    """Two fits that do not lie on an axis."""
    jobs = [
        ("partial_fit, 50,000 categories in 100 batches", "measure_batches", (50_000, 100)),
        ("decomposition of the default, vowel", "measure_decomposition", ("vowel",)),
    ]
    names = {
        "measure_batches": ("n_categories", "n_batches"),
        "measure_decomposition": ("dataset",),
    }
    found: list[tuple[str, dict[str, Any] | str]] = []
    for title, function, values in jobs:
        arguments = dict(zip(names[function], values, strict=True))
        place = f"benchmarks.growth_cases:{function}"
        try:
            found.append((title, run_job(Job(title, place, arguments, ONE_THREAD, PATIENCE))))
        except ChildFailedError as failure:
            found.append((title, str(failure).split(": ", 1)[1]))
    return found


def write_axis(axis: Axis, found: dict[str, dict[Any, Any]]) -> list[str]:
    """A table: one row per case, seconds and megabytes per model."""
    header = " | ".join(f"{model}, s | MB" for model in axis.models)
    lines = [f"## {axis.name.capitalize()}", "", f"| rows x columns, classes | {header} |"]
    lines += ["|---|" + "---:|" * (2 * len(axis.models))]
    for case in axis.cases:
        cells = [_cells(found[model].get(case)) for model in axis.models]
        lines.append(f"| {case[0]:,} x {case[1]:,}, {case[2]:,} | {' | '.join(cells)} |")
    return [*lines, ""]


def _cells(measured: dict[str, Any] | str | None) -> str:
    if not isinstance(measured, dict):
        return f"{measured or ''} | "
    memory = measured["megabytes"]
    return f"{measured['seconds']:.3g} | {'' if memory is None else f'{memory:.0f}'}"


def draw(results: dict[str, dict[str, dict[Any, Any]]], path: Path) -> None:
    """CPU time over what grows, one panel per axis."""
    figure, panels = plt.subplots(
        1, len(AXES), figsize=(4.2 * len(AXES), 3.8), layout="constrained"
    )
    for panel, axis in zip(panels, AXES, strict=True):
        for model, cases in results[axis.name].items():
            points = sorted(
                (axis.size(case), measured["seconds"])
                for case, measured in cases.items()
                if isinstance(measured, dict) and (axis.name != "columns" or case[0] == 1_000)
            )
            ours = model in ("default", "plain", "boosted", "regressor", "MTE regressor", "imputer")
            panel.plot(*zip(*points, strict=True), "o-" if ours else "s--", label=model, ms=4)
        panel.set(xscale="log", yscale="log", xlabel=axis.name, ylabel="CPU seconds of a fit")
        for side in (panel.xaxis, panel.yaxis):
            side.set_minor_formatter(NullFormatter())
        panel.grid(alpha=0.3)
        panel.legend(fontsize=7, loc="upper left", bbox_to_anchor=(0, 1.3), frameon=False, ncols=2)
    figure.savefig(path, dpi=110)


def main() -> None:
    """Measure and write the tables and the picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path)
    parser.add_argument("--quick", action="store_true", help="only the two smallest of each kind")
    arguments = parser.parse_args()
    axes = [replace(a, cases=a.cases[:2]) if arguments.quick else a for a in AXES]
    results = {axis.name: measure_axis(axis) for axis in axes}
    command = " ".join(["python -m benchmarks.growth", *sys.argv[1:]])
    lines = ["# Growth of the cost of a fit", "", describe_run(command), ""]
    lines += ["CPU seconds on one thread, and by how many MB resident memory rose at most.", ""]
    for axis in axes:
        lines += write_axis(axis, results[axis.name])
    others = [] if arguments.quick else measure_other()
    lines += ["## Others", "", "| | s |", "|---|---:|"]
    lines += [f"| {title} | {_cells(found).split(' |')[0]} |" for title, found in others]
    if arguments.output is not None:
        picture = arguments.output.with_suffix(".png")
        draw(results, picture)
        lines += ["", f"![CPU time of a fit]({picture.name})"]
    publish("\n".join(lines), arguments.output)


if __name__ == "__main__":
    main()
