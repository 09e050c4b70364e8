"""A table whatever library it comes from: names, columns, rows, and the whole of it at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from bayfold.core.frames.bags import BagColumn, read_dense
from bayfold.core.frames.columns import Column, cells_as_kept, number_column
from bayfold.errors import mixed_names


def check_names(names: Sequence[Any]) -> tuple[str, ...] | None:
    """The names if all are strings, None if none is, an error otherwise.

    >>> check_names(["a", "b"])
    ('a', 'b')
    >>> check_names([0, 1]) is None
    True
    """
    strings = [isinstance(name, str) for name in names]
    if names and all(strings):
        return tuple(names)
    if any(strings):
        raise mixed_names(sorted({type(name).__name__ for name in names}))
    return None


def find_numbers_as_names(names: Sequence[Any]) -> tuple[int, ...] | None:
    """The names, if they are whole numbers other than the positions of the columns.

    >>> find_numbers_as_names([2, 0, 1]), find_numbers_as_names([0, 1, 2])
    ((2, 0, 1), None)
    """
    if not all(isinstance(name, (int, np.integer)) for name in names):
        return None
    numbers = tuple(int(name) for name in names)
    return None if numbers == tuple(range(len(numbers))) else numbers


class Numbers(Protocol):
    """What the numbers of a column are, over all rows."""

    @property
    def low(self) -> float:
        """The smallest; infinity where there is none."""

    @property
    def high(self) -> float:
        """The largest; minus infinity where there is none."""

    @property
    def values(self) -> np.ndarray:
        """Distinct finite numbers in increasing order: all, or of more than 254 the 255 with the smallest hashes."""


class WholeTable(Protocol):
    """All rows of a table that was too long to be held."""

    @property
    def target(self) -> Numbers | None:
        """Of a numeric target."""

    def labels(self, column: int) -> tuple[list[str], np.ndarray]:
        """The labels of a column, and the weight of each."""

    def numbers(self, column: int) -> Numbers:
        """The numbers of a column."""


@dataclass(frozen=True)
class Table:
    """Columns of equal length, with the 2-D array they came from if there was one.

    Attributes
    ----------
    columns : tuple of Column
    n_rows : int
    names : tuple of str or None
        None when the source had no column names (a NumPy array).
    matrix : ndarray of shape (n_rows, n_columns) or None
        The numeric array behind all columns; lets blocks of rows be taken without touching
        columns one by one.
    numbers_as_names : tuple of int or None
        What the source calls its columns, where these are whole numbers other than their positions.
    few_values : dict of int to ndarray
        All distinct values, sorted, of the numeric columns of few values, once somebody has looked.
    whole : WholeTable or None
        What is known of all rows, where these are only some of them.
    index : pandas Index or None
        What the source calls its rows, where that is more than their positions.
    """

    columns: tuple[Column, ...]
    n_rows: int
    names: tuple[str, ...] | None = None
    matrix: np.ndarray | None = None
    numbers_as_names: tuple[int, ...] | None = None
    few_values: dict[int, np.ndarray] = field(default_factory=dict, init=False, compare=False)
    whole: WholeTable | None = field(default=None, compare=False)
    index: Any = field(default=None, compare=False, repr=False)

    @classmethod
    def of_matrix(cls, matrix: np.ndarray, names: tuple[str, ...] | None = None) -> Table:
        """The table of a 2-D numeric array."""
        shown = names or tuple(f"x{j}" for j in range(matrix.shape[1]))
        columns = tuple(number_column(name, matrix[:, j]) for j, name in enumerate(shown))
        return cls(columns, len(matrix), names, matrix)

    @classmethod
    def of_bag(cls, bag: BagColumn, index: Any = None) -> Table:
        """The table of a sparse matrix."""
        return cls((bag,), bag.n_rows, index=index)

    @property
    def bag(self) -> BagColumn | None:
        """The only column, if the table was a sparse matrix."""
        first = self.columns[0] if len(self.columns) == 1 else None
        return first if isinstance(first, BagColumn) else None

    @property
    def n_features(self) -> int:
        """How many columns the source had."""
        return len(self.columns) if self.bag is None else self.bag.n_words

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """The names of the source's columns."""
        return self.names if self.bag is None else self.bag.words

    def as_bag(self) -> Table:
        """The table as if its numbers had been those of a sparse matrix."""
        if self.bag is not None:
            return self
        numbers = self.numbers(np.arange(len(self.columns)), 0, self.n_rows)
        return Table.of_bag(read_dense(numbers, self.names), self.index)

    def take(self, rows: np.ndarray) -> Table:
        """The table of the given rows (sorted indices)."""
        if self.matrix is not None:
            return Table.of_matrix(self.matrix.take(rows, axis=0), self.names)
        return Table(tuple(c.take(rows) for c in self.columns), len(rows), self.names)

    def row_labels(self) -> np.ndarray | None:
        """What the source calls its rows; None where these have positions only."""
        if self.index is None:
            return None
        labels = np.empty(self.n_rows, object)
        labels[:] = self.index.tolist()  # tuples, where the index has several levels
        plain = np.asarray(self.index) if self.index.nlevels == 1 else labels
        return plain if plain.dtype.kind in "fiuM" else labels

    def numbers(
        self, columns: np.ndarray, start: int, stop: int, space: np.ndarray | None = None
    ) -> np.ndarray:
        """Rows ``start`` to ``stop`` of numeric columns as one C-ordered, writable float64 array.

        It may be in ``space``, an array of as many columns and no fewer rows, where that is given.

        Without a copy where the source is laid out so already: kernels are compiled for this one
        layout, whatever arrays users have. (numba takes a read-only array for another type.)
        """
        if self.matrix is not None:
            rows = self.matrix[start:stop]
            if len(columns) != rows.shape[1]:
                rows = rows[:, columns]
            return np.require(rows, np.float64, ["C", "W"])
        block = np.empty((stop - start, len(columns))) if space is None else space[: stop - start]
        for position, column in enumerate(columns):
            block[:, position] = cells_as_kept(self.columns[column], start, stop)
        return block

    def stack(
        self, columns: np.ndarray, start: int, stop: int, space: np.ndarray | None = None
    ) -> np.ndarray:
        """Rows ``start`` to ``stop`` of numeric columns, one column after the other, in ``space`` if it is given.

        As float32 where all columns are kept so, otherwise as float64.
        """
        cells = [cells_as_kept(self.columns[j], start, stop) for j in columns]
        is_short = all(kept.dtype == np.float32 for kept in cells)
        n_cells = len(cells) * (stop - start)
        space = np.empty(n_cells) if space is None else space
        flat = space.reshape(-1).view(np.float32 if is_short else np.float64)
        block = flat[:n_cells].reshape(len(cells), stop - start)
        for row, kept in zip(block, cells, strict=True):
            row[:] = kept
        return block
