"""Rows left out of the counts of a column, one by one."""

from __future__ import annotations

import math


def find_left_out_gains(values, groups, weights, m, few_values, many_rows):
    """How much more probable rows find their own group by their value than by its share, in nats."""
    rows = list(zip(values, groups, weights, strict=True))
    known, distinct = sum(weights), set(values)
    if len(distinct) <= few_values or known >= many_rows * len(distinct):
        return math.inf
    share = {g: sum(w for _, h, w in rows if h == g) / known for g in groups}
    total = 0.0
    for value, group, weight in rows:
        same = [(h, w) for v, h, w in rows if v == value]
        own = max(sum(w for h, w in same if h == group) - 1.0, 0.0) + m * share[group]
        of_all = max(sum(w for _, w in same) - 1.0, 0.0) + m
        total += weight * math.log(own / of_all / share[group])
    return total
