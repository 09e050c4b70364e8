"""Tables that do not fit in memory: read a chunk at a time, as the library's sources read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from bayfold import errors
from bayfold.cli.misuse import blame_parameters
from bayfold.cli.models import choose_model
from bayfold.cli.names import check_columns, split_names
from bayfold.cli.options import ColumnOptions, FileOptions, ModelOptions, TargetOptions
from bayfold.core.frames.sources import open_source


def fit_stream(
    path: str,
    file: FileOptions,
    columns: ColumnOptions,
    wanted: TargetOptions,
    options: ModelOptions,
) -> Any:
    """A model of files of any size; the task must be given, as nobody looks at all rows beforehand."""
    check_plain(path, file)
    if wanted.task is None:
        raise errors.stream_without_task()
    names = open_source(path).names
    chosen, dropped = split_names(columns.columns), split_names(columns.drop)
    labels, weights = split_names(columns.categorical), [columns.weight] if columns.weight else []
    asked = {"--target": [wanted.target], "--columns": chosen, "--drop": dropped}
    asked |= {"--categorical": labels, "--weight": weights}
    for option, given in asked.items():
        check_columns(option, given, names, path)
    left_out = {wanted.target, *dropped, *weights}
    kept = [name for name in chosen or names if name not in left_out]
    if not kept:
        raise errors.nothing_to_learn_from(path)
    model = choose_model(wanted.task, options)
    if labels:
        model.set_params(categorical_features=[name for name in labels if name in kept])
    with blame_parameters(model):
        return model.fit_source(path, wanted.target, weight=columns.weight, columns=kept)


def predict_stream(
    model: Any, path: str, file: FileOptions, output: str, keep: Sequence[str] | None
) -> None:
    """Predictions for files of any size, written as Parquet."""
    check_plain(path, file)
    if Path(output).suffix != ".parquet":
        raise errors.stream_to_parquet(output)
    names = open_source(path).names
    kept = names if keep is None else [name for name in split_names(keep) if name != "none"]
    check_columns("--keep", kept, names, path)
    model.predict_source(path, output, keep=kept, overwrite=True)


def check_plain(path: str, file: FileOptions) -> None:
    """Refuse standard input and the options that only files read as a whole have."""
    given = [f"--{field.name}" for field in fields(file) if getattr(file, field.name) is not None]
    if given:
        raise errors.option_without_stream(given[0])
    if path == "-":
        raise errors.option_without_stream("-")
