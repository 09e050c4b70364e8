"""Classes or numbers: what a target looks like."""

from __future__ import annotations

import numpy as np

from bayfold import errors
from bayfold.cli.options import TargetOptions
from bayfold.core.frames.files import TableFile

TASKS = ("classification", "regression")
MOST_CLASSES = 10
"""Whole numbers of more different values than digits are more often amounts than names of classes."""


def find_task(file: TableFile, wanted: TargetOptions, is_whole: bool = True) -> tuple[str, str]:
    """The task, and what in the target says so; where these are the first rows alone, others may have more classes."""
    if wanted.task is not None:
        if wanted.task not in TASKS:
            raise errors.unknown_command_task(wanted.task, list(TASKS))
        return wanted.task, "as asked for"
    values = file.vector(wanted.target)
    known = [value for value in values.tolist() if value is not None and value == value]
    if not known:
        raise errors.no_target_known(file.path, wanted.target)
    if values.dtype.kind in "mM":
        raise errors.target_of_dates(wanted.target)
    distinct = set(known)
    if is_whole and len(distinct) == 1 and not isinstance(known[0], float):
        raise errors.one_class(file.path, wanted.target, known[0])
    if any(isinstance(value, (str, bool)) for value in distinct):
        return "classification", errors.count_classes(len(distinct))
    if any(value != np.floor(value) for value in distinct):
        return "regression", "numbers with decimals"
    if len(distinct) <= MOST_CLASSES:
        return "classification", errors.count_classes(len(distinct))
    return "regression", f"{len(distinct)} different numbers"


def read_target_column(file: TableFile, name: str, task: str) -> np.ndarray:
    """The target; whole numbers as integers where they are classes, other numbers as the text they were written as."""
    values = file.vector(name)
    if task == "regression":
        return values
    if values.dtype.kind == "b" or any(isinstance(value, bool) for value in values.tolist()):
        return file.texts(name)  # as they were written: yes to TRUE, no to True
    if values.dtype.kind != "f":
        return values
    known = values[~np.isnan(values)]
    if (known != np.floor(known)).any():
        return file.texts(name)
    whole = np.array([None if np.isnan(value) else int(value) for value in values], object)
    return whole if len(known) < len(values) else whole.astype(np.int64)
