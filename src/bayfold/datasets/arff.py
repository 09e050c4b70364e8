"""Read ARFF, the file format of WEKA and OpenML."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from bayfold.core.frames.sources.arff import content_lines, find_encoding, read_columns
from bayfold.datasets.dataset import Dataset, make_dataset


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
