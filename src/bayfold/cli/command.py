"""How a command runs: its failures become messages and exit codes."""

from __future__ import annotations

import functools
import inspect
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from inspect import Parameter
from typing import Any, get_type_hints

import typer

from bayfold.cli.options import OverwriteOption, Reads, Writes


@contextmanager
def blame_parameters(estimator: Any) -> Iterator[None]:
    """Turn the refusal of one of the estimator's parameters into misuse; what it says stays."""
    from bayfold.errors import UsageError  # --help needs no NumPy, which errors import

    names = estimator.get_params(deep=False)
    try:
        yield
    except ValueError as error:
        if any(str(error).startswith(f"`{name}` must") for name in names):
            raise UsageError(str(error)) from error
        raise


MISUSE = 2
BAD_DATA = 1
INTERRUPTED = 130
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

    with errors.on_command_line(), warnings.catch_warnings():
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
        self._shown: set[str] = set()

    def show(self, message: Warning | str, *_: object, **__: object) -> None:
        """Say what was not said yet."""
        shape = re.sub(r"[0-9][0-9.,]*", "#", str(message))
        if shape not in self._shown:
            self._shown.add(shape)
            say(str(message), "warning")


def say(text: str, kind: str = "note") -> None:
    """One message on standard error, in colour where that is a terminal."""
    colours = {"error": typer.colors.RED, "warning": typer.colors.YELLOW}
    typer.echo(typer.style(f"{kind}: ", fg=colours.get(kind), bold=True) + text, err=True)


OVERWRITE = Parameter(
    "overwrite", Parameter.KEYWORD_ONLY, default=False, annotation=OverwriteOption
)
"""Of every command that writes files."""


def command(function: Callable[..., None]) -> Callable[..., None]:
    """The function with failures told, and with the fields of its dataclass parameters for options.

    ``def fit(data: Path, columns: ColumnOptions)`` has the options of ``ColumnOptions`` on the command line, and gets
    them as one object. Paths that are marked as read or written are looked at before the function runs.
    """
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    parameters: list[Parameter] = []
    for parameter in inspect.signature(function).parameters.values():
        group = groups.get(parameter.name)
        if group is None:
            own = parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[parameter.name])
            parameters.append(own)
        else:
            types = get_type_hints(group, include_extras=True)
            parameters += [_as_parameter(field, types[field.name]) for field in fields(group)]

    marks = _collect_marks(parameters)
    if any(isinstance(mark, Writes) and mark.kind != "folder" for mark in marks.values()):
        parameters.append(OVERWRITE)

    @functools.wraps(function)
    def run(**values: Any) -> None:
        overwrite = values.pop(OVERWRITE.name, False)
        paths = {name: values[name] for name in marks}
        asked = values.get("output_format")
        for name, group in groups.items():
            chosen = {field.name: values.pop(field.name) for field in fields(group)}
            values[name] = group(**chosen)
        with tell_failures():
            from bayfold.cli.output import check_places  # Arrow: not for --help

            check_places(marks, paths, asked, overwrite)  # before an hour of work, not after
            function(**values)

    del run.__wrapped__  # typer would look through it, at the parameters before
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def find_marks(run: Callable[..., None]) -> dict[str, Reads | Writes]:
    """The parameters of a command that name files, with what it does to them."""
    return _collect_marks(inspect.signature(run).parameters.values())


def _collect_marks(parameters: Iterable[Parameter]) -> dict[str, Reads | Writes]:
    return {
        parameter.name: mark
        for parameter in parameters
        for mark in getattr(parameter.annotation, "__metadata__", ())
        if isinstance(mark, (Reads, Writes))
    }


def _as_parameter(field: Field, annotation: Any) -> Parameter:
    default = Parameter.empty if field.default is MISSING else field.default
    return Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
