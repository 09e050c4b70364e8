"""Short ways for tables of plain columns: rows are counted as they are coded, without blocks of rows.

They save a fifth to a third of the CPU time of a pass over a million rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from bayfold.core import kernels
from bayfold.core.counts import CodeLayout, LabelledRows, RowHashes, RowSample
from bayfold.core.counts.row_hashes import UNIT_BITS
from bayfold.core.counts.sample_limits import SampleLimits, count_rare
from bayfold.core.frames.columns import lend_numbers
from bayfold.core.schema.coding import CodedTable, LabelCodes

Ranges = tuple[np.ndarray, np.ndarray]


class PlainTable(ABC):
    """The rows of a table of which each counts once, and nothing but the codes is wanted.

    Parameters
    ----------
    coded : CodedTable
    rows : LabelledRows
    layout : CodeLayout
    row_hashes : RowHashes
    """

    def __init__(
        self, coded: CodedTable, rows: LabelledRows, layout: CodeLayout, row_hashes: RowHashes
    ) -> None:
        self.coded = coded
        self.rows = rows
        self.layout = layout
        self.row_hashes = row_hashes
        self.schema = coded.coder.schema
        self.grid = tuple(coded.coder.schema.grids.arrays[:-1])

    @abstractmethod
    def new_counter(self, n_rows: int) -> Counter:
        """Counts of no rows, to which blocks of at most ``n_rows`` rows can be added."""


class Counter(ABC):
    """Counts of some rows of a plain table.

    Attributes
    ----------
    narrow_counts, wide_counts : ndarray of uint32
        The tables of all columns as the layout has them; a segment has fewer rows than these can count.
    """

    def __init__(self, plain: PlainTable, n_rows: int) -> None:
        self._plain = plain
        self.narrow_counts = np.zeros(plain.layout.narrow_size, np.uint32)
        self.wide_counts = np.zeros(plain.layout.wide_size, np.uint32)
        self._found = np.empty(n_rows, np.int64), np.empty(n_rows, np.uint64)

    def add(
        self, start: int, stop: int, ranges: Ranges, limits: SampleLimits, sample_size: int
    ) -> RowSample:
        """Count rows ``start`` to ``stop``, widen ``ranges``, and give the candidates for the sample."""
        plain = self._plain
        groups = plain.rows.group_of[start:stop]
        own = limits.of(plain.rows.groups)
        n_found = self._count(start, stop, groups, ranges, own | UNIT_BITS)
        places, hashes = (found[:n_found] for found in self._found)
        narrow, wide = self._codes_at(places)
        n_rare = count_rare(plain.schema, len(own), sample_size)
        return RowSample(
            plain.schema,
            plain.rows.groups,
            plain.row_hashes.mark_groups(hashes, groups[places]),
            narrow,
            wide,
            groups[places],
            np.ones(n_found),
            np.empty((n_found, 0)),
            limits.threshold,
            sample_size,
            bounds=own if n_rare else None,
        )

    @abstractmethod
    def _count(
        self, start: int, stop: int, groups: np.ndarray, ranges: Ranges, limits: np.ndarray
    ) -> int:
        """Count rows, and note those with a hash of at most the limit of their group; how many these are."""

    @abstractmethod
    def _codes_at(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Narrow and wide codes of the rows that were noted last."""


class PlainNumbers(PlainTable):
    """The rows of a matrix of numbers."""

    def new_counter(self, n_rows: int) -> Counter:
        """Counts of no rows."""
        return _NumberCounter(self, n_rows)


