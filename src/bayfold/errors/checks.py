"""Checks of parameters: each raises in the same words, with the name, what must hold, and what was given."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np

from bayfold.errors.models import bad_parameter


def check_choice(name: str, value: object, choices: Iterable[str | None], advice: str = "") -> None:
    """One of a few words, or None where that is among them."""
    known = list(choices)
    is_known = value is None or isinstance(value, str)
    if not is_known or value not in known:
        raise bad_parameter(name, list_choices(known), value, advice)


def check_flag(name: str, value: object) -> None:
    """True or False, of Python or NumPy."""
    if not is_flag(value):
        raise bad_parameter(name, "True or False", value)


def check_callable(name: str, value: object) -> None:
    """A function, or None."""
    if value is not None and not callable(value):
        raise bad_parameter(name, "a function or None", value)


def check_whole(
    name: str,
    value: Any,
    least: int = 0,
    most: int | None = None,
    *,
    optional: bool = False,
    advice: str = "",
) -> None:
    """A whole number between bounds, or None where it is optional."""
    if optional and value is None:
        return
    if is_whole(value) and least <= value and (most is None or value <= most):
        return
    allowed = "that is not negative" if (least, most) == (0, None) else f"from {least}"
    allowed += "" if most is None else f" to {most}"
    raise bad_parameter(name, f"{_none_or(optional)}a whole number {allowed}", value, advice)


def check_number(
    name: str,
    value: Any,
    least: float = 0.0,
    most: float = math.inf,
    *,
    above: bool = False,
    optional: bool = False,
    advice: str = "",
) -> None:
    """A finite number between bounds, strictly ``above`` the lower one if asked for, or None where it is optional."""
    if optional and value is None:
        return
    if is_finite(value) and (least < value if above else least <= value) and value <= most:
        return
    condition = f"{_none_or(optional)}a number {_between(least, most, above)}"
    raise bad_parameter(name, condition, value, advice)


def check_fraction(name: str, value: Any, *, optional: bool = False) -> None:
    """A number strictly between 0 and 1."""
    if optional and value is None:
        return
    if not (is_finite(value) and 0 < value < 1):
        raise bad_parameter(name, f"{_none_or(optional)}a number between 0 and 1", value)


def check_unused(estimator: Any, name: str, setting: str) -> None:
    """A parameter that a setting leaves without effect has its default."""
    default = inspect.signature(type(estimator)).parameters[name].default
    value = getattr(estimator, name)
    if value is not default and not _is_equal(value, default):
        raise bad_parameter(name, f"{default!r} with {setting}, which makes no use of it", value)


def is_whole(value: object) -> bool:
    """Whether it is an integer of Python or NumPy, and no boolean."""
    return isinstance(value, Integral) and not is_flag(value)


def is_finite(value: object) -> bool:
    """Whether it is a finite number of Python or NumPy, and no boolean."""
    return isinstance(value, Real) and not is_flag(value) and math.isfinite(value)


def is_flag(value: object) -> bool:
    """Whether it is True or False, of Python or NumPy."""
    return isinstance(value, (bool, np.bool_))


def list_choices(choices: Iterable[str | None]) -> str:
    """Words as one types them.

    >>> list_choices(["weights", "temperature", None])
    '"weights", "temperature" or None'
    """
    *first, last = ["None" if choice is None else f'"{choice}"' for choice in choices]
    return f"{', '.join(first)} or {last}" if first else last


def _between(least: float, most: float, above: bool) -> str:
    if math.isinf(most):
        lower = {(0.0, True): "above zero", (0.0, False): "that is not negative"}
        return lower.get((least, above), f"{'above' if above else 'from'} {least:g}")
    return f"above {least:g} and at most {most:g}" if above else f"from {least:g} to {most:g}"


def _none_or(optional: bool) -> str:
    return "None or " if optional else ""


def _is_equal(value: object, default: object) -> bool:
    """Equality of plain values; arrays and the like are never a default."""
    return type(value) is type(default) and isinstance(value, (str, Real)) and value == default
