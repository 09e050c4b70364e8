"""Large arrays in files instead of memory, for methods that go over rows again and again that do not fit in memory.

Within ``arrays_on_disk`` an array of some megabytes is a mapped file once the arrays in memory have used up their
share. Nothing else about it is different, so methods work on it as they are. The system moves its pages between disk
and memory, and takes the memory as soon as somebody else needs it. The files have no names: they are gone when
their arrays are, whatever becomes of the process. The files of arrays that are gone are used again within a fit: a
page of a new file, which the system finds room for, clears and maps, takes longer than to fill it.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import mmap
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from bayfold import errors
from bayfold.core.engine.numpy_memory import LargeMemory, MemoryHandler, default_memory
from bayfold.core.long_arrays import few_resident_pages, follow_pages

LARGE_ARRAY = 1 << 22
"""Four megabytes: to open a file takes no time beside filling so much, and smaller arrays do not add up to much."""

IN_MEMORY = 1 << 27
"""Bytes of large arrays that stay in memory: those of a million rows, so that only larger fits are slower."""


KEPT_FREE = 1 << 30
"""Bytes of files that wait to be used again: several arrays of 20 million numbers."""

FITTING = 1.25
"""A file may be this many times as large as what is wanted."""


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
    free : list of mmap
        Files that wait to be used again.
    is_open : bool
        Whether the fit goes on: else nothing is kept.
    """

    folder: Path
    room: int
    failure: BaseException | None = None
    free: list[mmap.mmap] = field(default_factory=list)
    is_open: bool = True

    def find_file(self, size: int) -> tuple[mmap.mmap, bool]:
        """A file of at least so many bytes, and whether it is new, and so full of zeros."""
        fitting = [m for m in list(self.free) if size <= len(m) <= FITTING * size]
        for mapping in sorted(fitting, key=len):
            with contextlib.suppress(ValueError):  # another thread has taken it
                self.free.remove(mapping)
                return mapping, False
        try:
            return map_new_file(self.folder, size), True
        except OSError:
            if not self.free:
                raise
            self.let_go()  # a disk that is full of what waits has room
            return map_new_file(self.folder, size), True

    def give_back(self, mapping: mmap.mmap) -> None:
        """A file that nobody needs any more.

        Without a lock: whatever frees an array may be in the middle of anything, even of looking for a file.
        """
        if self.is_open and sum(map(len, list(self.free))) + len(mapping) <= KEPT_FREE:
            self.free.append(mapping)
        else:
            mapping.close()

    def let_go(self) -> None:
        """Close the files that wait."""
        while self.free:
            with contextlib.suppress(IndexError):
                self.free.pop().close()


_SCRATCH: ContextVar[ScratchSpace] = ContextVar("_SCRATCH")
_IN_FILES: dict[int, tuple[ScratchSpace, mmap.mmap, Any, int]] = {}
_IN_MEMORY: dict[int, tuple[ScratchSpace, int]] = {}
"""Large arrays by their address: they may live longer than the fit that made them."""


def _allocate(size: int, wants_zeros: int) -> int:
    """The address of so many bytes."""
    scratch = _SCRATCH.get(None)
    if scratch is None:  # an array of a fit that is over grows or shrinks
        own = default_memory()
        return own.calloc(own.context, size, 1)
    try:
        if size <= scratch.room:
            return _from_memory(scratch, size)
        return _from_disk(scratch, size, wants_zeros)
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


def _from_disk(scratch: ScratchSpace, size: int, wants_zeros: int) -> int:
    mapping, is_new = scratch.find_file(size)
    view = ctypes.c_char.from_buffer(mapping)
    address = ctypes.addressof(view)
    if wants_zeros and not is_new:
        ctypes.memset(address, 0, size)
    _IN_FILES[address] = scratch, mapping, view, size
    return address


def _reallocate(old: int, size: int) -> int:
    """The address of so many bytes, which begin as the old ones did."""
    own = default_memory()
    if old and old not in _IN_FILES:
        _forget(old)
        return own.realloc(own.context, old, size)
    new = _allocate(size, 0)
    if old and new:
        ctypes.memmove(new, old, min(size, _IN_FILES[old][3]))
        _free(old, 0)
    return new


def _free(old: int, size: int) -> None:
    found = _IN_FILES.pop(old, None)
    if found is None:
        _forget(old)
        own = default_memory()
        own.free(own.context, old, size)
        return
    scratch, mapping, view, _ = found
    del found, view  # a mapping that somebody looks at cannot be closed
    scratch.give_back(mapping)


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
        mapping = follow_pages(mmap.mmap(file.fileno(), size))
        if hasattr(mmap, "MADV_RANDOM"):
            # else pages are read ahead together, and who writes to one of them has them all in memory
            mapping.madvise(mmap.MADV_RANDOM)
        return mapping


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
        scratch.is_open = False
        scratch.let_go()
