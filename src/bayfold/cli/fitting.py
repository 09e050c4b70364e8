"""Fit, cluster, report, and say what was done."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import bayfold.report
from bayfold import NaiveBayesMixture, errors
from bayfold.cli.command import blame_parameters, say
from bayfold.cli.reading import Training, names_of
from bayfold.cli.show import find_console, show_json


def fit_model(model: Any, training: Training) -> Any:
    """The model fitted to the rows, with their weights if they have some; a bad parameter is misuse."""
    given = dict(training.per_row)
    if training.weight is not None:
        given["sample_weight"] = training.weight
    with blame_parameters(model):
        fitted = model.fit(training.features, training.y, **given)
    # bars are for this run, not for whoever loads the model
    has_bars = "progress" in model.get_params(deep=False)
    return fitted.set_params(progress=False) if has_bars else fitted


def report_on(model: Any, training: Training, path: str, against: Any = None) -> None:
    """Write a report on a model and the rows it was fitted on; it counts those without a target itself."""
    bayfold.report.write(
        model,
        training.features,
        training.y,
        path,
        target=training.target,
        source=training.file.path,
        sample_weight=training.weight,
        groups=training.units.get("groups"),
        time=training.units.get("time"),
        against=against,
    )


def describe_stream(model: Any, path: str, output: str, as_json: bool) -> None:
    """The same of files that were read a chunk at a time."""
    name = type(model).__name__
    size = Path(output).stat().st_size
    names = names_of(model)
    if as_json:
        show_json({"model": name, "columns": names, "output": output, "bytes": size})
        return
    console = find_console()
    console.print(f"{name} fitted to {len(names)} columns of {path}, a chunk at a time.")
    console.print(f"Saved to {output} ({size / 1000:,.0f} kB).")


def uses_all_rows(model: Any) -> bool:
    """Whether rows without a target are learnt from too."""
    return getattr(model, "missing_target", None) == "em"


def describe_fit(
    model: Any, training: Training, output: str, report: str | None, as_json: bool
) -> None:
    """What was learnt from what, and where it is."""
    classes = getattr(model, "classes_", None)
    n_rows = training.file.n_rows if uses_all_rows(model) else training.count_known()
    found = {
        "model": type(model).__name__,
        "task": training.task,
        "target": training.target,
        "rows": n_rows,
        "columns": training.names,
        "classes": classes,
        "output": output,
        "bytes": Path(output).stat().st_size,
        "report": report,
    }
    if as_json:
        show_json({name: value for name, value in found.items() if value is not None})
        return
    columns = f"{len(training.names)} column{'s' if len(training.names) != 1 else ''}"
    of_classes = "" if classes is None else f", {len(classes)} classes"
    console = find_console()
    console.print(
        f"{found['model']} fitted to {n_rows:,} rows and {columns} of {training.file.path}{of_classes}."
    )
    console.print(f"Saved to {output} ({Path(output).stat().st_size / 1000:,.0f} kB).")
    if report is not None:
        console.print(f"Report: {report}")


READABLE = 8
"""Clusters that people keep apart by name; beyond that a number is worth giving."""


def find_clusters(X: Any, weight: np.ndarray | None, number: int, seed: int) -> NaiveBayesMixture:
    """A mixture with so many components; 0: with as many as held-out rows find best."""
    mixture = NaiveBayesMixture(number or "cv", random_state=seed, progress=True)
    with blame_parameters(mixture):
        return mixture.fit(X, sample_weight=weight)


def report_clusters(mixture: NaiveBayesMixture, X: Any, source: str, path: str) -> None:
    """Write a page on what makes each cluster."""
    import bayfold.report  # jinja2: only for pages

    bayfold.report.write(mixture, X, None, path, source=source)


def describe_clusters(mixture: NaiveBayesMixture, X: Any) -> None:
    """Say on standard error how many rows each cluster has."""
    counts = np.bincount(mixture.predict(X), minlength=mixture.n_components_)
    sizes = ", ".join(f"{k}: {count:,}" for k, count in enumerate(counts))
    console = Console(stderr=True, markup=False, highlight=False)
    number = f"{len(counts)} cluster{'s' if len(counts) != 1 else ''}"
    console.print(f"{number}; rows of each: {sizes}.")
    if mixture.n_components == "cv" and len(counts) > READABLE:
        say(errors.many_clusters(len(counts), READABLE))
