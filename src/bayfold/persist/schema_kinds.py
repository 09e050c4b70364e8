"""What model files hold of schemas, of statistics, and of tables that wait for more rows."""

from __future__ import annotations

import math

import numpy as np

from bayfold.core.counts import JointCounts, LabelledRows, RowSample, Statistics
from bayfold.core.counts.row_hashes import LARGEST_HASH
from bayfold.core.counts.target_axis import TARGET
from bayfold.core.frames import BagColumn, LabelColumn, NullColumn, StringColumn, Table
from bayfold.core.frames.cells import SIGNS
from bayfold.core.frames.columns import ArrayReader, NumberColumn
from bayfold.core.frames.notation import Notation, take_apart
from bayfold.core.kernels.encode import FIRST_BIN, NARROW_BINS, WIDE_BINS
from bayfold.core.schema import Coder, NominalColumn, NumericColumn, Schema
from bayfold.persist import checks
from bayfold.persist.kinds import OMITTED, register

LONGEST_ZONE = 64
"""Characters of the name of a time zone; the longest of the database has 32."""


def check_numeric(column: NumericColumn) -> None:
    """Edges that increase, in codes of one byte where they are those of a column."""
    what = "a numeric column"
    checks.expect_increasing(column.edges, (None,), what)
    checks.expect_whole(column.n_bins, 1, WIDE_BINS + 1, what)
    checks.expect(math.isfinite(column.shift) and 0 < column.scale < math.inf, what)
    checks.expect_whole(column.max_values, 0, WIDE_BINS + 1, what)
    checks.expect_whole(column.width_bins, 0, WIDE_BINS + 1, what)
    checks.expect_increasing(column.added, (None,), what)
    checks.expect_increasing(np.array(column.special, np.float64), (None,), what)
    if column.atoms is not None:
        checks.expect_increasing(column.atoms, (None,), what)
    checks.expect(column.values is not None or len(column.added) == 0, what)
    if column.values is not None:
        checks.expect_increasing(column.values, (None,), what)
        checks.expect(bool(np.isin(column.added, column.values).all()), what)
        checks.expect(column.is_empty or len(column.values) == column.n_bins, what)
    checks.expect(column.zone is None or len(column.zone) <= LONGEST_ZONE, what)
    if column.width_edges is not None:
        checks.expect_finite(column.width_edges, (None,), what)


def check_notation(notation: Notation) -> None:
    """A decimal sign, and a unit that a cell can have."""
    checks.expect(notation.decimal in SIGNS, "how numbers are written")
    example = take_apart(notation.show("12"))
    checks.expect(example is not None and example.unit == notation.unit, "how numbers are written")


def check_nominal(column: NominalColumn) -> None:
    """Categories that differ, no more than codes can tell apart."""
    checks.expect(
        len(set(column.categories)) == len(column.categories), "the categories of a column"
    )
    checks.expect_whole(column.n_bins, 0, WIDE_BINS + 1, "the categories of a column")
    for group in column.members:
        checks.expect(
            len(group) > 1 and group[0] in column.categories, "the categories of a column"
        )


def check_schema_kind(schema: Schema) -> None:
    """Numeric columns in codes of one byte; the target has no codes."""
    for column in schema.columns:
        few = column.kind != "numeric" or column.n_codes <= NARROW_BINS + FIRST_BIN
        checks.expect(few, "the edges of a column")


def check_labels(column: LabelColumn) -> None:
    """Every index has its label."""
    checks.expect_places(column.indices, (None,), -1, len(column.distinct), "a column", np.int32)
    checks.expect(column.kind == "nominal", "a column")


def check_numbers(column: NumberColumn) -> None:
    """As many numbers as rows."""
    checks.expect_array(column.read.values, checks.FLOAT, (column.n_rows,), "a column")  # type: ignore[attr-defined]
    checks.expect(column.kind == "numeric", "a column")


def check_table(table: Table) -> None:
    """Columns of one length."""
    for column in table.columns:
        n_rows = getattr(column, "n_rows", None)  # of all but labels, which have an index for each
        found = len(column.labels()[0]) if n_rows is None else n_rows
        checks.expect(found == table.n_rows, "the columns of a table")
    checks.expect(
        table.names is None or len(table.names) == len(table.columns), "the names of a table"
    )


def check_labelled_rows(rows: LabelledRows) -> None:
    """One group, weight and target per row."""
    n_rows = (rows.n_rows,)
    checks.expect_places(
        rows.group_of, n_rows, -1, len(rows.groups), "the groups of rows", np.int32
    )
    if rows.weights is not None:
        checks.expect_counts(rows.weights, n_rows, "the weights of rows")
    if rows.target is not None:
        checks.expect_array(rows.target, checks.FLOAT, n_rows, "the target of rows")
    checks.expect(rows.groups.ndim == 1 and rows.kept is None, "the groups of rows")


