"""The truth of the spiral must be the truth of the rows that were drawn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import trapezoid

from bayfold.datasets import make_spiral


def test_true_densities_integrate_to_one_and_are_calibrated():
    spiral = make_spiral(3000, random_state=1)
    places, density = spiral.true_density()
    np.testing.assert_allclose(trapezoid(density, places), 1.0, rtol=0.01)
    up_to_truth = np.where(places <= spiral.target[:, None], density, 0.0).sum(axis=1)
    shares = up_to_truth / density.sum(axis=1)  # uniform where densities are true
    observed = np.histogram(shares, 10, (0, 1))[0]
    assert abs(observed - 300).max() < 4 * np.sqrt(300)


def test_no_shift_of_the_true_mean_improves_it():
    spiral = make_spiral(20_000, random_state=2)
    error = spiral.target - spiral.true_mean()
    assert abs(error.mean()) < 4 * error.std() / np.sqrt(len(error))
    assert 0.13 < np.sqrt(np.mean(error**2)) / spiral.target.std() < 0.17


def test_other_rows_can_be_asked_about():
    spiral = make_spiral(10)
    np.testing.assert_allclose(spiral.true_mean(spiral.data[:3]), spiral.true_mean()[:3])
    np.testing.assert_array_equal(make_spiral(10).data, spiral.data)
    assert not np.array_equal(make_spiral(10, random_state=1).data, spiral.data)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_rows": 0}, "`n_rows` must be a whole number from 1. Got 0."),
        ({"top": -1}, "`top` must be a number above zero. Got -1."),
        ({"noise": 0.0}, "`noise` must be a number above zero. Got 0.0."),
    ],
)
def test_refusals(parameters, message):
    with pytest.raises(ValueError, match=message):
        make_spiral(**parameters)
