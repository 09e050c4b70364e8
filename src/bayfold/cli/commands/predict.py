"""``bayfold predict``."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from bayfold.cli import options


def predict(
    model: options.ModelArgument,
    data: options.DataArgument,
    file: options.FileOptions,
    decision: options.DecisionOptions,
    number: options.NumberOptions,
    output: options.OutputOption = "-",
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="Columns of the input to write, parted by commas; `none` for none; by default all.",
        ),
    ] = None,
    probabilities: Annotated[
        bool, typer.Option(help="Also write the probability of each class.")
    ] = True,
    output_format: options.FormatOption = None,
    stream: options.StreamOption = None,
) -> None:
    """Predict the rows of a table: its columns come out again, with the prediction beside them.

    Example: bayfold predict churn.bayfold new.csv -o scored.csv --keep id

    Example: bayfold predict churn.bayfold new.csv --costs costs.csv --reject 1.5
    """
    # the models and their libraries: not for --help
    from bayfold.cli.output import (
        AnswerOptions,
        add_answers,
        check_columns,
        choose_kept,
        read_costs,
        write_rows,
    )
    from bayfold.cli.reading import names_of, open_model, read_as_fitted, read_for_model
    from bayfold.cli.streaming import choose_stream, open_for_model, predict_stream
    from bayfold.errors import option_without_stream

    fitted = open_model(model)
    file = read_as_fitted(model, file)
    wanted = AnswerOptions(
        probabilities,
        number.interval,
        number.quantiles,
        costs=read_costs(decision.costs),
        reject=decision.reject,
    )
    if choose_stream(data, file, stream):
        if number.exposure is not None:
            raise option_without_stream("--exposure")
        source = open_for_model(fitted, data, file)
        predict_stream(
            fitted, source, choose_kept(source.names, keep, data), wanted, output, output_format
        )
        return
    rows = read_for_model(fitted, data, file)
    if number.exposure is not None:
        check_columns("--exposure", [number.exposure], rows.names, data)
        wanted = replace(wanted, exposure=rows.vector(number.exposure))
    kept = choose_kept(rows.names, keep, data)
    answers = add_answers(fitted, rows.select(names_of(fitted)), kept, wanted)
    write_rows(rows, kept, answers, output, output_format)
