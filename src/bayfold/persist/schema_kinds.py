"""What model files hold of schemas, and of tables that wait for more rows."""

from __future__ import annotations

import math

import numpy as np

from bayfold.core.counts import LabelledRows
from bayfold.core.frames import BagColumn, LabelColumn, NullColumn, StringColumn, Table
from bayfold.core.frames.columns import ArrayReader, NumberColumn
from bayfold.core.kernels.codes import NARROW_BINS, WIDE_BINS
from bayfold.core.schema import Coder, NominalColumn, NumericColumn, Schema
from bayfold.persist.checks import (
    FLOAT,
    expect_array,
    expect_counts,
    expect_finite,
    expect_increasing,
    expect_places,
    expect_whole,
)
from bayfold.persist.kinds import OMITTED, register
from bayfold.persist.reasons import expect

LONGEST_ZONE = 64
"""Characters of the name of a time zone; the longest of the database has 32."""


def check_numeric(column: NumericColumn) -> None:
    """Edges that increase, in codes of one byte where they are those of a column."""
    what = "a numeric column"
    expect_increasing(column.edges, (None,), what)
    expect_whole(column.n_bins, 1, WIDE_BINS + 1, what)
    expect(math.isfinite(column.shift) and 0 < column.scale < math.inf, what)
    expect_whole(column.max_values, 0, WIDE_BINS + 1, what)
    expect_whole(column.width_bins, 0, WIDE_BINS + 1, what)
    expect_increasing(column.added, (None,), what)
    if column.values is not None:
        expect_increasing(column.values, (None,), what)
        expect(column.is_empty or len(column.values) == column.n_bins, what)
    expect(column.zone is None or len(column.zone) <= LONGEST_ZONE, what)
    if column.width_edges is not None:
        expect_finite(column.width_edges, (None,), what)


def check_nominal(column: NominalColumn) -> None:
    """Categories that differ, no more than codes can tell apart."""
    expect(len(set(column.categories)) == len(column.categories), "the categories of a column")
    expect_whole(column.n_bins, 0, WIDE_BINS + 1, "the categories of a column")


def check_schema_kind(schema: Schema) -> None:
    """Numeric columns in codes of one byte; the target has no codes."""
    for column in schema.columns:
        few = column.kind != "numeric" or column.n_bins <= NARROW_BINS
        expect(few, "the edges of a column")


def check_labels(column: LabelColumn) -> None:
    """Every index has its label."""
    expect_places(column.indices, (None,), -1, len(column.distinct), "a column", np.int32)
    expect(column.kind == "nominal", "a column")


def check_numbers(column: NumberColumn) -> None:
    """As many numbers as rows."""
    expect_array(column.read.values, FLOAT, (column.n_rows,), "a column")  # type: ignore[attr-defined]
    expect(column.kind == "numeric", "a column")


def check_table(table: Table) -> None:
    """Columns of one length."""
    for column in table.columns:
        n_rows = getattr(column, "n_rows", None)  # of all but labels, which have an index for each
        found = len(column.labels()[0]) if n_rows is None else n_rows
        expect(found == table.n_rows, "the columns of a table")
    expect(table.names is None or len(table.names) == len(table.columns), "the names of a table")


def check_labelled_rows(rows: LabelledRows) -> None:
    """One group, weight and target per row."""
    n_rows = (rows.n_rows,)
    expect_places(rows.group_of, n_rows, -1, len(rows.groups), "the groups of rows", np.int32)
    if rows.weights is not None:
        expect_counts(rows.weights, n_rows, "the weights of rows")
    if rows.target is not None:
        expect_array(rows.target, FLOAT, n_rows, "the target of rows")
    expect(rows.groups.ndim == 1 and rows.kept is None, "the groups of rows")


register(NumericColumn, check_numeric)
register(NominalColumn, check_nominal)
register(Schema, check_schema_kind)
register(Coder)
register(ArrayReader)
register(NumberColumn, check_numbers, read=ArrayReader)
register(LabelColumn, check_labels)
register(NullColumn, lambda column: expect(column.kind == "empty", "a column"))
register(
    Table,
    check_table,
    columns=tuple[NumberColumn | LabelColumn | StringColumn | NullColumn | BagColumn, ...],
    matrix=OMITTED,  # the columns again
    index=OMITTED,
    whole=OMITTED,  # of sampled rows, which are not kept
)
register(LabelledRows, check_labelled_rows)
