"""What is shown while a search goes on: one line, and only in a terminal."""

from __future__ import annotations

import sys
from typing import Any


class SearchProgress:
    """A line that says what was tried last and how it did.

    Parameters
    ----------
    shown : bool
        Nothing is shown otherwise, nor where standard error is no terminal.
    """

    def __init__(self, shown: bool) -> None:
        self._status: Any = None
        if shown and sys.stderr.isatty():
            from rich.console import Console

            self._status = Console(stderr=True).status("searching")

    def __enter__(self) -> SearchProgress:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def say(self, text: str) -> None:
        """Show this."""
        if self._status is not None:
            self._status.update(text)
