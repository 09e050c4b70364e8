"""The result of every reader of datasets, also made from what scikit-learn downloads from OpenML."""

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


def download_dataset(name: str) -> Dataset:
    """Download version 1 of a dataset from OpenML, or take it from scikit-learn's cache."""
    bunch = _fetch(name)
    target_name = bunch.details.get("default_target_attribute")
    if target_name not in bunch.feature_names:
        raise errors.openml_target(name, target_name)
    columns = {
        column: _make_column(bunch.data[:, position], bunch.categories.get(column))
        for position, column in enumerate(bunch.feature_names)
    }
    return make_dataset(name, columns, target_name)


def _fetch(name: str) -> Any:
    from sklearn.datasets import fetch_openml  # slow to import; only without a folder of data

    try:
        bunch = fetch_openml(
            name,
            version=1,
            # The target is taken as one more column: scikit-learn's own split forgets classes no
            # row has and cannot decode a missing class.
            target_column=None,
            # Neither of these two needs pandas.
            as_frame=False,
            parser="liac-arff",
        )
    except (ValueError, OSError) as reason:  # no such name, or no network
        raise errors.openml_failed(name, reason) from reason
    if not isinstance(bunch.data, np.ndarray):
        raise errors.openml_sparse(name)
    return bunch


def _make_column(values: np.ndarray, labels: list[str] | None) -> np.ndarray | Categories:
    """Decode a column: nominal ones arrive as the positions of their labels, NaN for missing."""
    if labels is None:
        return values.astype(np.float64)
    return Categories(np.where(np.isnan(values), -1, values).astype(np.int32), labels)
