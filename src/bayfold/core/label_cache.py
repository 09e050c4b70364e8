"""Cache of results computed from a column's list of labels.

Sources hand out the same list object for every partition, so identity is the key: to compare a thousand labels takes
as long as most computations do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

MOST_RESULTS = 16
"""Results that a list keeps. Each belongs to a schema, and only a few are in use at a time; a round number."""

Result = TypeVar("Result")


class CachedLabels(list):
    """A list of labels that must not be changed, with results computed from it. A copy or a pickle is a plain list."""

    def __init__(self, cells: list) -> None:
        super().__init__(cells)
        self.results: dict[tuple, tuple[Any, Any]] = {}

    def __reduce__(self) -> tuple[type, tuple[list]]:
        """Leave the results out: another process has none of the objects that they belong to."""
        return list, (list(self),)


def cached_per_labels(function: Callable[..., Result]) -> Callable[..., Result]:
    """Cache the results of a function of a list and of other objects, if the list is a ``CachedLabels``.

    >>> calls = []
    >>> count = cached_per_labels(lambda labels: calls.append(labels) or len(labels))
    >>> labels = CachedLabels(["a", "b"])
    >>> count(labels), count(labels), len(calls)
    (2, 2, 1)
    """

    @wraps(function)
    def cached(labels: list, *others: Any) -> Result:
        if not isinstance(labels, CachedLabels):
            return function(labels, *others)
        key = (function, *map(id, others))
        known = labels.results.get(key)
        if known is None:
            if len(labels.results) >= MOST_RESULTS:
                labels.results = {}
            # with the objects: while they are held, no others have their identity
            known = labels.results[key] = others, function(labels, *others)
        return known[1]

    return cached
