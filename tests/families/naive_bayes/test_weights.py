"""The search for weights against one that does not stop early, where groups are rare or many."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import softmax

from bayfold import NaiveBayesClassifier
from bayfold.core.scoring import Calibration
from bayfold.core.scoring import naive_bayes as scorer_module
from bayfold.core.scoring.held_out import HeldOut
from bayfold.families.naive_bayes import weights as weights_module
from bayfold.families.naive_bayes.calibrate import RIDGE
from bayfold.families.naive_bayes.weights import (
    CELLS_FOR_PROMISES,
    GROUPS_FOR_NEWTON,
    INTERCEPT_PULL,
    TEMPERATURE_PULL,
    find_loss,
    fit_weights,
    guess_temperature,
    shrink_weights,
)


def make_rows(seed, shape, size, n_rare=0):
    """Evidence of rows, columns and groups, the last of which may have a few rows only; and the log prior."""
    n_rows, n_columns, n_groups = shape
    rng = np.random.default_rng(seed)
    group_of = rng.integers(0, n_groups - (n_rare > 0), n_rows)
    group_of[:n_rare] = n_groups - 1
    evidence = 0.3 * rng.normal(size=shape)
    evidence[np.arange(n_rows), :, group_of] += size * np.linspace(0.0, 1.0, n_columns)
    evidence -= evidence.mean(axis=2, keepdims=True)
    log_prior = np.log(np.bincount(group_of, minlength=n_groups) + 0.5)
    rows = HeldOut.of_cells(evidence, group_of, rng.integers(1, 3, n_rows) * 1.0)
    return rows, log_prior - log_prior.mean()


def find_least(rows, prior, ridge, temperature):
    """Where the loss is least, pulls as they are written down."""
    n_columns = rows.places.shape[1]
    centre = np.append(np.full(n_columns, temperature), prior)
    pull = np.append(np.full(n_columns, ridge), np.full(len(prior), INTERCEPT_PULL))

    def penalised(at):
        loss, slope = find_loss(rows, Calibration(at[:n_columns], at[n_columns:]))
        apart = at - centre
        return loss + pull @ apart**2, slope + 2 * pull * apart

    bounds = [*[(0, None)] * n_columns, *[(None, None)] * len(prior)]
    options = {"ftol": 1e-15, "gtol": 1e-6, "maxiter": 10_000, "maxfun": 100_000, "maxcor": 50}
    best = minimize(penalised, centre, jac=True, bounds=bounds, options=options).x
    return Calibration(best[:n_columns], best[n_columns:])


def predict(rows, found):
    return softmax(found.intercept + rows.add_up(found.weights), axis=1)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_group_of_two_rows_keeps_no_search_from_its_end(seed):
    """What is added to all intercepts changes nothing, and a search that follows it ends half-way."""
    rows, prior = make_rows(seed, (4000, 4, 4), 0.6, n_rare=2)
    found = fit_weights(rows, prior, RIDGE)
    temperature = fit_weights(rows, prior, None).weights[0]
    least = find_least(rows, prior, RIDGE, temperature)
    np.testing.assert_allclose(predict(rows, found), predict(rows, least), atol=1e-3)
    np.testing.assert_allclose(found.weights, least.weights, atol=1e-3)
    assert abs((found.intercept - prior).mean()) < 1e-12


@pytest.mark.parametrize("size", [0.3, 0.6, 1.0, 2.0])
def test_of_many_groups_the_end_is_as_near(size):
    """A temperature that is not searched to its end, and a search that stops where its slope promises nothing."""
    rows, prior = make_rows(0, (2000, 12, 200), size)
    assert len(prior) > GROUPS_FOR_NEWTON
    assert rows.places.size * len(prior) >= CELLS_FOR_PROMISES
    found = fit_weights(rows, prior, RIDGE)
    temperature = fit_weights(rows, prior, None).weights[0]
    least = find_least(rows, prior, RIDGE, temperature)
    np.testing.assert_allclose(predict(rows, found), predict(rows, least), atol=2e-3)
    np.testing.assert_allclose(found.weights, least.weights, rtol=0.01)


def test_a_search_of_many_cells_takes_fewer_steps(monkeypatch):
    rows, prior = make_rows(1, (2000, 12, 200), 1.0)
    calls = []

    def count(*arguments):
        calls.append(arguments[0].places.shape[1])
        return find_loss(*arguments)

    monkeypatch.setattr(weights_module, "find_loss", count)
    fit_weights(rows, prior, RIDGE)
    with_promises = calls.count(12)
    calls.clear()
    monkeypatch.setattr(weights_module, "CELLS_FOR_PROMISES", 1 << 40)
    fit_weights(rows, prior, RIDGE)
    assert with_promises < calls.count(12)


@pytest.mark.parametrize("size", [0.2, 1.0, 3.0])
def test_a_guess_is_near_the_temperature_of_these_intercepts(size):
    rows, prior = make_rows(2, (1500, 6, 20), size)
    joined = rows.join_columns()
    guess = guess_temperature(joined, Calibration(np.ones(1), prior), TEMPERATURE_PULL)

    def penalised(weight):
        loss = find_loss(joined, Calibration(weight, prior))[0]
        return loss + TEMPERATURE_PULL * (weight[0] - 1) ** 2

    best = minimize(penalised, np.ones(1), method="Nelder-Mead", options={"xatol": 1e-6}).x[0]
    assert best / 1.25 < guess.weights[0] < 1.25 * best  # of a sixth of the rows, in four steps
    np.testing.assert_array_equal(guess.intercept, prior)


def test_rows_without_weight_leave_a_guess_where_it_was():
    rows, prior = make_rows(3, (40, 1, 5), 1.0)
    rows = HeldOut(rows.evidence, rows.places, rows.group_of, np.zeros(40))
    guess = guess_temperature(rows, Calibration(np.ones(1), prior), TEMPERATURE_PULL)
    assert guess.weights[0] == 1.0


def test_columns_without_weight_are_no_part_of_predictions(monkeypatch):
    """Of many groups they are not even packed, which changes no bit."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 20, 1000)
    X = rng.normal(size=(1000, 12))
    X[:, :5] += 2 * rng.normal(size=(20, 5))[y]
    model = NaiveBayesClassifier(select=True).fit(X, y)
    silent = np.flatnonzero(model.column_weights_ == 0)
    assert len(silent), "the table has columns of noise"
    changed = X[:200].copy()
    changed[:, silent] = rng.permutation(changed[:, silent])
    found = model.predict_proba(X[:200])
    np.testing.assert_array_equal(model.predict_proba(changed), found)
    monkeypatch.setattr(scorer_module, "GROUPS_TO_LEAVE_OUT", 1000)
    packed = NaiveBayesClassifier(select=True).fit(X, y)
    np.testing.assert_array_equal(packed.predict_proba(X[:200]), found)


@pytest.mark.parametrize("n_scores", [1, 3])
def test_columns_that_cancel_leave_weights_finite(n_scores):
    """Their sum says nothing, so the loss does not bend with its weight, and a unit of it was infinite."""
    rng = np.random.default_rng(0)
    evidence = rng.normal(size=(40, 1, n_scores)) * np.array([1.0, -1.0])[:, None]
    rows = HeldOut.of_cells(evidence, rng.integers(0, max(n_scores, 2), 40), np.ones(40))
    even = np.zeros(n_scores)
    found = shrink_weights(rows, Calibration(np.ones(2), even), even, 1.0)
    assert np.isfinite(found.weights).all()
    assert np.isfinite(found.intercept).all()
