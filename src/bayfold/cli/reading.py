"""Tables as commands want them: read, checked, and cut into what is known and what is to be predicted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.cli.failures import say
from bayfold.cli.names import check_columns, split_names
from bayfold.cli.options import ColumnOptions, FileOptions, TargetOptions
from bayfold.cli.task import find_task, read_target_column
from bayfold.core.frames.files import ReadOptions, TableFile, read_file
from bayfold.core.frames.files.options import MISSING


@dataclass(frozen=True, eq=False)
class Training:
    """Rows to learn from."""

    file: TableFile
    names: list[str]
    target: str
    task: str
    y: np.ndarray
    weight: np.ndarray | None

    @property
    def features(self) -> Any:
        """The columns to learn from, as an Arrow table."""
        return self.file.select(self.names)

    def with_known_target(self) -> Training:
        """The rows that have a target; cross-validation can judge no others."""
        known = np.array([value is not None and value == value for value in self.y], bool)
        if known.all():
            return self
        rows = np.flatnonzero(known)
        errors.warn(errors.missing_targets(len(known) - len(rows)))
        weight = None if self.weight is None else self.weight[rows]
        return Training(
            self.file.take(rows), self.names, self.target, self.task, self.y[rows], weight
        )


def read_options(options: FileOptions, kinds: dict[str, str] | None = None) -> ReadOptions:
    """How a file is read, with what is known about its columns."""
    missing = MISSING if options.missing is None else tuple(split_names(options.missing))
    given = kinds or {}
    return ReadOptions(
        format=options.format,
        delimiter=options.delimiter,
        decimal=options.decimal,
        encoding=options.encoding,
        missing=missing,
        table=options.table,
        query=options.query,
        # a file knows cells of text; whether they are labels or texts is the model's affair
        kinds={name: "nominal" if kind == "text" else kind for name, kind in given.items()},
    )


def read_data(path: str, options: FileOptions, kinds: dict[str, str] | None = None) -> TableFile:
    """Read a file as the options say, tell what should be known about it, and refuse an empty one."""
    file = read_file(path, read_options(options, kinds))
    for notice in file.notices:
        say(notice)
    if not file.n_rows:
        raise errors.no_rows(path)
    return file


def read_features(
    path: str, options: FileOptions, columns: ColumnOptions, others: Sequence[str] = ()
) -> tuple[TableFile, list[str], np.ndarray | None]:
    """A file, the columns to learn from (without weight and ``others``), and the weights."""
    kinds = find_given_kinds(columns, others)
    file = read_data(path, options, kinds)
    names = choose_features(path, file.names, columns, others)
    file = file.with_labels([name for name, kind in kinds.items() if kind == "nominal"])
    weight = columns.weight
    return file, names, None if weight is None else np.asarray(file.vector(weight), np.float64)


def find_given_kinds(columns: ColumnOptions, others: Sequence[str]) -> dict[str, str]:
    """What the options say of columns other than ``others``."""
    labels = split_names(columns.categorical)
    kinds = {name: "nominal" for name in labels if name not in others}
    return kinds if columns.weight is None else kinds | {columns.weight: "numeric"}


def choose_features(
    path: str, known: Sequence[str], columns: ColumnOptions, others: Sequence[str]
) -> list[str]:
    """The columns to learn from, without weight and ``others``; names that are not there are refused."""
    chosen, dropped = split_names(columns.columns), split_names(columns.drop)
    labels, weights = split_names(columns.categorical), [columns.weight] if columns.weight else []
    asked = {"--columns": chosen, "--drop": dropped, "--categorical": labels, "--weight": weights}
    for option, given in asked.items():
        check_columns(option, given, known, path)
    left_out = {*others, *dropped, *weights}
    names = [name for name in chosen or known if name not in left_out]
    if not names:
        raise errors.nothing_to_learn_from(path)
    return names


def read_training(
    path: str, options: FileOptions, columns: ColumnOptions, wanted: TargetOptions
) -> Training:
    """A file with its target."""
    file, names, weight = read_features(path, options, columns, [wanted.target])
    check_columns("--target", [wanted.target], file.names, path)
    task, reason = find_task(file, wanted)
    if wanted.task is None:
        say(errors.task_inferred(task, wanted.target, reason))
    return Training(
        file, names, wanted.target, task, read_target_column(file, wanted.target, task), weight
    )
