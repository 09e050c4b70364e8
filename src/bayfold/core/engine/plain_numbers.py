"""The fold of a matrix of numbers whose rows count once each: what a block adds, by one kernel."""

from __future__ import annotations

import numpy as np

from bayfold.core import kernels
from bayfold.core.counts import CodeLayout, LabelledRows, RowSample, RowWords
from bayfold.core.schema.coding import CodedTable


class PlainNumbers:
    """The rows of a table, if they are plain numbers and nothing but their codes is wanted.

    Parameters
    ----------
    coded : CodedTable
    rows : LabelledRows
    layout : CodeLayout
    words : RowWords
    needs_numbers : bool
        Whether numbers are wanted beside their codes.
    """

    def __init__(
        self,
        coded: CodedTable,
        rows: LabelledRows,
        layout: CodeLayout,
        words: RowWords,
        needs_numbers: bool,
    ) -> None:
        self.coded, self.rows, self.layout, self.words = coded, rows, layout, words
        self.schema = coded.coder.schema
        *grid, crowded = self.schema.grids.arrays
        self.grid = tuple(grid)
        n_columns = len(self.schema.columns)
        are_numbers = coded.table.matrix is not None and len(words.factors) == n_columns > 0
        self.are_plain = (
            are_numbers and not len(crowded) and rows.weights is None and not needs_numbers
        )

    def new_counter(self, n_rows: int) -> NumberCounter:
        """Counts of no rows, to which blocks of at most so many rows can be added."""
        return NumberCounter(self, n_rows)


class NumberCounter:
    """Counts of some rows of plain numbers.

    Attributes
    ----------
    counts : ndarray of uint32
        The tables of all columns as the layout has them; a segment has fewer rows than these can count.
    """

    def __init__(self, numbers: PlainNumbers, n_rows: int) -> None:
        self._numbers = numbers
        self.counts = np.zeros(numbers.layout.narrow_size, np.uint32)
        codes = np.empty((n_rows, len(numbers.schema.columns)), np.uint8)
        self._found = np.empty(n_rows, np.int64), np.empty(n_rows, np.uint64), codes

    def add(
        self,
        start: int,
        stop: int,
        ranges: tuple[np.ndarray, np.ndarray],
        threshold: int,
        sample_size: int,
    ) -> RowSample:
        """Count rows ``start`` to ``stop``, widen ``ranges``, and give the candidates for the sample."""
        of, groups = self._numbers, self._numbers.rows.group_of[start:stop]
        n_found = kernels.fold_numbers(
            of.coded.table.numbers(of.schema.numeric, start, stop),
            of.grid,
            ranges,
            groups,
            of.layout.n_groups,
            (of.layout.narrow_offsets, self.counts),
            (of.words.group_words, of.words.factors),
            np.uint64(threshold),
            self._found,
        )
        of.coded.check_finite(*ranges)
        places, hashes, codes = (found[:n_found] for found in self._found)
        return RowSample(
            of.schema,
            of.rows.groups,
            hashes.copy(),
            codes.copy(),
            np.empty((n_found, 0), np.uint16),
            groups[places],
            np.ones(n_found),
            np.empty((n_found, 0)),
            threshold,
            sample_size,
        )
