"""What words say: evidence from counts of documents, shrunk towards the prior (docs/decisions/0012)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bayfold.core import kernels
from bayfold.core.counts import WordTable
from bayfold.core.schema import WordRows
from bayfold.core.stored import Stored

MOST_WORD_ENTRIES = 1 << 25
"""Numbers in the table of a column, 268 megabytes: of more words by groups, the most frequent words stay."""

LEFT_OUT_TOGETHER = 1 << 20
"""Numbers that are worked on together where rows are left out: eight megabytes."""


@dataclass(frozen=True)
class WordChoice:
    """How words are weighed.

    Attributes
    ----------
    strength : float
        Rows of the prior that the counts of a word are mixed with.
    information, length, repeats : float
        Powers: of the information of a word in its share; of the number of words of a cell in the sum of shares; of
        how often a word occurs in its share.
    is_complement : bool
        Whether the evidence for a group is its change of log-odds, against all other groups together.
    """

    strength: float = 2.0
    information: float = 0.0
    length: float = 1.0
    repeats: float = 0.0
    is_complement: bool = False

    @property
    def powers(self) -> np.ndarray:
        """The powers as kernels read them."""
        return np.array([self.information, self.length, self.repeats])


AS_WRITTEN = WordChoice()
"""Naive Bayes as it is written: every word of a cell counts once and in full, with two rows of the prior."""


@dataclass(frozen=True, eq=False)
class WordDensity(Stored):
    """The words of a column by group.

    Attributes
    ----------
    words : WordTable
        As they were counted.
    prior : ndarray of shape (n_groups,)
        Shares of the groups among the known cells of the column, none of them zero.
    choice : WordChoice
    factors : ndarray of shape (n_groups,)
        What the counts of each group are multiplied by, because of copies and weights of groups.
    """

    words: WordTable
    prior: np.ndarray
    choice: WordChoice
    factors: np.ndarray

    @classmethod
    def of(cls, words: WordTable, known: np.ndarray, factors: np.ndarray) -> WordDensity:
        """From the words, the weight of the known cells of each group, and what groups are multiplied by."""
        known = known * factors
        most = max(MOST_WORD_ENTRIES // len(known), 1)
        if words.n_words > most:
            frequent = np.argsort(-words.totals, kind="stable")[:most]
            words = words.take(np.sort(frequent))
        prior = (known + 1.0 / len(known)) / (known.sum() + 1.0)
        return cls(words, prior, AS_WRITTEN, factors)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.prior)

    def tabulate(self, words: np.ndarray | None = None) -> np.ndarray:
        """The weighted counts of some words, or of all, by word and group."""
        return self.words.tabulate(self.n_groups, words) * self.factors

    @cached_property
    def evidence(self) -> tuple[np.ndarray, np.ndarray]:
        """What every word says of each group, and the information of each word."""
        n_words = self.words.n_words
        table, information = np.empty((n_words, self.n_groups)), np.empty(n_words)
        counts = self.tabulate()
        totals = counts.sum(axis=1)
        rest = self.choice.strength, self.choice.is_complement
        kernels.weigh_words(counts, totals, self.prior, *rest, table, information)
        return table, information

    @cached_property
    def index(self) -> np.ndarray:
        """An open table that finds a word by its hash."""
        size = 1 << int(np.ceil(np.log2(2 * self.words.n_words + 2)))
        slots = np.full(size, -1, np.int32)
        kernels.index_words(self.words.hashes, slots)
        return slots

    def find_places(self, rows: WordRows) -> np.ndarray:
        """The position of each word of rows, -1 where it is not known."""
        places = np.empty(len(rows.hashes), np.int32)
        kernels.find_word_places(rows.hashes, self.words.hashes, self.index, places)
        return places

    def leave_out(
        self, rows: WordRows, group_of: np.ndarray, weights: np.ndarray, choice: WordChoice
    ) -> np.ndarray:
        """What the words of each row say of each group, from all rows but itself, of shape (n_rows, n_groups)."""
        scores = np.zeros((rows.n_rows, self.n_groups))
        for some in cut_rows(rows, LEFT_OUT_TOGETHER // self.n_groups):
            part = LeftOutTexts.of(self, rows.take(some), group_of[some], weights[some])
            scores[some] = part.score(choice)
        return scores


def cut_rows(rows: WordRows, n_words: int) -> Iterator[slice]:
    """Neighbouring rows with about so many words together."""
    cuts = np.searchsorted(rows.begins, np.arange(0, rows.begins[-1] + n_words, n_words))
    bounds = np.unique(np.concatenate([[0], cuts, [rows.n_rows]]).clip(0, rows.n_rows))
    return (slice(*pair) for pair in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class LeftOutTexts:
    """Rows, each of which is scored by all others.

    Attributes
    ----------
    rows : WordRows
    places : ndarray of int
        Of each word of the rows in ``counts``; -1 where it is not known.
    counts : ndarray of shape (n_words, n_groups)
        Of all rows, for the words that occur here.
    prior : ndarray of shape (n_groups,)
    group_of : ndarray of int
    weights : ndarray
        What is left out.
    """

    rows: WordRows
    places: np.ndarray
    counts: np.ndarray
    prior: np.ndarray
    group_of: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(
        cls, density: WordDensity, rows: WordRows, group_of: np.ndarray, weights: np.ndarray
    ) -> LeftOutTexts:
        """Of some rows that the density was counted on."""
        places = density.find_places(rows)
        is_used = np.zeros(
            density.words.n_words + 1, np.bool_
        )  # the last is for words that are not known
        is_used[places] = True
        is_used[-1] = False
        counts = density.tabulate(np.flatnonzero(is_used))
        within = (np.cumsum(is_used, dtype=np.int32) - np.int32(1)).astype(np.int32)
        within[-1] = -1
        return cls(rows, within[places], counts, density.prior, group_of, weights)

    @cached_property
    def _totals(self) -> np.ndarray:
        return self.counts.sum(axis=1)

    def score(self, choice: WordChoice) -> np.ndarray:
        """The sums over words by row and group."""
        return self.score_powers(choice, *self.weigh(choice))

    def weigh(self, choice: WordChoice) -> tuple[np.ndarray, np.ndarray]:
        """Evidence and information of each word of each row."""
        n_words = len(self.places)
        evidence, information = np.empty((n_words, len(self.prior))), np.empty(n_words)
        kernels.leave_out_words(
            self.rows.begins,
            self.places,
            self.counts,
            self._totals,
            self.prior,
            choice.strength,
            choice.is_complement,
            self.group_of,
            self.weights,
            evidence,
            information,
        )
        return evidence, information

    def score_powers(
        self, choice: WordChoice, evidence: np.ndarray, information: np.ndarray
    ) -> np.ndarray:
        """The sums over words that are weighed already."""
        scores = np.zeros((self.rows.n_rows, len(self.prior)))
        # a word of this row alone is unknown to all others
        own = np.where(evidence[:, 0] != 0.0, np.arange(len(self.places)), -1)
        in_doubt = np.flatnonzero((own < 0) & (self.places >= 0))
        own[in_doubt] = np.where(evidence[in_doubt].any(axis=1), in_doubt, -1)
        begins, times, shares = self.rows.begins, self.rows.times, np.empty(len(own))
        kernels.score_words(
            begins, own, times, information, evidence, choice.powers, shares, scores
        )
        return scores
