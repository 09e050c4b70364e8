"""Codes from a table and a schema: blocks of coded rows of one byte or two per cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from bayfold import errors
from bayfold.core import kernels
from bayfold.core.frames import Column, NullColumn, Table
from bayfold.core.frames.labels import any_number, lend_cells
from bayfold.core.frames.times import UTC_NAMES
from bayfold.core.kernels.encode import FIRST_BIN, MISSING, NARROW_BINS, UNSEEN
from bayfold.core.label_cache import cached_per_labels
from bayfold.core.schema.given import SpecialCells, set_apart
from bayfold.core.schema.text import OpenWords, Split, TextColumn, WordRows
from bayfold.core.schema.types import NominalColumn, NumericColumn, Schema
from bayfold.core.schema.written import notations_of, read_written


@dataclass(frozen=True)
class RowBlock:
    """Some rows of a table: the numbers, and the codes of all columns.

    ``values`` holds the numeric columns, ``narrow`` the one-byte codes (numeric columns first) and
    ``wide`` the two-byte codes, all row by row; ``words`` those of the columns of text, in the order of
    ``schema.text``, and ``splits`` where they stand, if the rows were just read.
    """

    schema: Schema
    values: np.ndarray
    narrow: np.ndarray
    wide: np.ndarray
    words: tuple[WordRows, ...] = ()
    splits: tuple[Split, ...] = ()

    @classmethod
    def of_nothing(cls, schema: Schema, n_rows: int) -> RowBlock:
        """Rows of missing cells."""
        return cls(
            schema,
            np.full((n_rows, len(schema.numeric)), np.nan),
            np.zeros((n_rows, len(schema.narrow)), np.uint8),
            np.zeros((n_rows, len(schema.wide)), np.uint16),
            tuple(WordRows.of_nothing(n_rows) for _ in schema.text),
        )

    @classmethod
    def of_codes(
        cls,
        schema: Schema,
        narrow: np.ndarray,
        wide: np.ndarray,
        words: tuple[WordRows, ...] = (),
    ) -> RowBlock:
        """Rows of which the codes are known and the numbers are not."""
        return cls(schema, np.empty((len(narrow), 0)), narrow, wide, words)

    @property
    def n_rows(self) -> int:
        """Rows in this block."""
        return len(self.narrow)

    def codes(self, column: int) -> np.ndarray:
        """The codes of a column, whatever their width; a view."""
        width, position = self.schema.places[column]
        return (self.narrow, self.wide)[width][:, position]

    def columns(self) -> Iterator[np.ndarray]:
        """The codes of every column, in the order of the table."""
        return (self.codes(j) for j in range(len(self.schema.columns)))

    def take(self, rows: np.ndarray) -> RowBlock:
        """The block of the given rows."""
        # ``take`` copies whole rows, an index cell by cell
        codes = self.narrow.take(rows, axis=0), self.wide.take(rows, axis=0)
        words = tuple(words.take(rows) for words in self.words)
        return RowBlock(self.schema, self.values[rows], *codes, words)


class Coder:
    """Codes tables by a schema. Cheap to make: what takes time to prepare is kept with the schema."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def open(self, table: Table, *, warn_unseen: bool = True) -> CodedTable:
        """Check the table against the schema and make its labels ready for coding."""
        labels: dict[int, LabelCodes | np.ndarray] = {}
        texts: dict[int, OpenWords] = {}
        special: dict[int, SpecialCells] = {}
        columns = list(read_written(table, notations_of(self.schema)).columns)
        for j, column_schema in enumerate(self.schema.columns):
            if isinstance(column_schema, NominalColumn):
                labels[j] = _code_labels(columns[j], column_schema, warn_unseen)
            elif isinstance(column_schema, TextColumn):
                texts[j] = column_schema.open(columns[j])
                labels[j] = texts[j].known.astype(np.uint8) * np.uint8(FIRST_BIN)
            else:
                columns[j] = _expect_numbers(columns[j], column_schema, table.n_rows)
                if len(column_schema.special):
                    columns[j], special[j] = set_apart(
                        columns[j], column_schema.special, table.n_rows
                    )
        matrix = None if special else table.matrix
        table = replace(table, columns=tuple(columns), matrix=matrix)
        return CodedTable(self, table, labels, texts, special)

    def new_ranges(self) -> tuple[np.ndarray, np.ndarray]:
        """Minimum and maximum of no values."""
        n = len(self.schema.numeric)
        return np.full(n, np.inf), np.full(n, -np.inf)


