"""How far the scale of a number follows ranks."""

from __future__ import annotations

import numpy as np
import pytest

from bayfold import BoostedNaiveBayesRegressor
from bayfold.core.scoring.target_scale import RANK_SHARE, rank_target
from bayfold.families.boosting.numbers.machine import RowLosses, choose_rank_share


def find_share(model, y):
    """The share whose places the model has."""
    ranked, places = rank_target(y, None), model._ensemble.predictor.scale.places
    return [s for s in (0.25, 0.5, 0.75, 1.0) if np.array_equal(ranked.find_places(s), places)]


def draw(seed, n=600):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, rng


@pytest.mark.parametrize("seed", range(3))
def test_a_tail_that_no_column_tells_of_is_taken_out_by_ranks(seed):
    X, rng = draw(seed, 2000)
    y = np.exp(X[:, 0] + 2 * rng.normal(size=len(X)))
    assert find_share(BoostedNaiveBayesRegressor().fit(X, y), y)[0] > RANK_SHARE


@pytest.mark.parametrize("seed", range(3))
def test_a_tail_that_columns_tell_of_is_kept(seed):
    X, rng = draw(seed)
    y = np.where(X[:, 0] < -1.6, -30 - 20 * X[:, 1], 0.1 * X[:, 1]) + 0.1 * rng.normal(size=len(X))
    assert find_share(BoostedNaiveBayesRegressor().fit(X, y), y)[0] <= RANK_SHARE


def losses_of(errors):
    return RowLosses(errors**2, np.abs(errors))


def test_the_usual_scale_stays_unless_another_is_clearly_better():
    rng = np.random.default_rng(0)
    usual = rng.normal(size=400)
    others = {RANK_SHARE: usual, 0.25: rng.permutation(usual), 0.75: 0.995 * usual, 1.0: usual}
    assert choose_rank_share(lambda s: losses_of(others[s]), np.ones(400)) == RANK_SHARE
    others[0.75], others[1.0] = 0.9 * usual, 0.8 * usual
    assert choose_rank_share(lambda s: losses_of(others[s]), np.ones(400)) == 1.0


def test_no_error_at_all_leaves_the_usual_scale():
    nothing = np.zeros(50)
    assert choose_rank_share(lambda s: losses_of(nothing), np.ones(50)) == RANK_SHARE
