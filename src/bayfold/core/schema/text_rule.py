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
        if column.kind != "nominal" or not has_several_words(sample.columns[j].strings()):
            return None
        return TextColumn(column.name, self.ngrams) if _mostly_differ(table, j, weights) else None


def has_several_words(strings: Strings) -> bool:
    """Whether different cells are many enough and have enough words on average.

    >>> has_several_words(Strings.of_texts(f"ticket of customer {k}" for k in range(30)))
    True
    >>> has_several_words(Strings.of_texts(f"2024-01-{k:02} 10:00" for k in range(30)))
    False
    """
    split = split_text(strings.take(_choose_different(strings)))
    row_hashes = np.zeros(split.strings.n_rows, np.uint64)
    split.words.hash_rows(0, row_hashes)
    first = np.unique(row_hashes, return_index=True)[1]  # other capitals are the same text
    n_words = _count_words_of_letters(split)[first]
    return len(first) >= LEAST_TEXTS and bool(n_words.mean() >= LEAST_WORDS)


def _choose_different(strings: Strings) -> np.ndarray:
    """Rows of different cells, of very many some: those of the smallest hashes, in whatever order rows are."""
    known = np.flatnonzero(strings.known)
    hashes = strings.hash_cells(known)
    first = kernels.number_equal(hashes)[1]
    if len(first) > TEXTS_TO_SPLIT:
        first = first[np.argpartition(hashes[first], TEXTS_TO_SPLIT)[:TEXTS_TO_SPLIT]]
    return known[first[np.argsort(hashes[first])]]


def _count_words_of_letters(split: SplitText) -> np.ndarray:
    """The distinct words without a digit of each cell."""
    data = split.strings.data
    digits = np.append(0, np.cumsum((data >= ord("0")) & (data <= ord("9"))))
    is_letters = digits[split.ends] == digits[split.starts]
    return np.bincount(split.words.row_of, is_letters, split.strings.n_rows)


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
