"""Fine bins merged where what is shown of them changes least."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from bayfold.core.discretize import merge_by_weight


def find_spread(weights, rows, merge):
    """Sum of squares about the mean of each bin."""
    total = 0.0
    for k in range(merge[-1] + 1):
        inside = merge == k
        if rows[inside].sum() > 0:
            mean = np.average(weights[inside], axis=0, weights=rows[inside])
            total += (rows[inside, None] * (weights[inside] - mean) ** 2).sum()
    return total


def merge_by_trying(weights, rows, n_bins):
    """The least spread of all ways to cut."""
    places = range(1, len(rows))
    ways = (cuts for k in range(n_bins) for cuts in combinations(places, k))
    merges = (np.searchsorted(cuts, np.arange(len(rows)), side="right") for cuts in ways)
    return min(find_spread(weights, rows, merge) for merge in merges)


@pytest.mark.parametrize("seed", range(20))
def test_no_other_cuts_leave_less_spread(seed):
    rng = np.random.default_rng(seed)
    n_fine = int(rng.integers(2, 9))
    weights = rng.normal(size=(n_fine, int(rng.integers(1, 4))))
    rows = rng.integers(0, 4, n_fine).astype(float) + (np.arange(n_fine) == 0)
    n_bins = int(rng.integers(1, 5))
    merge = merge_by_weight(weights, rows, n_bins)
    assert merge[0] == 0
    assert merge[-1] < n_bins
    assert set(np.diff(merge)) <= {0, 1}
    least = merge_by_trying(weights, rows, n_bins)
    assert find_spread(weights, rows, merge) == pytest.approx(least, abs=1e-9)


def test_nothing_is_cut_where_nothing_changes():
    weights = np.array([[1.0], [1.0], [2.0], [2.0], [2.0]])
    assert merge_by_weight(weights, np.ones(5), 4).tolist() == [0, 0, 1, 1, 1]
