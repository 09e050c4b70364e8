"""A progress bar for rounds of boosting, silent where there is no terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Callback = Callable[[int, int, float], Any]


@contextmanager
def follow_rounds(shown: bool, callback: Callback | None, what: str) -> Iterator[Callback | None]:
    """What to call after some rounds: the given callback, a bar, both, or nothing.

    The bar goes to standard error, so that it never mixes with what a program prints.
    """
    if not shown:
        yield callback
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)

        def both(done: int, most: int, loss: float) -> None:
            bar.update(task, completed=done, total=most, description=f"{what}, loss {loss:.4f}")
            if callback is not None:
                callback(done, most, loss)

        yield both
