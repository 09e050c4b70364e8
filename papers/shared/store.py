"""What was measured, one row per fold, in CSV files that a run adds to; packed ones are in the repository."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd

from papers.shared.experiment import Experiment, Row, Unit

KEY = ("dataset", "method", "parameters", "repeat", "fold")

WORDS = dict.fromkeys(("dataset", "method", "parameters", "predicted"), str)
"""Words that may look like numbers, such as a share of missing cells."""


FORMAT: dict[str, Any] = {"index": False, "na_rep": "nan", "lineterminator": "\n"}


class Store:
    """A folder with one file per experiment. To measure something again, delete its rows or its file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._kept: dict[Path, tuple[int, pd.DataFrame]] = {}

    def path(self, experiment: Experiment) -> Path:
        """Where the results of an experiment are."""
        return self.folder / experiment.paper / f"{experiment.name}.csv"

    def read(self, experiment: Experiment) -> pd.DataFrame:
        """All rows, in the order in which they were measured."""
        path = self.path(experiment)
        drop_broken_line(path)
        if not path.exists():
            return pd.DataFrame(columns=[*KEY, *experiment.fields])
        size = path.stat().st_size  # files only grow
        if self._kept.get(path, (None,))[0] == size:
            return self._kept[path][1]
        table = read_rows(path).drop_duplicates(list(KEY), keep="last")
        self._kept[path] = size, table
        return table

    def read_planned(self, experiment: Experiment, units: Sequence[Unit]) -> pd.DataFrame:
        """The rows that a plan asks for, in its order."""
        table = self.read(experiment)
        place = {key: k for k, key in enumerate(zip(*(table[name] for name in KEY), strict=True))}
        wanted = [place[key] for unit in units for key in unit.keys if key in place]
        return table.iloc[wanted].reset_index(drop=True)

    def find_missing(self, experiment: Experiment, units: Sequence[Unit]) -> list[Unit]:
        """What of the plan is not there yet; of a unit, only its missing folds."""
        table = self.read(experiment)
        done = set(zip(*(table[name] for name in KEY), strict=True))
        left = []
        for unit in units:
            folds = [f for f, key in zip(unit.folds, unit.keys, strict=True) if key not in done]
            if folds:
                left.append(replace(unit, folds=tuple(folds)))
        return left

    def adopt(self, experiment: Experiment, folder: Path) -> int:
        """Take over published folds that the store lacks, as if they had been measured here; how many."""
        if not (packed := name_packed(experiment, folder)).exists():
            return 0
        theirs, mine = read_rows(packed), self.read(experiment)
        keys, known = (pd.MultiIndex.from_frame(table[list(KEY)]) for table in (theirs, mine))
        new = theirs[~keys.isin(known)]
        path = self.path(experiment)
        path.parent.mkdir(parents=True, exist_ok=True)
        new.to_csv(path, mode="a", header=not path.exists(), **FORMAT)
        return len(new)

    def publish(self, experiment: Experiment, folder: Path) -> None:
        """Write all of it into one packed file, whatever is planned here: peers may be missing on this machine."""
        folder.mkdir(parents=True, exist_ok=True)
        rows = self.read(experiment).sort_values(list(KEY))
        rows.to_csv(name_packed(experiment, folder), **FORMAT)

    def add(self, experiment: Experiment, unit: Unit, rows: Sequence[Row]) -> None:
        """Append the folds of a unit, in one write: an interruption leaves all of them or none."""
        path = self.path(experiment)
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = StringIO()
        writer = csv.writer(lines, lineterminator="\n")
        if not path.exists():
            writer.writerow([*KEY, *experiment.fields])
        writer.writerows(
            [*key, *(_show(row[name]) for name in experiment.fields)]
            for key, row in zip(unit.keys, rows, strict=True)
        )
        with path.open("ab", buffering=0) as file:
            file.write(lines.getvalue().encode())


def name_packed(experiment: Experiment, folder: Path) -> Path:
    """The packed file of an experiment, in a folder of the repository."""
    return folder / f"{experiment.paper}_{experiment.name}.csv.xz"


def read_rows(path: Path) -> pd.DataFrame:
    """One row per fold."""
    return pd.read_csv(path, dtype=WORDS, keep_default_na=False, na_values=["nan"])


def drop_broken_line(path: Path) -> None:
    """Cut off a last line without an end: the machine stopped while it was written."""
    if not path.exists():
        return
    with path.open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        if size == 0:
            return
        file.seek(size - 1)
        if file.read(1) != b"\n":
            file.seek(0)
            file.truncate(file.read().rfind(b"\n") + 1)


def _show(value: object) -> str:
    """Seven digits tell more than any table shows."""
    return f"{value:.7g}" if isinstance(value, float) else str(value)
