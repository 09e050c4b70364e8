"""Columns that name rows instead of describing them.

Of columns of many values those are found whose evidence held-out rows do not confirm: it is chance.
"""

from __future__ import annotations

import numpy as np

from bayfold.core import kernels
from bayfold.core.counts import JointCounts
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import NominalColumn

DISTINCT_SHARE = 0.9
"""Share of known cells that stand alone from which on a category can hardly come again."""

LEAST_KNOWN_CELLS = 20
"""Fewer cells are often all different by chance."""


def find_identifiers(counts: JointCounts) -> np.ndarray:
    """Which columns have nearly as many categories as rows.

    Such a category knows its own row by heart and no other.

    Returns
    -------
    is_identifier : ndarray of bool of shape (n_columns,)
    """
    assert counts.schema is not None
    found = np.zeros(len(counts.tables), np.bool_)
    for j, column_schema in enumerate(counts.schema.columns):
        if isinstance(column_schema, NominalColumn):
            of_bin = counts.tables[j][FIRST_BIN:].sum(axis=1)
            known = of_bin.sum()
            found[j] = known >= LEAST_KNOWN_CELLS and (of_bin > 0).sum() >= DISTINCT_SHARE * known
    return found


GROUP_STRENGTH = 2.0
"""Rows that the shares of all groups count for in each value: as many as the m-estimate's by default."""

SAFE_VALUES = 8
"""Up to here a column costs little by chance, and need say nothing alone: it may say something with others."""

SAFE_ROWS = 100.0
"""The same for columns of more values with so many rows in each: a share is then known to five points or better."""

LEAST_LEFT_OUT_GAIN = 1e-9
"""Gains are sums of differences: what is smaller is rounding."""


def confirm_columns(counts: np.ndarray, starts: np.ndarray, n_codes: np.ndarray) -> np.ndarray:
    """Whether rows left out find their group more probable by a column, in every part (parts x codes x groups).

    Columns of few values, or with many rows per value, are confirmed whatever they say.
    """
    gain = np.empty((len(counts), len(starts)))
    kernels.find_left_out_gains(
        counts, starts, n_codes, GROUP_STRENGTH, SAFE_VALUES, SAFE_ROWS, gain
    )
    return gain > LEAST_LEFT_OUT_GAIN


def find_unconfirmed(counts: JointCounts) -> np.ndarray:
    """Which nominal columns are of many values and not confirmed.

    Returns
    -------
    is_unconfirmed : ndarray of bool of shape (n_columns,)
    """
    assert counts.schema is not None
    found = np.zeros(len(counts.tables), np.bool_)
    start = np.zeros(1, np.int64)
    for j, column_schema in enumerate(counts.schema.columns):
        if isinstance(column_schema, NominalColumn):
            table = np.ascontiguousarray(counts.tables[j], np.float64)[None]
            found[j] = not confirm_columns(table, start, np.array([table.shape[1]]))[0, 0]
    return found