class _NumberCounter(Counter):
    """Counts of some rows of a matrix of numbers."""

    def __init__(self, plain: PlainNumbers, n_rows: int) -> None:
        super().__init__(plain, n_rows)
        self._codes = np.empty((n_rows, len(plain.schema.columns)), np.uint8)

    def _count(
        self, start: int, stop: int, groups: np.ndarray, ranges: Ranges, limits: np.ndarray
    ) -> int:
        plain = self._plain
        n_found = kernels.count_numbers(
            plain.coded.table.numbers(plain.schema.numeric, start, stop),
            plain.grid,
            ranges,
            groups,
            plain.layout.n_groups,
            (plain.layout.narrow_offsets, self.narrow_counts),
            plain.row_hashes.factors,
            limits,
            (*self._found, self._codes),
        )
        plain.coded.check_finite(*ranges)
        return n_found

    def _codes_at(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._codes[: len(places)].copy(), np.empty((len(places), 0), np.uint16)


class PlainColumns(PlainTable):
    """The rows of columns in one piece each, numbers and labels."""

    def __init__(
        self, coded: CodedTable, rows: LabelledRows, layout: CodeLayout, row_hashes: RowHashes
    ) -> None:
        super().__init__(coded, rows, layout, row_hashes)
        columns = coded.table.columns
        self.numbers = [lend_numbers(columns[j]) for j in self.schema.numeric.tolist()]
        labels = _find_labels(coded).items()
        self.labels = [(self.schema.places[j], column.lent()) for j, column in labels]

    def new_counter(self, n_rows: int) -> Counter:
        """Counts of no rows."""
        return _ColumnCounter(self, n_rows)


class _ColumnCounter(Counter):
    """Counts of some rows of columns in one piece each."""

    _plain: PlainColumns

    def __init__(self, plain: PlainColumns, n_rows: int) -> None:
        super().__init__(plain, n_rows)
        self._narrow = np.empty((len(plain.schema.narrow), n_rows), np.uint8)
        self._wide = np.empty((len(plain.schema.wide), n_rows), np.uint16)

    def _count(
        self, start: int, stop: int, groups: np.ndarray, ranges: Ranges, limits: np.ndarray
    ) -> int:
        self._code(start, stop, ranges)
        layout = self._plain.layout
        hashes = self._plain.row_hashes
        return kernels.count_columns(
            self._narrow,
            self._wide,
            groups,
            layout.n_groups,
            (
                (layout.narrow_offsets, self.narrow_counts),
                (layout.wide_offsets, self.wide_counts),
            ),
            (
                hashes.factors,
                hashes.narrow_offsets,
                hashes.wide_offsets,
                hashes.code_hashes,
            ),
            limits,
            self._found,
        )

    def _code(self, start: int, stop: int, ranges: Ranges) -> None:
        """The codes of some rows, column by column."""
        plain = self._plain
        for position, read in enumerate(plain.numbers):
            kernels.encode_column(read(start, stop), position, plain.grid, ranges, self._narrow)
        plain.coded.check_finite(*ranges)
        for (width, position), labels in plain.labels:
            codes = (self._narrow, self._wide)[width][position, : stop - start, None]
            kernels.write_codes(labels.indices[start:stop], labels.lookup, 0, codes)

    def _codes_at(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        narrow, wide = (codes.take(places, axis=1).T for codes in (self._narrow, self._wide))
        return np.ascontiguousarray(narrow), np.ascontiguousarray(wide)


def find_plain_table(
    coded: CodedTable, rows: LabelledRows, layout: CodeLayout, row_hashes: RowHashes
) -> PlainTable | None:
    """The short way that a table can take, if its rows have no weights and nothing but codes is wanted of them."""
    schema = coded.coder.schema
    n_columns = len(schema.columns)
    is_crowded = len(schema.grids.arrays[-1]) > 0 or len(coded.special) > 0
    has_units = rows.units is not None or rows.time is not None
    if rows.weights is not None or has_units or is_crowded or not n_columns:
        return None
    if coded.table.matrix is not None:
        is_plain = len(row_hashes.factors) == n_columns
        return PlainNumbers(coded, rows, layout, row_hashes) if is_plain else None
    is_plain = len(schema.numeric) + len(_find_labels(coded)) == n_columns  # others are texts
    return PlainColumns(coded, rows, layout, row_hashes) if is_plain else None


def _find_labels(coded: CodedTable) -> dict[int, LabelCodes]:
    return {j: codes for j, codes in coded.labels.items() if isinstance(codes, LabelCodes)}
