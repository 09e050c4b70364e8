"""Which columns are text: cells that mostly differ, of several words each."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bayfold.core import kernels
from bayfold.core.frames import Strings, Table
from bayfold.core.schema.text import SplitText, TextColumn, split_text
from bayfold.errors import numbers_as_text

LEAST_TEXTS = 20
"""Fewer different cells are often categories of two words that chanced to differ."""

LEAST_WORDS = 1.5
"""Words of letters alone in a cell, on average: names and titles have two, dates, codes and identifiers one at most."""

LEAST_DISTINCT = 1 / 3
"""Different cells per known cell: a bootstrap or every row twice leaves a column text."""

CLEARLY_DISTINCT = 0.95
"""Different cells per row of a sample of 10,000, from which on more rows are not compared: categories would have to be
100,000, and more than half of the rows to compare would differ."""

ROWS_TO_COMPARE = 1 << 17
"""Rows in which cells are compared: 40,000 categories in a longer table come again among so many."""

TEXTS_TO_SPLIT = 1 << 11
"""Different cells whose words are counted: their mean number has a standard error of a few hundredths."""


@dataclass(frozen=True)
class TextRule:
    """What was said about columns of text.

    Attributes
    ----------
    asked : frozenset of int
        Columns that are text whatever they look like.
    ngrams : tuple of int
    """

    asked: frozenset[int] = field(default_factory=frozenset)
    ngrams: tuple[int, int] = (1, 1)

    def find_column(
        self, table: Table, sample: Table, j: int, weights: np.ndarray | None
    ) -> TextColumn | None:
        """The column as text, or None if it is not.

        Parameters
        ----------
        table, sample : Table
            All rows, and those that schemas are drawn from.
        j : int
        weights : ndarray or None
            Of all rows.
        """
        column = table.columns[j]
        if j in self.asked:
            if column.kind == "numeric" and not column.is_loose:
                raise numbers_as_text(column.name)
            return TextColumn(column.name, self.ngrams)
        if column.kind != "nominal":
            return None
        strings = sample.columns[j].strings()
        different = _find_different(strings)
        if not _have_several_words(strings, different):
            return None
        # without weights, rows that hardly ever agree in a sample need not be compared in all of the table
        clearly = weights is None and len(different) >= CLEARLY_DISTINCT * strings.n_rows
        is_text = clearly or _mostly_differ(table, j, weights)
        return TextColumn(column.name, self.ngrams) if is_text else None


def has_several_words(strings: Strings) -> bool:
    """Whether different cells are many enough and have enough words on average.

    >>> has_several_words(Strings.of_texts(f"ticket of customer {k}" for k in range(30)))
    True
    >>> has_several_words(Strings.of_texts(f"2024-01-{k:02} 10:00" for k in range(30)))
    False
    >>> has_several_words(Strings.of_texts(f"ann.lee{k}@mail.example" for k in range(30)))
    False
    """
    return _have_several_words(strings, _find_different(strings))


def _have_several_words(strings: Strings, different: np.ndarray) -> bool:
    """The same by the rows of different cells, of which the first tell enough."""
    if (
        len(different) < LEAST_TEXTS
    ):  # as of nearly all categories: nothing is split, no kernel of texts compiled
        return False
    split = split_text(strings.take(different[:TEXTS_TO_SPLIT]))
    row_hashes = np.zeros(split.strings.n_rows, np.uint64)
    split.words.hash_rows(0, row_hashes)
    first = np.unique(row_hashes, return_index=True)[1]  # other capitals are the same text
    n_words = np.where(_have_gaps(split.strings), _count_words_of_letters(split), 1)[first]
    return len(first) >= LEAST_TEXTS and bool(n_words.mean() >= LEAST_WORDS)


def _find_different(strings: Strings) -> np.ndarray:
    """Rows of different cells; of very many, some come first, by their hashes, in whatever order rows are."""
    known = np.flatnonzero(strings.known)
    hashes = strings.hash_cells(known)
    first = kernels.number_equal(hashes)[1]
    n_first = min(TEXTS_TO_SPLIT, len(first))
    if len(first) > n_first:
        first = first[np.argpartition(hashes[first], n_first)]
    order = np.argsort(hashes[first[:n_first]])
    return known[np.append(first[:n_first][order], first[n_first:])]


def _count_words_of_letters(split: SplitText) -> np.ndarray:
    """The distinct words without a digit of each cell."""
    data = split.strings.data
    digits = np.append(0, np.cumsum((data >= ord("0")) & (data <= ord("9"))))
    is_letters = digits[split.ends] == digits[split.starts]
    return np.bincount(split.words.row_of, is_letters, split.strings.n_rows)


def _have_gaps(strings: Strings) -> np.ndarray:
    """Which cells have a blank, or letters of which some scripts leave none: an address or a path is one word."""
    is_gap = (strings.data <= ord(" ")) | (strings.data >= 1 << 7)
    before = np.append(0, np.cumsum(is_gap))
    return before[strings.bounds[1:]] > before[strings.bounds[:-1]]


def _mostly_differ(table: Table, j: int, weights: np.ndarray | None) -> bool:
    if table.whole is not None:
        labels, frequency = table.whole.labels(j)
        return len(labels) >= LEAST_DISTINCT * frequency.sum()
    strings = table.columns[j].strings()
    step = -(-strings.n_rows // ROWS_TO_COMPARE)
    rows = np.arange(0, strings.n_rows, step)
    is_known = strings.known[rows]
    known = is_known if weights is None else weights[rows] * is_known
    return strings.count_distinct(rows) >= LEAST_DISTINCT * known.sum()