@dataclass(frozen=True, eq=False)
class LabelCodes:
    """The label of every row of a column as an index, -1 where it is missing, and the code of each; that of -1 last."""

    indices: np.ndarray
    lookup: np.ndarray

    def lent(self) -> LabelCodes:
        """The same for kernels."""
        indices = lend_cells(self.indices.astype(np.int32, copy=False))
        return LabelCodes(indices, self.lookup)


class CodedTable:
    """A table that gives out blocks of coded rows; safe to read from several threads."""

    def __init__(
        self,
        coder: Coder,
        table: Table,
        labels: dict[int, LabelCodes | np.ndarray],
        texts: dict[int, OpenWords],
        special: dict[int, SpecialCells],
    ) -> None:
        self.coder = coder
        self.table = table
        self.n_rows = table.n_rows
        self.labels = labels
        self.texts = texts
        self.special = special

    def block(
        self,
        start: int,
        stop: int,
        ranges: tuple[np.ndarray, np.ndarray] | None = None,
        space: np.ndarray | None = None,
    ) -> RowBlock:
        """Code rows ``start`` to ``stop``; widen ``ranges`` to their smallest and largest values.

        Who works through many blocks and keeps none can give ``space`` for their numbers, of ``new_space``: to get
        memory from the system takes as long as to fill it.
        """
        schema = self.coder.schema
        ranges = ranges or self.coder.new_ranges()
        values = self.table.numbers(schema.numeric, start, stop, space)
        narrow = np.empty((stop - start, len(schema.narrow)), np.uint8)
        if len(schema.numeric):
            schema.grids.encode(values, narrow, *ranges)
            self.check_finite(*ranges)
        return self._add_labels(values, narrow, start, stop)

    def block_of_codes(
        self,
        start: int,
        stop: int,
        ranges: tuple[np.ndarray, np.ndarray] | None = None,
        space: np.ndarray | None = None,
    ) -> RowBlock:
        """The same block for who needs no numbers: these are coded as they lie, which takes half the time."""
        schema = self.coder.schema
        ranges = ranges or self.coder.new_ranges()
        *grids, crowded = schema.grids.arrays
        if self.table.matrix is not None or not len(schema.numeric) or len(crowded):
            return self.block(start, stop, ranges, space)
        values = self.table.stack(schema.numeric, start, stop, space)
        narrow = np.empty((stop - start, len(schema.narrow)), np.uint8)
        kernels.encode_columns(values, *grids, narrow, *ranges)
        self.check_finite(*ranges)
        return self._add_labels(np.empty((stop - start, 0)), narrow, start, stop)

    def _add_labels(
        self, values: np.ndarray, narrow: np.ndarray, start: int, stop: int
    ) -> RowBlock:
        """The block of rows whose numbers are coded."""
        schema = self.coder.schema
        wide = np.empty((stop - start, len(schema.wide)), np.uint16)
        splits = tuple(self.texts[j].split(start, stop) for j in schema.text)
        words = tuple(split.words for split in splits)
        block = RowBlock(schema, values, narrow, wide, words, splits)
        for j, labels in self.labels.items():
            if isinstance(labels, LabelCodes):
                width, position = schema.places[j]
                indices = lend_cells(labels.indices[start:stop].astype(np.int32, copy=False))
                kernels.write_codes(indices, labels.lookup, position, (narrow, wide)[width])
            else:
                block.codes(j)[:] = labels[start:stop]
        for j, cells in self.special.items():
            column_schema = schema.columns[j]
            assert isinstance(column_schema, NumericColumn)
            cells.write(start, stop, column_schema.first_special, block.codes(j))
        return block

    def new_space(self, n_rows: int) -> np.ndarray:
        """Room for the numbers of blocks of at most so many rows."""
        return np.empty((min(n_rows, self.n_rows), len(self.coder.schema.numeric)))

    def check_finite(self, minimum: np.ndarray, maximum: np.ndarray) -> None:
        """Refuse the columns whose range is infinite."""
        infinite = (minimum == -np.inf) | (maximum == np.inf)
        if infinite.any():
            schema = self.coder.schema
            raise errors.infinite_cells([schema.names[j] for j in schema.numeric[infinite]])


