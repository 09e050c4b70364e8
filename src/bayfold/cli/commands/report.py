"""``bayfold report``."""

from __future__ import annotations

from typing import Annotated

import typer

from bayfold.cli import options


def report(
    data: options.DataArgument,
    wanted: options.TargetOptions,
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="FILE", help="The HTML file to write."),
        options.Writes("page"),
    ],
    model: options.ModelOptions,
    columns: options.ColumnOptions,
    units: options.UnitOptions,
    file: options.FileOptions,
    against: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="A model file: say what changed since."),
        options.Reads(),
    ] = None,
) -> None:
    """Fit a model and write a report: the data, what the model is worth, and the evidence of every column.

    Example: bayfold report churn.csv --target churn -o report.html

    Example: bayfold report june.csv --target churn -o june.html --against may.bayfold
    """
    # the models and their libraries: not for --help
    from bayfold.cli.fitting import fit_model, report_on
    from bayfold.cli.models import choose_model
    from bayfold.cli.reading import open_model, read_training

    training = read_training(data, file, columns, wanted, units.columns)
    other = None if against is None else open_model(against)
    report_on(fit_model(choose_model(training.task, model), training), training, output, other)
