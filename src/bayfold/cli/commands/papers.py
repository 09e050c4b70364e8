"""``bayfold papers``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bayfold.cli.options import Writes

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
            help="Take committed results of `defaults` over instead of measuring them again.",
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
