"""The command line: ``bayfold demo``."""

from __future__ import annotations

import typer

import bayfold
from bayfold.cli.demo import run_demo

app = typer.Typer(help="Naive Bayes for the raw table.", no_args_is_help=True, add_completion=False)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bayfold {bayfold.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version."
    ),
) -> None:
    """Naive Bayes for the raw table."""


@app.command()
def demo(
    rows: int = typer.Option(4000, min=100, help="Training rows to generate."),
    seed: int = typer.Option(0, help="Seed of the generated table."),
) -> None:
    """Fit a generated credit table whose true model is known, and show the evidence for one row."""
    run_demo(rows, seed)
