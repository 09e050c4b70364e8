"""Strings as the bytes they are: what kernels read, without an object for each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayfold.core import kernels


@dataclass(frozen=True, eq=False)
class Strings:
    """Cells of UTF-8, one behind the other.

    Attributes
    ----------
    data : ndarray of uint8
    bounds : ndarray of int64 of shape (n_rows + 1,)
        Cell i is ``data[bounds[i]:bounds[i + 1]]``.
    known : ndarray of bool
        False where the cell is missing.
    """

    data: np.ndarray
    bounds: np.ndarray
    known: np.ndarray

    def __post_init__(self) -> None:
        """Bytes of Arrow are read-only; so all are, and kernels are compiled for one layout."""
        data = self.data.view()
        data.flags.writeable = False
        object.__setattr__(self, "data", data)

    @classmethod
    def of_labels(cls, indices: np.ndarray, labels: Sequence[str]) -> Strings:
        """The labels of rows, by their position in a list; -1 where the cell is missing."""
        return cls.of_texts(labels).take(indices)

    @classmethod
    def of_texts(cls, texts: Iterable[str]) -> Strings:
        """Python's strings, whatever they hold.

        >>> Strings.of_texts(["ab", "c"]).bounds
        array([0, 2, 3])
        """
        pieces = [text.encode(errors="surrogatepass") for text in texts]
        bounds = np.cumsum([0, *map(len, pieces)], dtype=np.int64)
        return cls(
            np.frombuffer(b"".join(pieces), np.uint8),
            bounds,
            np.ones(len(pieces), np.bool_),
        )

    @classmethod
    def of_arrow(cls, data: Any) -> Strings:
        """A ChunkedArray of strings; a single chunk is not copied."""
        import pyarrow as pa

        if data.num_chunks == 1 and pa.types.is_string(data.type):
            return cls._of_chunk(data.chunk(0), np.int32)
        array = data.cast(pa.large_string()).combine_chunks()
        array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
        return cls._of_chunk(array, np.int64)

    @classmethod
    def _of_chunk(cls, array: Any, dtype: type) -> Strings:
        _, bounds, data = array.buffers()
        n_rows = len(array)
        first = array.offset
        if bounds is None or n_rows == 0:
            nothing = np.empty(0, np.uint8)
            return cls(nothing, np.zeros(n_rows + 1, np.int64), np.zeros(n_rows, np.bool_))
        known = ~array.is_null().to_numpy(zero_copy_only=False)
        content = np.empty(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
        offsets: np.ndarray = np.frombuffer(bounds, dtype)[first : first + n_rows + 1]
        return cls(content, offsets.astype(np.int64), known)

    def to_arrow(self) -> Any:
        """The same cells as a ChunkedArray."""
        import pyarrow as pa

        valid = pa.array(self.known).buffers()[1]
        buffers = [valid, pa.py_buffer(self.bounds), pa.py_buffer(self.data)]
        return pa.chunked_array([pa.Array.from_buffers(pa.large_string(), self.n_rows, buffers)])

    @property
    def n_rows(self) -> int:
        """How many cells there are."""
        return len(self.known)

    def slice(self, start: int, stop: int) -> Strings:
        """Neighbouring cells, of the same bytes."""
        return Strings(self.data, self.bounds[start : stop + 1], self.known[start:stop])

    def take(self, rows: np.ndarray) -> Strings:
        """Some cells, copied; -1 is a missing one."""
        known = self.known.take(rows, mode="clip") if self.n_rows else np.zeros(len(rows), np.bool_)
        known &= rows >= 0
        bounds = np.zeros(len(rows) + 1, np.int64)
        begin = np.zeros(len(rows), np.int64)
        some = slice(None) if known.all() else known
        begin[some] = self.bounds.take(rows[some])
        bounds[1:][some] = self.bounds.take(rows[some] + 1) - begin[some]
        np.cumsum(bounds, out=bounds)
        data = np.empty(bounds[-1], np.uint8)
        kernels.copy_cells(self.data, begin, bounds, data)
        return Strings(data, bounds, known)

    @classmethod
    def concat(cls, parts: Sequence[Strings]) -> Strings:
        """The cells of all parts, copied."""
        taken = [part.take(np.arange(part.n_rows)) for part in parts]
        lengths = [np.diff(part.bounds) for part in taken]
        return cls(
            np.concatenate([part.data for part in taken]),
            np.append(0, np.cumsum(np.concatenate(lengths))),
            np.concatenate([part.known for part in taken]),
        )

    def count_distinct(self, rows: np.ndarray) -> int:
        """How many different cells there are among some rows, missing ones left aside; known by hash, none is copied.

        >>> Strings.of_texts(["a", "b", "a"]).count_distinct(np.arange(3))
        2
        """
        return len(kernels.number_equal(self.hash_cells(rows[self.known[rows]]))[1])

    def hash_cells(self, rows: np.ndarray) -> np.ndarray:
        """A number for each of some cells, the same for the same bytes."""
        hashes = np.empty(len(rows), np.uint64)
        kernels.hash_cells(self.data, self.bounds, rows, hashes)
        return hashes

    def to_texts(self) -> list[str | None]:
        """Python's strings, None where missing."""
        whole = self.data.tobytes()
        bounds = self.bounds.tolist()
        return [
            whole[bounds[i] : bounds[i + 1]].decode(errors="replace") if known else None
            for i, known in enumerate(self.known.tolist())
        ]
