"""Quantiles of conformal scores, against the definition."""

from __future__ import annotations

import numpy as np
import pytest

from bayfold.core.scoring.conformal import (
    MOST_CONFORMAL_SCORES,
    ConformalScores,
    find_limit,
    thin_sorted,
)


@pytest.mark.parametrize("coverage", [0.1, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("n", [1, 7, 19, 200])
def test_the_limit_is_the_order_statistic_of_one_row_more(n, coverage):
    scores = np.random.default_rng(n).random(n)
    k = int(np.ceil(coverage * (n + 1) - 1e-9))
    expected = np.sort(scores)[k - 1] if k <= n else np.inf
    assert find_limit(scores, np.ones(n), coverage) == expected


def test_a_weight_of_two_is_the_score_twice():
    scores = np.random.default_rng(0).random(30)
    weights = np.where(np.arange(30) < 10, 2.0, 1.0)
    twice = np.repeat(scores, weights.astype(int))
    for coverage in (0.3, 0.8, 0.95):
        assert find_limit(scores, weights, coverage) == find_limit(twice, np.ones(40), coverage)


def test_thinned_scores_cover_as_much_and_hardly_more():
    scores = np.sort(np.random.default_rng(0).random(9000))
    kept, weights = thin_sorted(scores, np.ones(9000))
    assert len(kept) == MOST_CONFORMAL_SCORES
    assert weights.sum() == 9000
    for coverage in (0.05, 0.5, 0.9, 0.99):
        exact = np.searchsorted(scores, find_limit(scores, np.ones(9000), coverage))
        found = np.searchsorted(scores, find_limit(kept, weights, coverage))
        assert exact <= found <= exact + 9000 / MOST_CONFORMAL_SCORES + 1


def test_units_count_once_however_many_rows_they_have():
    odds = np.random.default_rng(0).normal(size=(200, 1))
    labels = np.arange(200) % 2
    scores = ConformalScores.of(odds, labels, np.ones(200), n_units=10.0)
    assert scores.weights.sum() == pytest.approx(10.0)
    assert np.isinf(scores.find_limits(0.95, 2, by_class=False)).all()  # eleven units hold no 95 %
    assert np.isfinite(scores.find_limits(0.9, 2, by_class=False)).all()
