"""A function as a command: options that commands share are given as one object."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, fields, is_dataclass
from inspect import Parameter
from typing import Any, get_type_hints

from bayfold.cli.failures import tell_failures
from bayfold.cli.options import OverwriteOption, Reads, Writes

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
