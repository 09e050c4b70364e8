"""Commands on rows that come a chunk at a time, and whether rows fit in memory or have to come so."""

from __future__ import annotations

import os
import re
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

BYTES_PER_BYTE = 12
"""Memory that reading and fitting take per byte of a file: 9 of CSV, 10 of Arrow and 12 of Parquet were measured
(400,000 rows of 8 random floats, whole numbers and two columns of labels; naive Bayes)."""
ZIPPED = 10
"""Bytes of text per byte of its gzip: 2 to 4 were measured for tables of floats, 9 to 25 for tables of few values
(adult 9, satimage 12, kr-vs-kp 19, nursery 25)."""
SHARE = 0.8
"""Of the available memory; the rest is for other programs, which do not stand still."""


def choose_stream(path: str, options: FileOptions, asked: bool | None) -> bool:
    """Whether to read a chunk at a time: as asked for, or because the file would not fit in memory."""
    if asked is not None:
        return asked
    # what goes through a pipe or a query is not on disk to be read twice
    if options.table or options.query or not Path(path).is_file() or _is_database(path, options):
        return False
    size = os.path.getsize(path)
    available = find_memory()
    factor = BYTES_PER_BYTE * (ZIPPED if path.lower().endswith(".gz") else 1)
    if available is None or size * factor <= SHARE * available:
        return False
    say(errors.reads_in_chunks(path, size, available))
    return True


def _is_database(path: str, options: FileOptions) -> bool:
    from bayfold.core.frames.files.formats import name_format

    return (options.format or name_format(path)) in ("duckdb", None)


def find_memory() -> int | None:
    """Bytes that this program can have without others being put on disk; None where the system does not say."""
    found = [bytes_ for bytes_ in (_of_the_machine(), _of_the_container()) if bytes_ is not None]
    return min(found, default=None)


def _of_the_machine() -> int | None:
    try:
        found = re.search(r"MemAvailable: +([0-9]+) kB", Path("/proc/meminfo").read_text())
        if found:
            return 1024 * int(found[1])
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return None


CONTROL_GROUPS = Path("/sys/fs/cgroup")
OWN_GROUP = Path("/proc/self/cgroup")


def _of_the_container() -> int | None:
    """What is left below the limits of the control groups this process is in: all of them hold, up to the root."""
    try:
        lines = OWN_GROUP.read_text().splitlines()
    except OSError:
        return None
    left: list[int] = []
    for line in lines:
        _, controllers, inside = line.split(":", 2)
        if controllers not in ("", "memory"):
            continue
        root = CONTROL_GROUPS / controllers
        own = root / inside.lstrip("/")
        # within a container the path is often that outside of it: then the root is its own group
        groups = [own, *own.parents] if own.is_dir() else [root]
        found = (_below_limit(g) for g in groups if g.is_relative_to(root))
        left += [n for n in found if n is not None]
    return min(left, default=None)


def _below_limit(group: Path) -> int | None:
    """Bytes up to the limit of one group, version 2 or 1, where there is one; files that were read can be let go."""
    for limit, usage, cached in (
        ("memory.max", "memory.current", "inactive_file"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        try:
            most, used = ((group / name).read_text().strip() for name in (limit, usage))
            found = re.search(rf"^{cached} ([0-9]+)", (group / "memory.stat").read_text(), re.M)
            return max(int(most) - int(used) + (int(found[1]) if found else 0), 0)
        except (OSError, ValueError):  # no such file, or "max" for no limit
            continue
    return None


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
