"""Some rows of a table, coded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bayfold.core.schema.text import Split, WordRows
from bayfold.core.schema.types import Schema


@dataclass(frozen=True)
class RowBlock:
    """Some rows of a table: the numbers, and the codes of all columns.

    ``values`` holds the numeric columns, ``narrow`` the one-byte codes (numeric columns first) and
    ``wide`` the two-byte codes, all row by row; ``words`` those of the columns of text, in the order of
    ``schema.text``, and ``splits`` where they stand, if the rows were just read.
    """

    schema: Schema
    values: np.ndarray
    narrow: np.ndarray
    wide: np.ndarray
    words: tuple[WordRows, ...] = ()
    splits: tuple[Split, ...] = ()

    @classmethod
    def of_nothing(cls, schema: Schema, n_rows: int) -> RowBlock:
        """Rows of missing cells."""
        return cls(
            schema,
            np.full((n_rows, len(schema.numeric)), np.nan),
            np.zeros((n_rows, len(schema.narrow)), np.uint8),
            np.zeros((n_rows, len(schema.wide)), np.uint16),
            tuple(WordRows.of_nothing(n_rows) for _ in schema.text),
        )

    @classmethod
    def of_codes(
        cls,
        schema: Schema,
        narrow: np.ndarray,
        wide: np.ndarray,
        words: tuple[WordRows, ...] = (),
    ) -> RowBlock:
        """Rows of which the codes are known and the numbers are not."""
        return cls(schema, np.empty((len(narrow), 0)), narrow, wide, words)

    @property
    def n_rows(self) -> int:
        """Rows in this block."""
        return len(self.narrow)

    def codes(self, column: int) -> np.ndarray:
        """The codes of a column, whatever their width; a view."""
        width, position = self.schema.places[column]
        return (self.narrow, self.wide)[width][:, position]

    def columns(self) -> Iterator[np.ndarray]:
        """The codes of every column, in the order of the table."""
        return (self.codes(j) for j in range(len(self.schema.columns)))

    def take(self, rows: np.ndarray) -> RowBlock:
        """The block of the given rows."""
        # ``take`` copies whole rows, an index cell by cell
        codes = self.narrow.take(rows, axis=0), self.wide.take(rows, axis=0)
        words = tuple(words.take(rows) for words in self.words)
        return RowBlock(self.schema, self.values[rows], *codes, words)
