"""What every character is: part of a word, a word of a script without spaces, or what stands between words.

Words are letters, digits and the marks on them (Unicode categories L, N and M), in lower case.
Columns of text: what they are in a schema, and the words of their cells.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, Protocol

import numpy as np

from bayfold.core import kernels
from bayfold.core.frames import Column, Strings
from bayfold.core.kernels.encode import BEYOND_PLAIN, FIRST_BIN, LETTER, UNSPACED
from bayfold.core.stored import Stored
from bayfold.errors import kind_mismatch

PLAIN = 0x80
"""ASCII ends here."""

TABLED = 0x20000
"""Code points in the tables: all letters there are but for rare Chinese characters, which follow."""

UNSPACED_SCRIPTS = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),  # Chinese characters
    (0xF900, 0xFAFF),
)
"""Scripts in which no spaces stand between words."""


@dataclass(frozen=True, eq=False)
class Letters:
    """Tables by code point.

    Attributes
    ----------
    kinds : ndarray of uint8
    lowers : ndarray of uint32
    plain : ndarray of uint8 of shape (256,)
        By byte: the lower-case letter or digit of ASCII, zero for what separates words, ``BEYOND_PLAIN`` beyond ASCII.
    """

    kinds: np.ndarray
    lowers: np.ndarray
    plain: np.ndarray


def find_letters(data: np.ndarray) -> Letters:
    """The tables that some bytes of UTF-8 ask for: most often those of ASCII are enough."""
    is_plain = not len(data) or int(data.max()) < PLAIN
    return _make_letters(PLAIN if is_plain else TABLED)


@cache
def _make_letters(size: int) -> Letters:
    """Made when first asked for: all of them take a tenth of a second."""
    characters = [chr(point) for point in range(size)]
    is_word = [unicodedata.category(c)[0] in "LNM" for c in characters]
    kinds = np.array(is_word, np.uint8) * np.uint8(LETTER)
    for first, last in UNSPACED_SCRIPTS:
        kinds[first : last + 1] *= np.uint8(UNSPACED)
    # the one letter that becomes two, a dotted capital I, becomes the first of them
    lowers = np.array([ord(c.lower()[0]) for c in characters], np.uint32)
    plain = np.full(256, BEYOND_PLAIN, np.uint8)
    plain[:PLAIN] = np.where(kinds[:PLAIN] == LETTER, lowers[:PLAIN], 0)
    return Letters(kinds, lowers, plain)


@dataclass(frozen=True, repr=False)
class TextColumn(Stored):
    """A column of texts, whose words are its evidence. Beside the words a cell is missing or known.

    Attributes
    ----------
    name : str
    ngrams : tuple of int
        How many neighbouring words make one: ``(1, 2)`` for words and pairs of words.
    """

    name: str
    ngrams: tuple[int, int] = (1, 1)
    kind: str = field(default="text", init=False)

    def __repr__(self) -> str:
        """What the column holds."""
        more = "" if self.ngrams == (1, 1) else f", ngrams={self.ngrams}"
        return f"TextColumn({self.name!r}{more})"

    @property
    def n_bins(self) -> int:
        """One: a cell that is known."""
        return 1

    @property
    def n_codes(self) -> int:
        """The bin plus the codes for missing and unseen."""
        return self.n_bins + FIRST_BIN

    def open(self, column: Column) -> OpenWords:
        """The cells, ready to be split into words.

        Numbers are refused where texts were at fit, unless they are objects, which may be anything in a few rows.
        """
        strings = column.strings()
        if column.kind == "numeric" and not column.is_loose and strings.known.any():
            raise kind_mismatch(self.name, "text", "numbers")
        return OpenTexts(strings, self.ngrams)

    def to_dict(self) -> dict[str, Any]:
        """The column as plain lists and numbers."""
        return {"kind": self.kind, "name": self.name, "ngrams": list(self.ngrams)}


@dataclass(frozen=True, eq=False)
class WordRows(Stored):
    """The distinct words of rows.

    Attributes
    ----------
    begins : ndarray of int64 of shape (n_rows + 1,)
        The words of row i lie between ``begins[i]`` and ``begins[i + 1]``.
    hashes : ndarray of uint64
    times : ndarray of float32
        How often each occurs in its row; of a sparse matrix, its entry.
    """

    begins: np.ndarray
    hashes: np.ndarray
    times: np.ndarray

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.begins) - 1

    @property
    def row_of(self) -> np.ndarray:
        """The row of each word."""
        return np.repeat(np.arange(self.n_rows), np.diff(self.begins))

    def take(self, rows: np.ndarray | slice) -> WordRows:
        """The words of some rows; of neighbouring ones they are not copied."""
        if isinstance(rows, slice):
            first, stop, step = rows.indices(self.n_rows)
            if step == 1 and (first, stop) == (0, self.n_rows):
                return self
            if step == 1:
                begins = self.begins[first : max(stop, first) + 1]
                some = slice(begins[0], begins[-1])
                return WordRows(begins - begins[0], self.hashes[some], self.times[some])
            rows = np.arange(first, stop, step)
        elif rows.dtype == np.bool_:
            rows = np.flatnonzero(rows)
        begins = np.zeros(len(rows) + 1, np.int64)
        np.cumsum((self.begins[1:] - self.begins[:-1])[rows], out=begins[1:])
        hashes = np.empty(begins[-1], np.uint64)
        times = np.empty(begins[-1], np.float32)
        kernels.take_words(self.begins, self.hashes, self.times, rows, begins, hashes, times)
        taken = WordRows(begins, hashes, times)
        if "_sums" in vars(self):  # they are known already
            vars(taken)["_sums"] = self._sums[rows]
        return taken

    @classmethod
    def concat(cls, parts: Sequence[WordRows]) -> WordRows:
        """The rows of all parts."""
        lengths = np.concatenate([np.diff(part.begins) for part in parts])
        whole = cls(
            np.append(0, np.cumsum(lengths)),
            np.concatenate([part.hashes for part in parts]),
            np.concatenate([part.times for part in parts]),
        )
        if all("_sums" in vars(part) for part in parts):
            vars(whole)["_sums"] = np.concatenate([part._sums for part in parts])
        return whole

    @classmethod
    def of_nothing(cls, n_rows: int) -> WordRows:
        """Rows without words."""
        nothing = np.empty(0, np.uint64), np.empty(0, np.float32)
        return cls(np.zeros(n_rows + 1, np.int64), *nothing)

    def hash_rows(self, seed: int, row_hashes: np.ndarray) -> None:
        """Mix the words of each row into its hash."""
        kernels.hash_words(self._sums, np.uint64(seed), row_hashes)

    @cached_property
    def _sums(self) -> np.ndarray:
        """A number of the words of each row."""
        sums = np.empty(self.n_rows, np.uint64)
        kernels.sum_words(self.begins, self.hashes, self.times, sums)
        return sums


class Split(Protocol):
    """The words of rows, and where they stand."""

    @property
    def words(self) -> WordRows:
        """The words of each row."""

    @property
    def starts(self) -> np.ndarray:
        """Where each begins."""

    @property
    def ends(self) -> np.ndarray:
        """Where each ends."""

    def copy_texts(self, starts: np.ndarray, ends: np.ndarray) -> Strings:
        """Some words themselves, by where they stand."""


class OpenWords(Protocol):
    """A column of text whose rows can be split into words."""

    @property
    def known(self) -> np.ndarray:
        """Whether each cell is known."""

    def split(self, start: int, stop: int) -> Split:
        """The words of neighbouring rows."""


@dataclass(frozen=True, eq=False)
class OpenTexts:
    """Cells of text, and what a word is."""

    strings: Strings
    ngrams: tuple[int, int]

    @property
    def known(self) -> np.ndarray:
        """Whether each cell is known."""
        return self.strings.known

    def split(self, start: int, stop: int) -> SplitText:
        """The words of neighbouring cells."""
        return split_text(self.strings.slice(start, stop), self.ngrams)


@dataclass(frozen=True, eq=False)
class SplitText:
    """The words of cells, and where they stand.

    Attributes
    ----------
    words : WordRows
    strings : Strings
        The cells.
    starts, ends : ndarray of int64
        First byte and end of each word.
    """

    words: WordRows
    strings: Strings
    starts: np.ndarray
    ends: np.ndarray

    def copy_texts(self, starts: np.ndarray, ends: np.ndarray) -> Strings:
        """Some words themselves, in lower case."""
        letters = find_letters(self.strings.data)
        data, bounds = kernels.copy_words(
            self.strings.data, starts, ends, letters.kinds, letters.lowers
        )
        return Strings(data, bounds, np.ones(len(starts), np.bool_))


def split_text(strings: Strings, ngrams: tuple[int, int] = (1, 1)) -> SplitText:
    """The words of every cell.

    >>> split = split_text(Strings.of_texts(["Hello, hello world!"]))
    >>> split.words.times, split.copy_texts(split.starts, split.ends).to_texts()
    (array([2., 1.], dtype=float32), ['hello', 'world'])
    """
    letters = find_letters(strings.data[strings.bounds[0] : strings.bounds[-1]])
    begins, hashes, times, starts, ends = kernels.split_texts(
        strings.data,
        strings.bounds,
        strings.known,
        letters.kinds,
        letters.lowers,
        letters.plain,
        *ngrams,
    )
    return SplitText(WordRows(begins, hashes, times), strings, starts, ends)
