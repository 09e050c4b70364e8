"""Rows of numbers coded, counted and hashed one step after the other."""

from __future__ import annotations

import numpy as np

from tests.reference.count import count_codes
from tests.reference.encode import encode_rows
from tests.reference.hashing import hash_multiples, mix_hashes


def count_numbers(values, edges_of_columns, groups, n_groups, tables, factors, limits):
    """Flat tables, ranges, and the (place, hash, codes) of rows with small hashes; takes edges instead of a grid."""
    offsets, size = tables
    codes, minimum, maximum = encode_rows(values, edges_of_columns)
    counts = count_codes(codes, groups, np.ones(len(codes)), offsets, n_groups, size)
    hashes = mix_hashes(hash_multiples(codes, factors, np.zeros(len(codes), np.uint64)))
    small = np.array([i for i, h in enumerate(hashes) if h <= limits[groups[i]]], np.int64)
    return counts, (minimum, maximum), (small, hashes[small], codes[small])
