"""What every reader of datasets returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayfold import errors
from bayfold.core.frames.output import Categories, make_frame

if TYPE_CHECKING:
    from bayfold.core.frames.output import ArrowTable

TASKS = ["classification", "regression"]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A table of predictors, the target beside it, and what the target is for.

    Attributes
    ----------
    name : str
        The dataset's name.
    frame : pyarrow.Table
        The predictors: float64 columns and, for nominal ones, dictionary columns that keep every
        declared value in the declared order.
    target : numpy.ndarray
        Classification: strings, None where missing. Regression: float64, NaN where missing.
    target_name : str
        The target's name.
    task : {"classification", "regression"}
        What the target is for.
    classes : tuple of str
        The declared classes in their order, also those no row has; empty for regression.
    """

    name: str
    frame: ArrowTable
    target: np.ndarray
    target_name: str
    task: str
    classes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        n_numeric = sum(str(kind) == "double" for kind in self.frame.schema.types)
        n_nominal = self.frame.num_columns - n_numeric
        classes = f" with {len(self.classes)} classes" if self.classes else ""
        return (
            f"Dataset({self.name!r}, {self.task}: {len(self.target)} rows, {n_numeric} numeric and "
            f"{n_nominal} nominal columns, target {self.target_name!r}{classes})"
        )


def make_dataset(name: str, columns: dict[str, Any], target_name: str) -> Dataset:
    """Split columns (float64 arrays, or `Categories`) into the predictors and the target."""
    predictors = {key: column for key, column in columns.items() if key != target_name}
    target = columns[target_name]
    frame = make_frame(predictors, "arrow")
    if isinstance(target, Categories):
        labels = tuple(target.labels)
        return Dataset(name, frame, target.values(), target_name, "classification", labels)
    return Dataset(name, frame, target, target_name, "regression")


def check_task(task: object) -> None:
    """Refuse a task that does not exist; None stands for any."""
    if task is not None and task not in TASKS:
        raise errors.unknown_task(task, TASKS)
