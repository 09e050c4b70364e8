"""``bayfold impute``."""

from __future__ import annotations

from typing import Annotated

import typer

from bayfold.cli.options import (
    ColumnOptions,
    DataArgument,
    FileOptions,
    FormatOption,
    OutputOption,
    SeedOption,
)


def impute(
    data: DataArgument,
    columns: ColumnOptions,
    file: FileOptions,
    output: OutputOption = "-",
    strategy: Annotated[
        str,
        typer.Option(
            help="expected: the mean or the most probable category; draw: a draw from them."
        ),
    ] = "expected",
    seed: SeedOption = 0,
    output_format: FormatOption = None,
) -> None:
    """Fill the missing cells of a table from the other cells of their rows; all others stay as they are.

    Example: bayfold impute survey.csv -o filled.csv --drop id
    """
    # the models and their libraries: not for --help
    from bayfold import NaiveBayesImputer
    from bayfold.cli.command import blame_parameters, say
    from bayfold.cli.output import write_rows
    from bayfold.cli.reading import read_features
    from bayfold.errors import cells_filled

    rows, names, weight = read_features(data, file, columns)
    # a word that is no strategy is refused by the imputer
    imputer = NaiveBayesImputer(strategy=strategy, random_state=seed)  # type: ignore[arg-type]
    with blame_parameters(imputer):
        filled = imputer.fit_transform(rows.select(names), sample_weight=weight)
    whole = rows.filled(filled)
    say(cells_filled(rows.count_missing(names), whole.count_missing(names)))
    write_rows(whole, whole.names, {}, output, output_format)