def _expect_numbers(column: Column, column_schema: NumericColumn, n_rows: int) -> Column:
    """Refuse labels where numbers were at fit, and times for other numbers; where nothing was, nothing is read."""
    if column_schema.is_empty:
        return column if column.kind != "nominal" else NullColumn(column.name, n_rows)
    if column.kind == "numeric" and not _are_alike(column, column_schema):
        if np.isnan(column.numbers(0, n_rows)).all():  # pandas gives missing cells any type
            return NullColumn(column.name, n_rows)
        if column.zone is not None and column_schema.zone is not None:
            raise errors.zone_mismatch(column_schema.name, column_schema.zone)
        kinds = {True: "timestamps", False: "numeric"}
        raise errors.kind_mismatch(
            column_schema.name, kinds[column_schema.is_time], kinds[column.is_time]
        )
    if column.kind != "nominal":
        if _is_zone_guessed(column, column_schema, n_rows):
            errors.warn(errors.zone_guessed(column_schema.name, column_schema.zone or ""))
        return column
    _, labels = column.labels()
    if labels:
        found = next((label for label in labels if not any_number([label])), labels[0])
        raise errors.kind_mismatch(column_schema.name, "numeric", f"categories such as {found!r}")
    return NullColumn(column.name, n_rows)


def _are_alike(column: Column, column_schema: NumericColumn) -> bool:
    """Whether both are times or neither is, and both have a zone or neither has.

    Times without a zone count as UTC. Beside times of another zone they most likely are in
    that zone, too.
    """
    if column.is_time != column_schema.is_time:
        return False
    zones = {column.zone, column_schema.zone}
    return "" not in zones or zones <= UTC_NAMES


def _is_zone_guessed(column: Column, column_schema: NumericColumn, n_rows: int) -> bool:
    """Whether times without a zone stand for times of UTC: clocks of a place would be off by hours in silence."""
    if not column_schema.is_time or (column.zone == "") == (column_schema.zone == ""):
        return False
    return not np.isnan(column.numbers(0, n_rows)).all()


def _code_labels(column: Column, column_schema: NominalColumn, warn_unseen: bool) -> LabelCodes:
    """The codes of the labels of a nominal column."""
    indices, labels = column.labels()
    if labels and not column_schema.accepts(column):  # missing cells may have any type
        raise errors.kind_mismatch(column_schema.name, "nominal", "numbers")
    lookup = _find_codes(labels, column_schema)
    if warn_unseen and (lookup[:-1] == UNSEEN).any():
        unseen = [label for label in labels if label not in column_schema.code_of]
        errors.warn(errors.unseen_categories(column_schema.name, unseen))
    return LabelCodes(indices, lookup)


@cached_per_labels
def _find_codes(labels: list[str], column_schema: NominalColumn) -> np.ndarray:
    """The code of each label, and behind them that of a missing cell."""
    code_of = column_schema.code_of
    otherwise = column_schema.n_codes - 1 if column_schema.has_other else UNSEEN
    wide = column_schema.n_bins > NARROW_BINS
    return np.array(
        [code_of.get(label, otherwise) for label in labels] + [MISSING],
        np.uint16 if wide else np.uint8,
    )
