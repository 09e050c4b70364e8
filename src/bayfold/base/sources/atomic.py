"""Files and folders that are there as a whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from bayfold import errors


@contextmanager
def write_atomically(path: Path) -> Iterator[Path]:
    """A path to write a file or a folder to, which takes its place under the real name when all went well.

    Whatever happens before, interrupts included, what was there stays and what was written is removed.
    """
    aside = path.with_name(f".{path.name}.{uuid4().hex[:8]}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield aside
        _flush(aside)
        _put_in_place(aside, path)
        _flush(path.parent)
    except OSError as error:
        raise errors.cannot_write(str(path), error) from error
    finally:
        _remove(aside)


def _put_in_place(aside: Path, path: Path) -> None:
    if not path.is_dir():
        os.replace(aside, path)
        return
    old = path.with_name(f".{path.name}.{uuid4().hex[:8]}.old")
    os.replace(path, old)
    try:
        os.replace(aside, path)
    except BaseException:
        os.replace(old, path)
        raise
    shutil.rmtree(old)


def _flush(path: Path) -> None:
    """To the disk: the name must not be there before the content."""
    inside = sorted(path.iterdir()) if path.is_dir() and path.suffix == ".tmp" else []
    for part in [*inside, path]:
        handle = os.open(part, os.O_RDONLY)
        try:
            with suppress(OSError):  # some systems do not flush folders
                os.fsync(handle)
        finally:
            os.close(handle)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
