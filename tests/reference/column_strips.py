"""Columns coded, counted and hashed one step after the other."""

from __future__ import annotations

import numpy as np

from tests.reference.count import count_codes
from tests.reference.encode import encode_rows
from tests.reference.hashing import hash_multiples, hash_rows


def encode_column(numbers, edges):
    """Codes, minimum and maximum of one column; takes its edges instead of a grid."""
    codes, minimum, maximum = encode_rows(numbers[:, None], [edges])
    return codes[:, 0], minimum[0], maximum[0]


def count_columns(narrow, wide, groups, n_groups, tables, words, limits):
    """Flat tables of narrow and wide columns, and (place, hash) of rows with small hashes; takes sizes of tables."""
    factors, narrow_starts, wide_starts, code_hashes = words
    n_rows = len(groups)
    codes = narrow[:, :n_rows].T, wide[:, :n_rows].T
    counts = [
        count_codes(own, groups, np.ones(n_rows), offsets, n_groups, size)
        for own, (offsets, size) in zip(codes, tables, strict=True)
    ]
    unmixed = hash_multiples(codes[0], factors, np.zeros(n_rows, np.uint64))
    rest = codes[0][:, len(factors) :]
    hashes = hash_rows(
        rest, codes[1], narrow_starts[len(factors) :], wide_starts, code_hashes, unmixed
    )
    small = np.array([i for i, h in enumerate(hashes) if h <= limits[groups[i]]], np.int64)
    return counts, (small, hashes[small])
