"""``bayfold explain``."""

from __future__ import annotations

from typing import Annotated

import typer

from bayfold.cli.options import DataArgument, FileOptions, JsonOption, ModelArgument, Writes


def explain(
    model: ModelArgument,
    data: DataArgument,
    file: FileOptions,
    rows: Annotated[
        str, typer.Option(metavar="LIST", help="Rows from 1, such as 1,4-6, or all.")
    ] = "1",
    label: Annotated[
        str | None,
        typer.Option(
            "--class", metavar="CLASS", help="Of more than two; by default the predicted one."
        ),
    ] = None,
    top: Annotated[
        int,
        typer.Option(
            min=0, help="Cells in the terminal, the strongest; the others share a line. 0: all."
        ),
    ] = 15,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write the evidence as a table, or as .html."
        ),
        Writes("table"),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show what each cell of a row did to its prediction.

    Example: bayfold explain churn.bayfold new.csv --rows 3
    """
    # the models and their libraries: not for --help
    from bayfold.cli.explaining import explain_chosen, save_evidence, show_rows
    from bayfold.cli.output import split_rows
    from bayfold.cli.reading import open_model, read_as_fitted, read_for_model
    from bayfold.cli.show import show_json

    fitted = open_model(model)
    file = read_as_fitted(model, file)
    file_rows = read_for_model(fitted, data, file)
    chosen = split_rows(rows, file_rows.n_rows)
    explained = explain_chosen(fitted, file_rows, chosen, label)
    if output is not None:
        save_evidence(explained, output)
    elif json:
        show_json([row.as_dict() for row in explained])
    else:
        show_rows(explained, top)
