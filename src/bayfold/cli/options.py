"""The options that commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import typer

LOSS_NAMES = ("squared", "poisson", "gamma", "tweedie")
TASK_NAMES = ("classification", "regression")
MODEL_NAMES = (
    "naive-bayes",
    "boosted",
    "tree",
    "adaboost",
    "aode",
    "decomposition",
    "via-regression",
    "mte",
)
FORMAT_NAMES = ("csv", "parquet", "arrow", "arff", "duckdb")


@dataclass(frozen=True)
class Reads:
    """Marks a parameter that names what a command reads: a file, a folder, a glob or ``-``."""


@dataclass(frozen=True)
class Writes:
    """Marks a parameter that names what a command writes.

    Attributes
    ----------
    kind : str
        "model" and "page" replace files of their kind; "table" and "other" only what they are told to; "folder" is a
        folder that results are added to.
    """

    kind: str


def offer(names: Sequence[str]) -> Callable[[str], list[str]]:
    """What a shell offers when the tab key is pressed."""
    return lambda incomplete: [name for name in names if name.startswith(incomplete)]


DataArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="CSV, Parquet, Arrow, ARFF or DuckDB file, gzipped or not; - for standard input.",
    ),
    Reads(),
]
ModelArgument = Annotated[
    str, typer.Argument(metavar="MODEL", help="File made by `bayfold fit`."), Reads()
]
FormatOption = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT",
        autocompletion=offer(FORMAT_NAMES),
        help="Of the output: csv, parquet, arrow, arff or duckdb.",
    ),
]
OutputOption = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Where to write the table; by default standard output. The format is what the name ends with, "
        "or that of the input.",
    ),
    Writes("table"),
]
OverwriteOption = Annotated[
    bool, typer.Option("--overwrite", help="Replace outputs that exist, whatever they are.")
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print the result as JSON, for programs to read.")
]
StreamOption = Annotated[
    bool | None,
    typer.Option(
        "--stream/--no-stream",
        help="Read a chunk at a time: files, globs and folders of any size may be given. By default where the file "
        "would not fit in memory.",
    ),
]
SeedOption = Annotated[int, typer.Option(help="Of everything that is drawn at random.")]
FoldsOption = Annotated[int, typer.Option(min=2, help="Parts of the cross-validation.")]
RepeatsOption = Annotated[int, typer.Option(min=1, help="Repeats of the cross-validation.")]

READING = "How to read the table"
COLUMNS = "Columns"


@dataclass(frozen=True)
class FileOptions:
    """How a file is read; what is not given is detected."""

    delimiter: Annotated[
        str | None,
        typer.Option(metavar="CHAR", help="Between cells of a CSV file.", rich_help_panel=READING),
    ] = None
    decimal: Annotated[
        str | None,
        typer.Option(metavar="CHAR", help="Decimal sign: . or ,", rich_help_panel=READING),
    ] = None
    encoding: Annotated[
        str | None,
        typer.Option(help="Of a CSV file, such as cp1252.", rich_help_panel=READING),
    ] = None
    month_first: Annotated[
        bool | None,
        typer.Option(
            "--month-first/--day-first",
            help="Of dates such as 03/04/2025; by default what the other cells of the column tell, or told at fit.",
            rich_help_panel=READING,
        ),
    ] = None
    missing: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="What stands for a missing cell, besides an empty one; by default "
            "NA,N/A,#N/A,NaN,nan,NULL,null,None,?",
            rich_help_panel=READING,
        ),
    ] = None
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            autocompletion=offer(FORMAT_NAMES),
            help="csv, parquet, arrow, arff or duckdb, where the name does not tell.",
            rich_help_panel=READING,
        ),
    ] = None
    table: Annotated[
        str | None,
        typer.Option(help="Which table of a DuckDB file.", rich_help_panel=READING),
    ] = None
    query: Annotated[
        str | None,
        typer.Option(
            metavar="SQL",
            help="A query to DuckDB; a file of another format is its table `data`.",
            rich_help_panel=READING,
        ),
    ] = None


@dataclass(frozen=True)
class ColumnOptions:
    """Which columns tell about the rows, and how."""

    columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="Columns to learn from, parted by commas; by default all.",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="Columns to leave out.", rich_help_panel=COLUMNS),
    ] = None
    categorical: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="Columns of numbers that are labels, such as zip codes.",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    weight: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column with the weight of each row: 2 is the row twice.",
            rich_help_panel=COLUMNS,
        ),
    ] = None


@dataclass(frozen=True)
class TargetOptions:
    """What is to be predicted."""

    target: Annotated[
        str, typer.Option("--target", "-t", metavar="NAME", help="Column to predict.")
    ]
    task: Annotated[
        str | None,
        typer.Option(
            autocompletion=offer(TASK_NAMES),
            help="classification or regression; by default what the target looks like.",
        ),
    ] = None


@dataclass(frozen=True)
class UnitOptions:
    """Which rows depend on each other."""

    groups: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column with what rows belong to, such as a patient: rows of one are held out together.",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    time: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column with dates or numbers: rows that are held out are later than those learnt from.",
            rich_help_panel=COLUMNS,
        ),
    ] = None

    @property
    def columns(self) -> dict[str, str]:
        """The columns that were named, by the argument of ``fit``; they are not learnt from."""
        given = {"groups": self.groups, "time": self.time}
        return {name: column for name, column in given.items() if column is not None}


@dataclass(frozen=True)
class RateOptions:
    """What a count or an amount is a total of."""

    loss: Annotated[
        str | None,
        typer.Option(
            autocompletion=offer(LOSS_NAMES),
            help="Of boosted numbers: squared, or poisson (counts), gamma (amounts), tweedie (amounts and zeros), "
            "whose tables multiply.",
        ),
    ] = None
    exposure: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column with how much each row was observed, such as years; only with --loss.",
            rich_help_panel=COLUMNS,
        ),
    ] = None

    def ask(self, wanted: TargetOptions, model: ModelOptions) -> tuple[TargetOptions, ModelOptions]:
        """The options with what a loss asks for: a number, boosted."""
        if self.loss is None:
            if self.exposure is not None:
                from bayfold.errors import exposure_without_loss  # NumPy: not for --help

                raise exposure_without_loss(self.exposure)
            return wanted, model
        settings = [*(model.settings or []), f"loss={self.loss}"]
        name = model.model or "boosted"
        task = wanted.task or "regression"
        return replace(wanted, task=task), replace(model, model=name, settings=settings)


@dataclass(frozen=True)
class DecisionOptions:
    """What decisions about classes cost."""

    costs: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Classes: decide for the least expected cost. A table with a row for each true class, named in its "
            "first column, and a column for each decision; empty where a decision is right.",
        ),
        Reads(),
    ] = None
    reject: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="Classes: what it costs to leave a row undecided; its prediction is empty where that is cheaper.",
        ),
    ] = None


@dataclass(frozen=True)
class NumberOptions:
    """What is written beside a predicted number, and of what it is a total."""

    interval: Annotated[
        float,
        typer.Option(
            min=0.0, max=1.0, help="Numbers: the interval that holds so much; 0 for none."
        ),
    ] = 0.9
    quantiles: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Numbers: quantiles to write, such as 0.1,0.5,0.9."),
    ] = None
    exposure: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Counts and amounts: the column with how much each row is observed; by default 1, so that "
            "predictions are rates.",
        ),
    ] = None


@dataclass(frozen=True)
class ModelOptions:
    """Which model, and its parameters."""

    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            "-m",
            metavar="NAME",
            autocompletion=offer(MODEL_NAMES),
            help="Classes: naive-bayes, boosted, tree, adaboost, aode, decomposition, via-regression. "
            "Numbers: naive-bayes, boosted, mte. By default naive-bayes, for numbers boosted.",
            show_default=False,
        ),
    ] = None
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A parameter of the model, such as numeric=mdl. May be repeated.",
        ),
    ] = None
    file: Annotated[
        str | None,
        typer.Option(
            "--settings",
            metavar="FILE",
            help="TOML file with the model and its parameters: bins, special codes, order and all others.",
        ),
        Reads(),
    ] = None
    seed: SeedOption = 0
