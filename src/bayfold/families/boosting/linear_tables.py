"""Linear models as tables: slopes and curves of single columns, and products of two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bayfold.families.boosting.pair_tables import PairTable, restore_codes


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
