"""Sparse matrices in a schema: one column of text, whose words are the columns of the matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core import kernels
from bayfold.core.frames import BagColumn, Column, Strings
from bayfold.core.schema.text import TextColumn, WordRows
from bayfold.errors import not_sparse


@dataclass(frozen=True, repr=False)
class BagOfWords(TextColumn):
    """The columns of a sparse matrix, each of which is a word.

    Attributes
    ----------
    name : str
    ngrams : tuple of int
        Always ``(1, 1)``: whoever made the matrix has chosen its words.
    n_words : int
        Columns of the matrix.
    words : tuple of str or None
        Their names, if they have any.
    """

    n_words: int = 0
    words: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        """How many words there are, not every one."""
        return f"BagOfWords({self.name!r}, {self.n_words} columns)"

    @classmethod
    def of(cls, column: BagColumn) -> BagOfWords:
        """The schema of a sparse matrix."""
        return cls(column.name, n_words=column.n_words, words=column.words)

    def open(self, column: Column) -> OpenBag:
        """The rows, ready to be read."""
        if not isinstance(column, BagColumn):
            raise not_sparse()
        return OpenBag(column)

    def to_dict(self) -> dict:
        """The column as plain lists and numbers."""
        words = None if self.words is None else list(self.words)
        return super().to_dict() | {"n_words": self.n_words, "words": words}


@dataclass(frozen=True, eq=False)
class OpenBag:
    """The rows of a sparse matrix as a fold reads them."""

    column: BagColumn

    @property
    def known(self) -> np.ndarray:
        """All rows: one without words is empty, and not missing."""
        return np.ones(self.column.n_rows, np.bool_)

    def split(self, start: int, stop: int) -> SplitBag:
        """The words of neighbouring rows."""
        begins = self.column.begins[start : stop + 1]
        some = slice(begins[0], begins[-1])
        places = self.column.places[some]
        rows = WordRows(begins - begins[0], hash_places(places), self.column.times[some])
        return SplitBag(rows, self.column, places)


@dataclass(frozen=True, eq=False)
class SplitBag:
    """The words of rows, and which columns they are.

    Attributes
    ----------
    words : WordRows
    column : BagColumn
    starts : ndarray of int64
        The column of the matrix that each word is: all there is to know of where it stands.
    """

    words: WordRows
    column: BagColumn
    starts: np.ndarray

    @property
    def ends(self) -> np.ndarray:
        """As the starts."""
        return self.starts

    def copy_texts(self, starts: np.ndarray, ends: np.ndarray) -> Strings:
        """The names of some words, or where they have none, their numbers."""
        names = self.column.words
        return Strings.of_texts(
            f"word {place}" if names is None else names[place] for place in starts.tolist()
        )


def hash_places(places: np.ndarray) -> np.ndarray:
    """The hashes of words that are known by their position; all differ."""
    hashes = places.astype(np.uint64) + np.uint64(1)
    kernels.mix_hashes(hashes)
    return hashes
