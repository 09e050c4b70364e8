"""Folds of raw rows, class by class."""

from __future__ import annotations

import numpy as np

from bayfold.core.counts import RowWords
from bayfold.core.counts.equal_rows import collapse_equal_rows
from bayfold.core.counts.folds import deal_rows
from bayfold.core.counts.frequency_words import FrequencyWords
from bayfold.core.counts.layout import count_block
from bayfold.core.frames import Table
from bayfold.core.schema import Coder, infer_schema


def deal_by_class(
    table: Table, groups: np.ndarray, group_of: np.ndarray, n_folds: int, rng: np.random.RandomState
) -> np.ndarray:
    """The fold of each row: the rows of each class spread evenly, equal rows together.

    Any classifier may know a row by heart.
    """
    schema = infer_schema(table)
    coder = Coder(schema)
    ranges = coder.new_ranges()
    block = coder.open(table).block(0, table.n_rows, ranges)
    hashes = RowWords(schema, groups).hash_values(block, group_of, schema.numeric.tolist())
    equal = collapse_equal_rows(hashes, None)
    first, ones = equal.first, np.ones(len(equal.first))
    distinct = block.take(first)
    words = FrequencyWords(count_block(distinct, schema, groups, group_of[first], ones, ranges))
    order = words.shuffle_rows(distinct, group_of[first], rng.randint(np.iinfo(np.int32).max))
    turns = words.sort_by_group(order, group_of[first])
    dealt = deal_rows(turns, ones, np.ones(len(first), np.int64), n_folds)
    fold_of = np.empty(len(first), np.int64)
    fold_of[dealt.row] = dealt.fold
    return fold_of[equal.inverse]
