"""Predicted against observed: by hand, by scikit-learn, and by the law of large numbers."""

from __future__ import annotations

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.calibration import calibration_curve

from bayfold.errors import DataWarning
from bayfold.evaluate import expected_calibration_error, find_reliability


def draw(seed, n_rows, n_classes):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(n_classes, 0.5), n_rows)
    y = np.array([rng.choice(n_classes, p=row) for row in p])
    return np.append(y, np.arange(n_classes)), np.vstack(
        [p, np.full((n_classes,) * 2, 1 / n_classes)]
    )


@given(st.integers(0, 10**6), st.integers(1, 30), st.integers(2, 5), st.integers(1, 20))
def test_error_is_what_the_definition_says(seed, n_rows, n_classes, n_bins):
    y, p = draw(seed, n_rows, n_classes)
    confidence, right = p.max(axis=1), p.argmax(axis=1) == y
    expected = 0.0
    for k in range(n_bins):
        inside = (confidence >= k / n_bins) & (confidence < (k + 1) / n_bins)
        inside |= (confidence == 1.0) & (k == n_bins - 1)
        if inside.any():
            expected += inside.mean() * abs(confidence[inside].mean() - right[inside].mean())
    assert expected_calibration_error(y, p, n_bins) == pytest.approx(expected, abs=1e-12)


@given(st.integers(0, 10**6), st.integers(1, 60))
def test_bins_of_two_classes_are_those_of_scikit_learn(seed, n_rows):
    y, p = draw(seed, n_rows, 2)
    found = find_reliability(y, p[:, 1], 7)
    observed, predicted = calibration_curve(y, p[:, 1], n_bins=7)
    np.testing.assert_allclose(found.observed, observed)
    np.testing.assert_allclose(found.predicted, predicted)
    assert found.count.sum() == len(y)


def test_true_probabilities_are_calibrated_and_extreme_ones_are_not():
    y, p = draw(0, 20_000, 3)
    assert expected_calibration_error(y, p) < 0.02
    extreme = p**4 / (p**4).sum(axis=1, keepdims=True)
    assert expected_calibration_error(y, extreme) > 0.1


def test_intervals_are_wilsons():
    y, p = draw(1, 200, 2)
    found = find_reliability(y, p[:, 1], 5)
    low, high = found.interval()
    for k, n in enumerate(found.count):
        wilson = binomtest(round(found.observed[k] * n), int(n)).proportion_ci(method="wilson")
        np.testing.assert_allclose([low[k], high[k]], [wilson.low, wilson.high], atol=1e-12)


def test_classes_name_the_columns():
    p = np.array([[0.1, 0.9], [0.8, 0.2]])
    assert expected_calibration_error(["b", "a"], p) == pytest.approx(0.15)
    assert expected_calibration_error(["b", "a"], p, classes=["b", "a"]) == pytest.approx(0.85)
    one_class = expected_calibration_error(["b", "b"], p, classes=["a", "b"])
    assert one_class == pytest.approx((0.1 + 0.8) / 2)


def test_rows_without_a_class_are_left_out():
    p = np.array([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]])
    for known in ({}, {"classes": ["a", "b"]}):
        with pytest.warns(DataWarning, match="1 row"):
            assert find_reliability(["b", "a", None], p, 1, **known).observed.tolist() == [1.0]


def test_classes_spelt_otherwise_are_no_silent_failure():
    p = np.array([[0.1, 0.9], [0.8, 0.2]])
    with pytest.warns(DataWarning, match="has not learnt: '0', '1'"):
        expected_calibration_error(["1", "0"], p, classes=[0, 1])


@pytest.mark.parametrize("kind", [datetime.date, datetime.datetime])
def test_classes_may_be_dates(kind):
    y = [kind(2020, 1, 2), kind(2020, 1, 1)]
    p = np.array([[0.1, 0.9], [0.8, 0.2]])
    assert expected_calibration_error(y, p, classes=sorted(y)) == pytest.approx(0.15)


@pytest.mark.parametrize(
    ("y", "p", "n_bins", "message"),
    [
        ([0, 1], [[0.5, 0.5]], 5, "`p` must have one entry per row"),
        (
            [0, 1, 2],
            np.full((3, 2), 0.5),
            5,
            r"one column per class.*Got the shape \(3, 2\) for 0, 1, 2",
        ),
        ([0, 1, 2], [0.5, 0.5, 0.5], 5, "one dimension for two classes"),
        ([0, 1], [0.5, 1.5], 5, "`p` must be probabilities from 0 to 1. Got"),
        ([0, 1], [0.5, np.nan], 5, "`p` must be probabilities from 0 to 1. Got"),
        ([0, 1], [0.5, 0.5], 0, "`n_bins` must be a whole number from 1. Got 0"),
        ([], np.empty((0, 0)), 5, "`p` must be of at least one row"),
    ],
)
def test_what_is_no_probability_is_refused(y, p, n_bins, message):
    with pytest.raises(ValueError, match=message):
        expected_calibration_error(y, p, n_bins)
