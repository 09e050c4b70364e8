"""A sum over the words of a cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from bayfold.core import kernels
from bayfold.core.densities.terms.forms import Form
from bayfold.core.densities.terms.protocol import Packing, multiply
from bayfold.core.densities.words import WordDensity
from bayfold.core.schema import RowBlock, WordRows
from bayfold.core.stored import Stored
from bayfold.errors import words_not_exported


@dataclass(frozen=True, eq=False)
class TextTerm(Stored):
    """Evidence of the words of a cell, each by its share (docs/decisions/0012).

    Attributes
    ----------
    column : int
    density : WordDensity
    log_table : ndarray of shape (n_codes, n_groups)
        What it says that a cell is missing or known, apart from its words.
    weight : float
        What the evidence of words is multiplied by.
    along : ndarray or None
        Where words are weighed in other groups than those of the model: where each of these lies between them.
    """

    column: int
    density: WordDensity
    log_table: np.ndarray
    weight: float = 1.0
    along: np.ndarray | None = None
    kind: str = field(default="cell words", init=False)
    merge: None = field(default=None, init=False)

    def scaled(self, weight: float) -> TextTerm:
        """The term with its evidence multiplied."""
        log_table = multiply(self.log_table, weight)
        return replace(self, log_table=log_table, weight=self.weight * weight)

    def tabulate(self, centres: np.ndarray | None = None) -> np.ndarray:
        """What a cell says apart from its words."""
        return self.log_table

    def form(self, packing: Packing) -> Form:
        """Refused: no form of plain numbers knows words."""
        raise words_not_exported(packing.schema.names[self.column])

    @classmethod
    def pack(cls, terms: Sequence[TextTerm], packing: Packing) -> PackedTexts:
        """The terms one by one: each has its own words."""
        return PackedTexts([PackedText.of(term, packing) for term in terms])


@dataclass(frozen=True, eq=False)
class PackedText:
    """One term ready for scoring.

    Attributes
    ----------
    column, position : int
        Of the column in the table, and among the columns of text.
    density : WordDensity
    table : ndarray of shape (n_words, n_scores)
    information : ndarray of shape (n_words,)
    cells : ndarray of shape (n_codes, n_scores)
    along : ndarray or None
        Where scores lie between those of the table, if these are others.
    """

    column: int
    position: int
    density: WordDensity
    table: np.ndarray
    information: np.ndarray
    cells: np.ndarray
    along: np.ndarray | None = None

    @classmethod
    def of(cls, term: TextTerm, packing: Packing) -> PackedText:
        """The term's numbers as they are added up."""
        table, information = term.density.evidence
        if packing.centred:
            evidence = table
            if evidence.shape[1] == 2:
                table = np.empty((len(evidence), 1))
            kernels.centre_evidence(evidence, np.inf, table)
        table *= term.weight
        position = packing.schema.text.index(term.column)
        cells = packing.weigh(term.log_table)
        return cls(term.column, position, term.density, table, information, cells, term.along)

    def add_scores(self, block: RowBlock, scores: np.ndarray) -> None:
        """Add what cells and their words say."""
        if self.cells.any():
            scores += self.cells[block.codes(self.column)]
        rows = block.words[self.position]
        places = self.density.find_places(rows)
        shares = np.empty(len(rows.hashes))
        if self.along is None:
            self.add_words(rows, places, shares, scores)
            return
        by_group = np.zeros((rows.n_rows, self.table.shape[1]))
        self.add_words(rows, places, shares, by_group)
        scores += spread_groups(by_group, self.along)

    def add_words(
        self, rows: WordRows, places: np.ndarray, shares: np.ndarray, scores: np.ndarray
    ) -> None:
        """Add what words say; ``shares`` becomes the share of each."""
        of_words = self.information, self.table, self.density.choice.powers
        kernels.score_words(rows.begins, places, places, rows.times, *of_words, shares, scores)


def spread_groups(by_group: np.ndarray, along: np.ndarray) -> np.ndarray:
    """Scores of points between groups.

    >>> spread_groups(np.array([[0.0, 1.0, 4.0]]), np.array([0.5, 2.0]))
    array([[0.5, 4. ]])
    """
    below = np.minimum(along.astype(np.int64), by_group.shape[1] - 2)
    part = along - below
    return by_group[:, below] * (1.0 - part) + by_group[:, below + 1] * part


@dataclass(frozen=True, eq=False)
class PackedTexts:
    """The terms of all columns of text."""

    terms: list[PackedText]

    def add_scores(self, block: RowBlock, scores: np.ndarray) -> None:
        """Add what the words of each row say."""
        for term in self.terms:
            term.add_scores(block, scores)
