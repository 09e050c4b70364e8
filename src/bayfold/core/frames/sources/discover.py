"""Which files are meant: paths, lists of them, globs, and folders, whose names may hold the values of columns."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from bayfold import errors
from bayfold.core.frames.files.formats import ENDINGS, name_format, recognise, without_gz

FORMATS = {ending: form for ending, form in ENDINGS.items() if form != "duckdb"}
"""By how the name of a file ends; a database has no rows before it is asked."""
NOT_IN_FOLDERS = ".txt"
"""A table if it is named, but beside tables more often a note on them."""

COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zip")
"""Endings behind that of a table; of these only zipped text is read."""

BEGINNING = 64
"""Bytes by which a table is known that has no ending of one: formats say what they are in the first dozen."""

OTHER_TABLES = (b"ORC", b"Obj\x01")
"""How formats begin that are not read: ORC and Avro."""

_NOTHING = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True)
class FoundFile:
    """A file, its format, and what its folders say of all of its rows."""

    path: str
    format: str
    keys: dict[str, str | None] = field(default_factory=dict)


def find_files(paths: Any, form: str | None = None) -> list[FoundFile]:
    """The files of a path, a glob, a folder, or a list of those, in the order of their names.

    Each counts once, however often and under whatever spelling or link it is found. Of a folder, files of known formats
    at any depth, behind links too; names that begin with a dot or an underscore are left out. What cannot be looked
    into is an error. The format is what the name ends with, or ``form``.
    """
    alone = isinstance(paths, (str, os.PathLike))
    given: Iterable[Any] = [paths] if alone else paths
    found: dict[str, FoundFile] = {}
    for path in given:
        for file in _find_some(os.fspath(path), form):
            first = found.setdefault(os.path.realpath(file.path), file)
            if first.keys != file.keys:
                raise errors.file_in_two_folders(first.path, file.path)
    if not found:
        raise errors.no_files(paths)
    return list(found.values())


def _find_some(path: str, form: str | None) -> list[FoundFile]:
    if os.path.isdir(path):
        return _find_in_folder(Path(path), form)
    if os.path.exists(path):
        _check_regular(path)
        return [FoundFile(path, form or format_of(path))]
    if os.path.islink(path):
        raise errors.dead_link(path)
    if not glob.has_magic(path):
        raise errors.no_such_file(path)
    matched = _expand(Path(path))
    if not matched:
        raise errors.no_files(path)
    return [file for match in matched for file in _find_some(str(match), form)]


def _expand(pattern: Path) -> list[Path]:
    """What a glob matches; Python's own leaves out folders that it cannot list."""
    found = [Path(pattern.anchor)]
    for part in pattern.relative_to(pattern.anchor).parts:
        if part == "**":
            found = [folder for path in found for folder in (path, *_folders_below(path))]
        elif glob.has_magic(part):
            folders = [path for path in found if path.is_dir()]
            found = [
                path / entry.name
                for path in folders
                for entry in _list(path)
                if fnmatch(entry.name, part) and (part[0] == "." or entry.name[0] != ".")
            ]
        else:
            found = [path / part for path in found if os.path.lexists(path / part)]
    return sorted(found)


def _folders_below(folder: Path, above: frozenset[str] = frozenset()) -> Iterator[Path]:
    above = _go_into(folder, above)
    for entry in _list(folder):
        path = folder / entry.name
        if entry.is_dir() and entry.name[0] != ".":
            yield path
            yield from _folders_below(path, above)


def _find_in_folder(folder: Path, form: str | None) -> list[FoundFile]:
    found = []
    for path in _files_below(folder):
        name = path.name
        if path.suffix.lower() == NOT_IN_FOLDERS or not _is_named_like_a_table(name):
            _check_no_table(path)
            continue
        _check_regular(path)
        keys = _read_keys(str(path), path.relative_to(folder).parts[:-1])
        found.append(FoundFile(str(path), form or format_of(str(path)), keys))
    if not found:
        raise errors.no_files(str(folder))
    return found


def _files_below(folder: Path, above: frozenset[str] = frozenset()) -> Iterator[Path]:
    """The files in a folder at any depth, in the order of their names; hidden ones are left out."""
    above = _go_into(folder, above)
    for entry in _list(folder):
        path = folder / entry.name
        if entry.name[0] in "._":
            continue
        if entry.is_symlink() and not path.exists():
            raise errors.dead_link(str(path))
        if entry.is_dir():
            yield from _files_below(path, above)
        else:
            yield path


def _check_no_table(path: Path) -> None:
    """Refuse to leave out a file that begins as a table does, whatever its name: ``part-00000`` of a cluster."""
    start = b""
    if path.is_file():
        with suppress(OSError), path.open("rb") as file:
            start = file.read(BEGINNING)
    if start.startswith(OTHER_TABLES) or recognise(start) != "csv":
        raise errors.unknown_format(str(path), list(FORMATS))


def _check_regular(path: str | Path) -> None:
    """A pipe would be waited for, and could not be read a second time."""
    if not os.path.isfile(path):
        raise errors.not_regular(str(path))


def _list(folder: Path) -> list[os.DirEntry]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        raise errors.bad_file(str(folder), "", error) from error


def _go_into(folder: Path, above: frozenset[str]) -> frozenset[str]:
    """The folders that lead to what is inside, by their real names."""
    real = os.path.realpath(folder)
    if real in above:
        raise errors.link_loop(str(folder), real)
    return above | {real}


def _is_named_like_a_table(name: str) -> bool:
    """Whether a file in a folder holds rows, by its name; in a format that cannot be read, it is refused."""
    stem, ending = os.path.splitext(name)
    return name_format(stem if ending.lower() in COMPRESSED else name) is not None


def _read_keys(path: str, folders: Iterable[str]) -> dict[str, str | None]:
    """What the names of folders say; ``key=`` must have a name, and no two the same."""
    pairs = [folder.partition("=") for folder in folders if folder.find("=") > 0]
    keys = {unquote(key): None if value == _NOTHING else unquote(value) for key, _, value in pairs}
    if len(keys) < len(pairs):
        raise errors.repeated_columns(path, [unquote(key) for key, _, _ in pairs])
    return keys


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
