"""Read ARFF, the file format of WEKA and OpenML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path

from bayfold.core.frames.sources.arff_lines import (
    Cell,
    NumberedLine,
    content_lines,
    find_encoding,
    make_column,
    read_header,
    split_row,
)
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
        lines = content_lines(file)
        attributes = read_header(lines, path)
        line_numbers, rows = _read_rows(lines, len(attributes), path)
    # One pass turns rows into columns; without rows there is nothing to turn.
    cells = zip(*rows, strict=True) if rows else [()] * len(attributes)
    columns = {
        attribute.name: make_column(attribute, column, line_numbers, path)
        for attribute, column in zip(attributes, cells, strict=True)
    }
    return make_dataset(path.stem, columns, attributes[-1].name)


def _read_rows(
    lines: Iterable[NumberedLine], n_attributes: int, path: Path
) -> tuple[list[int], list[Sequence[Cell]]]:
    """Read the rows that follow `@data`, with the number of each one's line."""
    line_numbers: list[int] = []
    rows: list[Sequence[Cell]] = []
    for number, line in lines:
        line_numbers.append(number)
        rows.append(split_row(number, line, n_attributes, path))
    return line_numbers, rows
