"""What an imputer counts: the cells of every column, and then those of others beside the groups of a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from bayfold.core.counts import LabelledRows, Statistics
from bayfold.core.counts.sample_limits import SampleLimits
from bayfold.core.counts.sums import Sum
from bayfold.core.counts.target_axis import moments_of_target
from bayfold.core.engine.learn import learn_statistics
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import ColumnSchema, NominalColumn, NumericColumn, Schema
from bayfold.core.schema.written import notations_of, read_written
from bayfold.families.mte.distribution import Pieces
from bayfold.families.mte.incomplete import code_columns
from bayfold.families.mte.target_pieces import cut_target

MOST_CATEGORIES = 50
"""Categories that are told apart; of a column with more, only the most frequent are filled in."""


@dataclass(frozen=True, eq=False)
class Grouping:
    """The groups of a column: its pieces, or its categories.

    Attributes
    ----------
    group_of_bin : ndarray of int
        The group of each bin; -1 where it has none.
    share : ndarray
        Weight of each group.
    pieces : Pieces
    labels : ndarray of object or None
        The categories; None for a numeric column.
    """

    group_of_bin: np.ndarray
    share: np.ndarray
    pieces: Pieces
    labels: np.ndarray | None

    @property
    def n_groups(self) -> int:
        """How many there are."""
        return len(self.share)


def group_column(column_schema: ColumnSchema, sums: np.ndarray, n_pieces: int) -> Grouping | None:
    """The groups of a column from the sums of its cells; None if none is known.

    Parameters
    ----------
    column_schema : ColumnSchema
    sums : ndarray
        As in ``CellStatistics``.
    n_pieces : int
        Of a numeric column.
    """
    if not sums[0].any():
        return None
    if isinstance(column_schema, NominalColumn):
        return _by_category(column_schema, sums[0])
    assert isinstance(column_schema, NumericColumn)
    cut = cut_target(column_schema, sums, n_pieces)
    pieces = cut.pieces
    return Grouping(cut.piece_of, cut.weights, pieces, None)


def _by_category(column_schema: NominalColumn, weights: np.ndarray) -> Grouping | None:
    """The most frequent categories; those that share one bin have no name to be filled in."""
    count = weights[: len(column_schema.categories)]
    frequent = np.sort(np.argsort(-count, kind="stable")[:MOST_CATEGORIES])
    frequent = frequent[count[frequent] > 0]
    if not len(frequent):
        return None
    place = np.full(column_schema.n_bins, -1)
    place[frequent] = np.arange(len(frequent))
    labels = np.array(column_schema.categories, object)[frequent]
    pieces = Pieces(np.arange(len(frequent) + 1.0), np.zeros(len(frequent)))
    return Grouping(place, count[frequent], pieces, labels)


@dataclass(frozen=True, eq=False)
class ImputationRows:
    """Rows of a table in codes, and their numeric cells.

    Attributes
    ----------
    schema : Schema
    codes : list of ndarray of int
        One array per column.
    numbers : dict of int to ndarray
        The cells of the numeric columns.
    weights : ndarray
    """

    schema: Schema
    codes: list[np.ndarray]
    numbers: dict[int, np.ndarray]
    weights: np.ndarray

    @classmethod
    def read(cls, rows: LabelledRows, schema: Schema) -> ImputationRows:
        """Code rows under a schema."""
        table = rows.table
        columns = read_written(table, notations_of(schema)).columns
        numbers = {j: columns[j].numbers(0, table.n_rows) for j in schema.numeric.tolist()}
        return cls(schema, code_columns(table, schema), numbers, rows.find_weights())


@dataclass(frozen=True, eq=False)
class CellStatistics(Statistics):
    """The statistics of rows, with sums over the cells of every column.

    Attributes
    ----------
    cells : tuple of ndarray of shape (3, n_bins) or (1, n_bins)
        Sums of w, w d and w d^2 in every bin of a numeric column (see ``moments_of_target``), of w of a nominal one.
    """

    cells: tuple[np.ndarray, ...] = ()

    def _plus(self, other: Self) -> Self:
        both = super()._plus(other)
        pairs = zip(self.cells, other.cells, strict=bool(self.cells and other.cells))
        cells = tuple(a + b for a, b in pairs) or self.cells or other.cells
        return replace(both, cells=cells)


def sum_cells(rows: ImputationRows) -> tuple[np.ndarray, ...]:
    """The sums of ``CellStatistics``."""
    return tuple(_sum_column(rows, j) for j in range(len(rows.codes)))


def _sum_column(rows: ImputationRows, j: int) -> np.ndarray:
    column_schema = rows.schema.columns[j]
    known = np.flatnonzero(rows.codes[j] >= FIRST_BIN)
    bins = rows.codes[j][known] - FIRST_BIN
    w = rows.weights[known]
    if isinstance(column_schema, NumericColumn):
        return moments_of_target(column_schema, bins, rows.numbers[j][known], w)
    return np.bincount(bins, w, minlength=column_schema.n_bins)[None]


def learn_cells(
    rows: LabelledRows, schema: Schema, limits: SampleLimits | None = None
) -> CellStatistics:
    """The statistics of some rows under a schema."""
    found = learn_statistics(rows, schema, limits=limits)
    assert found.schema is not None
    return CellStatistics(
        found.counts, found.sample, found.words, sum_cells(ImputationRows.read(rows, found.schema))
    )


@dataclass(frozen=True, eq=False)
class Beside(Sum):
    """Weights of the codes of other columns beside the groups of each column.

    Attributes
    ----------
    tables : dict of (int, int) to ndarray of shape (n_codes, n_groups)
        By the column that is grouped and the other one.
    """

    tables: Mapping[tuple[int, int], np.ndarray] = field(default_factory=dict)

    def _plus(self, other: Beside) -> Beside:
        if not self.tables or not other.tables:
            return self if self.tables else other
        return Beside({key: table + other.tables[key] for key, table in self.tables.items()})


def count_beside(rows: ImputationRows, j: int, grouping: Grouping, others: np.ndarray) -> Beside:
    """Count the cells of other columns beside the groups of column ``j``."""
    codes = rows.codes[j]
    known = np.flatnonzero(codes >= FIRST_BIN)
    groups = grouping.group_of_bin[codes[known] - FIRST_BIN]
    known = known[groups >= 0]
    groups = groups[groups >= 0]
    w = rows.weights[known]
    n_groups = grouping.n_groups
    tables = {}
    for i in others.tolist() if n_groups > 1 else ():  # a single group needs no evidence
        n_codes = rows.schema.n_codes[i]
        place = rows.codes[i][known] * n_groups + groups
        flat = np.bincount(place, w, minlength=n_codes * n_groups)
        tables[j, i] = flat.reshape(n_codes, n_groups)
    return Beside(tables)


def count_all_beside(
    rows: ImputationRows, groups: Mapping[int, Grouping], others: Sequence[np.ndarray]
) -> Beside:
    """The same for the groups of all columns."""
    tables: dict[tuple[int, int], np.ndarray] = {}
    for j, grouping in groups.items():
        tables |= count_beside(rows, j, grouping, others[j]).tables
    return Beside(tables)
