"""What the words of a text say about a numeric target.

Words are counted by the target's cells. Neighbouring cells are taken together as groups, in which a word is weighed as
a classifier weighs it; what a text says between the middles of two groups lies between what it says of both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bayfold.core.counts import Statistics
from bayfold.core.counts.fold_counts import Folds
from bayfold.core.counts.target_axis import TargetAxis
from bayfold.core.densities import TextTerm, WordDensity
from bayfold.core.densities.terms.text import spread_groups
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import WordRows
from bayfold.core.scoring.texts import (
    TEXTS_TO_CHOOSE,
    learn_outside,
    search_words,
    search_words_in_folds,
)
from bayfold.families.regression.column_evidence import ColumnEvidence, EvidenceFinder
from bayfold.families.regression.sampled_rows import SampledRows

MOST_GROUPS = 12
"""Groups of the target that words are weighed in. Sizes of packages by their descriptions and dependencies, 8,000 rows:
relative error .798 with 3 groups, .780 with 6, .772 with 12, .787 with 24."""

ROWS_PER_GROUP = 25.0
"""Fewer groups where rows are few: with 200 rows 8 are better than 12 and than 4 (.915, .918, .923)."""


@dataclass(frozen=True, eq=False)
class TargetGroups:
    """Neighbouring cells of the target, taken together.

    Attributes
    ----------
    group_of : ndarray of int
        Of each cell, whether a row is in it or not.
    places : ndarray
        The middle of each group on the axis.
    """

    group_of: np.ndarray
    places: np.ndarray

    @classmethod
    def of(cls, axis: TargetAxis) -> TargetGroups:
        """Groups of about equally many rows; single values, where these are few."""
        share = axis.weights / axis.weights.sum()
        most = int(np.clip(axis.weights.sum() / ROWS_PER_GROUP, 2, MOST_GROUPS))
        wanted = ((np.cumsum(share) - share / 2) * most).astype(np.int64)
        if len(share) <= most:
            wanted = np.arange(len(share))
        group_of = np.unique(wanted, return_inverse=True)[1]
        places = np.bincount(group_of, share * axis.places) / np.bincount(group_of, share)
        return cls(group_of[np.maximum(axis.cell_of, 0)], places)

    @property
    def n_groups(self) -> int:
        """How many there are."""
        return len(self.places)

    def locate(self, grid: np.ndarray) -> np.ndarray:
        """Where points of the axis lie between the groups, in groups; beyond the ends, at the ends."""
        return np.interp(grid, self.places, np.arange(self.n_groups))


@dataclass(frozen=True, eq=False)
class TextEvidence:
    """What a column of text says about the target.

    Attributes
    ----------
    cell : ColumnEvidence
        What it says that a cell is missing or known.
    density : WordDensity
        By groups of the target.
    factor : float
        What left-out rows multiply the evidence of words by.
    words : WordRows
        Of sampled rows.
    group_of : ndarray of int
        Their groups.
    along : ndarray
        Where the points of the grid lie between the groups.
    """

    cell: ColumnEvidence
    density: WordDensity
    factor: float
    words: WordRows
    group_of: np.ndarray
    along: np.ndarray

    @cached_property
    def column(self) -> int:
        """The position of the column."""
        return self.cell.column

    @property
    def widths(self) -> tuple[float, float]:
        """Every word speaks for itself."""
        return 0.0, 1.0 / self.density.n_groups

    def to_term(self, n_codes: int, n_grid: int) -> TextTerm:
        """The term of the column."""
        log_table = self.cell.to_term(n_codes, n_grid).tabulate(None)
        return TextTerm(self.column, self.density, log_table, self.factor, self.along)

    def learn_outside(
        self, finder: EvidenceFinder, folds: Folds, k: int, rows: np.ndarray
    ) -> TextEvidence:
        """The same by the rows outside a fold, for some of those inside."""
        return replace(
            self,
            cell=finder.find_outside(self.cell, folds.folds[k].outside),
            density=learn_outside(self.density, self.words, self.group_of, folds, k),
            words=self.words.take(rows),
            group_of=self.group_of[rows],
        )

    def of_rows(self, rows: np.ndarray) -> TextEvidence:
        """The same with some of the rows, in another order."""
        return replace(self, words=self.words.take(rows), group_of=self.group_of[rows])

    def update_without(
        self, codes: np.ndarray, cells: np.ndarray, own: np.ndarray, evidence: np.ndarray
    ) -> None:
        """Add the evidence of the first rows, each from all rows but itself."""
        self.cell.update_without(codes, cells, own, evidence)
        words = self.words.take(slice(len(own)))
        group_of = self.group_of[: len(own)]
        scores = self.density.leave_out(words, group_of, own, self.density.choice)
        evidence += spread_groups(self.factor * scores, self.along)


def find_text_evidence(
    statistics: Statistics,
    rows: SampledRows,
    axis: TargetAxis,
    grid: np.ndarray,
    cell: ColumnEvidence,
) -> TextEvidence | ColumnEvidence:
    """What the words of a column say; only what its cells do, where the target never changes."""
    schema = statistics.schema
    j = cell.column
    groups = TargetGroups.of(axis)
    assert schema is not None
    if groups.n_groups < 2:
        return cell
    position = schema.text.index(j)
    table = statistics.words.tables[position].regrouped(groups.group_of, groups.n_groups)
    known = rows.counts.tables[j][FIRST_BIN:].sum(axis=0)
    known = np.bincount(groups.group_of, known, groups.n_groups)
    share = rows.counts.n_rows / max(statistics.counts.n_rows, 1e-300)  # copies count once
    density = WordDensity.of(table, known / share, np.full(groups.n_groups, share))
    words = statistics.sample.words[position]
    group_of = groups.group_of[rows.group_of]
    some = slice(TEXTS_TO_CHOOSE)
    if rows.folds is None:
        choice, factor = search_words(density, words.take(some), group_of[some], rows.own[some])
    else:
        choice, factor = search_words_in_folds(density, words, group_of, rows.folds)
    density = replace(density, choice=choice)
    return TextEvidence(cell, density, factor, words, group_of, groups.locate(grid))
