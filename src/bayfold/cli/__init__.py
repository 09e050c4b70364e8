"""The command line: ``bayfold`` and ``python -m bayfold``.

Commands import what they work with when they are run: scikit-learn, Arrow and the models take a second, and
``bayfold --help`` and shell completion should not wait for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperGroup

import bayfold
from bayfold.cli.command import DEBUG, command
from bayfold.cli.commands import (
    cluster,
    compare,
    demo,
    drift,
    evaluate,
    explain,
    export,
    fit,
    impute,
    info,
    papers,
    predict,
    report,
    warmup,
)


class Commands(TyperGroup):
    """The commands; ``--debug`` may stand anywhere."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take ``--debug`` out of the arguments, wherever it is before a ``--``."""
        end = args.index("--") if "--" in args else len(args)
        DEBUG.is_on = "--debug" in args[:end]
        kept = [arg for arg in args[:end] if arg != "--debug"]
        return super().parse_args(ctx, kept + args[end:])

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command, whose flags show no type: they take no value."""
        found = super().get_command(ctx, cmd_name)
        if found is not None:
            for flag in [*found.params, found.get_help_option(ctx)]:
                if flag is not None and getattr(flag, "is_flag", False):
                    flag.metavar = " "
        return found


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bayfold {bayfold.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version."
    ),
    debug: bool = typer.Option(
        False, "--debug", help="Show where an error came from. May also stand after the command."
    ),
) -> None:
    """Naive Bayes for the raw table: from a CSV file to a scored table with two commands.

    bayfold fit churn.csv --target churn -o churn.bayfold

    bayfold predict churn.bayfold new.csv -o scored.csv
    """


PANELS: dict[str, tuple[Callable[..., None], ...]] = {
    "From table to table": (fit, predict, impute, cluster),
    "What a model is worth, and why it says so": (evaluate, compare, explain, report, drift),
    "Models": (info, export, demo, warmup, papers),
}
for panel, functions in PANELS.items():
    for function in functions:
        app.command(rich_help_panel=panel)(command(function))
