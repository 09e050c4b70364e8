"""WordCounts: weighted counts of (word, group), of columns of text.

Words are known by their hashes, so that parts of the data need not agree on a list of them. Of very many words the
most frequent stay: a summary by Misra and Gries [1]_, which merges [2]_.

References
----------
.. [1] J. Misra, D. Gries (1982). Finding repeated elements. Science of Computer Programming 2, 143-152.
.. [2] P. K. Agarwal, G. Cormode, Z. Huang, J. Phillips, Z. Wei, K. Yi (2012). Mergeable summaries. PODS, 23-34.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from bayfold.core import kernels
from bayfold.core.counts.equal_rows import sort_by_hash
from bayfold.core.counts.sums import SumOverSchema
from bayfold.core.frames import Strings
from bayfold.core.schema import Schema
from bayfold.core.schema.text import Split
from bayfold.core.stored import Stored

MOST_WORDS = 1 << 18
"""Words of a column that are kept: with sums in 47 groups about 50 megabytes, and words beyond are rare."""


@dataclass(frozen=True, eq=False)
class WordTable(Stored):
    """The words of one column.

    Attributes
    ----------
    hashes : ndarray of uint64
        In increasing order.
    begins : ndarray of int64
        The groups of word k lie between ``begins[k]`` and ``begins[k + 1]``.
    groups : ndarray of int32
    counts : ndarray
        Weight of the rows of the group that have the word; never zero.
    credits : ndarray
        What keeps a word among the most frequent: its weight, less what was taken when words were dropped.
    texts : Strings
        The words themselves.
    missed : float
        Rows that counts of a word may lack at most, because it was dropped before.
    """

    hashes: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint64))
    begins: np.ndarray = field(default_factory=lambda: np.zeros(1, np.int64))
    groups: np.ndarray = field(default_factory=lambda: np.empty(0, np.int32))
    counts: np.ndarray = field(default_factory=lambda: np.empty(0))
    credits: np.ndarray = field(default_factory=lambda: np.empty(0))
    texts: Strings = field(default_factory=lambda: Strings.of_texts([]))
    missed: float = 0.0

    @classmethod
    def of_pairs(
        cls, pairs: np.ndarray, groups: np.ndarray, counts: np.ndarray
    ) -> tuple[WordTable, np.ndarray]:
        """The table of distinct (hash, group), still without texts, and a pair of each word."""
        sorted_pairs, order = _sort_pairs(pairs, groups)
        first = np.flatnonzero(np.append(True, sorted_pairs[1:] != sorted_pairs[:-1]))
        first = first[: len(pairs)]
        begins = np.append(first, len(pairs)).astype(np.int64)
        counts = counts[order]
        totals = np.add.reduceat(counts, first) if len(first) else counts
        table = cls(sorted_pairs[first], begins, groups[order], counts, totals)
        return table, order[first]

    @property
    def n_words(self) -> int:
        """How many words there are."""
        return len(self.hashes)

    @cached_property
    def word_of(self) -> np.ndarray:
        """The word of each count."""
        return np.repeat(np.arange(self.n_words), np.diff(self.begins))

    @cached_property
    def totals(self) -> np.ndarray:
        """Weight of the rows that have the word."""
        return np.add.reduceat(self.counts, self.begins[:-1]) if self.n_words else np.zeros(0)

    def tabulate(self, n_groups: int, words: np.ndarray | None = None) -> np.ndarray:
        """The counts of some words, or of all, by word and group."""
        some = self if words is None else self.take(words)
        dense = np.zeros((some.n_words, n_groups))
        dense[some.word_of, some.groups] = some.counts
        return dense

    def take(self, words: np.ndarray) -> WordTable:
        """Some of the words, in increasing order."""
        lengths = np.diff(self.begins)[words]
        begins = np.append(0, np.cumsum(lengths))
        at = np.arange(begins[-1]) + np.repeat(self.begins[words] - begins[:-1], lengths)
        return WordTable(
            self.hashes[words],
            begins,
            self.groups[at],
            self.counts[at],
            self.credits[words],
            self.texts.take(words)
            if self.texts.n_rows
            else self.texts,  # they may still be lacking
            self.missed,
        )

    def placed(self, place: np.ndarray) -> WordTable:
        """The same counts where the groups have other numbers, in the same order."""
        return replace(self, groups=place[self.groups].astype(np.int32))

    def regrouped(self, group_of: np.ndarray, n_groups: int) -> WordTable:
        """The same words where several groups are one: ``group_of`` each group, of ``n_groups``."""
        pair = self.word_of * n_groups + group_of[self.groups]
        order = np.argsort(pair, kind="stable")
        distinct, first = np.unique(pair[order], return_index=True)
        counts = np.add.reduceat(self.counts[order], first) if len(first) else self.counts
        begins = np.searchsorted(distinct, np.arange(self.n_words + 1) * n_groups)
        groups = (distinct % n_groups).astype(np.int32)
        return replace(self, begins=begins, groups=groups, counts=counts)

    def plus(self, other: WordTable) -> WordTable:
        """The counts of the rows of both."""
        if not self.n_words or not other.n_words:
            some = self if self.n_words else other
            return replace(some, missed=self.missed + other.missed)
        pairs = np.concatenate([table.hashes[table.word_of] for table in (self, other)])
        groups = np.concatenate([self.groups, other.groups])
        both, _ = WordTable.of_pairs(*_add_pairs(pairs, groups, self, other))
        mine = np.searchsorted(both.hashes, self.hashes)
        theirs = np.searchsorted(both.hashes, other.hashes)
        credits = np.zeros(both.n_words)
        credits[mine] += self.credits
        credits[theirs] += other.credits
        where = np.empty(both.n_words, np.int64)
        where[theirs] = self.n_words + np.arange(other.n_words)
        where[mine] = np.arange(self.n_words)
        texts = Strings.concat([self.texts, other.texts]).take(where)
        missed = self.missed + other.missed
        return replace(both, credits=credits, texts=texts, missed=missed).within(MOST_WORDS)

    def within(self, limit: int) -> WordTable:
        """At most so many words: the credit of the next one is taken from all, and those that have none left go.

        So each unit that a word may lack was taken from ``limit`` other words too, and what is missed is at most
        the weight of all words over ``limit + 1``.
        """
        return self._within(limit)[0]

    def _within(self, limit: int) -> tuple[WordTable, np.ndarray | slice]:
        """The table of at most so many words, and which they are."""
        if self.n_words <= limit:
            return self, slice(None)
        taken = -np.partition(-self.credits, limit)[limit]
        words = np.flatnonzero(self.credits > taken)
        kept = self.take(words)
        missed = self.missed + float(taken)
        return replace(kept, credits=kept.credits - taken, missed=missed), words

    @classmethod
    def of_counts(
        cls,
        hashes: np.ndarray,
        groups: np.ndarray,
        counts: np.ndarray,
        copy_texts: Callable[[np.ndarray], Strings],
    ) -> WordTable:
        """The table of distinct pairs of word and group; ``copy_texts`` gives the words of some pairs."""
        table, chosen = cls.of_pairs(hashes, groups, counts)
        table, kept = table._within(MOST_WORDS)
        return replace(table, texts=copy_texts(chosen[kept]))


def _sort_pairs(pairs: np.ndarray, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sorted by hashes, and by groups among equal ones, with the order: a third of the time of a sort by two keys."""
    # small integers are sorted by radix, and equal hashes stay as they stood
    narrow = groups.astype(np.min_scalar_type(int(groups.max(initial=0))))
    by_group = np.argsort(narrow, kind="stable")
    keys, order = sort_by_hash(pairs[by_group])
    return keys, by_group[order]