register(Notation, check_notation)
register(NumericColumn, check_numeric)
register(NominalColumn, check_nominal)
register(Schema, check_schema_kind)
register(Coder)
register(ArrayReader)
register(NumberColumn, check_numbers, read=ArrayReader)
register(LabelColumn, check_labels)
register(NullColumn, lambda column: checks.expect(column.kind == "empty", "a column"))
register(
    Table,
    check_table,
    columns=tuple[NumberColumn | LabelColumn | StringColumn | NullColumn | BagColumn, ...],
    matrix=OMITTED,  # the columns again
    index=OMITTED,
    whole=OMITTED,  # of sampled rows, which are not kept
)
register(LabelledRows, check_labelled_rows)


LARGEST_SAMPLE = 1 << 32
"""Rows that a sample can be asked to keep; it keeps some ten thousand."""


def check_counts(counts: JointCounts) -> None:
    """One table per column, of its codes by groups."""
    if counts.schema is None:
        checks.expect(not counts.tables and not counts.groups.size, "the counts of no rows")
        return
    n_codes = counts.schema.n_codes
    n_groups = len(counts.groups)
    n_numeric = counts.schema.numeric
    checks.expect_labels(counts.groups, n_groups, "the groups of counts")
    checks.expect(len(counts.tables) == len(n_codes), "the tables of counts")
    for table, n in zip(counts.tables, n_codes, strict=True):
        checks.expect_counts(table, (n, n_groups), "the tables of counts")
    checks.expect_counts(counts.totals, (n_groups,), "the totals of counts")
    for bounds in (counts.minimum, counts.maximum):  # infinite where nothing is known
        checks.expect_floats(bounds, (len(n_numeric),), "the bounds of counts")
    checks.expect(set(counts.moments) <= {TARGET, *n_numeric.tolist()}, "the moments of counts")
    for sums in counts.moments.values():
        checks.expect_floats(sums, (3, n_groups), "the moments of counts")
        checks.expect_counts(sums[0], (n_groups,), "the moments of counts")
        checks.expect(bool((sums[2] >= 0).all()), "the moments of counts")


def check_sample(sample: RowSample) -> None:
    """Rows in codes that the schema has, in the order of their hashes."""
    n_rows = len(sample.hashes)
    checks.expect_array(sample.hashes, np.uint64, (None,), "the hashes of a sample")
    checks.expect(bool((sample.hashes[1:] > sample.hashes[:-1]).all()), "the hashes of a sample")
    checks.expect_whole(sample.threshold, 0, LARGEST_HASH + 1, "the threshold of a sample")
    checks.expect_whole(sample.size, 0, LARGEST_SAMPLE, "the size of a sample")
    checks.expect_counts(sample.weights, (n_rows,), "the weights of a sample")
    checks.expect_array(sample.numbers, checks.FLOAT, (n_rows, None), "the numbers of a sample")
    if sample.units is not None:
        checks.expect_array(sample.units, np.uint64, (n_rows,), "the units of a sample")
    if sample.time is not None:
        checks.expect_finite(sample.time, (n_rows,), "the times of a sample")
    groups = len(sample.groups)
    if sample.bounds is not None:
        checks.expect_array(sample.bounds, np.uint64, (groups,), "the bounds of a sample")
    checks.expect_places(sample.group_of, (n_rows,), 0, groups, "the groups of a sample", np.int32)
    if sample.schema is None:
        checks.expect(n_rows == 0, "the sample of no rows")
        return
    _check_codes(sample.narrow, sample.schema, sample.schema.narrow, n_rows, np.uint8)
    _check_codes(sample.wide, sample.schema, sample.schema.wide, n_rows, np.uint16)
    checks.expect(len(sample.words) == len(sample.schema.text), "the words of a sample")
    checks.expect(all(words.n_rows == n_rows for words in sample.words), "the words of a sample")


def _check_codes(
    codes: np.ndarray, schema: Schema, columns: np.ndarray, n_rows: int, dtype: type
) -> None:
    checks.expect_array(codes, dtype, (n_rows, len(columns)), "the codes of a sample")
    n_codes = np.array([schema.n_codes[j] for j in columns.tolist()], np.int64)
    checks.expect(bool((codes.max(axis=0, initial=0) < n_codes).all()), "the codes of a sample")


def check_statistics(statistics: Statistics) -> None:
    """Counts and sample of the same rows."""
    counts = statistics.counts
    sample = statistics.sample
    checks.expect(sample.schema is None or sample.schema == counts.schema, "the schema of a sample")
    if sample.schema is not None:
        alike = sample.groups.tolist() == counts.groups.tolist()
        checks.expect(alike, "the groups of a sample")
    words = statistics.words
    if counts.schema is not None and counts.schema.text:
        checks.expect(words.schema == counts.schema, "the schema of words")
        checks.expect(words.groups.tolist() == counts.groups.tolist(), "the groups of words")


register(JointCounts, check_counts)
register(RowSample, check_sample)
register(Statistics, check_statistics)
