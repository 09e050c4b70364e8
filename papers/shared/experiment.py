"""What is measured: experiments, and the units they are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

QUICK_REPEATS = 2
"""Of which ``--quick`` measures the first fold: the fewest that a paired test over repeats can compare."""


@dataclass(frozen=True)
class Unit:
    """Folds of one repeat of one method on one dataset: what is measured at a time.

    ``parameters`` are those of the experiment that the name of the method does not say, such as the share of missing
    cells. They describe the protocol, not the code, so that what was measured stays valid when code moves.
    """

    dataset: str
    method: str
    repeat: int
    folds: tuple[int, ...]
    parameters: str = ""

    @property
    def keys(self) -> list[tuple[str, str, str, int, int]]:
        """One for each fold: what the store knows it by."""
        return [
            (self.dataset, self.method, self.parameters, self.repeat, fold) for fold in self.folds
        ]


Row = dict[str, Any]


@dataclass(frozen=True)
class Experiment:
    """A published table or figure: what is to be measured, and how.

    ``plan(quick)`` lists the units, the cheaper first. ``measure(unit)`` gives one row of the ``fields`` for each fold
    of a unit; it must be a function of a module, so that worker processes can have it.
    """

    paper: str
    name: str
    fields: tuple[str, ...]
    plan: Callable[[bool], Iterator[Unit]]
    measure: Callable[[Unit], list[Row]]


def repeated_folds(
    datasets: list[str],
    methods: list[str],
    repeats: int,
    folds: int,
    quick: bool,
    parameters: str = "",
) -> Iterator[Unit]:
    """All folds of all repeats, repeat by repeat, so that a run cut short has some of everything; or a few of them."""
    shown = tuple(range(1 if quick else folds))
    for repeat in range(min(QUICK_REPEATS, repeats) if quick else repeats):
        for method in methods:
            for dataset in datasets:
                yield Unit(dataset, method, repeat, shown, parameters)
