"""Which file a path names, and whether an output is one of the inputs: compared by file, not by name."""

from __future__ import annotations

import glob
import os
import unicodedata
from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path

PathLike = str | os.PathLike[str]


def find_identity(path: PathLike) -> tuple:
    """Device and inode of what is there; of what is not there yet, those of its folder, and its name.

    Links lead to what they name, hard links to the same file are the same. Names of new files are compared without
    case, because on some disks these are one file.
    """
    try:
        found = os.stat(path)
        return found.st_dev, found.st_ino
    except OSError:
        pass
    real = os.path.realpath(path)
    name = unicodedata.normalize("NFC", os.path.basename(real)).casefold()
    folder = os.path.dirname(real)
    return (*find_identity(folder), name) if folder != real else (name,)


def is_inside(path: PathLike, folder: PathLike) -> bool:
    """Whether a path lies in a folder, at any depth."""
    parents = Path(os.path.realpath(path)).parents
    return find_identity(folder) in map(find_identity, parents)


def find_overlap(output: PathLike, inputs: Iterable[PathLike]) -> str | None:
    """The first of the inputs that the output is, holds, or would be read with the next time.

    Parameters
    ----------
    output : path-like
        A file or a folder, there or not.
    inputs : iterable of path-like
        Files, folders and globs. Names in a folder that begin with a dot or an underscore are not read with it.
    """
    own = find_identity(output)
    is_folder = os.path.isdir(output)
    for given in [os.fspath(path) for path in inputs]:
        is_glob = not os.path.exists(given) and glob.has_magic(given)
        if is_glob and _matches(output, given):
            return given
        for path in glob.glob(given, recursive=True) if is_glob else [given]:
            if find_identity(path) == own or (is_folder and is_inside(path, output)):
                return path
            if os.path.isdir(path) and _is_read_with(output, path):
                return path
    return None


def _is_read_with(path: PathLike, folder: str) -> bool:
    """Whether a path lies in a folder under a name that is not hidden."""
    real = Path(os.path.realpath(path))
    own = find_identity(folder)
    for parent in real.parents:
        if find_identity(parent) == own:
            return not any(name[0] in "._" for name in real.relative_to(parent).parts)
    return False


def _matches(path: PathLike, pattern: str) -> bool:
    """Whether a glob would find a path, were it there."""
    parts = Path(pattern).parts
    n_plain = next(k for k, part in enumerate(parts) if glob.has_magic(part))
    root = Path(os.path.realpath(Path(*parts[:n_plain])))
    real = Path(os.path.realpath(path))
    return real.is_relative_to(root) and _match_parts(real.relative_to(root).parts, parts[n_plain:])


def _match_parts(names: tuple[str, ...], patterns: tuple[str, ...]) -> bool:
    if not patterns:
        return not names
    if patterns[0] == "**":
        return any(_match_parts(names[k:], patterns[1:]) for k in range(len(names) + 1))
    return bool(names) and fnmatch(names[0], patterns[0]) and _match_parts(names[1:], patterns[1:])
