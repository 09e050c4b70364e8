"""A schema that covers a table: with the categories, and the values of columns of few values, it did not know yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from bayfold.core import kernels
from bayfold.core.frames import Column, Table
from bayfold.core.kernels.encode import FIRST_BIN, NARROW_BINS
from bayfold.core.schema.edges import find_midpoints
from bayfold.core.schema.grids import Grids
from bayfold.core.schema.types import ColumnSchema, NominalColumn, NumericColumn, Schema
from bayfold.core.schema.written import notations_of, read_written

LOOK_CELLS = 1 << 18
"""Cells looked at together: two megabytes of numbers, which a core's cache holds."""


def extend_schema(schema: Schema, table: Table) -> Schema:
    """The schema with every category and every value of the table; the same object if it had them all.

    Values count where each has a bin of its own: see ``NumericColumn.max_values``.
    """
    table = read_written(table, notations_of(schema))
    columns: list[ColumnSchema] = list(schema.columns)
    growing: dict[int, np.ndarray] = {}
    for j, column_schema in enumerate(schema.columns):
        column = table.columns[j]
        if isinstance(column_schema, NominalColumn):
            if column_schema.accepts(column):
                columns[j] = column_schema.extended(column.labels()[1])
        elif isinstance(column_schema, NumericColumn) and _may_grow(column_schema, column):
            assert column_schema.values is not None
            growing[j] = column_schema.values
    for j, values in find_new_values(table, growing).items():
        column_schema = columns[j]
        assert isinstance(column_schema, NumericColumn)
        if column_schema.is_empty:
            column_schema = replace(column_schema, zone=table.columns[j].zone)
        columns[j] = column_schema.extended(values)
    changed = any(new is not old for new, old in zip(columns, schema.columns, strict=True))
    return replace(schema, columns=tuple(columns)) if changed else schema


def _may_grow(column_schema: NumericColumn, column: Column) -> bool:
    """Whether the numbers of a column may be new values; what does not fit the schema is refused by the coder."""
    alike = column_schema.is_empty or column.is_time == column_schema.is_time
    has_values = column_schema.values is not None and column_schema.max_values > 0
    return has_values and column.kind == "numeric" and alike


def find_new_values(table: Table, known: Mapping[int, np.ndarray]) -> dict[int, np.ndarray]:
    """The finite values of some columns, over all rows, beside those known: by column, where there are any.

    A column that was seen whole when its schema was inferred is not read again.
    """
    seen = {j: table.few_values[j] for j in known if j in table.few_values}
    found = {j: [np.setdiff1d(values, known[j])] for j, values in seen.items()}
    unseen = [j for j in known if j not in seen]
    if unseen:
        for j, values in _look(table, {j: known[j] for j in unseen}):
            found.setdefault(j, []).append(values)
    united = {j: np.unique(np.concatenate(parts)) for j, parts in found.items()}
    return {j: values for j, values in united.items() if len(values)}


def _look(table: Table, known: Mapping[int, np.ndarray]) -> Iterator[tuple[int, np.ndarray]]:
    """Column and new values of each block of rows that has some: code the rows, compare with what codes stand for."""
    grids = Grids([find_midpoints(v[:-1], v[1:]) for v in known.values()])
    value_of_code = np.full((len(known), NARROW_BINS + FIRST_BIN), np.nan)
    for k, values in enumerate(known.values()):
        value_of_code[k, FIRST_BIN : FIRST_BIN + len(values)] = values
    columns = np.array(list(known), np.int64)
    n_rows = max(LOOK_CELLS // len(columns), 1)
    codes = np.empty((n_rows, len(columns)), np.uint8)
    minimum, maximum = np.full((2, len(columns)), np.nan)  # not asked for
    for start in range(0, table.n_rows, n_rows):
        block = table.numbers(columns, start, min(start + n_rows, table.n_rows))
        coded = codes[: len(block)]
        counts = np.zeros(len(columns), np.int64)
        grids.encode(block, coded, minimum, maximum)
        kernels.count_unknown(block, coded, value_of_code, counts)
        for k in np.flatnonzero(counts).tolist():
            j = int(columns[k])
            yield j, np.setdiff1d(block[np.isfinite(block[:, k]), k], known[j])
