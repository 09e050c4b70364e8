"""Evidence of naive Bayes in a given order: by merging bins, whatever the density, the smoothing and the weights."""

import numpy as np
import pytest

from bayfold import NaiveBayesClassifier
from bayfold.core.discretize import find_wrong_neighbours, merge_monotone

WAYS = ("increasing", "decreasing", "peak", "valley", "auto")
SETTINGS = (
    {},
    {"numeric": "mdl"},
    {"numeric": "equal_width", "n_bins": 20},
    {"bins": {0: [-1, 0, 1], 1: 7}},
    {"calibration": None, "smoothing": "laplace"},
    {"class_weight": "balanced", "missing": "category"},
)


def make_rows(seed, n=400):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X[rng.random(n) < 0.1, 0] = np.nan
    return X, rng.random(n) < 1 / (1 + np.exp(-2 * np.sin(3 * X[:, 1]) - X[:, 2]))


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("way", WAYS)
def test_no_step_goes_against_the_order(settings, way):
    for seed in range(3):
        X, y = make_rows(seed)
        model = NaiveBayesClassifier(monotone=way, **settings).fit(X, y)
        assert len(model.monotone_violations_["step"]) == 0
        grid = np.zeros((300, 3))
        grid[:, 1] = np.linspace(-3, 3, 300)
        told = model.decision_function(grid)
        found = model._fitted().model.monotone.directions[1]
        assert way in (found, "auto")
        assert len(find_wrong_neighbours(np.round(told, 9), found)) == 0
        free = NaiveBayesClassifier(**settings).fit(X, y).decision_function(grid)
        assert len(find_wrong_neighbours(np.round(free, 9), found)) > 0


def test_held_out_rows_find_the_direction_and_the_price():
    X, y = make_rows(4, n=3000)
    model = NaiveBayesClassifier(monotone={2: "auto", 1: "auto"}).fit(X, y)
    rule = model._fitted().model.monotone
    assert rule.directions[2] == "increasing"
    assert rule.found == (2, 1)
    assert rule.ordered > rule.free + 0.05
    assert "x2 increasing (found)" in model.summary().facts["monotone"]
    wrong = NaiveBayesClassifier(monotone={2: "decreasing"}).fit(X, y)._fitted().model.monotone
    assert wrong.ordered > wrong.free + 0.02


@pytest.mark.parametrize("way", ["peak", "valley"])
def test_a_turn_is_where_it_fits_best(way):
    up = np.array([1, 4, 7, 5, 2.0])
    second = up if way == "peak" else 10 - up
    counts = np.column_stack([10 - second, second])
    assert merge_monotone(counts, np.arange(5), way).tolist() == [0, 1, 2, 3, 4]
    other = {"peak": "valley", "valley": "peak"}[way]
    assert merge_monotone(counts, np.arange(5), other).max() < 4
