"""Folds of raw rows, class by class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core.counts import LabelledRows, RowWords
from bayfold.core.counts.copies import find_units
from bayfold.core.counts.equal_rows import collapse_equal_rows
from bayfold.core.counts.folds import deal_rows
from bayfold.core.counts.frequency_words import FrequencyWords
from bayfold.core.counts.layout import count_block
from bayfold.core.schema import Coder, infer_schema


@dataclass(frozen=True, eq=False)
class DealtByClass:
    """Raw rows dealt to folds.

    Attributes
    ----------
    fold_of : ndarray of int
        The fold of each row.
    share : float
        Effective rows per weight: copies of a row tell no more than the row.
    """

    fold_of: np.ndarray
    share: float


def deal_by_class(rows: LabelledRows, n_folds: int, rng: np.random.RandomState) -> DealtByClass:
    """Deal the rows of each class evenly, equal rows together: any classifier may know a row by heart."""
    schema, group_of = infer_schema(rows.table), rows.group_of
    coder = Coder(schema)
    ranges = coder.new_ranges()
    block = coder.open(rows.table).block(0, rows.n_rows, ranges)
    hashes = RowWords(schema, rows.groups).hash_values(block, group_of, schema.numeric.tolist())
    equal = collapse_equal_rows(hashes, rows.weights)
    distinct, group_of = block.take(equal.first), group_of[equal.first]
    whole = np.ones(len(group_of), np.int64)
    counts = count_block(distinct, schema, rows.groups, group_of, equal.weights, ranges)
    words = FrequencyWords(counts)
    order = words.shuffle_rows(distinct, group_of, rng.randint(np.iinfo(np.int32).max))
    dealt = deal_rows(words.sort_by_group(order, group_of), equal.weights, whole, n_folds)
    fold_of = np.empty(len(group_of), np.int64)
    fold_of[dealt.row] = dealt.fold
    found = find_units(counts, distinct, group_of, equal.weights)
    return DealtByClass(fold_of[equal.inverse], found.share)
