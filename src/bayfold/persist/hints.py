"""Whether a value is what a type annotation says: the annotations that mypy checks in the code are checked in files."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np


def conforms(value: Any, hint: Any) -> bool:
    """Whether a value is of the type that an annotation names.

    Protocols and functions are not looked into: what has them as a field checks them itself.

    >>> conforms((1, 2), tuple[int, ...]), conforms(1.5, int | None), conforms({1: "a"}, Mapping[int, str])
    (True, False, True)
    """
    if hint is Any or getattr(hint, "_is_protocol", False):
        return True
    origin = typing.get_origin(hint)
    if origin is None:
        return _is_instance(value, hint)
    if origin in (typing.Union, types.UnionType):
        return any(conforms(value, option) for option in typing.get_args(hint))
    return isinstance(value, origin) and _contents_conform(value, origin, typing.get_args(hint))


def _is_instance(value: Any, hint: Any) -> bool:
    if hint is None or hint is type(None):
        return value is None
    if hint is bool:
        return isinstance(value, (bool, np.bool_))
    if hint in (int, float):
        wanted = Integral if hint is int else Real
        return isinstance(value, wanted) and not isinstance(value, (bool, np.bool_))
    return isinstance(value, hint)


def _contents_conform(value: Any, origin: Any, of: tuple) -> bool:
    if isinstance(value, Mapping):
        pairs = value.items()
        return all(conforms(k, of[0]) and conforms(v, of[1]) for k, v in pairs)
    if origin is tuple and of[-1] is not Ellipsis:
        return len(value) == len(of) and all(map(conforms, value, of))
    return all(conforms(item, of[0]) for item in value)
