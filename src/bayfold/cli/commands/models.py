"""``bayfold info``, ``export``, ``demo``, ``warmup`` and ``papers``: models, and bayfold itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bayfold.cli.options import JsonOption, ModelArgument, Writes, offer


def info(model: ModelArgument, json: JsonOption = False) -> None:
    """Show what is in a model file: its kind, what it was fitted on, its columns and parameters.

    Example: bayfold info churn.bayfold
    """
    # the models and their libraries: not for --help
    from bayfold.cli.reading import open_model
    from bayfold.cli.show import describe_model, show_json, show_model

    described = describe_model(open_model(model), model)
    if json:
        show_json(described)
    else:
        show_model(described)


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


def demo(
    rows: int = typer.Option(4000, min=100, help="Training rows to generate."),
    seed: int = typer.Option(0, help="Seed of the generated table."),
) -> None:
    """Fit a generated credit table whose true model is known, and show the evidence for one row.

    Example: bayfold demo --rows 1000
    """
    from bayfold.cli.demo import run_demo  # scikit-learn: not for --help

    run_demo(rows, seed)


def warmup(
    named: str = typer.Option(
        "", "--for", help="Only estimators with this in their name: boosted, regressor, tree, text."
    ),
) -> None:
    """Compile the kernels now, once per machine and on all cores, so that no first fit has to wait for it.

    Example: bayfold warmup --for boosted
    """
    # the models and their libraries: not for --help
    from rich.console import Console

    from bayfold.cli.warming import warm_up

    warm_up(Console(stderr=True), named)


NamesArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[PAPER]...",
        help="frank1998, elkan1997, ting2003, vilalta2003, fernandez2008, defaults (all models beside peers), all.",
        show_default=False,
    ),
]


def papers(
    names: NamesArgument = None,
    quick: Annotated[bool, typer.Option("--quick", help="A few folds of everything.")] = False,
    jobs: Annotated[int, typer.Option(metavar="N", help="Processes that measure.", min=1)] = 1,
    stored: Annotated[
        bool, typer.Option("--stored", help="Write pages from what is stored; measure nothing.")
    ] = False,
    adopt: Annotated[
        bool,
        typer.Option(
            "--adopt",
            help="Begin with the folds that the repository holds; measure what is missing.",
        ),
    ] = False,
    store: Annotated[
        Path | None,
        typer.Option(help="Folder of results fold by fold.", show_default=False),
        Writes("folder"),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder of pages.", show_default=False),
        Writes("folder"),
    ] = None,
) -> None:
    """Run the papers' experiments again, published beside measured; goes on where it stopped.

    Needs a clone of the repository, whose folder `papers` holds them. BAYFOLD_DATA may name a folder of datasets.

    Example: bayfold papers frank1998 --quick
    """
    # the models and their libraries: not for --help
    from bayfold.cli.reproducing import reproduce

    reproduce(tuple(names or ["all"]), quick, jobs, stored, store, output, adopt)
