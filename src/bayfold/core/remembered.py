"""What was found out about lists that are met again, as the labels of a column are in every partition of a source."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

MOST_ANSWERS = 16
"""That a list keeps: more would be about schemas that nobody has any more."""

Result = TypeVar("Result")


class MetAgain(list):
    """A list that is not changed, and with it what was found out about it. A copy or a pickle of it is a plain list."""

    def __init__(self, cells: list) -> None:
        super().__init__(cells)
        self.answers: dict[tuple, tuple[Any, Any]] = {}

    def __reduce__(self) -> tuple[type, tuple[list]]:
        """Another process knows nothing of the objects that answers are about."""
        return list, (list(self),)


def remember(function: Callable[..., Result]) -> Callable[..., Result]:
    """A function of a list, and of other objects, which is not asked twice about the same ones that are met again.

    Same means identical: to compare a thousand labels takes as long as most answers do.

    >>> calls = []
    >>> count = remember(lambda labels: calls.append(labels) or len(labels))
    >>> labels = MetAgain(["a", "b"])
    >>> count(labels), count(labels), len(calls)
    (2, 2, 1)
    """

    @wraps(function)
    def remembered(labels: list, *others: Any) -> Result:
        if not isinstance(labels, MetAgain):
            return function(labels, *others)
        key = (function, *map(id, others))
        known = labels.answers.get(key)
        if known is None:
            if len(labels.answers) >= MOST_ANSWERS:
                labels.answers = {}
            # with the objects: while they are held, no others have their identity
            known = labels.answers[key] = others, function(labels, *others)
        return known[1]

    return remembered
