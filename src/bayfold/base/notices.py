"""Warnings about columns that cannot tell anything, and targets that cannot be told apart."""

from __future__ import annotations

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.counts.identifiers import find_identifiers
from bayfold.core.kernels.codes import FIRST_BIN
from bayfold.core.schema import NumericColumn
from bayfold.core.schema.target import TARGET_ROUNDING
from bayfold.errors import harmless_column, target_below_resolution, warn


def warn_about_target(target: NumericColumn, values: np.ndarray) -> None:
    """Say so when a target that varies was taken for a constant."""
    low, high = float(values.min()), float(values.max())
    if target.n_bins == 1 and high - low > TARGET_ROUNDING * max(abs(low), abs(high)):
        warn(target_below_resolution(low, high))


def warn_about_columns(counts: JointCounts) -> None:
    """One warning for each way in which columns are of no use, naming them."""
    found: dict[str, list[str]] = {"all missing": [], "constant": [], "identifier": []}
    assert counts.schema is not None
    columns = zip(counts.schema.columns, counts.tables, find_identifiers(counts), strict=True)
    for column_schema, table, is_identifier in columns:
        of_bin = table[FIRST_BIN:].sum(axis=1)
        known, n_values = of_bin.sum(), int((of_bin > 0).sum())
        if known == 0:
            found["all missing"].append(column_schema.name)
        elif n_values == 1:
            found["constant"].append(column_schema.name)
        elif is_identifier:
            found["identifier"].append(column_schema.name)
    for reason, names in found.items():
        if names:
            warn(harmless_column(names, reason))
