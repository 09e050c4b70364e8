"""``bayfold warmup``."""

from __future__ import annotations

import typer


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
