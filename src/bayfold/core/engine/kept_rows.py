"""Rows that stay where they are: each worker keeps its part, is sent the last step of a model, and answers with sums.

Methods that go over their rows many times are written against a part. A step is a method of the part by its name: it
may change the part, and what it returns is added up over all parts. In this process there is one part, which changes in
place. On a cluster a step makes a new part from a copy of the last, so a part that is lost with its worker, or a task
that is run twice, is made again by the same steps from the same rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from bayfold.core.engine.partial import Partial


class KeptRows(Protocol):
    """Rows in parts, wherever they are."""

    def update(self, method: str, *args: Any) -> None:
        """Call a method of every part, which changes it."""

    def reduce(self, method: str, *args: Any) -> Any:
        """Call a method of every part, which changes nothing, and add up what is returned."""

    def step(self, method: str, *args: Any) -> Any:
        """Call a method of every part, which changes it, and add up what is returned."""

    def close(self) -> None:
        """Let the rows go, and stop what is still being done with them."""


@dataclass
class RowsHere:
    """All rows as one part in this process."""

    part: Any

    def step(self, method: str, *args: Any) -> Any:
        """See ``KeptRows``."""
        return getattr(self.part, method)(*args)

    update = step
    reduce = step

    def close(self) -> None:
        """Nothing to let go of."""


@dataclass(frozen=True, eq=False)
class Stepped:
    """A part after a step.

    Attributes
    ----------
    part : object or None
        None where there is no row.
    answer : Partial or Exception
        What the step returned, ready to be added up, or what is wrong with the rows.
    """

    part: Any
    answer: Any


@dataclass(frozen=True, eq=False)
class StartPart:
    """The first step: from the rows that were read to a part."""

    make: Callable[[Any], Any]

    def __call__(self, read: Partial) -> Stepped:
        """The part, and how many rows were read for it."""
        part = None if read.total is None else self.make(read.total)
        return Stepped(part, Partial(None, read.n_rows, read.n_bytes))


@dataclass(frozen=True, eq=False)
class Step:
    """A method of a part that is run in a worker.

    Attributes
    ----------
    method : str
    args : tuple
    keeps : bool
        Whether the part is kept as it is afterwards; otherwise only what is returned.
    """

    method: str
    args: tuple[Any, ...]
    keeps: bool = True

    def __call__(self, before: Stepped) -> Stepped:
        """Run it on a copy."""
        if before.part is None:
            return Stepped(None, Partial())
        part = before.part.copied() if self.keeps else before.part
        answer = Partial(getattr(part, self.method)(*self.args))
        return Stepped(part if self.keeps else None, answer)


@dataclass(frozen=True)
class Largest:
    """The largest of what parts found: their sum."""

    value: float

    def __add__(self, other: Largest) -> Largest:
        return Largest(max(self.value, other.value))


SPARE_BITS = 3
"""A sum may grow to this power of two beyond the total before it is rounded: while weights are rescaled, wrong rows
and right ones have up to the total each."""


def find_grid(total: float) -> float:
    """The distance of numbers that add up without rounding, in any order, as long as their sum is about the total.

    Floats hold whole numbers of up to 53 bits, so sums of multiples of this one are exact.

    >>> find_grid(1.0) == 2.0**-49
    True
    """
    return float(2.0 ** (np.frexp(total)[1] + SPARE_BITS - 53))


def round_to_grid(numbers: np.ndarray, grid: float) -> np.ndarray:
    """Multiples of the grid next to the numbers, in place."""
    numbers /= grid
    np.rint(numbers, out=numbers)
    numbers *= grid
    return numbers
