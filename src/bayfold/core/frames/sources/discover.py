"""Which files are meant: paths, lists of them, globs, and folders, whose names may hold the values of columns."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from bayfold import errors
from bayfold.core.frames.files.formats import ENDINGS, name_format, without_gz

FORMATS = {ending: form for ending, form in ENDINGS.items() if form != "duckdb"}
"""By how the name of a file ends; a database has no rows before it is asked."""
NOT_IN_FOLDERS = ".txt"
"""A table if it is named, but beside tables more often a note on them."""

_NOTHING = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True)
class FoundFile:
    """A file, its format, and what its folders say of all of its rows."""

    path: str
    format: str
    keys: dict[str, str | None] = field(default_factory=dict)


def find_files(paths: Any, form: str | None = None) -> list[FoundFile]:
    """The files of a path, a glob, a folder, or a list of those, each once, in the order of their names.

    Of a folder, files of known formats at any depth; names that begin with a dot or an underscore are left out.
    The format is what the name ends with, or ``form``.
    """
    alone = isinstance(paths, (str, os.PathLike))
    given: Iterable[Any] = [paths] if alone else paths
    found: dict[str, FoundFile] = {}
    for path in given:
        for file in _find_some(os.fspath(path), form):
            found.setdefault(file.path, file)
    if not found:
        raise errors.no_files(paths)
    return list(found.values())


def _find_some(path: str, form: str | None) -> list[FoundFile]:
    if os.path.isdir(path):
        return _find_in_folder(Path(path), form)
    if os.path.exists(path):
        return [FoundFile(path, form or format_of(path))]
    if not glob.has_magic(path):
        raise errors.no_such_file(path)
    matched = sorted(glob.glob(path, recursive=True))
    if not matched:
        raise errors.no_files(path)
    return [file for match in matched for file in _find_some(match, form)]


def _find_in_folder(folder: Path, form: str | None) -> list[FoundFile]:
    found = []
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder).parts
        hidden = any(part[0] in "._" for part in inside)
        known = None if path.suffix.lower() == NOT_IN_FOLDERS else _known_format(path.name)
        if known and not hidden and path.is_file():
            found.append(FoundFile(str(path), form or known, _read_keys(inside[:-1])))
    if not found:
        raise errors.no_files(str(folder))
    return found


def _read_keys(folders: Iterable[str]) -> dict[str, str | None]:
    pairs = (folder.partition("=") for folder in folders if "=" in folder)
    return {unquote(key): None if value == _NOTHING else unquote(value) for key, _, value in pairs}


def _known_format(path: str) -> str | None:
    """The format a name ends with; only text is read zipped."""
    form = name_format(path)
    is_zipped = without_gz(path) != path
    return form if form in FORMATS.values() and not (is_zipped and form != "csv") else None


def format_of(path: str) -> str:
    """The format of a file by its name."""
    form = _known_format(path)
    if form is None:
        raise errors.unknown_format(path, list(FORMATS))
    return form
