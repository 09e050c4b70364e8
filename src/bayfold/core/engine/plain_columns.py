"""Short way for tables of plain numbers: columns are counted where they lie, without blocks of rows."""

from __future__ import annotations

import numpy as np

from bayfold.core import kernels
from bayfold.core.counts import CodeLayout, LabelledRows, RowSample, RowWords
from bayfold.core.frames.columns import lend_numbers
from bayfold.core.schema.coding import CodedTable, LabelCodes


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
        self.coded = coded
        self.rows = rows
        self.layout = layout
        self.words = words
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
        of = self._numbers
        groups = self._numbers.rows.group_of[start:stop]
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


class PlainColumns:
    """The rows of a table, if they have weight one and nothing but their codes is wanted.

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
        self.coded = coded
        self.rows = rows
        self.layout = layout
        self.schema = coded.coder.schema
        *grid, crowded = self.schema.grids.arrays
        self.grid = tuple(grid)
        self.words = (
            words.group_words,
            words.factors,
            words.narrow_offsets,
            words.wide_offsets,
            words.words,
        )
        labels = {j: of for j, of in coded.labels.items() if isinstance(of, LabelCodes)}
        n_known = len(self.schema.numeric) + len(labels)  # others are texts
        self.are_plain = (
            coded.table.matrix is None
            and n_known == len(self.schema.columns) > 0
            and not len(crowded)
            and rows.weights is None
            and not needs_numbers
        )
        if self.are_plain:
            columns = coded.table.columns
            self.numbers = [lend_numbers(columns[j]) for j in self.schema.numeric.tolist()]
            self.labels = [(self.schema.places[j], of.lent()) for j, of in labels.items()]

    def new_counter(self, n_rows: int) -> ColumnCounter:
        """Counts of no rows, to which blocks of at most so many rows can be added."""
        return ColumnCounter(self, n_rows)


class ColumnCounter:
    """Counts of some rows.

    Attributes
    ----------
    narrow_counts, wide_counts : ndarray of uint32
        The tables of all columns as the layout has them; a segment has fewer rows than these can count.
    """

    def __init__(self, columns: PlainColumns, n_rows: int) -> None:
        self._columns = columns
        schema = columns.schema
        layout = columns.layout
        self.narrow_counts = np.zeros(layout.narrow_size, np.uint32)
        self.wide_counts = np.zeros(layout.wide_size, np.uint32)
        self._narrow = np.empty((len(schema.narrow), n_rows), np.uint8)
        self._wide = np.empty((len(schema.wide), n_rows), np.uint16)
        self._found = np.empty(n_rows, np.int64), np.empty(n_rows, np.uint64)

    def add(
        self,
        start: int,
        stop: int,
        ranges: tuple[np.ndarray, np.ndarray],
        threshold: int,
        sample_size: int,
    ) -> RowSample:
        """Count rows ``start`` to ``stop``, widen ``ranges``, and give the candidates for the sample."""
        of = self._columns
        groups = self._columns.rows.group_of[start:stop]
        self._code(start, stop, ranges)
        n_found = kernels.count_columns(
            self._narrow,
            self._wide,
            groups,
            of.layout.n_groups,
            (
                (of.layout.narrow_offsets, self.narrow_counts),
                (of.layout.wide_offsets, self.wide_counts),
            ),
            of.words,
            np.uint64(threshold),
            self._found,
        )
        places, hashes = (found[:n_found] for found in self._found)
        return RowSample(
            of.schema,
            of.rows.groups,
            hashes.copy(),
            np.ascontiguousarray(self._narrow.take(places, axis=1).T),
            np.ascontiguousarray(self._wide.take(places, axis=1).T),
            groups[places],
            np.ones(n_found),
            np.empty((n_found, 0)),
            threshold,
            sample_size,
        )

    def _code(self, start: int, stop: int, ranges: tuple[np.ndarray, np.ndarray]) -> None:
        """The codes of some rows, column by column."""
        of = self._columns
        for position, read in enumerate(of.numbers):
            kernels.encode_column(read(start, stop), position, of.grid, ranges, self._narrow)
        of.coded.check_finite(*ranges)
        for (width, position), labels in of.labels:
            codes = (self._narrow, self._wide)[width][position, : stop - start, None]
            kernels.write_codes(labels.indices[start:stop], labels.lookup, 0, codes)
