"""Warnings about columns that cannot tell anything, and targets that cannot be told apart."""

from __future__ import annotations

import numpy as np

from bayfold.core.counts import JointCounts, RowSample
from bayfold.core.counts.copies import find_units
from bayfold.core.counts.identifiers import DISTINCT_SHARE, find_identifiers
from bayfold.core.kernels.codes import FIRST_BIN
from bayfold.core.schema import NominalColumn, NumericColumn
from bayfold.core.schema.target import TARGET_ROUNDING
from bayfold.errors import categories_merged, harmless_column, target_below_resolution, warn


def warn_about_target(target: NumericColumn, values: np.ndarray) -> None:
    """Say so when a target that varies was taken for a constant."""
    low, high = float(values.min()), float(values.max())
    if target.n_bins == 1 and high - low > TARGET_ROUNDING * max(abs(low), abs(high)):
        warn(target_below_resolution(low, high))


def warn_about_columns(counts: JointCounts, sample: RowSample | None = None) -> None:
    """One warning for each way in which columns are of no use, naming them, and for categories that are merged.

    With a sample of the rows, an identifier is known as one however often its rows are copied.
    """
    found: dict[str, list[str]] = {"all missing": [], "constant": [], "identifier": []}
    assert counts.schema is not None
    is_identifier = find_identifiers(
        counts if sample is None else _count_copies_once(counts, sample)
    )
    columns = zip(counts.schema.columns, counts.tables, is_identifier, strict=True)
    for column_schema, table, names_rows in columns:
        of_bin = table[FIRST_BIN:].sum(axis=1)
        known, n_values = of_bin.sum(), int((of_bin > 0).sum())
        if known == 0:
            found["all missing"].append(column_schema.name)
        elif n_values == 1:
            found["constant"].append(column_schema.name)
        elif names_rows:
            found["identifier"].append(column_schema.name)
    for reason, names in found.items():
        if names:
            warn(harmless_column(names, reason))
    for column_schema, table in zip(counts.schema.columns, counts.tables, strict=True):
        if isinstance(column_schema, NominalColumn) and column_schema.has_other:
            n_rows, n_kept = float(table[-1].sum()), len(column_schema.categories)
            if n_rows > 0:
                warn(categories_merged(column_schema.name, n_kept, n_rows))


def _count_copies_once(counts: JointCounts, sample: RowSample) -> JointCounts:
    """The counts as models weigh them; as they are unless some column has a category for nearly every sampled row."""
    most = max(
        (int((table[FIRST_BIN:] > 0).any(axis=1).sum()) for table in counts.tables), default=0
    )
    if not sample.n_rows or most < DISTINCT_SHARE * sample.n_rows:
        return counts
    share = find_units(counts, sample.block(), sample.group_of, sample.weights).share
    return counts.scaled(share)
