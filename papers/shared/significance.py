"""Tests on the results of repeats."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import ttest_rel

LEVEL = 0.01


def differ(first: pd.Series, second: pd.Series, level: float = LEVEL) -> int:
    """Paired t-test over the repeats that both have: -1 if the first is significantly smaller, 1 if larger, else 0."""
    both = pd.concat([first, second], axis=1, join="inner").dropna().to_numpy()
    if len(both) < 2:
        return 0
    gaps = both[:, 0] - both[:, 1]
    if np.ptp(gaps) == 0:
        return int(np.sign(gaps[0]))
    p = ttest_rel(both[:, 0], both[:, 1]).pvalue
    return int(np.sign(gaps.mean())) if p < level else 0


def count_significant(by_repeat: pd.DataFrame, first: str, second: str) -> tuple[int, int]:
    """On how many datasets the first method is significantly better (smaller), and worse.

    ``by_repeat`` has an index of (dataset, repeat) and a column for each method.
    """
    found = [
        differ(group[first].droplevel(0), group[second].droplevel(0))
        for _, group in by_repeat.groupby(level=0)
    ]
    return sum(f < 0 for f in found), sum(f > 0 for f in found)
