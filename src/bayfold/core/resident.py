"""Pages of scratch files leave the memory of the process while it works, so that it stays as small as it looks.

The pages of a mapped file count as resident from the moment they are touched until the system wants them back. Whoever
runs beside others, or under a limit, wants them back earlier. To let them go is safe at any moment: what was written is
the file's, and a page that is touched again is mapped again.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Lock, Thread
from weakref import WeakSet

RESIDENT_PAGES = 1 << 26
"""Bytes of files that may be mapped beyond those at the start: what is mapped within one step comes on top."""

LOOK_EVERY = 0.02
"""Seconds of CPU time between two looks of the thread; a round number, not a measurement. By the clock a busy machine
let go of pages faster than it used them, and spent most of its time on mapping them again."""

_STATUS = Path("/proc/self/statm")
_FOLLOWED: WeakSet[mmap.mmap] = WeakSet()
_FOLLOWING = Lock()
_LIMITS: list[int] = []
"""Of the fits under way, most bytes of files that may be mapped."""


def follow_pages(mapping: mmap.mmap) -> mmap.mmap:
    """Let go of the pages of a mapped file too, as long as it is mapped."""
    with _FOLLOWING:
        _FOLLOWED.add(mapping)
    return mapping


@contextmanager
def few_resident_pages() -> Iterator[None]:
    """Within it, the pages of scratch files are let go of whenever they are many, where the system can do that.

    Long steps over large arrays are cut into pieces and let go of pages between them (``release_beyond_limit``). A
    thread looks after those that are not.
    """
    if not hasattr(mmap, "MADV_DONTNEED") or not _STATUS.exists():
        yield
        return
    is_done = Event()
    most = count_resident_bytes() + RESIDENT_PAGES

    def look() -> None:
        last = time.process_time()
        while not is_done.wait(LOOK_EVERY):
            if time.process_time() - last >= LOOK_EVERY:
                release_beyond_limit()
                last = time.process_time()

    watcher = Thread(target=look, name="bayfold-scratch", daemon=True)
    _LIMITS.append(most)
    watcher.start()
    try:
        yield
    finally:
        is_done.set()
        watcher.join()
        _LIMITS.remove(most)


def release_beyond_limit() -> None:
    """Between two pieces of work: let go of the pages of scratch files if they are many."""
    limits = list(_LIMITS)
    if limits and count_resident_bytes() > max(limits):
        release_pages()


def release_pages() -> None:
    """Unmap the pages of all scratch files; they are mapped again when they are touched."""
    with _FOLLOWING:
        followed = list(_FOLLOWED)
    for mapping in followed:
        with contextlib.suppress(ValueError):  # closed in between
            mapping.madvise(mmap.MADV_DONTNEED)


def count_resident_bytes() -> int:
    """Bytes of files that are in the memory of this process, libraries included."""
    return int(_STATUS.read_bytes().split()[2]) * os.sysconf("SC_PAGE_SIZE")
