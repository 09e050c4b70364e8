"""What went wrong, said in a line or two: exit code 2 for misuse, 1 for bad data, no traceback unless asked for."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import typer

MISUSE, BAD_DATA, INTERRUPTED = 2, 1, 130
"""Exit codes: of click for misuse, of most tools for failure, of shells for Ctrl-C."""


@dataclass
class _Debug:
    is_on: bool = False


DEBUG = _Debug()
"""Whether failures show where they come from; set by ``--debug``."""

EXPECTED = (ValueError, TypeError, NotImplementedError, OSError, ImportError, MemoryError)
"""What the library and the system raise for bad data; anything else is a mistake in bayfold."""


@contextmanager
def tell_failures() -> Iterator[None]:
    """Run a command: warnings and failures go to standard error as sentences."""
    from bayfold import errors  # NumPy: not for --help

    with warnings.catch_warnings():
        warnings.showwarning = _Warnings().show
        warnings.simplefilter("ignore")
        warnings.filterwarnings("default", category=errors.DataWarning)
        try:
            yield
        except (typer.Exit, typer.Abort):
            raise
        except KeyboardInterrupt:
            say("interrupted", "error")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:  # the reader of our output, such as `head`, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(BAD_DATA) from None
        except Exception as error:
            if DEBUG.is_on:
                raise
            say(_describe(error), "error")
            is_misuse = isinstance(error, (errors.UsageError, NotImplementedError))
            raise typer.Exit(MISUSE if is_misuse else BAD_DATA) from None


def _describe(error: Exception) -> str:
    from bayfold import errors  # as above

    if isinstance(error, MemoryError):
        return errors.out_of_memory()
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, EXPECTED):
        return str(error).strip()
    return errors.unexpected(type(error).__name__, str(error))


class _Warnings:
    """Tells each thing once: the folds of a cross-validation repeat it, with other numbers in it."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def show(self, message: Warning | str, *_: object, **__: object) -> None:
        """Say what was not said yet."""
        shape = re.sub(r"[0-9][0-9.,]*", "#", str(message))
        if shape not in self._told:
            self._told.add(shape)
            say(str(message), "warning")


def say(text: str, kind: str = "note") -> None:
    """One message on standard error, in colour where that is a terminal."""
    colours = {"error": typer.colors.RED, "warning": typer.colors.YELLOW}
    typer.echo(typer.style(f"{kind}: ", fg=colours.get(kind), bold=True) + text, err=True)
