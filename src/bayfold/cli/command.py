"""A function as a command: options that commands share are given as one object."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from inspect import Parameter
from typing import Any, get_type_hints

from bayfold.cli.failures import tell_failures


def command(function: Callable[..., None]) -> Callable[..., None]:
    """The function with failures told, and with the fields of its dataclass parameters for options.

    ``def fit(data: Path, columns: ColumnOptions)`` has the options of ``ColumnOptions`` on the command line, and gets
    them as one object.
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

    @functools.wraps(function)
    def run(**values: Any) -> None:
        for name, group in groups.items():
            chosen = {field.name: values.pop(field.name) for field in fields(group)}
            values[name] = group(**chosen)
        with tell_failures():
            function(**values)

    del run.__wrapped__  # typer would look through it, at the parameters before
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _as_parameter(field: Field, annotation: Any) -> Parameter:
    default = Parameter.empty if field.default is MISSING else field.default
    return Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
