"""Tables and models as commands want them: read, checked, and cut into known rows and rows to be predicted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import bayfold
from bayfold import errors
from bayfold.cli.command import say
from bayfold.cli.models import find_task, read_target_column
from bayfold.cli.options import ColumnOptions, FileOptions, TargetOptions
from bayfold.cli.output import check_columns, split_names
from bayfold.core.frames.cells import MISSING
from bayfold.core.frames.files import ReadOptions, TableFile, read_file
from bayfold.core.frames.files.formats import CsvDialect
from bayfold.core.frames.files.read import check_readable
from bayfold.core.schema.written import notations_of
from bayfold.persist import read_notes


@dataclass(frozen=True, eq=False)
class Training:
    """Rows to learn from."""

    file: TableFile
    names: list[str]
    target: str
    task: str
    y: np.ndarray
    weight: np.ndarray | None
    per_row: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def features(self) -> Any:
        """The columns to learn from, as an Arrow table."""
        return self.file.select(self.names)

    def with_known_target(self) -> Training:
        """The rows that have a target; cross-validation can judge no others."""
        rows = self._find_known()
        if len(rows) == len(self.y):
            return self
        errors.warn(errors.missing_targets(len(self.y) - len(rows)))
        weight = None if self.weight is None else self.weight[rows]
        per_row = {name: values[rows] for name, values in self.per_row.items()}
        file = self.file.take(rows)
        return Training(file, self.names, self.target, self.task, self.y[rows], weight, per_row)

    @property
    def units(self) -> dict[str, np.ndarray]:
        """The groups and times of the rows, where they were asked for."""
        return {name: self.per_row[name] for name in ("groups", "time") if name in self.per_row}

    def count_known(self) -> int:
        """How many rows have a target."""
        return len(self._find_known())

    def _find_known(self) -> np.ndarray:
        return np.flatnonzero([value is not None and value == value for value in self.y])


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
        month_first=options.month_first,
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
    counters = file.find_counters(names)
    if counters:
        say(errors.counts_rows(counters))
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
    chosen = split_names(columns.columns)
    dropped = split_names(columns.drop)
    labels = split_names(columns.categorical)
    weights = [columns.weight] if columns.weight else []
    asked = {"--columns": chosen, "--drop": dropped, "--categorical": labels, "--weight": weights}
    for option, given in asked.items():
        check_columns(option, given, known, path)
    left_out = {*others, *dropped, *weights}
    names = [name for name in chosen or known if name not in left_out]
    if not names:
        raise errors.nothing_to_learn_from(path)
    return names


def read_training(
    path: str,
    options: FileOptions,
    columns: ColumnOptions,
    wanted: TargetOptions,
    per_row: Mapping[str, str] | None = None,
) -> Training:
    """A file with its target and, where they are asked for, its exposures, groups and times."""
    asked = dict(per_row or {})
    file, names, weight = read_features(path, options, columns, [wanted.target, *asked.values()])
    check_columns("--target", [wanted.target], file.names, path)
    for name, column in asked.items():
        check_columns(f"--{name}", [column], file.names, path)
    task, reason = find_task(file, wanted)
    if wanted.task is None:
        say(errors.task_inferred(task, wanted.target, reason))
    y = read_target_column(file, wanted.target, task)
    found = {name: file.vector(column) for name, column in asked.items()}
    return Training(file, names, wanted.target, task, y, weight, found)


TARGET = "target"
MISSING_TEXTS = "missing"
FIRST = "dates begin with"
MONTH = "month"


def open_model(path: str) -> Any:
    """The model in a file."""
    check_readable(path)
    return bayfold.load(path)


def note_how(
    target: str | None, options: FileOptions, dialect: CsvDialect | None = None
) -> dict[str, str]:
    """What users of the model have to know: what it predicts, what stood for a missing cell, the order of dates."""
    month_first = options.month_first if dialect is None else dialect.month_first
    notes = {} if target is None else {TARGET: target}
    notes |= {} if options.missing is None else {MISSING_TEXTS: ",".join(options.missing)}
    return notes if month_first is None else notes | {FIRST: MONTH if month_first else "day"}


def read_as_fitted(path: str, options: FileOptions) -> FileOptions:
    """Options with what the file was like that the model was fitted to, unless they say it themselves."""
    notes = read_notes(path)
    if MISSING_TEXTS in notes and not options.missing:
        options = replace(options, missing=[notes[MISSING_TEXTS]])
    if FIRST in notes and options.month_first is None:
        options = replace(options, month_first=notes[FIRST] == MONTH)
    return options


def read_for_model(model: Any, path: str, options: FileOptions) -> TableFile:
    """A table with the columns of a model, each read as what it was when the model was fitted."""
    file = read_data(path, options, find_kinds(model))
    check_present(model, path, file.names)
    return file


def check_present(model: Any, path: str, names: Sequence[str]) -> None:
    """Refuse a table without some column of the model."""
    present = set(names)
    absent = [name for name in names_of(model) if name not in present]
    if absent:
        raise errors.columns_absent(path, absent, list(names))


def names_of(model: Any) -> list[str]:
    """The columns a model was fitted on, by which they are found in a file."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        raise errors.model_without_names(type(model).__name__)
    return [str(name) for name in names]


def find_kinds(model: Any) -> dict[str, str]:
    """What the columns were when the model was fitted: numeric, nominal, boolean, text or time.

    Numbers with units are left out: the model reads cells of text itself, by its schema.
    """
    schema = getattr(model, "schema_", None)
    if schema is None:  # built of other models, which read the columns as they are
        return {}
    written = {schema.names[j] for j in notations_of(schema)}
    return {c.name: kind_of(c) for c in schema.columns if c.name not in written}


def kind_of(column: Any) -> str:
    """What a column of a schema was in the file, in the words of options and of `bayfold info`."""
    if column.kind == "numeric":
        return "time" if column.is_time else "numeric"
    if column.kind == "nominal":  # true in one format is True in another
        is_boolean = column.categories and set(column.categories) <= {"True", "False"}
        return "boolean" if is_boolean else "nominal"
    return str(column.kind)
