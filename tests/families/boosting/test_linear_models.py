"""Linear models beside scikit-learn's, and the features they are given."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from bayfold.core.kernels.encode import FIRST_BIN, MISSING
from bayfold.families.boosting.linear.features import COMMONEST, make_features
from bayfold.families.boosting.linear.models import (
    LOGISTIC,
    PENALTIES,
    SQUARES,
    LinearModel,
    LinearRows,
    cross_fit_linear,
    fit_scores,
    judge_log_loss,
    score_apart,
)
from bayfold.families.boosting.linear.start import choose_weights


def make_rows(n_groups=2, n_rows=200, n_features=5, seed=0):
    rng = np.random.default_rng(seed)
    design = rng.normal(size=(n_rows, n_features))
    design[:, 1] = design[:, 0] + 0.1 * design[:, 1]  # nearly the same column twice
    scores = design @ rng.normal(size=(n_features, n_groups))
    labels = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    return design, labels, rng.integers(1, 4, n_rows).astype(float)


def fit_logistic(design, labels, weights, penalty, begin):
    curvature = 0.25 if len(begin.intercept) == 1 else 0.5
    return fit_scores(design, labels, weights, penalty, begin, judge_log_loss, curvature)


def begin_with(n_features, n_scores):
    return LinearModel(np.zeros((n_features, n_scores)), np.zeros(n_scores))


@pytest.mark.parametrize("penalty", [10.0, 1.0])
def test_two_groups_as_scikit_learn(penalty):
    design, labels, weights = make_rows()
    ours = fit_logistic(design, labels, weights, penalty, begin_with(5, 1))
    theirs = LogisticRegression(C=1 / penalty, tol=1e-8, max_iter=2000)
    theirs.fit(design, labels, sample_weight=weights)
    np.testing.assert_allclose(ours.coefficients[:, 0], theirs.coef_[0], atol=2e-3)
    np.testing.assert_allclose(ours.intercept, theirs.intercept_, atol=2e-3)


def test_many_groups_as_scikit_learn():
    design, labels, weights = make_rows(n_groups=4)
    ours = fit_logistic(design, labels, weights, 1.0, begin_with(5, 4))
    theirs = LogisticRegression(C=1.0, tol=1e-8, max_iter=2000)
    theirs.fit(design, labels, sample_weight=weights)
    difference = score_apart([ours], [design])[0] - theirs.decision_function(design)
    difference -= difference.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(difference, 0.0, atol=1e-2)


def test_ridge_as_scikit_learn():
    design, labels, weights = make_rows(n_groups=5)
    targets = labels + design[:, 2]
    n = len(targets)
    rows = LinearRows(design, targets, weights, np.array([0, n // 4, n // 2]))
    for penalty, models in zip(
        PENALTIES, SQUARES.follow(rows, 2, begin_with(5, 1), PENALTIES), strict=True
    ):
        for (start, stop), ours in zip(pairwise(rows.bounds), models, strict=True):
            known = np.delete(np.arange(n), np.arange(start, stop))
            theirs = Ridge(alpha=penalty).fit(design[known], targets[known], weights[known])
            (scores,) = score_apart([ours], [design])
            np.testing.assert_allclose(scores[:, 0], theirs.predict(design), rtol=1e-9)


@pytest.mark.parametrize(
    ("loss", "n_scores", "n_groups"), [(LOGISTIC, 1, 2), (LOGISTIC, 3, 3), (SQUARES, 1, 9)]
)
def test_derivatives_are_those_of_the_loss(loss, n_scores, n_groups):
    rng = np.random.default_rng(1)
    scores, targets = rng.normal(size=(20, n_scores)), rng.integers(0, n_groups, 20)
    _, pull = loss.judge(scores, targets)
    for s in range(n_scores):
        step = np.zeros(n_scores)
        step[s] = 1e-5
        up, down = (loss.judge(scores + sign * step, targets)[0] for sign in (1, -1))
        np.testing.assert_allclose(pull[:, s], (up - down) / 2e-5, atol=1e-8)


def test_a_weight_of_two_is_the_row_twice():
    design, labels, weights = make_rows()
    times = weights.astype(int)
    once = fit_logistic(design, labels, weights, 1.0, begin_with(5, 1))
    often = fit_logistic(
        np.repeat(design, times, axis=0),
        np.repeat(labels, times),
        np.ones(times.sum()),
        1.0,
        begin_with(5, 1),
    )
    np.testing.assert_allclose(once.coefficients, often.coefficients, atol=1e-6)


def test_pure_noise_gets_the_strongest_penalty_and_truth_a_weak_one():
    design, labels, weights = make_rows(n_rows=400)
    noise = np.random.default_rng(2).integers(0, 2, 400)
    bounds = np.array([0, 100, 200, 300, 400])
    begin = begin_with(5, 1)
    of_truth, _ = cross_fit_linear(LinearRows(design, labels, weights, bounds), begin, LOGISTIC)
    of_noise, _ = cross_fit_linear(LinearRows(design, noise, weights, bounds), begin, LOGISTIC)
    assert of_truth < 0.5
    assert of_noise == pytest.approx(np.log(2), abs=0.02)


def test_left_out_rows_are_not_fitted_on():
    """A column that is the label within the left-out rows and noise elsewhere helps nobody."""
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 200)
    design = rng.normal(size=(200, 1))
    design[:50, 0] = 2.0 * labels[:50] - 1
    rows = LinearRows(design, labels, np.ones(200), np.array([0, 50]))
    loss, models = cross_fit_linear(rows, begin_with(1, 1), LOGISTIC)
    theirs = LogisticRegression(C=0.01).fit(design[50:], labels[50:])
    np.testing.assert_allclose(models[0].coefficients[:, 0], theirs.coef_[0], atol=0.05)
    assert loss > 0.5


class TestFeatures:
    def make(self, values, codes, weights=None):
        codes = np.asarray(codes)[:, None]
        weights = np.ones(len(codes)) if weights is None else weights
        n_codes = np.array([FIRST_BIN + len(values) if values is not None else codes.max() + 1])
        return make_features(codes, weights, [values], n_codes)

    def test_numbers_have_mean_zero_and_spread_one(self):
        codes = FIRST_BIN + np.random.default_rng(0).integers(0, 5, 300)
        features = self.make(np.array([1.0, 2.0, 4.0, 8.0, 9.0]), codes)
        found = features.design(codes[:, None])[:, 0]
        assert found.mean() == pytest.approx(0, abs=1e-8)
        assert found.std() == pytest.approx(1, abs=1e-8)

    @pytest.mark.parametrize("numbers", [1e300, 1e-300, 1.0])
    def test_numbers_of_any_size(self, numbers):
        values, codes = np.array([1.0, 2.0, 4.0]), FIRST_BIN + np.arange(30) % 3
        one, other = self.make(values, codes), self.make(numbers * values, codes)
        np.testing.assert_allclose(one.tables[0], other.tables[0], atol=1e-8)

    def test_a_wild_value_does_not_flatten_the_others(self):
        codes = FIRST_BIN + np.append(np.arange(300) % 3, 3)
        features = self.make(np.array([1.0, 2.0, 3.0, 1e9]), codes)
        known = features.tables[0][FIRST_BIN:, 0]
        assert known[2] - known[0] > 1.0
        assert np.abs(features.tables[0]).max() < 5.0

    def test_a_rare_flag_is_kept(self):
        codes = FIRST_BIN + np.append(np.zeros(999, int), 1)
        known = self.make(np.array([0.0, 1.0]), codes).tables[0][FIRST_BIN:, 0]
        assert known[1] - known[0] == pytest.approx(1000 / np.sqrt(999), rel=1e-6)

    def test_missing_numbers_stand_at_the_mean_with_an_indicator(self):
        codes = np.append(FIRST_BIN + np.arange(30) % 3, [MISSING] * 10)
        table = self.make(np.array([1.0, 2.0, 3.0]), codes).tables[0]
        assert table.shape[1] == 2
        assert table[MISSING, 0] == 0.0
        assert table[MISSING, 1] == pytest.approx(0.75)

    def test_rare_categories_share_what_is_left(self):
        codes = FIRST_BIN + np.repeat(np.arange(40), np.arange(40) + 1)
        table = self.make(None, codes).tables[0]
        assert table.shape[1] == COMMONEST
        rare = table[FIRST_BIN : FIRST_BIN + 40 - COMMONEST]
        np.testing.assert_array_equal(rare, np.tile(rare[0], (len(rare), 1)))

    def test_a_linear_model_is_a_table_per_column(self):
        rng = np.random.default_rng(0)
        codes = np.stack([FIRST_BIN + rng.integers(0, 4, 50), rng.integers(0, 6, 50)], axis=1)
        values, n_codes = [np.array([0.0, 1.0, 5.0, 6.0]), None], np.array([6, 6])
        features = make_features(codes, np.ones(50), values, n_codes)
        slopes = rng.normal(size=(features.n_features, 2))
        found = features.tabulate(LinearModel(slopes, np.ones(2)))
        total = found.tables[0][codes[:, 0]] + found.tables[1][codes[:, 1]]
        np.testing.assert_allclose(total, features.design(codes) @ slopes, atol=1e-12)
        assert found.intercept.tolist() == [1.0, 1.0]


class TestBlend:
    def test_the_best_of_a_grid_is_no_better(self):
        rng = np.random.default_rng(0)
        truth = rng.normal(size=100)
        predictors = [truth[:, None] + s * rng.normal(size=(100, 1)) for s in (0.5, 1.0, 2.0)]

        def loss(scores):
            losses, pull = SQUARES.judge(scores, truth)
            return losses.mean(), pull / len(pull)

        weights = choose_weights(np.zeros(1), predictors, loss)
        assert (weights >= 0).all()
        assert weights.sum() <= 1 + 1e-9
        ticks = np.linspace(0, 1, 21)
        grid = [(a, b, c) for a in ticks for b in ticks for c in ticks if a + b + c <= 1]
        values = [loss(sum(w * p for w, p in zip(ws, predictors, strict=True)))[0] for ws in grid]
        ours = loss(sum(w * p for w, p in zip(weights, predictors, strict=True)))[0]
        assert ours <= min(values) + 1e-6

    def test_weights_do_not_explode_on_rows_that_can_be_separated(self):
        labels = np.arange(40) % 2
        scores = (2.0 * labels - 1)[:, None]

        def loss(found):
            losses, pull = LOGISTIC.judge(found, labels)
            return losses.mean(), pull / len(pull)

        weights = choose_weights(np.zeros(1), [scores, 2 * scores], loss)
        np.testing.assert_allclose(weights, [0.0, 1.0], atol=1e-4)
