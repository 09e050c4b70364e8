"""Steps over arrays of one entry per row, a piece at a time: they may be mapped files, larger than memory.

Between two pieces the pages of those before are let go of. What a step over a whole array has in memory at a time so
does not grow with the rows.

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
from typing import Any
from weakref import WeakSet

import numpy as np

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


PIECE_ROWS = 1 << 18
"""Rows of a piece: some megabytes of a few arrays, beside which a look at what is mapped takes no time."""


def cut_pieces(n_rows: int, size: int | None = None) -> Iterator[slice]:
    """Neighbouring rows, so many at a time; when the next are asked for, the pages of the last may be let go of.

    >>> list(cut_pieces(3))
    [slice(0, 3, None)]
    """
    size = size or PIECE_ROWS
    for start in range(0, n_rows, size):
        yield slice(start, min(start + size, n_rows))
        release_beyond_limit()


def fill_rows(n_rows: int, value: Any) -> np.ndarray:
    """So many times the same.

    >>> fill_rows(2, 1.0)
    array([1., 1.])
    """
    filled = np.empty(n_rows)
    for piece in cut_pieces(n_rows):
        filled[piece] = value
    return filled


def take_in_pieces(array: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Some rows of an array, which are best near to each other.

    >>> take_in_pieces(np.array([5, 6, 7]), np.array([0, 2]))
    array([5, 7])
    """
    taken = np.empty((len(rows), *array.shape[1:]), array.dtype)
    for piece in cut_pieces(len(rows)):
        # by ``take``, which copies whole rows; with this mode it writes to `out`, without a copy
        array.take(rows[piece], axis=0, out=taken[piece], mode="clip")
    return taken


def take_every(array: np.ndarray, step: int) -> np.ndarray:
    """The first row of every ``step`` of them.

    >>> take_every(np.array([5, 6, 7]), 2)
    array([5, 7])
    """
    starts = ((-piece.start % step, piece) for piece in cut_pieces(len(array)))
    parts = [array[piece][start::step].copy() for start, piece in starts]
    return np.concatenate(parts) if parts else array


def sum_rows(numbers: np.ndarray) -> float:
    """The sum of numbers, with the roundings of ``numbers.sum()``: NumPy adds halves of halves too.

    >>> sum_rows(np.array([1.0, 2.0]))
    3.0
    """
    if len(numbers) <= PIECE_ROWS:
        release_beyond_limit()
        return float(numbers.sum())
    half = len(numbers) // 2
    half -= half % 8
    return sum_rows(numbers[:half]) + sum_rows(numbers[half:])


def count_by(places: np.ndarray, weights: np.ndarray | None, n_places: int) -> np.ndarray:
    """The weight at each place, added one after the other: as ``np.bincount`` does. Without weights each row has one.

    >>> count_by(np.array([0, 2, 0]), np.array([1.0, 2.0, 0.5]), 3)
    array([1.5, 0. , 2. ])
    """
    totals: np.ndarray = np.zeros(n_places)
    all_places = np.arange(n_places)
    for piece in cut_pieces(len(places)):
        # what was added up before comes first
        own = np.ones(piece.stop - piece.start) if weights is None else weights[piece]
        weighed = np.append(totals, own)
        totals = np.bincount(np.append(all_places, places[piece]), weighed, n_places)
    return totals


def find_range(numbers: np.ndarray) -> tuple[float, float]:
    """The smallest and the largest number.

    >>> find_range(np.array([2.0, 1.0]))
    (1.0, 2.0)
    """
    ranges = [(numbers[p].min(), numbers[p].max()) for p in cut_pieces(len(numbers))]
    return float(min(low for low, _ in ranges)), float(max(high for _, high in ranges))
