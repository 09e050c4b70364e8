"""Fayyad and Irani's discretization as the paper states it: recursive, with exact powers of three."""

from __future__ import annotations

import math

import numpy as np


def entropy(counts):
    """Entropy in bits of counts per group."""
    known = counts[counts > 0]
    share = known / known.sum()
    return -math.fsum(float(p) * math.log2(p) for p in share)


def find_mdl_cuts(counts):
    """Positions at which bins begin."""
    return sorted(split(np.asarray(counts, float), 0))


def split(counts, offset):
    """Cuts of a range of bins and of the parts it is cut into."""
    candidates = [
        cut
        for cut in range(1, len(counts))
        if counts[cut - 1].sum() > 0 and counts[cut:].sum() > 0 and counts[:cut].sum() > 0
    ]
    n = counts.sum()
    if not candidates or n <= 1:
        return []
    within = [within_parts(counts, cut) for cut in candidates]
    cut = candidates[int(np.argmin(within))]
    if not is_accepted(counts, cut):
        return []
    left, right = split(counts[:cut], offset), split(counts[cut:], offset + cut)
    return [*left, offset + cut, *right]


def within_parts(counts, cut):
    """Weight times entropy of both parts."""
    parts = counts[:cut].sum(axis=0), counts[cut:].sum(axis=0)
    return sum(part.sum() * entropy(part) for part in parts)


def is_accepted(counts, cut):
    """The criterion of the paper."""
    whole, left, right = (part.sum(axis=0) for part in (counts, counts[:cut], counts[cut:]))
    n = whole.sum()
    k, k1, k2 = (int((part > 0).sum()) for part in (whole, left, right))
    gain = entropy(whole) - within_parts(counts, cut) / n
    delta = math.log2(3**k - 2) - (k * entropy(whole) - k1 * entropy(left) - k2 * entropy(right))
    return gain > (math.log2(n - 1) + delta) / n
