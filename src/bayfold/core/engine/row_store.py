"""Columns that are written to a file part by part, and read from it as if they were in memory."""

from __future__ import annotations

import hashlib
import mmap
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from bayfold import errors
from bayfold.core.long_arrays import follow_pages, release_beyond_limit


@dataclass(frozen=True, eq=False)
class StoredNumbers:
    """Reads some rows of a column of numbers from the parts it was written in.

    Attributes
    ----------
    parts : list of ndarray
        Of the mapped file.
    starts : ndarray of int
        The first row of each part, and behind them the number of rows.
    """

    parts: list[np.ndarray]
    starts: np.ndarray

    def __call__(self, start: int, stop: int) -> np.ndarray:
        """Rows ``start`` to ``stop`` as floats."""
        numbers = np.empty(stop - start)
        k = int(np.searchsorted(self.starts, start, side="right")) - 1
        while k < len(self.parts) and self.starts[k] < stop:
            first = int(self.starts[k])
            low = max(start, first)
            high = min(stop, int(self.starts[k + 1]))
            numbers[low - start : high - start] = self.parts[k][low - first : high - first]
            k += 1
        return numbers


@dataclass(frozen=True)
class StoredPart:
    """Some cells of a column in the file.

    Attributes
    ----------
    at : int
        The first byte.
    dtype : str
    n_cells : int
    checksum : str
        The SHA-256 of the cells, of a file that another process can go on with; otherwise empty.
    """

    at: int
    dtype: str
    n_cells: int
    checksum: str = ""

    @property
    def n_bytes(self) -> int:
        """Of the cells."""
        return np.dtype(self.dtype).itemsize * self.n_cells


@dataclass
class RowStore:
    """A file that arrays are appended to.

    Parameters
    ----------
    folder : Path
    name : str or None
        Of a file that another process can go on with; without one, nobody else sees the file, and it goes with this.
    written : dict of str to list of StoredPart
        The parts of each column: of a file to go on with, what is in it. Whatever else it holds was written by who
        did not live to say so, and is cut off.
    """

    folder: Path
    name: str | None = None
    written: dict[str, list[StoredPart]] = field(default_factory=dict)
    _file: Any = field(init=False)

    def __post_init__(self) -> None:
        if self.name is None:
            self._file = tempfile.TemporaryFile(dir=self.folder)  # noqa: SIM115
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        self._file = (self.folder / self.name).open("r+b" if self.written else "w+b")
        size = self._count_bytes()
        if self._file.seek(0, os.SEEK_END) < size:
            self._file.close()
            raise errors.rows_cut_short(self.name, size)
        self._check_parts()
        self._file.truncate(size)
        self._file.seek(size)

    def _count_bytes(self) -> int:
        """Those of all parts, which follow one another."""
        parts = (part for parts in self.written.values() for part in parts)
        return max((part.at + _pad(part.n_bytes) for part in parts), default=0)

    def _check_parts(self) -> None:
        """Refuse a file whose cells are not those that were written."""
        for parts in self.written.values():
            for part in parts:
                self._file.seek(part.at)
                if find_part_checksum(self._file.read(part.n_bytes)) != part.checksum:
                    self._file.close()
                    raise errors.rows_changed_on_disk(str(self.name))

    def append(self, name: str, part: np.ndarray) -> None:
        """The next part of a column."""
        at = self._file.tell()
        cells = np.ascontiguousarray(part).view(np.uint8)
        self._file.write(cells)
        self._file.write(bytes(_pad(part.nbytes) - part.nbytes))
        checksum = "" if self.name is None else find_part_checksum(cells)
        stored = StoredPart(at, part.dtype.str, len(part), checksum)
        self.written.setdefault(name, []).append(stored)

    def flush(self) -> None:
        """To the disk: what is said to be written must be there after a power cut too."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def parts(self) -> dict[str, list[np.ndarray]]:
        """All parts of all columns, which hold on to the file; nothing can be appended any more."""
        self._file.flush()
        n_bytes = self._file.tell()
        mapping: Any = follow_pages(mmap.mmap(self._file.fileno(), n_bytes)) if n_bytes else b""
        self._file.close()
        return {
            name: [np.frombuffer(mapping, part.dtype, part.n_cells, part.at) for part in written]
            for name, written in self.written.items()
        }

    def close(self) -> None:
        """Let the file go."""
        self._file.close()


def join_parts(
    parts: Sequence[np.ndarray],
    lookups: Sequence[np.ndarray] | None = None,
    dtype: DTypeLike | None = None,
) -> np.ndarray:
    """One array of all parts, or of what the lookup of each part has at its cells; of a type, or of that of the parts.

    A part at a time: between them the pages of mapped files, of this array and of the parts, are let go of.

    >>> join_parts([np.array([1, 0]), np.array([0])], [np.array([5, 6]), np.array([7])], int)
    array([6, 5, 7])
    """
    joined = np.empty(sum(map(len, parts)), dtype or parts[0].dtype)
    start = 0
    for k, part in enumerate(parts):
        own = joined[start : start + len(part)]
        own[:] = part if lookups is None else lookups[k][part]
        start += len(part)
        release_beyond_limit()
    return joined


def find_part_checksum(cells: Any) -> str:
    """Of some bytes."""
    return hashlib.sha256(cells).hexdigest()


def _pad(n_bytes: int) -> int:
    """So many bytes and a few more: every part begins where a number may begin."""
    return -(-n_bytes // 8) * 8


def smallest_type(n_places: int) -> np.dtype:
    """Whole numbers of as few bytes as hold so many places, and -1.

    >>> smallest_type(128), smallest_type(129)
    (dtype('int8'), dtype('int16'))
    """
    return np.result_type(np.min_scalar_type(-max(n_places, 1)), np.int8)


def shorten(numbers: np.ndarray) -> np.ndarray:
    """The numbers in four bytes each where these hold them exactly, otherwise as floats of eight.

    >>> shorten(np.array([0.5, np.nan])).dtype, shorten(np.array([0.1])).dtype
    (dtype('float32'), dtype('float64'))
    """
    if numbers.dtype == np.float32:
        return numbers
    numbers = np.require(numbers, np.float64, "C")
    with np.errstate(over="ignore", invalid="ignore"):
        short = numbers.astype(np.float32)
    same = short.astype(np.float64).view(np.int64) == numbers.view(np.int64)
    return short if same.all() else numbers
