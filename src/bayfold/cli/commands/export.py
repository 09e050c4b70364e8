"""``bayfold export``."""

from __future__ import annotations

from typing import Annotated

import typer

from bayfold.cli.options import ModelArgument, Writes, offer


def export(
    model: ModelArgument,
    to: Annotated[
        str,
        typer.Option(
            help="sql, json, onnx or scorecard.",
            autocompletion=offer(("sql", "json", "onnx", "scorecard")),
        ),
    ],
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where to write; by default standard output."
        ),
        Writes("other"),
    ] = "-",
    dialect: Annotated[str, typer.Option(help="sql: duckdb, sqlite or postgres.")] = "duckdb",
    table: Annotated[str, typer.Option(help="sql: the table to score.")] = "data",
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="sql: columns of the table to return as well, such as its key, parted by commas.",
        ),
    ] = None,
) -> None:
    """Write a model as something that runs elsewhere: a query, JSON, ONNX, or a card of points.

    Example: bayfold export churn.bayfold --to sql --table customers --keep id -o score.sql
    """
    # the models and their libraries: not for --help
    from bayfold.cli.exporting import SqlOptions, write_export
    from bayfold.cli.output import split_names
    from bayfold.cli.reading import open_model

    write_export(open_model(model), to, output, SqlOptions(dialect, table, split_names(keep)))
