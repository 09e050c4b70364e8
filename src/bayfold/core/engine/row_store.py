"""Columns that are written to a file part by part, and read from it as if they were in memory."""

from __future__ import annotations

import mmap
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bayfold.core.engine.resident import follow_pages


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
            low, high = max(start, first), min(stop, int(self.starts[k + 1]))
            numbers[low - start : high - start] = self.parts[k][low - first : high - first]
            k += 1
        return numbers


@dataclass
class RowStore:
    """A file without a name that arrays are appended to.

    Parameters
    ----------
    folder : Path
    """

    folder: Path
    _file: Any = field(init=False)
    _written: dict[str, list[tuple[int, np.dtype, int]]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._file = tempfile.TemporaryFile(dir=self.folder)  # noqa: SIM115

    def append(self, name: str, part: np.ndarray) -> None:
        """The next part of a column."""
        at = self._file.tell()
        self._file.write(np.ascontiguousarray(part).view(np.uint8))
        padding = -part.nbytes % 8  # every part begins where a number may begin
        self._file.write(bytes(padding))
        self._written.setdefault(name, []).append((at, part.dtype, len(part)))

    def parts(self) -> dict[str, list[np.ndarray]]:
        """All parts of all columns, which hold on to the file; nothing can be appended any more."""
        self._file.flush()
        n_bytes = self._file.tell()
        mapping: Any = follow_pages(mmap.mmap(self._file.fileno(), n_bytes)) if n_bytes else b""
        self._file.close()
        return {
            name: [np.frombuffer(mapping, dtype, n, at) for at, dtype, n in written]
            for name, written in self._written.items()
        }

    def close(self) -> None:
        """Let the file go."""
        self._file.close()


def shorten(numbers: np.ndarray) -> np.ndarray:
    """The numbers in four bytes each where these hold them exactly.

    >>> shorten(np.array([0.5, np.nan])).dtype, shorten(np.array([0.1])).dtype
    (dtype('float32'), dtype('float64'))
    """
    with np.errstate(over="ignore", invalid="ignore"):
        short = numbers.astype(np.float32)
    same = short.astype(np.float64).view(np.int64) == numbers.view(np.int64)
    return short if same.all() else numbers
