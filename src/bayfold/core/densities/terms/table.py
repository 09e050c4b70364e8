"""A table over the codes of a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from bayfold.core import kernels
from bayfold.core.densities.terms.forms import CodedForm
from bayfold.core.densities.terms.protocol import Packing, multiply, stack_tables
from bayfold.core.schema import NumericColumn, RowBlock


@dataclass(frozen=True, eq=False)
class TableTerm:
    """``log_table[code, group]``.

    Attributes
    ----------
    column : int
    log_table : ndarray of shape (n_codes, n_groups)
        Log-probability. Rows of zeros give no evidence.
    merge : ndarray of int or None
        The coarse bin of each fine bin; None if every bin stands for itself.
    log_unit : ndarray of shape (n_codes,) or None
        What turns log-probabilities into log-densities: minus the log-width of a numeric bin. The same for all
        groups, so it matters only for log p(x), and is kept apart so that no unit leaves its rounding in the evidence.
    """

    column: int
    log_table: np.ndarray
    merge: np.ndarray | None = None
    log_unit: np.ndarray | None = None
    kind: str = field(default="table", init=False)

    @property
    def log_density(self) -> np.ndarray:
        """Log-probability of categories, log-density of numbers."""
        return self.log_table if self.log_unit is None else self.log_table + self.log_unit[:, None]

    def scaled(self, weight: float) -> TableTerm:
        """The term with its evidence multiplied."""
        return replace(self, log_table=multiply(self.log_table, weight))

    def tabulate(self, centres: np.ndarray | None = None) -> np.ndarray:
        """The table itself."""
        return self.log_table

    def form(self, packing: Packing) -> CodedForm:
        """The table, and the edges of the bins of numbers."""
        column_schema = packing.schema.columns[self.column]
        edges = column_schema.edges if isinstance(column_schema, NumericColumn) else None
        return CodedForm(edges, packing.weigh(self.log_table))

    @classmethod
    def pack(cls, terms: Sequence[TableTerm], packing: Packing) -> PackedTables:
        """One flat table for one-byte codes and one for two-byte codes."""
        tables = {
            term.column: packing.weigh(term.log_table if packing.centred else term.log_density)
            for term in terms
        }
        schema = packing.schema
        return PackedTables(
            _stack_columns(schema.narrow, tables), _stack_columns(schema.wide, tables)
        )


@dataclass(frozen=True, eq=False)
class StackedTables:
    """Tables of columns whose codes have one width.

    Attributes
    ----------
    positions : ndarray of int or None
        Of the columns with a table among those of this width; None for all of them.
    offsets, tables : ndarray
        Where the table of each of these columns begins, and all tables.
    """

    positions: np.ndarray | None
    offsets: np.ndarray
    tables: np.ndarray

    def add_scores(self, codes: np.ndarray, scores: np.ndarray) -> None:
        """Add the entries of each row's codes."""
        if self.positions is not None:
            codes = np.ascontiguousarray(codes[:, self.positions])
        kernels.score_tables(codes, self.offsets, self.tables, scores)


@dataclass(frozen=True, eq=False)
class PackedTables:
    """Tables by the width of their columns' codes; None where none says anything."""

    narrow: StackedTables | None
    wide: StackedTables | None

    def add_scores(self, block: RowBlock, scores: np.ndarray) -> None:
        """Add the entries of each row's codes."""
        if self.narrow is not None:
            self.narrow.add_scores(block.narrow, scores)
        if self.wide is not None:
            self.wide.add_scores(block.wide, scores)


def _stack_columns(columns: np.ndarray, tables: dict[int, np.ndarray]) -> StackedTables | None:
    chosen = [k for k, j in enumerate(columns.tolist()) if j in tables]
    stacked = [tables[int(columns[k])] for k in chosen]
    if not any(table.any() for table in stacked):
        return None
    positions = None if len(chosen) == len(columns) else np.array(chosen, np.int64)
    return StackedTables(positions, *stack_tables(stacked))
