"""What is kept of an object in a pickle, a copy or a model file: what it was made from, not what it made of that."""

from __future__ import annotations

from functools import cache
from inspect import signature
from typing import Any


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
