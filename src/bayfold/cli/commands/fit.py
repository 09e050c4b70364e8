"""``bayfold fit``."""

from __future__ import annotations

from typing import Annotated

import typer

from bayfold.cli import options


def fit(
    data: options.DataArgument,
    wanted: options.TargetOptions,
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="FILE", help="Where to save the model."),
        options.Writes("model"),
    ],
    model: options.ModelOptions,
    columns: options.ColumnOptions,
    units: options.UnitOptions,
    rate: options.RateOptions,
    file: options.FileOptions,
    report: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Also write a report in HTML."),
        options.Writes("page"),
    ] = None,
    stream: options.StreamOption = None,
    json: options.JsonOption = False,
) -> None:
    """Learn to predict a column of a table, and save the model.

    Example: bayfold fit churn.csv --target churn -o churn.bayfold --drop id

    Example: bayfold fit visits.csv --target readmitted --groups patient -o visits.bayfold

    Example: bayfold fit policies.csv --target claims --loss poisson --exposure years -o claims.bayfold
    """
    # the models and their libraries: not for --help
    from bayfold.cli.fitting import describe_fit, describe_stream, fit_model, report_on
    from bayfold.cli.models import choose_model
    from bayfold.cli.reading import note_how, read_training
    from bayfold.cli.streaming import choose_stream, fit_stream
    from bayfold.errors import option_without_stream

    wanted, model = rate.ask(wanted, model)
    per_row = units.columns | ({} if rate.exposure is None else {"exposure": rate.exposure})
    if choose_stream(data, file, stream):
        if report is not None:
            raise option_without_stream("--report")
        fitted = fit_stream(data, file, columns, wanted, model, per_row)
        fitted.save(output, notes=note_how(wanted.target, file))
        describe_stream(fitted, data, output, as_json=json)
        return
    training = read_training(data, file, columns, wanted, per_row)
    fitted = fit_model(choose_model(training.task, model), training)
    fitted.save(output, notes=note_how(wanted.target, file, training.file.dialect))
    if report is not None:
        report_on(fitted, training, report)
    describe_fit(fitted, training, output, report, as_json=json)
