"""Distinct numbers with the smallest hashes, by a set and a sort."""

from __future__ import annotations

import numpy as np

from tests.reference.hashing import hash_numbers


def collect_values(values, limit):
    """The numbers in the order of their hashes, and the smallest and largest of all."""
    known = [float(x) + 0.0 for x in values if x == x]
    distinct = np.array(sorted({x for x in known if np.isfinite(x)}))
    hashes = hash_numbers(distinct[:, None], np.zeros(len(distinct), np.uint64))
    kept = distinct[np.argsort(hashes, kind="stable")][:limit]
    return kept, (min(known, default=np.inf), max(known, default=-np.inf))
