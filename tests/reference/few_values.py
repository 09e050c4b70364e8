"""Distinct numbers with the smallest hashes, by a set and a sort."""

from __future__ import annotations

import numpy as np

from tests.reference.hashing import LOW_64_BITS, hash_numbers

NO_NUMBER = 0x7FF8000000000000


def collect_values(values, limit):
    """The numbers in the order of their hashes, the smallest and largest of all, and rows of zero hash after it."""
    known = [float(x) + 0.0 for x in values if x == x]
    distinct = np.array(sorted({x for x in known if np.isfinite(x)}))
    hashes = hash_numbers(distinct[:, None], np.zeros(len(distinct), np.uint64))
    kept = distinct[np.argsort(hashes, kind="stable")][:limit]
    numbers = np.asarray(values, float)
    each = hash_numbers(numbers[:, None] + 0.0, np.zeros(len(numbers), np.uint64)).tolist()
    odd = 0x9E3779B97F4A7C15
    cells = [NO_NUMBER if np.isnan(x) else h for x, h in zip(numbers, each, strict=True)]
    mixed = [(cell * odd) & LOW_64_BITS for cell in cells]
    return kept, (min(known, default=np.inf), max(known, default=-np.inf)), mixed
