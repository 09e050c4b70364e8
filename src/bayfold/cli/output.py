"""Where answers are written: names of their columns, formats, standard output."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import is_regressor

from bayfold import errors
from bayfold.base.decisions import Costs
from bayfold.cli.options import Reads, Writes
from bayfold.core.frames.files import (
    ReadOptions,
    TableFile,
    find_output_format,
    read_file,
    write_file,
)
from bayfold.core.frames.labels import label_of
from bayfold.core.output_files import find_identity, find_overlap
from bayfold.persist import is_model_file


def split_names(given: Sequence[str] | None) -> list[str]:
    """Names parted by commas, options repeated; a name with a comma stands in quotes.

    >>> split_names(["a,b", '"c,d"'])
    ['a', 'b', 'c,d']
    """
    parts = [name.strip() for row in csv.reader(given or []) for name in row]
    return [name for name in parts if name]


def check_columns(option: str, names: Sequence[str], known: Sequence[str], path: str) -> None:
    """Refuse names that are no columns, with those that are close."""
    present = set(known)
    for name in names:
        if name not in present:
            raise errors.column_not_found(option, name, list(known), path)


def free_name(name: str, taken: Sequence[str]) -> str:
    """The name, or the name with a number, whichever no column has.

    >>> free_name("prediction", ["age"]), free_name("prediction", ["prediction"])
    ('prediction', 'prediction_2')
    """
    number = 2
    found = name
    while found in taken:
        found = f"{name}_{number}"
        number = number + 1
    return found


def split_rows(text: str, n_rows: int) -> list[int]:
    """Positions of rows that are counted from 1.

    >>> split_rows("1,4-6", 10), split_rows("all", 2)
    ([0, 3, 4, 5], [0, 1])
    """
    if text.strip() == "all":
        return list(range(n_rows))
    rows: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise errors.bad_rows(text, n_rows)
        rows += range(int(first) - 1, int(last if dash else first))
    if not rows or min(rows) < 0 or max(rows) >= n_rows:
        raise errors.bad_rows(text, n_rows)
    return rows


STDIN = "/dev/stdin"
STDOUT = "/dev/stdout"
"""What ``-`` stands for, where the system has names for it: a shell may have redirected it to a file."""

GENERATOR = b'<meta name="generator" content="bayfold '
"""In the first kilobyte of every page."""


def check_places(
    marks: Mapping[str, Reads | Writes],
    paths: Mapping[str, Any],
    asked: str | None,
    overwrite: bool,
) -> None:
    """Refuse outputs that cannot be written, or by which something would be lost, before the work is done.

    Parameters
    ----------
    marks : dict of str to Reads or Writes
        By the names of parameters.
    paths : dict of str to str or None
        What they were given.
    asked : str or None
        The format that was asked for by name.
    overwrite : bool
        Whether files that exist may be replaced, other than those that are read.
    """
    given = {name: path for name, path in paths.items() if path is not None}
    inputs = [
        STDIN if path == "-" else path
        for name, path in given.items()
        if isinstance(marks[name], Reads)
    ]
    taken: dict[tuple, str] = {}
    for name, path in given.items():
        mark = marks[name]
        if not isinstance(mark, Writes) or mark.kind == "folder":
            continue
        option = f"--{name}"
        _check_can_write(option, path, mark.kind)
        place = STDOUT if path == "-" else path
        if os.path.exists(place) and not os.path.isfile(place) and path != "-":
            continue  # a pipe or a device
        overlap = find_overlap(place, inputs) if path != "-" or os.path.isfile(place) else None
        if overlap is not None:
            raise errors.output_is_input(option, path, overlap)
        if mark.kind == "table" and not is_page(path):
            find_output_format(path, asked, "csv")
        other = taken.setdefault(find_identity(place), option)
        if other != option:
            raise errors.outputs_are_one(option, other, path)
        if path != "-" and not overwrite and not _may_be_replaced(path, mark.kind):
            raise errors.output_has_content(option, path, mark.kind)


def _check_can_write(option: str, path: str, kind: str) -> None:
    """Refuse an output whose folder is not there or closed."""
    if path == "-":
        if kind == "model":
            raise errors.model_to_a_pipe(option, path)
        return
    if not path or Path(path).is_dir():
        raise errors.folder_not_file(path)
    folder = Path(path).parent
    if not folder.is_dir():
        raise errors.output_not_writable(path, f"there is no folder {str(folder)!r}")
    if not os.access(folder, os.W_OK):
        raise errors.output_not_writable(path, f"the folder {str(folder)!r} is closed to you")


def is_page(path: str) -> bool:
    """Whether a name asks for a page rather than a table."""
    return Path(path).suffix.lower() in (".html", ".htm")


def _may_be_replaced(path: str, kind: str) -> bool:
    """Whether nothing is lost by writing there: it is new, empty, or a file of bayfold of the same kind."""
    if not os.path.exists(path) or not os.path.getsize(path):
        return True
    if kind == "model":
        return is_model_file(path)
    if kind == "page" or (kind == "table" and is_page(path)):
        with open(path, "rb") as file:
            return GENERATOR in file.read(1024)
    return False


def choose_kept(known: Sequence[str], keep: Sequence[str] | None, path: str) -> list[str]:
    """The columns of the input that are to come out again."""
    if keep is None:
        return list(known)
    names = [name for name in split_names(keep) if name != "none" or "none" in known]
    check_columns("--keep", names, known, path)
    return names


def write_rows(
    file: TableFile, kept: Sequence[str], added: Mapping[str, Any], path: str, asked: str | None
) -> None:
    """Write columns of a file with new ones beside them, in the format of the name, or that of the input."""
    form = find_output_format(path, asked, file.format)
    write_file(path, file.with_columns(kept, added, form), form, file.dialect)


@dataclass(frozen=True)
class AnswerOptions:
    """What is wanted beside the prediction."""

    probabilities: bool = True
    interval: float = 0.0
    quantiles: str | None = None
    costs: Mapping[Any, Any] | None = None
    reject: float | None = None
    exposure: Any = None

    @property
    def has_costs(self) -> bool:
        """Whether classes are decided for by what decisions cost."""
        return self.costs is not None or self.reject is not None


def add_answers(
    model: Any, X: Any, taken: Sequence[str], options: AnswerOptions
) -> dict[str, np.ndarray]:
    """Columns of predictions, under names that no kept column has."""
    if options.has_costs and not hasattr(model, "classes_"):
        raise errors.option_of_classes("--costs" if options.costs is not None else "--reject")
    if options.exposure is not None and not hasattr(model, "to_rating_table"):
        raise errors.option_of_rates("--exposure")
    if is_regressor(model):
        given = {} if options.exposure is None else {"exposure": options.exposure}
        found = {"prediction": model.predict(X, **given), **_spread(model, X, options, given)}
    else:
        if options.quantiles is not None:
            raise errors.option_of_numbers("--quantiles")
        found = _classes(model, X, options)
    return {free_name(name, taken): column for name, column in found.items()}


def _classes(model: Any, X: Any, options: AnswerOptions) -> dict[str, np.ndarray]:
    name = "prediction" if hasattr(model, "classes_") else "cluster"
    wants_probability = options.probabilities and hasattr(model, "predict_proba")
    if not wants_probability and not options.has_costs:
        return {name: model.predict(X)}
    probability = model.predict_proba(X)
    labels = getattr(model, "classes_", range(probability.shape[1]))
    if options.has_costs:
        costs = Costs.read(model.classes_, options.costs, options.reject)
        found = {name: costs.decide(probability)}
    else:
        found = {name: model.predict(X)}
    if not wants_probability:
        return found
    return found | {f"probability_{c}": probability[:, k] for k, c in enumerate(labels)}


def read_costs(path: str | None) -> dict[str, dict[str, float]] | None:
    """Costs from a file: a row for each true class, named in the first column, and a column for each decision."""
    if path is None:
        return None
    file = read_file(path, ReadOptions())
    true, *decisions = file.names
    costs: dict[str, dict[str, float]] = {label_of(c): {} for c in file.vector(true).tolist()}
    for decision in decisions:
        try:
            column = file.vector(decision).astype(np.float64)
        except ValueError:
            raise errors.costs_file_without_numbers(path, decision) from None
        for row, cost in zip(costs.values(), column.tolist(), strict=True):
            if not np.isnan(cost):
                row[decision] = cost
    return costs


def _spread(
    model: Any, X: Any, options: AnswerOptions, given: Mapping[str, Any]
) -> dict[str, np.ndarray]:
    """Quantiles if they are asked for, otherwise the interval."""
    if options.quantiles is not None:
        wanted = _read_quantiles(options.quantiles)
        found = model.predict_quantiles(X, wanted, **given)
        return {f"quantile_{q:g}": found[:, k] for k, q in enumerate(wanted)}
    if not options.interval:
        return {}
    bounds = model.predict_interval(X, coverage=options.interval, **given)
    percent = f"{100 * options.interval:g}"
    return {f"lower_{percent}": bounds[:, 0], f"upper_{percent}": bounds[:, 1]}


def _read_quantiles(text: str) -> list[float]:
    try:
        wanted = [float(part) for part in text.split(",")]
    except ValueError:
        raise errors.bad_quantile_list(text) from None
    if not all(0 < q < 1 for q in wanted):
        raise errors.bad_quantile_list(text)
    return wanted
