"""Tables that do not fit in memory: read a chunk at a time, as the library's sources read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.base.sources.output import OutputOptions
from bayfold.base.sources.predict import write_answers
from bayfold.cli.command import blame_parameters, say
from bayfold.cli.models import choose_model, find_task
from bayfold.cli.options import ColumnOptions, FileOptions, ModelOptions, TargetOptions
from bayfold.cli.output import AnswerOptions, add_answers, check_columns
from bayfold.cli.reading import (
    check_present,
    choose_features,
    find_given_kinds,
    find_kinds,
    read_options,
)
from bayfold.core.frames.files import TableFile, find_output_format, find_stdout
from bayfold.core.frames.sources.many_files import FileSource

FIRST_ROWS = 1 << 16
"""Rows whose targets tell the task."""

IN_ONE_PASS = "naive-bayes"
"""The default, for classes and for numbers: it learns chunk by chunk."""


def fit_stream(
    path: str,
    file: FileOptions,
    columns: ColumnOptions,
    wanted: TargetOptions,
    options: ModelOptions,
    per_row: Mapping[str, str] | None = None,
) -> Any:
    """A model of files of any size."""
    target = wanted.target
    given = dict(per_row or {})
    kinds = find_given_kinds(columns, [target])
    source = _open(path, file, kinds)
    if not source.names:
        raise errors.empty_file(path)
    check_columns("--target", [target], source.names, path)
    for name, column in given.items():
        check_columns(f"--{name}", [column], source.names, path)
    names = choose_features(path, source.names, columns, [target, *given.values()])
    first, is_whole = _read_first(source, path, target)
    task, reason = find_task(first, wanted, is_whole)
    if wanted.task is None:
        say(errors.task_inferred(task, target, reason))
    model = choose_model(task, options, IN_ONE_PASS)
    labels = [name for name, kind in kinds.items() if kind == "nominal" and name in names]
    if labels:
        model.set_params(categorical_features=labels)
    source = _open(path, file, kinds | {target: _kind_of_target(first.vector(target), task)})
    with blame_parameters(model):
        return model.fit_source(source, target, weight=columns.weight, columns=names, **given)


def open_for_model(model: Any, path: str, file: FileOptions) -> FileSource:
    """Files with the columns of a model, each read as what it was when the model was fitted."""
    source = _open(path, file, find_kinds(model))
    check_present(model, path, source.names)
    for notice in source.notices:
        say(notice)
    return source


def predict_stream(
    model: Any,
    source: FileSource,
    kept: Sequence[str],
    wanted: AnswerOptions,
    output: str,
    asked: str | None,
) -> None:
    """Predictions for files of any size, in the format of the name or of the input."""
    form = find_output_format(output, asked, min(source.formats))

    def answer(fitted: Any, table: Any) -> Any:
        return add_answers(fitted, table, kept, wanted)

    def write(place: Any) -> None:
        write_answers(model, answer, source, OutputOptions(place, kept, overwrite=True, form=form))

    if output == "-":
        stream = find_stdout()
        write(stream)
        stream.flush()
    elif Path(output).exists() and not Path(output).is_file():  # /dev/null: never to be replaced
        with Path(output).open("wb") as file:
            write(file)
    else:
        write(Path(output).resolve())  # a link stays a link


def _open(path: str, file: FileOptions, kinds: dict[str, str]) -> FileSource:
    """Refuse what is no file, then open it."""
    asked = {"-": path == "-", "--table": file.table, "--query": file.query}
    asked["--format duckdb"] = file.format == "duckdb"
    for option, is_given in asked.items():
        if is_given:
            raise errors.option_without_stream(option)
    return FileSource(path, read_options(file, kinds))


def _read_first(source: FileSource, path: str, target: str) -> tuple[TableFile, bool]:
    """The target of the first rows, and whether these are all."""
    frame, is_whole = source.first_rows(target, FIRST_ROWS)
    if not frame.num_rows:
        raise errors.no_rows(path)
    return TableFile(path, min(source.formats), frame, frame), is_whole


def _kind_of_target(values: np.ndarray, task: str) -> str:
    """How a target of text is read: classes are whole numbers or labels."""
    if task == "regression":
        return "numeric"
    is_whole = values.dtype.kind == "f" and (np.isnan(values) | (values == np.floor(values))).all()
    return "whole" if is_whole else "nominal"
