"""Sparse matrices: one column, whose cells are bags of words with how often each occurs.

The columns of the matrix are the words. Nothing is made dense: what is kept are the entries that are not zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayfold.core.frames.columns import Labels
from bayfold.core.frames.strings import Strings
from bayfold.core.stored import Stored
from bayfold.errors import bad_sparse_entries, complex_refused, not_two_dimensional, sparse_cells

BAG_NAME = "words"
"""What the only column of a sparse matrix is called."""

MOST_TIMES = float(np.finfo(np.float32).max)


@dataclass(frozen=True, eq=False)
class BagColumn(Stored):
    """The rows of a sparse matrix.

    Attributes
    ----------
    name : str
    begins : ndarray of int64 of shape (n_rows + 1,)
        The words of row i lie between ``begins[i]`` and ``begins[i + 1]``.
    places : ndarray of int64
        Which column of the matrix each word is.
    times : ndarray of float32
        The entries, all above zero.
    n_words : int
        Columns of the matrix.
    words : tuple of str or None
        Their names, if they have any.
    """

    name: str
    begins: np.ndarray
    places: np.ndarray
    times: np.ndarray
    n_words: int
    words: tuple[str, ...] | None = None
    kind: str = "bag"
    zone: str | None = None
    is_time: bool = False
    is_loose: bool = False

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.begins) - 1

    def numbers(self, start: int, stop: int) -> np.ndarray:
        """Refused: a bag is not a number."""
        raise sparse_cells()

    def labels(self) -> Labels:
        """How many words each row has, in words."""
        numbers, indices = np.unique(np.diff(self.begins), return_inverse=True)
        return indices.astype(np.int32), [f"{n} words" for n in numbers.tolist()]

    def strings(self) -> Strings:
        """The labels of the rows."""
        return Strings.of_labels(*self.labels())

    def take(self, rows: np.ndarray) -> BagColumn:
        """The column of the given rows."""
        lengths = np.diff(self.begins)[rows]
        begins = np.append(0, np.cumsum(lengths))
        at = np.arange(begins[-1]) + np.repeat(self.begins[rows] - begins[:-1], lengths)
        rest = self.n_words, self.words
        return BagColumn(self.name, begins, self.places[at], self.times[at], *rest)

    @classmethod
    def concat(cls, parts: list[BagColumn]) -> BagColumn:
        """The rows of all parts, copied."""
        lengths = np.concatenate([np.diff(part.begins) for part in parts])
        return cls(
            parts[0].name,
            np.append(0, np.cumsum(lengths)),
            np.concatenate([part.places for part in parts]),
            np.concatenate([part.times for part in parts]),
            parts[0].n_words,
            parts[0].words,
        )


def is_sparse(X: Any) -> bool:
    """Whether X is a sparse matrix or array of SciPy, without importing SciPy."""
    return hasattr(X, "toarray") and hasattr(X, "nnz")


def read_sparse(matrix: Any, words: tuple[str, ...] | None = None) -> BagColumn:
    """Read a sparse matrix in whatever format: entries that stand there twice are added, explicit zeros are none.

    >>> from scipy.sparse import coo_array
    >>> bag = read_sparse(coo_array(([1, 2, 0], ([0, 0, 1], [3, 3, 0])), shape=(2, 4)))
    >>> bag.begins, bag.places, bag.times
    (array([0, 1, 1]), array([3]), array([3.], dtype=float32))
    """
    if matrix.ndim != 2:
        raise not_two_dimensional(matrix.ndim)
    if matrix.dtype.kind == "c":
        raise complex_refused()
    rows = _as_plain_rows(matrix)
    data = rows.data
    if len(data) and not (data.min() >= 0 and data.max() < np.inf):
        bad = float(data[~((data >= 0) & (data < np.inf))][0])
        # counts may have become floats on the way
        raise bad_sparse_entries(int(bad) if bad.is_integer() else bad)
    begins = rows.indptr.astype(np.int64)
    places = rows.indices
    times = np.minimum(data, MOST_TIMES).astype(np.float32)
    if len(data) and data.min() == 0:
        is_there = data > 0
        begins = np.append(0, np.cumsum(is_there))[begins]
        places = places[is_there]
        times = times[is_there]
    return BagColumn(BAG_NAME, begins, places.astype(np.int64), times, matrix.shape[1], words)


def _as_plain_rows(matrix: Any) -> Any:
    """Row by row, columns in order, none twice; the caller's matrix stays as it is."""
    if matrix.format == "csr" and matrix.has_canonical_format:
        return matrix
    rows = matrix.astype(
        np.float64
    ).tocsr()  # small whole numbers would overflow where they are added
    rows.sum_duplicates()
    return rows


def read_dense(numbers: np.ndarray, words: tuple[str, ...] | None) -> BagColumn:
    """The bag of an array with a column for each word."""
    from scipy.sparse import csr_array

    return read_sparse(csr_array(numbers), words)
