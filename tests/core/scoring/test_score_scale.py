"""Slope and intercepts of scores, against logistic regression."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from bayfold.core.scoring.readout import probabilities
from bayfold.core.scoring.score_scale import fit_score_scale


def draw(n_groups, n=4000):
    rng = np.random.default_rng(n_groups)
    scores = 3 * rng.normal(size=(n, 1 if n_groups == 2 else n_groups))
    of_groups = np.concatenate([np.zeros_like(scores), scores], 1) if n_groups == 2 else scores
    p = np.exp(0.4 * of_groups + np.arange(n_groups))
    p /= p.sum(axis=1, keepdims=True)
    group_of = np.array([rng.choice(n_groups, p=row) for row in p])
    return scores, group_of, rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("n_groups", [2, 3])
def test_mean_probabilities_are_the_shares(n_groups):
    scores, group_of, weights = draw(n_groups)
    scale = fit_score_scale(scores, group_of, weights, n_groups)
    assert scale.slope == pytest.approx(0.4, abs=0.05)
    p = probabilities(scale.apply(scores), np.log(np.full(n_groups, 1 / n_groups)))
    shares = np.bincount(group_of, weights) / weights.sum()
    np.testing.assert_allclose(np.average(p, axis=0, weights=weights), shares, atol=1e-3)


def test_two_groups_are_a_logistic_regression():
    scores, group_of, weights = draw(2)
    scale = fit_score_scale(scores, group_of, weights, 2)
    plain = LogisticRegression(C=1e9, tol=1e-8).fit(scores, group_of, weights)
    assert scale.slope == pytest.approx(plain.coef_[0, 0], abs=2e-3)
    assert scale.intercept[0] == pytest.approx(plain.intercept_[0], abs=2e-3)


def test_scores_that_point_the_wrong_way_are_not_turned_around():
    scores, group_of, weights = draw(2)
    assert fit_score_scale(-scores, group_of, weights, 2).slope == 0.0


def test_a_group_that_was_never_held_out_keeps_a_small_share():
    scale = fit_score_scale(np.zeros((9, 3)), np.arange(9) % 2, np.ones(9), 3)
    p = probabilities(scale.apply(np.zeros((1, 3))), np.log(np.full(3, 1 / 3)))
    assert 0 < p[0, 2] < 0.1
