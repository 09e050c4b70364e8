"""The protocol of what adds up over rows (zero, ``+``, a common schema), and the union of two lists of group labels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np

from bayfold.core.schema import Schema
from bayfold.errors import classes_of_two_types


def unite_groups(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The sorted union, and where the entries of ``a`` and of ``b`` are in it.

    >>> unite_groups(np.array(["no"]), np.array(["no", "maybe"]))
    (array(['maybe', 'no'], dtype='<U5'), array([1]), array([1, 0]))
    """
    if np.array_equal(a, b):
        place = np.arange(len(a))
        return a, place, place
    if len(a) and len(b) and (a.dtype.kind in "USTO") != (b.dtype.kind in "USTO"):
        raise classes_of_two_types(a.tolist(), b.tolist())
    union = b if len(a) == 0 else a if len(b) == 0 else np.unique(np.concatenate([a, b]))
    return union, np.searchsorted(union, a), np.searchsorted(union, b)


class Sum(ABC):
    """A statistic of rows; ``a + b`` is that of the rows of both, and what a class makes of no arguments is zero."""

    @classmethod
    def zero(cls) -> Self:
        """The statistic of no rows: the identity of ``+``."""
        return cls()

    def __add__(self, other: Any) -> Self:
        """The statistic of the rows of both."""
        if isinstance(other, int) and other == 0:  # where sum() starts
            return self
        if type(other) is not type(self):
            return NotImplemented
        return self._plus(other)

    __radd__ = __add__

    @abstractmethod
    def _plus(self, other: Self) -> Self:
        """The sum with another statistic of the same kind."""


class SumOverSchema(Sum):
    """A statistic of coded rows in groups; zero has no schema.

    Categories and groups of both sides are aligned by value, edges must be equal.
    """

    schema: Schema | None
    groups: np.ndarray

    def _plus(self, other: Self) -> Self:
        if self.schema is None or other.schema is None:
            return other if self.schema is None else self
        schema = self.schema.merged(other.schema)
        groups, mine, theirs = unite_groups(self.groups, other.groups)
        return self._plus_aligned(other, schema, groups, (mine, theirs))

    @abstractmethod
    def _plus_aligned(
        self,
        other: Self,
        schema: Schema,
        groups: np.ndarray,
        places: tuple[np.ndarray, np.ndarray],
    ) -> Self:
        """The sum under a schema with the categories of both; ``places`` are where the groups of each are now."""
