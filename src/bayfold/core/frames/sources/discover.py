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

FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".csv.gz": "csv",
    ".tsv": "csv",
    ".arrow": "ipc",
    ".ipc": "ipc",
    ".feather": "ipc",
    ".arff": "arff",
}
"""By how the name of a file ends."""

_NOTHING = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True)
class FoundFile:
    """A file, its format, and what its folders say of all of its rows."""

    path: str
    format: str
    keys: dict[str, str | None] = field(default_factory=dict)


def find_files(paths: Any) -> list[FoundFile]:
    """The files of a path, a glob, a folder, or a list of those, each once, in the order of their names.

    Of a folder, files of known formats at any depth; names that begin with a dot or an underscore are left out.
    """
    alone = isinstance(paths, (str, os.PathLike))
    given: Iterable[Any] = [paths] if alone else paths
    found: dict[str, FoundFile] = {}
    for path in given:
        for file in _find_some(os.fspath(path)):
            found.setdefault(file.path, file)
    if not found:
        raise errors.no_files(paths)
    return list(found.values())


def _find_some(path: str) -> list[FoundFile]:
    if os.path.isdir(path):
        return _find_in_folder(Path(path))
    if os.path.exists(path):
        return [FoundFile(path, format_of(path))]
    if not glob.has_magic(path):
        raise errors.no_such_file(path)
    matched = sorted(glob.glob(path, recursive=True))
    if not matched:
        raise errors.no_files(path)
    return [file for match in matched for file in _find_some(match)]


def _find_in_folder(folder: Path) -> list[FoundFile]:
    found = []
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder).parts
        hidden = any(part[0] in "._" for part in inside)
        if not hidden and path.is_file() and _ending(path.name):
            found.append(FoundFile(str(path), format_of(str(path)), _read_keys(inside[:-1])))
    if not found:
        raise errors.no_files(str(folder))
    return found


def _read_keys(folders: Iterable[str]) -> dict[str, str | None]:
    pairs = (folder.partition("=") for folder in folders if "=" in folder)
    return {unquote(key): None if value == _NOTHING else unquote(value) for key, _, value in pairs}


def _ending(name: str) -> str | None:
    endings = [ending for ending in FORMATS if name.lower().endswith(ending)]
    return max(endings, key=len) if endings else None


def format_of(path: str) -> str:
    """The format of a file by its name."""
    ending = _ending(path)
    if ending is None:
        raise errors.unknown_format(path, list(FORMATS))
    return FORMATS[ending]
