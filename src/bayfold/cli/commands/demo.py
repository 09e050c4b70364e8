"""``bayfold demo``."""

from __future__ import annotations

import typer


def demo(
    rows: int = typer.Option(4000, min=100, help="Training rows to generate."),
    seed: int = typer.Option(0, help="Seed of the generated table."),
) -> None:
    """Fit a generated credit table whose true model is known, and show the evidence for one row.

    Example: bayfold demo --rows 1000
    """
    from bayfold.cli.demo import run_demo  # scikit-learn: not for --help

    run_demo(rows, seed)
