"""Column names, by scikit-learn's rule: all strings, or none at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

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


def find_numbers_as_names(names: Sequence[Any]) -> tuple[int, ...] | None:
    """The names, if they are whole numbers other than the positions of the columns.

    >>> find_numbers_as_names([2, 0, 1]), find_numbers_as_names([0, 1, 2])
    ((2, 0, 1), None)
    """
    if not all(isinstance(name, (int, np.integer)) for name in names):
        return None
    numbers = tuple(int(name) for name in names)
    return None if numbers == tuple(range(len(numbers))) else numbers
