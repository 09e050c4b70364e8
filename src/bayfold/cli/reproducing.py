"""The experiments of the papers, which stand in the repository beside the library."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.console import Console

import bayfold
from bayfold import errors
from bayfold.cli.command import say


def reproduce(
    names: tuple[str, ...],
    quick: bool,
    n_jobs: int,
    stored_only: bool,
    store: Path | None,
    output: Path | None,
    adopt: bool = False,
) -> None:
    """Run the command of the folder ``papers``, and say what failed."""
    command = load_command()
    unknown = [name for name in names if name not in (*command.NAMES, "all")]
    if unknown:
        raise errors.no_such_paper(unknown[0], [*command.NAMES, "all"])
    places = {"store": store} if store else {}
    run = command.Run(names, quick, n_jobs, stored_only, adopt, results=output, **places)
    failures = command.run_papers(run, Console(stderr=True))
    for failure in failures:
        say(failure, "warning")


def load_command() -> Any:
    """``papers.command`` of the working directory's repository, or of the one that bayfold is installed from.

    By name, not by import: the library does not depend on what is built with it.
    """
    for root in (Path.cwd(), Path(bayfold.__file__).resolve().parents[2]):
        if (root / "papers" / "command.py").exists():
            sys.path.insert(0, str(root))
            return import_module("papers.command")
    raise errors.no_papers()
