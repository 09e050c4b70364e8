"""Columns that name rows instead of describing them.

Of columns of many values those are found whose evidence held-out rows do not confirm: it is chance.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from bayfold.core import kernels
from bayfold.core.counts import JointCounts
from bayfold.core.counts.fold_counts import Folds
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


def confirm_in_folds(
    folds: Iterable[tuple[np.ndarray, np.ndarray]], starts: np.ndarray, n_codes: np.ndarray
) -> np.ndarray:
    """The same by rows of folds, inside and outside each, where single rows tell about each other.

    Many rows per value confirm nothing then: they may be those of one unit.
    """
    is_value = np.ones(int(n_codes.sum()), bool)
    is_value[starts] = False
    is_value[starts + 1] = False
    gain: Any = 0.0
    occurs: Any = 0.0
    for inside, outside in folds:
        known = np.where(is_value[:, None], outside, 0.0)
        share = np.add.reduceat(known, starts, axis=1)
        share = np.repeat(share / np.maximum(share.sum(axis=2, keepdims=True), 1e-300), n_codes, 1)
        left = known + GROUP_STRENGTH * share
        ratio = left / np.maximum((known.sum(axis=2) + GROUP_STRENGTH)[:, :, None] * share, 1e-300)
        # of a group that is inside alone nothing is known
        told = np.where(is_value[:, None] & (share > 0), inside, 0.0)
        gain = gain + np.add.reduceat((told * np.log(np.maximum(ratio, 1e-300))).sum(2), starts, 1)
        occurs = occurs + np.where(is_value, (inside + outside).sum(axis=2), 0.0)
    n_values = np.add.reduceat((occurs > 0).astype(np.int64), starts, axis=1)
    return (gain > LEAST_LEFT_OUT_GAIN) | (n_values <= SAFE_VALUES)


def find_unconfirmed(counts: JointCounts, folds: Folds | None = None) -> np.ndarray:
    """Which nominal columns are of many values and not confirmed, by single rows left out or by folds of units.

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
            n_codes = np.array([table.shape[1]])
            if folds is None:
                found[j] = not confirm_columns(table, start, n_codes)[0, 0]
            else:
                parts = ((f.inside(j)[None], f.outside.tables[j][None]) for f in folds.folds)
                found[j] = not confirm_in_folds(parts, start, n_codes)[0, 0]
    return found
