"""Files and folders that are there as a whole or not at all, and whether an output is one of the inputs.

Paths are compared by the file they lead to, not by name.
"""

from __future__ import annotations

import glob
import os
import shutil
import signal
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory


@contextmanager
def write_atomically(
    path: str | os.PathLike[str], check_replaced: Callable[[Path], object] | None = None
) -> Iterator[Path]:
    """A path to write a file or a folder to, which takes its place under the real name when all went well.

    Whatever happens before, interrupts included, what was there stays and what was written is removed. A link stays
    a link, a file is open to whom it was open before, and a pipe or a device is written to as it is.

    Parameters
    ----------
    path : path-like
    check_replaced : callable, optional
        Raises if a folder of this name must stay; by default it always must. Called when the folder has already been
        moved aside, so that nothing can be put into it between the check and its end.
    """
    given = Path(path)
    if given.exists() and not given.is_file() and not given.is_dir():
        yield given  # the real name of a pipe behind /dev/stdout is no path
        return
    target = Path(os.path.realpath(path))
    # a folder of its own: whatever is written beside the file goes with it, such as the journal of a database
    with (
        _ended_in_order(),
        TemporaryDirectory(
            dir=target.parent, prefix=".bayfold-", ignore_cleanup_errors=True
        ) as folder,
    ):
        aside = Path(folder, target.name)
        yield aside
        if target.is_file():
            shutil.copymode(target, aside)
        _flush(aside)
        _put_in_place(aside, target, Path(folder, "before"), check_replaced)
        _flush_folder(target.parent)


class _EndedError(BaseException):
    """A signal that ends the process, as an exception: what was written aside is removed on the way out."""


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Let SIGTERM and SIGHUP, where nobody else handles them, end the process only after files were removed."""
    names = ("SIGTERM", "SIGHUP")  # the second is unknown on Windows
    known = [getattr(signal, name) for name in names if hasattr(signal, name)]
    is_main = threading.current_thread() is threading.main_thread()  # the only one that may
    handled = [each for each in known if is_main and signal.getsignal(each) == signal.SIG_DFL]
    caught: list[int] = []

    def handle(number: int, _: object) -> None:
        if not caught:  # a second one must not stop the cleaning
            caught.append(number)
            raise _EndedError

    for each in handled:
        signal.signal(each, handle)
    try:
        yield
    finally:
        for each in handled:
            signal.signal(each, signal.SIG_DFL)
        if caught:
            os.kill(os.getpid(), caught[0])


def _put_in_place(
    aside: Path, target: Path, before: Path, check_replaced: Callable[[Path], object] | None
) -> None:
    """Move a file or folder to its place; a folder that is there goes to ``before`` first, if it may."""
    if check_replaced is None or not target.is_dir():
        os.replace(aside, target)
        return
    os.replace(target, before)
    try:
        check_replaced(before)
        os.replace(aside, target)
    except BaseException:
        os.replace(before, target)
        raise


def _flush(path: Path) -> None:
    """To the disk: the name must not be there before the content."""
    is_folder = path.is_dir()
    for part in sorted(path.iterdir()) if is_folder else [path]:
        with part.open("rb") as opened:
            os.fsync(opened.fileno())
    if is_folder:
        _flush_folder(path)


def _flush_folder(path: Path) -> None:
    with suppress(OSError):  # some systems do not open or flush folders
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


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
