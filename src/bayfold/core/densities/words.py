"""What words say: evidence from counts of documents, shrunk towards the prior (docs/decisions/0012)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bayfold.core import kernels
from bayfold.core.counts import WordTable
from bayfold.core.schema import WordRows
from bayfold.core.stored import Stored

MOST_WORD_ENTRIES = 1 << 25
"""Numbers in the table of a column, 268 megabytes: of more words by groups, the most frequent words stay."""

LEFT_OUT_TOGETHER = 1 << 21
"""Words times groups of rows that are left out together: a table of sixteen megabytes at most, as words come again.

With few groups the words themselves weigh more: about forty megabytes for two.
"""


MOST_PAIRS_MARKED = 1 << 20
"""Pairs of word and weight, of which those that occur are marked one by one: with their numbers nine megabytes."""


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

    def choose(self, choice: WordChoice) -> WordDensity:
        """The same words weighed otherwise; what was made of them is kept."""
        chosen = replace(self, choice=choice)
        kept = {name: made for name, made in vars(self).items() if name in ("counts", "index")}
        vars(chosen).update(kept)
        return chosen

    def learn_from(self, rows: WordRows, group_of: np.ndarray, weights: np.ndarray) -> WordDensity:
        """The same words counted in other rows alone."""
        places = self.find_places(rows)
        of_word = rows.row_of
        used = np.flatnonzero((places >= 0) & (weights[of_word] > 0))
        pairs = places[used].astype(np.int64) * self.n_groups + group_of[of_word[used]]
        distinct, place = np.unique(pairs, return_inverse=True)
        bounds = np.arange(self.words.n_words + 1) * self.n_groups
        words = replace(
            self.words,
            begins=np.searchsorted(distinct, bounds).astype(np.int64),
            groups=(distinct % self.n_groups).astype(np.int32),
            counts=np.bincount(place, weights[of_word[used]], len(distinct)),
        )
        return replace(self, words=words)

    @cached_property
    def counts(self) -> np.ndarray:
        """The weighted counts, in the order of the words' own."""
        return self.words.counts * self.factors[self.words.groups]

    @property
    def evidence(self) -> tuple[np.ndarray, np.ndarray]:
        """What every word says of each group, and the information of each word; made anew, as it may be large."""
        n_words = self.words.n_words
        weighed = self.weigh(np.arange(n_words), np.zeros(n_words), self.choice)
        information = np.empty(n_words)
        kernels.inform_words(weighed.sums, information)
        return weighed.table, information

    def weigh(self, words: np.ndarray, lessened: np.ndarray, choice: WordChoice) -> WeighedWords:
        """The evidence of some words with so much less weight each, for all groups which that was not in."""
        table = np.empty((len(words), self.n_groups))
        sums = np.empty((len(words), 3))
        kernels.weigh_words(
            self.words.begins,
            self.words.groups,
            self.counts,
            words,
            lessened,
            self.prior,
            choice.strength,
            choice.is_complement,
            table,
            sums,
        )
        return WeighedWords(table, sums)

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
class WeighedWords:
    """Words as a kernel weighed them: their evidence by group, and of what their information is made."""

    table: np.ndarray
    sums: np.ndarray