def _add_pairs(
    pairs: np.ndarray, groups: np.ndarray, first: WordTable, second: WordTable
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The pairs of both tables, each once, with their summed counts."""
    counts = np.concatenate([first.counts, second.counts])
    pairs, order = _sort_pairs(pairs, groups)
    groups = groups[order]
    counts = counts[order]
    is_new = np.append(True, (pairs[1:] != pairs[:-1]) | (groups[1:] != groups[:-1]))
    begin = np.flatnonzero(is_new)
    return pairs[begin], groups[begin], np.add.reduceat(counts, begin)


@dataclass(frozen=True, eq=False)
class WordCounts(SumOverSchema):
    """The words of all columns of text.

    Attributes
    ----------
    schema : Schema or None
        None for zero.
    groups : ndarray
        Sorted labels of the groups.
    tables : tuple of WordTable
        In the order of ``schema.text``.
    """

    schema: Schema | None = None
    groups: np.ndarray = field(default_factory=lambda: np.empty(0))
    tables: tuple[WordTable, ...] = ()

    def _plus_aligned(
        self,
        other: WordCounts,
        schema: Schema,
        groups: np.ndarray,
        places: tuple[np.ndarray, np.ndarray],
    ) -> WordCounts:
        mine, theirs = (
            [table.placed(place) for table in part.tables]
            for part, place in zip((self, other), places, strict=True)
        )
        tables = tuple(a.plus(b) for a, b in zip(mine, theirs, strict=True))
        return WordCounts(schema, groups, tables)


class WordCounter:
    """Counts the words of one column, block by block.

    Beside counts it keeps where in the bytes of the column each word was met, so all blocks must be of one column.
    """

    MOST_PAIRS = 1 << 21
    """Slots for pairs of word and group, half of them free: 46 megabytes; then pairs are sorted and begun again."""

    LEAST_PAIRS = 1 << 12
    """Where a table begins: smaller ones save nothing."""

    PAIRS_PER_ROW = 2
    """Where the table of many rows begins: half of it is left free. Pairs of a table that is too small are moved to a
    larger one, which costs less than memory that is not used, and not in the cache."""

    def __init__(self, n_rows: int = 0) -> None:
        self._done = WordTable()
        self._n_pairs = 0
        wanted = 1 << (self.PAIRS_PER_ROW * n_rows).bit_length()
        self._open(min(max(wanted, self.LEAST_PAIRS), self.MOST_PAIRS))

    def _open(self, size: int) -> None:
        self._slots = np.full(size, -1, np.int32)
        most = size // 2
        self._hashes = np.empty(most, np.uint64)
        self._groups = np.empty(most, np.int32)
        self._counts = np.empty(most)
        self._texts = np.empty((most, 2), np.int64)
        self._n_pairs = 0

    def add(self, split: Split, group_of: np.ndarray, weights: np.ndarray) -> None:
        """Count the words of some more rows."""
        self._split = split
        first = 0
        words = split.words
        where = words.begins, words.hashes, split.starts, split.ends
        while first < words.n_rows:
            before = first
            first, self._n_pairs = kernels.count_words(
                *where, group_of, weights, first, self._n_pairs, *self._table
            )
            if first < words.n_rows:
                self._make_room(is_stuck=first == before and self._n_pairs == 0)

    def _make_room(self, is_stuck: bool) -> None:
        """A larger table with the same pairs, or, of the largest, an empty one."""
        size = len(self._slots)
        if size >= self.MOST_PAIRS and not is_stuck:
            self._done = self.total()
            self._open(size)
            return
        hashes, groups, counts, texts = self._list_pairs()
        self._open(4 * size)
        where = np.arange(len(hashes) + 1), hashes, *np.ascontiguousarray(texts.T)
        self._n_pairs = kernels.count_words(*where, groups, counts, 0, 0, *self._table)[1]

    @property
    def _table(self) -> tuple[np.ndarray, ...]:
        return self._slots, self._hashes, self._groups, self._counts, self._texts

    def _list_pairs(self) -> tuple[np.ndarray, ...]:
        """Hash, group and count of each pair, and where its word stands."""
        return tuple(each[: self._n_pairs] for each in self._table[1:])

    def total(self) -> WordTable:
        """The counts of all rows so far."""
        if self._n_pairs == 0:
            return self._done
        hashes, groups, counts, texts = self._list_pairs()

        def copy_texts(chosen: np.ndarray) -> Strings:
            return self._split.copy_texts(texts[chosen, 0], texts[chosen, 1])

        return self._done.plus(WordTable.of_counts(hashes, groups, counts, copy_texts))
