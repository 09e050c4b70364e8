"""Find a dataset by name, in the data folder or on OpenML, and read ARFF, the format of WEKA and OpenML."""

from __future__ import annotations

import difflib
import os
from os import PathLike
from pathlib import Path

from bayfold import errors
from bayfold.core.frames.sources.arff import content_lines, find_encoding, read_columns
from bayfold.datasets.dataset import TASKS, Dataset, check_task, download_dataset, make_dataset

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


def read_arff(path: str | PathLike[str]) -> Dataset:
    r"""Read a dense ARFF file whose last attribute is the target.

    Parameters
    ----------
    path : path-like
        The file. The dataset is named after it.

    Returns
    -------
    Dataset
        A nominal or string target makes it a classification dataset, a number regression.

    Raises
    ------
    bayfold.errors.DatasetError
        If the file breaks a rule of the format; the message names the file, line and attribute.

    Notes
    -----
    A bare ``?`` is a missing cell, a quoted ``'?'`` is a value, as in WEKA. Sparse rows, dates and
    relational attributes are refused.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from bayfold.datasets import read_arff
    >>> text = "@attribute x real\n@attribute y {no,yes}\n@data\n1.5,yes\n?,no\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "toy.arff")
    ...     _ = path.write_text(text)
    ...     dataset = read_arff(path)
    >>> dataset
    Dataset('toy', classification: 2 rows, 1 numeric and 0 nominal columns, target 'y' with 2
    classes)
    >>> dataset.frame["x"].to_pylist(), dataset.target.tolist()
    ([1.5, None], ['yes', 'no'])
    """
    path = Path(path)
    # newline="\n": other characters that end a line may stand in a quoted value
    with path.open(encoding=find_encoding(path), newline="\n") as file:
        columns = read_columns(content_lines(file), path)
    return make_dataset(path.stem, columns, list(columns)[-1])
