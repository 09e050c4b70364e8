"""``bayfold predict``."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from bayfold.cli.options import (
    DataArgument,
    FileOptions,
    FormatOption,
    ModelArgument,
    OutputOption,
    Reads,
    StreamOption,
)


def predict(
    model: ModelArgument,
    data: DataArgument,
    file: FileOptions,
    output: OutputOption = "-",
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
    interval: Annotated[
        float,
        typer.Option(
            min=0.0, max=1.0, help="Numbers: the interval that holds so much; 0 for none."
        ),
    ] = 0.9,
    quantiles: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Numbers: quantiles to write, such as 0.1,0.5,0.9."),
    ] = None,
    costs: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Classes: decide for the least expected cost. A table with a row for each true class, named in its "
            "first column, and a column for each decision; empty where a decision is right.",
        ),
        Reads(),
    ] = None,
    reject: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="Classes: what it costs to leave a row undecided; its prediction is empty where that is cheaper.",
        ),
    ] = None,
    exposure: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Counts and amounts: the column with how much each row is observed; by default 1, so that "
            "predictions are rates.",
        ),
    ] = None,
    output_format: FormatOption = None,
    stream: StreamOption = None,
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
        probabilities, interval, quantiles, costs=read_costs(costs), reject=reject
    )
    if choose_stream(data, file, stream):
        if exposure is not None:
            raise option_without_stream("--exposure")
        source = open_for_model(fitted, data, file)
        predict_stream(
            fitted, source, choose_kept(source.names, keep, data), wanted, output, output_format
        )
        return
    rows = read_for_model(fitted, data, file)
    if exposure is not None:
        check_columns("--exposure", [exposure], rows.names, data)
        wanted = replace(wanted, exposure=rows.vector(exposure))
    kept = choose_kept(rows.names, keep, data)
    answers = add_answers(fitted, rows.select(names_of(fitted)), kept, wanted)
    write_rows(rows, kept, answers, output, output_format)
