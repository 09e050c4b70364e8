"""``bayfold drift``."""

from __future__ import annotations

from typing import Annotated

import typer

from bayfold.cli.options import DataArgument, FileOptions, JsonOption, ModelArgument, StreamOption


def drift(
    model: ModelArgument,
    data: DataArgument,
    file: FileOptions,
    level: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=1.0,
            help="How often equal tables may be called different, all columns together.",
        ),
    ] = 0.05,
    stream: StreamOption = None,
    json: JsonOption = False,
) -> None:
    """Compare a table with the rows a model was fitted on: each column and the score, worst first.

    Example: bayfold drift churn.bayfold new.csv
    """
    # the models and their libraries: not for --help
    from bayfold.cli.memory import choose_stream
    from bayfold.cli.reading import names_of, open_model, read_as_fitted, read_for_model
    from bayfold.cli.show import show_json, show_records
    from bayfold.cli.streaming import open_for_model

    fitted = open_model(model)
    file = read_as_fitted(model, file)
    if choose_stream(data, file, stream):
        found = fitted.compare_source(open_for_model(fitted, data, file), level=level)
    else:
        rows = read_for_model(fitted, data, file)
        found = fitted.compare_data(rows.select(names_of(fitted)), level=level)
    if json:
        show_json({"level": level, "columns": found})
        return
    show_records(
        "Rows that are compared with those of the training", found, {"psi": 4, "p": 4, "p_holm": 4}
    )
