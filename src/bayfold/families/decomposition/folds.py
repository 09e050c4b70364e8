"""Folds of raw rows, class by class."""

from __future__ import annotations

import numpy as np

from bayfold.core.counts.folds import deal_whole_rows
from bayfold.core.frames import Table
from bayfold.core.schema import Coder, infer_schema
from bayfold.families.mixtures.rows import hash_contents


def deal_by_class(
    table: Table, group_of: np.ndarray, n_folds: int, rng: np.random.RandomState
) -> np.ndarray:
    """The fold of each row: equal rows together, the rows of each class spread evenly."""
    schema = infer_schema(table)
    block = Coder(schema).open(table).block(0, table.n_rows)
    hashes = hash_contents(block, schema, dict.fromkeys(range(len(schema.columns)), "gaussian"))
    fold_of = np.zeros(table.n_rows, np.int64)
    start = 0
    for group in np.unique(group_of):
        rows = np.flatnonzero(group_of == group)
        distinct, inverse = np.unique(hashes[rows], return_inverse=True)
        fold_of[rows] = deal_whole_rows(len(distinct), n_folds, rng, start)[inverse]
        # the next class goes on where this one ended: no fold gets all remainders
        start += len(distinct)
    return fold_of
