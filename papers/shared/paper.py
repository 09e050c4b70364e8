"""A paper: its experiments, and the page that their results make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from papers.shared.experiment import Experiment, Unit
from papers.shared.page import Page
from papers.shared.store import Store
from papers.shared.verdict import Claim, UnknownError


@dataclass(frozen=True)
class Results:
    """What the store holds of a plan, and where figures go."""

    store: Store
    folder: Path
    quick: bool
    _plans: dict[Experiment, list[Unit]] = field(default_factory=dict, repr=False)

    def plan(self, experiment: Experiment) -> list[Unit]:
        """The units of this run, repeat by repeat: one that is cut short has as much of every method."""
        if experiment not in self._plans:
            units = experiment.plan(self.quick)
            self._plans[experiment] = sorted(units, key=lambda unit: unit.repeat)
        return self._plans[experiment]

    def rows(self, experiment: Experiment) -> pd.DataFrame:
        """One row per fold that is in."""
        return self.store.read_planned(experiment, self.plan(experiment))

    def progress(
        self, experiment: Experiment, method: str | None = None, parameters: str | None = None
    ) -> tuple[int, int]:
        """Folds that are in, and folds planned; of one method if it is given."""
        units = [
            unit
            for unit in self.plan(experiment)
            if method in (None, unit.method) and parameters in (None, unit.parameters)
        ]
        rows = self.store.read_planned(experiment, units)
        return len(rows), sum(len(unit.folds) for unit in units)

    def is_whole(self, paper: Paper) -> bool:
        """Whether everything planned is in that a claim is about."""
        beside = set(paper.beside)
        for experiment in paper.experiments:
            units = [u for u in self.plan(experiment) if not beside & {u.method, u.parameters}]
            if self.store.find_missing(experiment, units):
                return False
        return True


Tables = dict[str, pd.DataFrame]


def take_table(tables: Tables, name: str) -> pd.DataFrame:
    """A table that a claim is judged by."""
    table = tables.get(name)
    if table is None or not len(table):
        raise UnknownError
    return table


@dataclass(frozen=True)
class Paper:
    """What a reproduction is made of. Claims are judged by the tables of the page alone, as they are in its files.

    ``beside`` names methods, and parameters, that no claim is about: verdicts do not wait for them.
    """

    name: str
    experiments: tuple[Experiment, ...]
    make_page: Callable[[Results], Page]
    judge: Callable[[Tables], list[Claim]] = lambda tables: []
    beside: tuple[str, ...] = ()
