"""How far a pass has come, for people at a terminal and for programs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bayfold.core.frames.sources import Source


@dataclass(frozen=True)
class SourceProgress:
    """What a callback is given after every partition.

    Attributes
    ----------
    what : str
        What the pass is for: "looking", "counting", "pairing" or "predicting".
    rows, bytes : int
        Done so far in this pass.
    n_rows, n_bytes : int or None
        In all, where that is known.
    seconds : float
        Since the pass began.
    """

    what: str
    rows: int
    bytes: int
    n_rows: int | None
    n_bytes: int | None
    seconds: float

    @property
    def share(self) -> float | None:
        """The part of the pass that is done."""
        done = ((self.rows, self.n_rows), (self.bytes, self.n_bytes))
        return next((part / whole for part, whole in done if whole), None)

    @property
    def rate(self) -> float:
        """Rows per second."""
        return self.rows / max(self.seconds, 1e-9)

    @property
    def seconds_left(self) -> float | None:
        """Until the pass is done, if it goes on like this."""
        return self.seconds * (1 / self.share - 1) if self.share else None


Callback = Callable[[SourceProgress], Any]
Advance = Callable[[int, int], None]


@contextmanager
def follow_pass(
    source: Source,
    what: str,
    shown: bool,
    callback: Callback | None,
    n_rows: int | None = None,
    n_before: int = 0,
) -> Iterator[Advance]:
    """What to call with the rows and bytes of every partition: it moves a bar, and tells the callback.

    The bar goes to standard error, and only where that is a terminal. ``n_before`` rows were done in another run.
    """
    begun = time.monotonic()
    done = [n_before, 0]
    in_all = source.n_rows if n_rows is None else n_rows

    with _bar(what, in_all, source.n_bytes, shown) as update:

        def advance(rows: int, n_bytes: int) -> None:
            done[0] += rows
            done[1] += n_bytes
            seconds = time.monotonic() - begun
            now = SourceProgress(what, done[0], done[1], in_all, source.n_bytes, seconds)
            update(now)
            if callback is not None:
                callback(now)

        yield advance


@contextmanager
def _bar(
    what: str, n_rows: int | None, n_bytes: int | None, shown: bool
) -> Iterator[Callable[[SourceProgress], None]]:
    if not shown:
        yield lambda now: None
        return
    # rich takes a while to import, and many programs show nothing
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[done]}"),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(what, total=n_rows or n_bytes, done="")

        def update(now: SourceProgress) -> None:
            megabytes = f", {now.bytes / 1e6:,.0f} MB" if now.bytes else ""
            words = f"{now.rows:,} rows{megabytes}, {now.rate:,.0f} rows/s"
            completed = now.rows if n_rows else now.bytes
            bar.update(task, completed=completed, done=words)

        yield update
