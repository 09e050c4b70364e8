"""Models from files, and tables as a model wants them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import bayfold
from bayfold import errors
from bayfold.cli.options import FileOptions
from bayfold.cli.reading import read_data
from bayfold.core.frames.files import TableFile
from bayfold.core.frames.files.read import check_readable
from bayfold.persist import read_notes

TARGET, MISSING_TEXTS = "target", "missing"


def open_model(path: str) -> Any:
    """The model in a file."""
    check_readable(path)
    return bayfold.load(path)


def note_how(target: str | None, options: FileOptions) -> dict[str, str]:
    """What those who use the model have to know: what it predicts, and what stood for a missing cell."""
    notes = {} if target is None else {TARGET: target}
    return notes if options.missing is None else notes | {MISSING_TEXTS: ",".join(options.missing)}


def read_as_fitted(path: str, options: FileOptions) -> FileOptions:
    """Options with what stood for a missing cell when the model was fitted, unless they say it themselves."""
    known = read_notes(path).get(MISSING_TEXTS)
    return options if known is None or options.missing else replace(options, missing=[known])


def read_for_model(model: Any, path: str, options: FileOptions) -> TableFile:
    """A table with the columns of a model, each read as what it was when the model was fitted."""
    file = read_data(path, options, find_kinds(model))
    absent = [name for name in names_of(model) if name not in file.names]
    if absent:
        raise errors.columns_absent(path, absent, file.names)
    return file


def names_of(model: Any) -> list[str]:
    """The columns a model was fitted on, by which they are found in a file."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        raise errors.model_without_names(type(model).__name__)
    return [str(name) for name in names]


def find_kinds(model: Any) -> dict[str, str]:
    """What the columns were when the model was fitted: numeric, nominal, boolean, text or time."""
    schema = getattr(model, "schema_", None)
    if schema is None:  # built of other models, which read the columns as they are
        return {}
    return {column.name: kind_of(column) for column in schema.columns}


def kind_of(column: Any) -> str:
    """What a column of a schema was in the file, in the words of options and of `bayfold info`."""
    if column.kind == "numeric":
        return "time" if column.is_time else "numeric"
    if column.kind == "nominal":  # true in one format is True in another
        is_boolean = column.categories and set(column.categories) <= {"True", "False"}
        return "boolean" if is_boolean else "nominal"
    return str(column.kind)
