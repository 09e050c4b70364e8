"""Measures for somebody who decides by probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, f1_score, roc_auc_score

from bayfold import NaiveBayesClassifier
from bayfold.evaluate import cross_validate, find_cost_curve, score_decisions, summarise

COSTS = {"sick": {"well": 10}, "well": {"sick": 1}}


def draw(n=300, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(n_classes), size=n)
    truth = np.array([rng.choice(n_classes, p=row) for row in p])
    return truth, p, rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_measures_are_those_of_scikit_learn(n_classes):
    truth, p, weights = draw(n_classes=n_classes)
    found = score_decisions(truth, p, p.argmax(axis=1), weights)
    if n_classes == 2:
        auc = roc_auc_score(truth, p[:, 1], sample_weight=weights)
    else:
        each = [roc_auc_score(truth == k, p[:, k], sample_weight=weights) for k in range(3)]
        auc = np.mean(each)
    assert found["auc"] == pytest.approx(auc)
    scaled = n_classes == 2
    brier = brier_score_loss(truth, p, sample_weight=weights, scale_by_half=scaled)
    assert found["brier"] == pytest.approx(brier)
    best = p.argmax(axis=1)
    assert found["f1"] == pytest.approx(
        f1_score(truth, best, average="macro", sample_weight=weights)
    )


def test_a_weight_is_a_row_repeated():
    truth, p, weights = draw()
    times = weights.astype(int)
    more = np.repeat(truth, times), np.repeat(p, times, axis=0)
    once = score_decisions(truth, p, p.argmax(axis=1), weights)
    assert once == pytest.approx(score_decisions(*more, more[1].argmax(axis=1)))


def test_lift_of_ties_is_one():
    truth = np.arange(100) % 2
    p = np.full((100, 2), 0.5)
    assert score_decisions(truth, p, np.zeros(100, int))["lift"] == pytest.approx(1.0)


def test_a_perfect_ranking_has_the_largest_lift():
    truth = (np.arange(100) < 5).astype(int)
    p = np.stack([1 - truth, truth], axis=1).astype(float)
    assert score_decisions(truth, p, truth)["lift"] == pytest.approx(10.0)


def test_one_class_has_no_ranking():
    found = score_decisions(np.zeros(4, int), np.full((4, 2), 0.5), np.zeros(4, int))
    assert np.isnan(found["auc"])
    assert np.isnan(found["lift"])
    assert found["brier"] == 0.25


def cost_by_hand(y, p, threshold):
    decided = np.where(p >= threshold, "well", "sick")
    return np.mean([COSTS[a].get(b, 0) for a, b in zip(y, decided, strict=True)])


def test_every_threshold_costs_what_its_decisions_cost():
    truth, p, _ = draw(60)
    y = np.array(["sick", "well"])[truth]
    curve = find_cost_curve(y, p, COSTS)
    assert curve.threshold.shape == curve.cost.shape == (61,)
    by_hand = [cost_by_hand(y, p[:, 1], threshold) for threshold in curve.threshold]
    np.testing.assert_allclose(curve.cost, by_hand)
    assert curve.cost[curve.threshold == curve.best] == curve.cost.min()
    assert curve.expected == pytest.approx(10 / 11)


def test_a_cost_curve_of_true_probabilities_is_lowest_where_costs_say():
    truth, p, _ = draw(200_000, seed=3)
    curve = find_cost_curve(truth, p, [[0, 4], [1, 0]])
    at_expected = curve.cost[np.searchsorted(curve.threshold, curve.expected)]
    assert curve.expected == pytest.approx(0.8)
    assert at_expected == pytest.approx(curve.cost.min(), rel=0.01)


@pytest.mark.filterwarnings("ignore")
def test_rows_without_a_class_are_left_out():
    y, p = ["sick", None, "well", "well"], [0.1, 0.2, 0.9, 0.3]
    kept = find_cost_curve(["sick", "well", "well"], [0.1, 0.9, 0.3], COSTS)
    np.testing.assert_array_equal(find_cost_curve(y, p, COSTS).cost, kept.cost)


@pytest.mark.parametrize(
    ("y", "p", "message"),
    [
        (["a", "b", "c"], [0.1, 0.2, 0.3], "must have two classes for a cost curve. Got 3"),
        (["a", "b"], [0.1, 0.2, 0.3], "inconsistent numbers of samples"),
        (["a", "b"], [0.1, 1.2], "`p` must be probabilities from 0 to 1. Got 1.2"),
    ],
)
def test_bad_input_is_refused(y, p, message):
    with pytest.raises(ValueError, match=message):
        find_cost_curve(y, p)


def test_cross_validation_has_them():
    truth, p, _ = draw(120)
    result = cross_validate({"nb": NaiveBayesClassifier()}, p[:, :1], truth, n_repeats=1)
    found = summarise(result)
    assert list(found.names[-5:]) == ["auc", "brier", "f1", "lift", "seconds"]
    assert 0.5 < found["auc"][0] < 1
