"""Mutual information of all pairs of columns."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import mutual_info_score

from bayfold.families.imputation.columns import (
    COARSE_BINS,
    MOST_OTHERS,
    find_informative,
    mutual_information_with,
)


def test_the_information_is_that_of_known_pairs_less_what_chance_makes_of_it():
    rng = np.random.default_rng(0)
    a = rng.integers(0, COARSE_BINS, 500)
    b = np.where(rng.random(500) < 0.3, a, rng.integers(0, 3, 500))
    known = rng.random(500) < 0.8
    marks = np.zeros((500, 2, COARSE_BINS), np.float32)
    marks[np.arange(500), 0, a] = 1.0
    marks[np.flatnonzero(known), 1, b[known]] = 1.0
    freedom = (COARSE_BINS - 1) ** 2
    expected = mutual_info_score(a[known], b[known]) - freedom / (2 * known.sum())
    np.testing.assert_allclose(mutual_information_with(marks, 0)[1], expected, rtol=1e-6)


def test_the_most_informative_others_are_found():
    rng = np.random.default_rng(1)
    codes = [rng.integers(0, 40, 600) for _ in range(30)]
    codes[7] = np.clip(codes[2] + rng.integers(-3, 4, 600), 0, 39)
    codes[9] = np.where(rng.random(600) < 0.5, codes[2] // 10, -1)
    chosen = find_informative(codes, np.arange(30) != 9)
    assert all(len(c) == MOST_OTHERS and j not in c for j, c in enumerate(chosen))
    assert {7, 9} <= set(chosen[2].tolist())
    assert 2 in chosen[7]
    assert 2 in chosen[9]


def test_of_few_columns_all_others_are_taken():
    chosen = find_informative([np.zeros(3, int)] * 4, np.ones(4, bool))
    assert chosen[1].tolist() == [0, 2, 3]


def test_nothing_known_tells_nothing():
    codes = [np.full(5, -1)] * (MOST_OTHERS + 3)
    assert all(len(c) == MOST_OTHERS for c in find_informative(codes, np.ones(len(codes), bool)))
