"""Find a dataset by name: in the user's data folder, or on OpenML."""

from __future__ import annotations

import difflib
import os
from pathlib import Path

from bayfold import errors
from bayfold.datasets.arff import read_arff
from bayfold.datasets.dataset import TASKS, Dataset, check_task, download_dataset

_VARIABLE = "BAYFOLD_DATA"


def load_dataset(name: str, *, task: str | None = None) -> Dataset:
    """Load a dataset by name.

    The environment variable ``BAYFOLD_DATA`` may name a folder with ``classification/*.arff`` and
    ``regression/*.arff``, target last; then it is the only place looked in, so that nothing is
    downloaded by surprise. Otherwise version 1 of the name is downloaded from OpenML, once:
    scikit-learn keeps it in its data home.

    Parameters
    ----------
    name : str
        The file's name without its ending, or OpenML's name.
    task : {"classification", "regression"}, optional
        Needed only for a name that exists for both.

    Returns
    -------
    Dataset
        The predictors as an Arrow table and the target as an array.

    Examples
    --------
    >>> from bayfold.datasets import load_dataset
    >>> iris = load_dataset("iris")  # doctest: +SKIP
    >>> iris  # doctest: +SKIP
    Dataset('iris', classification: 150 rows, 4 numeric and 0 nominal columns, target 'class' with
    3 classes)
    """
    check_task(task)
    dataset = _load_any(name, task)
    if task is not None and dataset.task != task:
        raise errors.other_task(name, asked=task, found=dataset.task)
    return dataset


def list_datasets(task: str | None = None) -> list[str]:
    """List the names `load_dataset` finds in the folder ``BAYFOLD_DATA`` names.

    Parameters
    ----------
    task : {"classification", "regression"}, optional
        Leave out the datasets of the other task.

    Returns
    -------
    list of str
        Names in alphabetical order, each once.

    Examples
    --------
    >>> from bayfold.datasets import list_datasets
    >>> list_datasets("regression")[:2]  # doctest: +SKIP
    ['2dplanes', 'abalone']
    """
    check_task(task)
    tasks = TASKS if task is None else [task]
    files = [path for each in tasks for path in (_data_folder() / each).glob("*.arff")]
    return sorted({path.stem for path in files})


def _load_any(name: str, task: str | None) -> Dataset:
    # An empty variable counts as unset, as it does in a shell script.
    return (
        read_arff(_find_file(name, task)) if os.environ.get(_VARIABLE) else download_dataset(name)
    )


def _find_file(name: str, task: str | None) -> Path:
    folder = _data_folder()
    found = {each: folder / each / f"{name}.arff" for each in TASKS}
    found = {each: path for each, path in found.items() if path.is_file()}
    if not found:
        raise errors.unknown_dataset(name, folder, difflib.get_close_matches(name, list_datasets()))
    if task is None and len(found) > 1:
        raise errors.ambiguous_dataset(name, list(found))
    # Without a file for this task take the other one: the caller then says whose task it is.
    return found.get(task or "", next(iter(found.values())))


def _data_folder() -> Path:
    folder = os.environ.get(_VARIABLE)
    if not folder or not any(Path(folder, task).is_dir() for task in TASKS):
        raise errors.no_data_folder(folder)
    return Path(folder)
