"""One weight for all columns, by Newton's method, against a search that knows no derivatives of second order."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from bayfold.core.scoring import Calibration
from bayfold.core.scoring.held_out import HeldOut
from bayfold.families.naive_bayes.weights import (
    INTERCEPT_PULL,
    TEMPERATURE_PULL,
    find_loss,
    fit_temperature,
    fit_weights,
)

N_GROUPS = 5
PULL = np.append(TEMPERATURE_PULL, np.full(N_GROUPS, INTERCEPT_PULL))


def make_rows(seed, n_rows, size, sign):
    """Evidence that tells the groups apart, or, with the other sign, tells the wrong ones."""
    rng = np.random.default_rng(seed)
    group_of = rng.choice(N_GROUPS, n_rows, p=[0.6, 0.2, 0.1, 0.09, 0.01]).astype(np.int32)
    evidence = rng.normal(size=(n_rows, N_GROUPS))
    evidence[np.arange(n_rows), group_of] += sign
    weights = rng.integers(1, 4, n_rows) * 1.0
    return HeldOut.of_cells(size * evidence[:, None], group_of, weights)


def penalised(rows, centre, at):
    apart = at - centre
    loss, slope = find_loss(rows, Calibration(at[:1], at[1:]))
    return loss + PULL @ apart**2, slope + 2 * PULL * apart


@pytest.mark.parametrize("sign", [1.5, 0.0, -1.5])
@pytest.mark.parametrize("size", [0.01, 1.0, 20.0])
@pytest.mark.parametrize("n_rows", [1, 30, 2000])
def test_no_search_finds_a_lower_loss(n_rows, size, sign):
    rows = make_rows(0, n_rows, size, sign)
    prior = np.linspace(-3.0, 1.0, N_GROUPS)
    found = fit_weights(rows, prior, None)
    assert found.weights[0] >= 0
    bounds = [(0, None), *[(None, None)] * N_GROUPS]
    centre = np.append(1.0, prior)
    options = {"ftol": 1e-15, "gtol": 1e-10, "maxiter": 10_000, "maxfun": 100_000}
    best = minimize(
        lambda at: penalised(rows, centre, at), centre, jac=True, bounds=bounds, options=options
    )
    here = penalised(rows, centre, np.append(found.weights, found.intercept))[0]
    assert here <= best.fun * (1 + 1e-5)


def test_evidence_of_the_wrong_groups_gets_no_weight():
    rows = make_rows(1, 2000, 1.0, -3.0)
    found = fit_temperature(rows, Calibration(np.ones(1), np.zeros(N_GROUPS)), PULL)
    assert found is not None
    assert found.weights[0] == 0


def test_rows_without_weight_leave_everything_where_it_was():
    rows = make_rows(2, 10, 1.0, 1.0)
    rows = HeldOut(rows.evidence, rows.places, rows.group_of, np.zeros(10))
    found = fit_temperature(rows, Calibration(np.ones(1), np.zeros(N_GROUPS)), PULL)
    assert found is not None
    np.testing.assert_array_equal(np.append(found.weights, found.intercept), [1, 0, 0, 0, 0, 0])