@dataclass(frozen=True, eq=False)
class LeftOutTexts:
    """Rows, each of which is scored by all others.

    Without a row a word is the same for all groups but the row's own, so rows of one weight share it.

    Attributes
    ----------
    density : WordDensity
    rows : WordRows
    entries : ndarray of int
        Of each word of the rows in ``words``; -1 where it is not known.
    words : ndarray of int
        Positions of words in the density.
    lessened : ndarray
        What is left out of each.
    group_of : ndarray of int
    weights : ndarray
        What is left out with each row.
    """

    density: WordDensity
    rows: WordRows
    entries: np.ndarray
    words: np.ndarray
    lessened: np.ndarray
    group_of: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(
        cls, density: WordDensity, rows: WordRows, group_of: np.ndarray, weights: np.ndarray
    ) -> LeftOutTexts:
        """Of some rows that the density was counted on."""
        places = density.find_places(rows)
        distinct, kind = _number_weights(weights)
        pairs = places
        if len(distinct) > 1:
            pairs = places.astype(np.int64) * len(distinct) + np.repeat(kind, np.diff(rows.begins))
            pairs[places < 0] = -1
        pairs, entries = _number_pairs(pairs, density.words.n_words * len(distinct))
        words, kind = np.divmod(pairs, len(distinct))
        return cls(density, rows, entries, words, distinct[kind], group_of, weights)

    def score(self, choice: WordChoice) -> np.ndarray:
        """The sums over words by row and group."""
        return self.weigh(choice).score(choice)

    def weigh(self, choice: WordChoice) -> WeighedTexts:
        """What each word of each row says, if counts are mixed as chosen."""
        weighed = self.density.weigh(self.words, self.lessened, choice)
        n_words = len(self.words)
        n_groups = self.density.n_groups
        if (
            0 < n_words * n_groups < len(self.entries)
        ):  # words come again: once for each group will do
            begins = np.arange(n_groups + 1) * n_words
            each = np.tile(np.arange(n_words), n_groups)
            own, information = self._leave_out(begins, each, np.arange(n_groups), weighed, choice)
            own = own[self._of_group]
            information = information[self._of_group]
        else:
            own, information = self._leave_out(
                self.rows.begins, self.entries, self.group_of, weighed, choice
            )
        # a word of this row alone is unknown to all others; the last stands for -1
        is_known = np.append(weighed.sums[:, 0] > 0.0, False)
        known = np.where(is_known[self.entries], np.arange(len(own)), -1)
        return WeighedTexts(self, weighed.table, own, information, known)

    @cached_property
    def _of_group(self) -> np.ndarray:
        """Where the word of each row stands if all words are listed for each group; anywhere if it is not known."""
        group = np.repeat(self.group_of, np.diff(self.rows.begins)).astype(np.int64)
        return group * len(self.words) + np.maximum(self.entries, 0)

    def _leave_out(
        self,
        begins: np.ndarray,
        entries: np.ndarray,
        group_of: np.ndarray,
        weighed: WeighedWords,
        choice: WordChoice,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Evidence of words for the group of their row, without it, and their information."""
        density = self.density
        own = np.empty(len(entries))
        information = np.empty(len(entries))
        kernels.leave_out_words(
            begins,
            entries,
            group_of,
            density.words.begins,
            density.words.groups,
            density.counts,
            self.words,
            self.lessened,
            density.prior,
            choice.strength,
            choice.is_complement,
            weighed.sums,
            own,
            information,
        )
        return own, information


def _number_weights(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct weights, and which of them each is; most are equal to the first, and need not be sorted.

    >>> _number_weights(np.array([1.0, 1.0, 3.0, 2.0]))
    (array([1., 2., 3.]), array([0, 0, 2, 1]))
    """
    others = np.flatnonzero(weights != weights[:1])
    distinct, kind_of_others = np.unique(weights[others], return_inverse=True)
    kind = np.zeros(len(weights), np.int64)
    kind[others] = 1 + kind_of_others
    return np.append(weights[:1], distinct), kind


def _number_pairs(pairs: np.ndarray, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """The pairs that occur of so many, and where each lies among them; -1, a word that is not known, stays so.

    >>> _number_pairs(np.array([4, -1, 2]), 5)
    (array([2, 4]), array([ 1, -1,  0], dtype=int32))
    """
    if n_pairs > MOST_PAIRS_MARKED:
        known = pairs >= 0
        used, of_known = np.unique(pairs[known], return_inverse=True)
        entries = np.full(len(pairs), -1)
        entries[known] = of_known
        return used, entries
    is_used = np.zeros(n_pairs + 1, np.bool_)
    is_used[pairs] = True
    is_used[-1] = False
    used = np.flatnonzero(is_used)
    number = np.empty(n_pairs + 1, np.int32)
    number[used] = np.arange(len(used))
    number[-1] = -1
    return used, number[pairs]


@dataclass(frozen=True, eq=False)
class WeighedTexts:
    """Rows that are left out, with the evidence of their words.

    Attributes
    ----------
    left_out : LeftOutTexts
    table : ndarray of shape (n_entries, n_groups)
        For all groups but the row's own.
    own, information : ndarray
        Evidence of each word of each row for the row's own group, and its information.
    known : ndarray of int
        The number of each word of each row, -1 where no other row has it.
    """

    left_out: LeftOutTexts
    table: np.ndarray
    own: np.ndarray
    information: np.ndarray
    known: np.ndarray

    def score(self, choice: WordChoice) -> np.ndarray:
        """The sums over words by row and group."""
        left_out = self.left_out
        shares = np.empty(len(self.own))
        scores = np.zeros((left_out.rows.n_rows, self.table.shape[1]))
        kernels.score_left_out_words(
            left_out.rows.begins,
            left_out.entries,
            self.known,
            left_out.rows.times,
            self.information,
            self.table,
            self.own,
            left_out.group_of,
            choice.powers,
            shares,
            scores,
        )
        return scores
