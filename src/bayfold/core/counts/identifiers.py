"""Columns that name rows instead of describing them."""

from __future__ import annotations

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.kernels.codes import FIRST_BIN
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
