"""From labelled rows to statistics."""

from __future__ import annotations

from dataclasses import replace

from bayfold.core.counts import LabelledRows, Statistics
from bayfold.core.counts.sample_limits import SampleLimits
from bayfold.core.counts.target_axis import TARGET, moments_of_target
from bayfold.core.engine.reduce import reduce_table
from bayfold.core.schema import Coder, Schema, extend_schema


def learn_statistics(
    rows: LabelledRows,
    schema: Schema,
    *,
    moment_columns: tuple[int, ...] = (),
    n_threads: int = 1,
    limits: SampleLimits | None = None,
) -> Statistics:
    """Statistics of rows under a schema, which grows by the categories and values it does not know yet.

    Parameters
    ----------
    rows, schema
    moment_columns, n_threads, limits
        As for ``reduce_table``.
    """
    coded = Coder(extend_schema(schema, rows.table)).open(rows.table)
    return reduce_table(
        coded, rows, moment_columns=moment_columns, n_threads=n_threads, limits=limits
    )


def learn_target_statistics(
    rows: LabelledRows,
    schema: Schema,
    *,
    keep_numbers: bool = False,
    n_threads: int = 1,
    limits: SampleLimits | None = None,
) -> Statistics:
    """Statistics of rows with a numeric target, grouped by its cells, which are part of the schema.

    Parameters
    ----------
    rows, schema
    keep_numbers, n_threads, limits
        As for ``reduce_table``.
    """
    rows = rows.in_cells(schema)
    coded = Coder(extend_schema(schema, rows.table)).open(rows.table)
    statistics = reduce_table(
        coded, rows, keep_numbers=keep_numbers, n_threads=n_threads, limits=limits
    )
    assert schema.target is not None
    assert rows.target is not None
    moments = moments_of_target(schema.target, rows.group_of, rows.target, rows.weights)
    counts = replace(statistics.counts, moments={TARGET: moments})
    return replace(statistics, counts=counts)
