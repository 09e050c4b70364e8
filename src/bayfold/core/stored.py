"""What is kept of an object in a pickle, a copy or a model file: what it was made from, not what it made of that."""

from __future__ import annotations

from functools import cache
from inspect import signature
from typing import Any

import numpy as np

NARROW_TYPES = tuple(np.dtype(name) for name in ("<u1", "<i1", "<u2", "<i2", "<u4", "<i4"))
"""What whole numbers are kept as, in the order of trying."""


class Stored:
    """An object that is kept as the arguments it was made from, each an attribute of the same name.

    Whatever it derived from them (packed tables, lookups, caches) is derived again: files are smaller, and what
    is derived cannot contradict what it is derived from.
    """

    def __getstate__(self) -> dict[str, Any]:
        """The arguments by name."""
        cls: Any = type(self)
        return {name: getattr(self, name) for name in stored_names(cls)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make the object again."""
        self.__init__(**state)  # type: ignore[misc]


@cache
def stored_names(cls: Any) -> tuple[str, ...]:
    """The names of the arguments that a class makes its objects from.

    >>> stored_names(complex), stored_names(Stored)
    (('real', 'imag'), ())
    """
    return tuple(signature(cls).parameters)


def narrow_numbers(numbers: np.ndarray) -> np.ndarray:
    """Numbers in the narrowest type that gives them back bit for bit: counts are floats, mostly small and whole.

    >>> narrow_numbers(np.array([0.0, 200.0])).dtype, narrow_numbers(np.array([0.5])).dtype
    (dtype('uint8'), dtype('float64'))
    """
    if numbers.dtype.kind not in "iuf" or numbers.dtype.itemsize == 1 or numbers.size == 0:
        return numbers
    if numbers.dtype.kind == "f":
        whole = np.isfinite(numbers).all() and (numbers == np.trunc(numbers)).all()
        if (
            not whole or (np.signbit(numbers) & (numbers == 0)).any()
        ):  # no whole number is minus zero
            return numbers
    low = numbers.min()
    high = numbers.max()
    for dtype in NARROW_TYPES:
        bounds = np.iinfo(dtype)
        if dtype.itemsize < numbers.dtype.itemsize and bounds.min <= low and high <= bounds.max:
            return numbers.astype(dtype)
    return numbers
