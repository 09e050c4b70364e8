"""Tables of one and of two columns that boosting begins with: cells of pairs, slopes, curves and products."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bayfold.families.boosting.kernels.inputs import BELOW, EQUAL
from bayfold.families.boosting.rounds.distinct_rows import DistinctRows


@dataclass(frozen=True, eq=False)
class PairGrid:
    """The cells of two columns.

    Attributes
    ----------
    columns : tuple of int
        Their positions among the one-byte columns, the earlier first.
    merges : tuple of ndarray of int
        The bin of each code; missing cells and every category have their own.
    """

    columns: tuple[int, int]
    merges: tuple[np.ndarray, np.ndarray]

    @property
    def shape(self) -> tuple[int, int]:
        """Bins of either column."""
        return int(self.merges[0].max()) + 1, int(self.merges[1].max()) + 1

    def find_cells(self, codes: np.ndarray) -> np.ndarray:
        """The cell of coded rows, row by row of the grid."""
        a, b = (m[codes[:, k]] for m, k in zip(self.merges, self.columns, strict=True))
        return a * self.shape[1] + b


@dataclass(frozen=True, eq=False)
class PairTable:
    """What the cells of two columns say.

    Attributes
    ----------
    columns : tuple of int
        Positions among the one-byte columns, the earlier first.
    merges : tuple of ndarray of int
        The bin of each code.
    table : ndarray of shape (n_bins, n_bins, n_scores)
    """

    columns: tuple[int, int]
    merges: tuple[np.ndarray, np.ndarray]
    table: np.ndarray

    @classmethod
    def of(cls, grid: PairGrid, evidence: np.ndarray) -> PairTable:
        """Of what each cell of a grid says; the last cells may lack, as no row has them."""
        a, b = grid.shape
        table = np.zeros((a * b, evidence.shape[1]))
        table[: len(evidence)] = evidence
        return cls(grid.columns, grid.merges, table.reshape(a, b, -1))

    def look_up(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """What codes of the two columns say together."""
        return self.table[self.merges[0][first], self.merges[1][second]]

    def plus(self, other: PairTable) -> PairTable:
        """The sum of two tables of the same columns, whose bins are told apart by either."""
        sides = []
        merges = []
        for mine, theirs in zip(self.merges, other.merges, strict=True):
            key = mine * (int(theirs.max()) + 1) + theirs
            _, first, merge = np.unique(key, return_index=True, return_inverse=True)
            sides.append(first)
            merges.append(merge)
        first, second = np.ix_(*sides)
        table = self.look_up(first, second) + other.look_up(first, second)
        return PairTable(self.columns, (merges[0], merges[1]), table)

    def scaled(self, factor: float) -> PairTable:
        """The table times a factor."""
        return replace(self, table=factor * self.table)

    def restored(self, columns: np.ndarray, codes: dict[int, np.ndarray]) -> PairTable:
        """The same where columns, and the codes of some, go back to where they stood."""
        merges = [
            restore_codes(m, codes.get(k)) for m, k in zip(self.merges, self.columns, strict=True)
        ]
        a, b = (int(columns[k]) for k in self.columns)
        if a > b:
            return PairTable((b, a), (merges[1], merges[0]), self.table.transpose(1, 0, 2))
        return PairTable((a, b), (merges[0], merges[1]), self.table)


@dataclass(frozen=True, eq=False)
class CellTable:
    """What the cells of two or three columns add to the scores.

    Attributes
    ----------
    positions : tuple of int
        Of the columns, among the one-byte and then the two-byte codes, in increasing order.
    merges : tuple of ndarray of int
        The bin of each code; 0 gives no evidence.
    table : ndarray of shape (n_bins, n_bins, [n_bins,] n_scores)
    """

    positions: tuple[int, ...]
    merges: tuple[np.ndarray, ...]
    table: np.ndarray

    def look_up(self, rows: DistinctRows) -> np.ndarray:
        """What the cells of rows add."""
        sides = zip(self.positions, self.merges, strict=True)
        return self.table[tuple(merge[rows.column(k)] for k, merge in sides)]


def restore_codes(table: np.ndarray, order: np.ndarray | None) -> np.ndarray:
    """A table whose codes go back to where they stood: see ``ContentOrder``."""
    if order is None:
        return table
    restored = table.copy()
    restored[order] = table
    return restored


def find_splits(merge: np.ndarray) -> np.ndarray:
    """Splits, as (kind, cut), that tell all bins of a column apart: categories and missing cells stand alone."""
    cuts = np.flatnonzero(np.diff(merge) != 0) + 1
    alone = np.flatnonzero(np.bincount(merge)[merge] == 1)
    kinds = np.append(np.full(len(cuts), BELOW), np.full(len(alone), EQUAL))
    return np.stack([kinds, np.append(cuts, alone)], axis=1)


@dataclass(frozen=True, eq=False)
class LinearTables:
    """A linear model as one table per column.

    Attributes
    ----------
    intercept : ndarray of shape (n_scores,)
        What is added to the scores of the prior.
    tables : tuple of ndarray of shape (n_codes, n_scores)
        Of the one-byte columns.
    """

    intercept: np.ndarray
    tables: tuple[np.ndarray, ...]

    def restored(self, columns: np.ndarray, codes: dict[int, np.ndarray]) -> LinearTables:
        """The same where columns, and the codes of some, go back to where they stood."""
        tables = list(self.tables)
        for place, table in enumerate(self.tables):
            tables[columns[place]] = restore_codes(table, codes.get(place))
        return replace(self, tables=tuple(tables))


@dataclass(frozen=True, eq=False)
class CurvedTables(LinearTables):
    """A linear model with tables of two columns; a kind of its own, as files of models without them have none."""

    pairs: tuple[PairTable, ...] = ()

    def restored(self, columns: np.ndarray, codes: dict[int, np.ndarray]) -> CurvedTables:
        """The same where columns, and the codes of some, go back to where they stood."""
        pairs = tuple(pair.restored(columns, codes) for pair in self.pairs)
        return replace(self, **vars(super().restored(columns, codes)) | {"pairs": pairs})


def find_products(linear: LinearTables | None) -> tuple[PairTable, ...]:
    """The tables of two columns that a linear model has, if any."""
    return getattr(linear, "pairs", ())


def add_linear(parts: Sequence[LinearTables], weights: Sequence[float]) -> LinearTables:
    """The weighted sum of linear models whose tables have the same bins."""
    intercept = sum(w * part.intercept for w, part in zip(weights, parts, strict=True))
    by_column = zip(*(part.tables for part in parts), strict=True)
    tables = tuple(_add(of_column, weights) for of_column in by_column)
    pairs: dict[tuple[int, int], PairTable] = {}
    for weight, part in zip(weights, parts, strict=True):
        for pair in find_products(part) if weight > 0 else ():
            known = pairs.get(pair.columns)
            more = weight * pair.table
            table = more if known is None else known.table + more
            pairs[pair.columns] = replace(pair, table=table)
    if pairs:
        return CurvedTables(np.asarray(intercept), tables, tuple(pairs.values()))
    return LinearTables(np.asarray(intercept), tables)


def _add(tables: Sequence[np.ndarray], weights: Sequence[float]) -> np.ndarray:
    return np.asarray(sum(w * table for w, table in zip(weights, tables, strict=True)))
