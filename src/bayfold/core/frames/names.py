"""Column names, by scikit-learn's rule: all strings, or none at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bayfold.errors import mixed_names


def check_names(names: Sequence[Any]) -> tuple[str, ...] | None:
    """The names if all are strings, None if none is, an error otherwise.

    >>> check_names(["a", "b"])
    ('a', 'b')
    >>> check_names([0, 1]) is None
    True
    """
    strings = [isinstance(name, str) for name in names]
    if names and all(strings):
        return tuple(names)
    if any(strings):
        raise mixed_names(sorted({type(name).__name__ for name in names}))
    return None
