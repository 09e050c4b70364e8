"""Large arrays in files instead of memory, for methods that go over rows again and again that do not fit in memory.

Within ``arrays_on_disk`` an array of some megabytes is a mapped file once the arrays in memory have used up their
share. Nothing else about it is different, so methods work on it as they are. The system moves its pages between disk
and memory, and takes the memory as soon as somebody else needs it. The files have no names: they are gone when
their arrays are, whatever becomes of the process.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bayfold import errors
from bayfold.core.engine.numpy_memory import LargeMemory, MemoryHandler, default_memory
from bayfold.core.engine.resident import few_resident_pages, follow_pages

LARGE_ARRAY = 1 << 22
"""Four megabytes: to open a file takes no time beside filling so much, and smaller arrays do not add up to much."""

IN_MEMORY = 1 << 27
"""Bytes of large arrays that stay in memory: those of a million rows, so that only larger fits are slower."""


@dataclass
class ScratchSpace:
    """What one fit may have of memory, and where its other arrays are.

    Attributes
    ----------
    folder : Path
    room : int
        Bytes that may still be given out of memory.
    failure : BaseException or None
        Why an array could not be had: the C code of NumPy cannot raise it.
    """

    folder: Path
    room: int
    failure: BaseException | None = None


_SCRATCH: ContextVar[ScratchSpace] = ContextVar("_SCRATCH")
_IN_FILES: dict[int, tuple[mmap.mmap, Any, int]] = {}
_IN_MEMORY: dict[int, tuple[ScratchSpace, int]] = {}
"""Large arrays by their address: they may live longer than the fit that made them."""


def _allocate(size: int) -> int:
    """The address of zeros."""
    scratch = _SCRATCH.get(None)
    if scratch is None:  # an array of a fit that is over grows or shrinks
        own = default_memory()
        return own.calloc(own.context, size, 1)
    try:
        return _from_memory(scratch, size) if size <= scratch.room else _from_disk(scratch, size)
    except BaseException as error:  # also Ctrl-C: it is raised once C code is left
        scratch.failure = error
        return 0


def _from_memory(scratch: ScratchSpace, size: int) -> int:
    own = default_memory()
    address = own.calloc(own.context, size, 1)
    if address:
        _IN_MEMORY[address] = scratch, size
        scratch.room -= size
    return address


def _from_disk(scratch: ScratchSpace, size: int) -> int:
    mapping = map_new_file(scratch.folder, size)
    view = ctypes.c_char.from_buffer(mapping)
    address = ctypes.addressof(view)
    _IN_FILES[address] = mapping, view, size
    return address


def _reallocate(old: int, size: int) -> int:
    """The address of so many bytes, which begin as the old ones did."""
    own = default_memory()
    if old and old not in _IN_FILES:
        _forget(old)
        return own.realloc(own.context, old, size)
    new = _allocate(size)
    if old and new:
        ctypes.memmove(new, old, min(size, _IN_FILES[old][2]))
        _free(old, 0)
    return new


def _free(old: int, size: int) -> None:
    found = _IN_FILES.pop(old, None)
    if found is None:
        _forget(old)
        own = default_memory()
        own.free(own.context, old, size)
        return
    mapping, view, _ = found
    del found, view  # a mapping that somebody looks at cannot be closed
    mapping.close()


def _forget(old: int) -> None:
    """What was in memory makes room for others."""
    if old in _IN_MEMORY:
        scratch, size = _IN_MEMORY.pop(old)
        scratch.room += size


@cache
def _handler() -> MemoryHandler:
    return MemoryHandler(LargeMemory(LARGE_ARRAY, _allocate, _reallocate, _free))


def map_new_file(folder: Path, size: int) -> mmap.mmap:
    """A file without a name, full of zeros, as memory."""
    with tempfile.TemporaryFile(dir=folder) as file:
        _reserve(file.fileno(), folder, size)
        return follow_pages(mmap.mmap(file.fileno(), size))


def _reserve(file: int, folder: Path, size: int) -> None:
    """Room on the disk before anything is written: a full disk would end the process where a page is written back."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)
        return
    if shutil.disk_usage(folder).free < size:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    os.truncate(file, size)


@contextmanager
def arrays_on_disk(folder: Any = None, in_memory: int = IN_MEMORY) -> Iterator[Path]:
    """Within it, large arrays are files in a folder, by default that for temporary files.

    Parameters
    ----------
    folder : path-like, optional
    in_memory : int
        Bytes of large arrays that stay in memory.
    """
    place = Path(tempfile.gettempdir() if folder is None else folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise errors.no_room_for_scratch(str(place), error) from error
    scratch = ScratchSpace(place, in_memory)
    token = _SCRATCH.set(scratch)
    try:
        with _handler().used(), few_resident_pages():
            yield place
    except MemoryError as error:
        if isinstance(scratch.failure, OSError):
            raise errors.no_room_for_scratch(str(place), scratch.failure) from error
        raise scratch.failure or error from None
    finally:
        _SCRATCH.reset(token)
