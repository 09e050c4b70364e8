"""From a table and the groups of its rows to statistics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayfold.core.counts import Statistics
from bayfold.core.engine import fold_table
from bayfold.core.frames import Table
from bayfold.core.schema import Coder, NominalColumn, Schema


def learn_statistics(
    table: Table,
    schema: Schema,
    groups: np.ndarray,
    group_of: np.ndarray,
    weights: np.ndarray | None = None,
    moment_columns: tuple[int, ...] = (),
    n_threads: int = 1,
    threshold: int | None = None,
    kept_target: np.ndarray | None = None,
) -> Statistics:
    """Statistics of a table under a schema, which grows by the categories it does not know yet."""
    schema = extend_categories(schema, table)
    coded = Coder.of(schema).open(table)
    return fold_table(
        coded, groups, group_of, weights, moment_columns, n_threads, threshold, kept_target
    )


def extend_categories(schema: Schema, table: Table) -> Schema:
    """The schema with every category of the table; the same object if it had them all."""
    columns = list(schema.columns)
    for j, described in enumerate(columns):
        column = table.columns[j]
        if isinstance(described, NominalColumn) and described.accepts(column):
            columns[j] = described.extended(column.labels()[1])
    changed = any(new is not old for new, old in zip(columns, schema.columns, strict=True))
    return replace(schema, columns=tuple(columns)) if changed else schema
