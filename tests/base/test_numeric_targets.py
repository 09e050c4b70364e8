"""Numeric targets as people have them: rounding, decimals, dates, far from zero."""

from __future__ import annotations

import datetime
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from bayfold import BoostedNaiveBayesRegressor, MTERegressor, NaiveBayesRegressor
from bayfold.core.schema.target import infer_target, merge_rounding
from bayfold.errors import DataWarning

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 2))
K = RNG.integers(0, 30, 80)
SIDE = X[:, 0] > 0
REGRESSORS = [
    NaiveBayesRegressor(),
    NaiveBayesRegressor(grid_size="distinct", calibration=None),
    NaiveBayesRegressor(bandwidth="frank1998", calibration=None),
    NaiveBayesRegressor(bandwidth="frank1998", calibration=None, grid_size="distinct"),
    MTERegressor(),
]
IDS = ["auto", "auto-distinct", "frank1998", "frank1998-distinct", "mte"]

TARGETS = {
    "two nearly equal": np.where(SIDE, 0.3, 0.1 + 0.2),
    "nearly equal and another": np.where(SIDE, 0.3, np.where(X[:, 1] > 0, 0.1 + 0.2, 1.0)),
    "tenths in two ways": np.where(SIDE, K * 0.1, K / 10),
    "rounding around zero": np.where(SIDE, 0.1 + 0.2 - 0.3, np.where(X[:, 1] > 0, 0.0, 1.0)),
    "many nearly equal": 1.0 + 1e-15 * K,
    "far from zero": 1e16 + 2 * K,
    "far from zero, distinct": 1e16 + 2.0 * np.arange(80),
    "nanoseconds since 1970": 1.6e18 + 1e12 * K,
    "tiny": 1e-300 * K,
    "huge": 1e300 * (K - 15),
    "fifteen decades": 10.0 ** np.linspace(-9, 6, 80),
    "constant": np.full(80, 7.0),
}


def nodes_of(distribution):
    """Points between which a density is smooth."""
    return distribution._ends if hasattr(distribution, "_ends") else distribution.pieces.edges


@pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")
@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
@pytest.mark.parametrize("regressor", REGRESSORS, ids=IDS)
def test_distributions_are_finite_monotone_and_within_reach(regressor, target):
    with np.errstate(all="raise", under="ignore"):
        model = clone(regressor).fit(X, target)
        distribution = model.predict_distribution(X)
        nodes = nodes_of(distribution)
    assert np.isfinite(nodes).all()
    assert (np.diff(nodes) >= 0).all()  # an atom stands there several times
    cdf = distribution.cdf(nodes)
    assert (np.diff(cdf) >= -1e-12).all()
    below = distribution.cdf(np.nextafter(nodes[:1], -np.inf))
    np.testing.assert_allclose(below, 0.0, atol=1e-9)
    np.testing.assert_allclose(cdf[:, -1], 1.0, atol=1e-9)
    width = nodes[-1] - nodes[0]
    quantiles = model.predict_quantiles(X, [0.0, 0.25, 0.5, 0.75, 1.0])
    assert (np.diff(quantiles) >= 0).all()
    for answer in (model.predict(X), distribution.median(), *quantiles.T):
        assert np.isfinite(answer).all()
        assert (answer >= nodes[0] - 1e-9 * width).all()
        assert (answer <= nodes[-1] + 1e-9 * width).all()


@pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")
@pytest.mark.parametrize(
    "name", ["two nearly equal", "nearly equal and another", "tenths in two ways"]
)
@pytest.mark.parametrize("regressor", REGRESSORS[:3], ids=IDS[:3])
def test_densities_integrate_to_one(regressor, name):
    distribution = clone(regressor).fit(X, TARGETS[name]).predict_distribution(X)
    nodes = nodes_of(distribution)
    # straight between its points; what it jumps by at them are atoms
    middles = (nodes[1:] + nodes[:-1]) / 2
    mass = distribution.pdf(middles) @ np.diff(nodes)
    points = np.unique(nodes)
    jumps = distribution.cdf(points) - distribution.cdf(np.nextafter(points, -np.inf))
    mass += jumps.sum(axis=1)
    np.testing.assert_allclose(mass, 1.0, rtol=1e-6)


@pytest.mark.parametrize("regressor", REGRESSORS, ids=IDS)
def test_rounding_of_the_target_changes_next_to_nothing(regressor):
    exact, rounded = K / 10, TARGETS["tenths in two ways"]
    a, b = (clone(regressor).fit(X, y).predict_interval(X, 0.8) for y in (exact, rounded))
    np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-9)


# what is one value


@settings(max_examples=50)
@given(st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=40), st.integers(0, 2**32 - 1))
def test_rounding_is_merged_and_nothing_else(tenths, seed):
    exact = np.array(tenths) / 10
    ulps = np.random.default_rng(seed).integers(-3, 4, len(exact))
    merged, weights = merge_rounding(exact + ulps * np.spacing(exact), np.ones(len(exact)))
    distinct, counts = np.unique(exact, return_counts=True)
    np.testing.assert_allclose(merged, distinct, rtol=1e-14, atol=1e-300)
    np.testing.assert_array_equal(weights, counts)


def test_a_long_run_of_close_values_is_no_single_value():
    close = 1.0 + 2.0**-44 * np.arange(1000)  # beside zero, each within rounding of the next
    merged, _ = merge_rounding(np.append(0.0, close), np.ones(1001))
    assert 50 < len(merged) - 1 < 70
    assert (np.diff(merged) > 2.0**-42).all()


@pytest.mark.parametrize("offset", [1e9, -1e12, 2.0**43])
def test_a_constant_beside_the_target_merges_nothing_that_floats_tell_apart(offset):
    steps = 256 * np.spacing(abs(offset)) * np.arange(300)
    merged, _ = merge_rounding(offset + steps, None)
    np.testing.assert_array_equal(merged, offset + steps)


ROWS = np.random.default_rng(1).normal(size=(500, 3))
NOISY = 0.1 * ROWS[:, 0] + 0.05 * ROWS[:, 2]


@pytest.mark.parametrize(
    "regressor",
    [
        BoostedNaiveBayesRegressor(n_rounds=60, early_stopping=False),
        NaiveBayesRegressor(),
        MTERegressor(),
    ],
    ids=["boosted", "nb", "mte"],
)
def test_targets_far_from_zero_are_predicted_as_well(regressor):
    y = NOISY + 1e12
    model = clone(regressor).fit(ROWS[:300, :2], y[:300])
    low, high = model.predict_interval(ROWS[300:, :2], coverage=0.9).T
    assert 0.8 < ((low <= y[300:]) & (y[300:] <= high)).mean() < 0.97
    assert np.std(model.predict(ROWS[300:, :2]) - y[300:]) < 0.065


def test_small_targets_beside_a_large_one_stay_apart():
    values = np.array([1e-6, 2e-6, 1e6])
    assert infer_target(values).n_bins == 3


def test_a_target_below_the_resolution_of_floats_is_said_to_be():
    with pytest.warns(DataWarning, match=r"^`y` varies by less than .* Subtract"):
        model = NaiveBayesRegressor(calibration=None).fit(X, TARGETS["far from zero"])
    np.testing.assert_allclose(model.predict(X), 1e16, rtol=1e-9)
    with pytest.warns(DataWarning, match=r"^`y` varies by less than .* Subtract"):
        boosted = BoostedNaiveBayesRegressor(n_rounds=5, early_stopping=False).fit(
            X, TARGETS["far from zero"]
        )
    np.testing.assert_allclose(boosted.predict(X), 1e16, rtol=1e-9)


@pytest.mark.parametrize("value", [0.0, -5.0, 1e14])
def test_a_boosted_constant_is_that_constant(value):
    model = BoostedNaiveBayesRegressor().fit(X, np.full(len(X), value))
    np.testing.assert_allclose(model.predict(X), value, rtol=1e-12)
    np.testing.assert_array_equal(model.predict_interval(X), value)


@pytest.mark.parametrize("regressor", [*REGRESSORS, BoostedNaiveBayesRegressor()])
@pytest.mark.parametrize(("unit", "advice"), [(5e307, "Divide"), (1e-308, "Multiply")])
def test_targets_at_the_ends_of_the_floats_are_refused(regressor, unit, advice):
    with pytest.raises(ValueError, match=rf"^`y` must lie between -1e\+304 .*{advice}"):
        clone(regressor).fit(X, unit * np.tanh(X[:, 0]))


# what is a number


@pytest.mark.parametrize(
    "make",
    [
        list,
        lambda y: np.array(y, object),
        lambda y: pd.Series(y),
        lambda y: pl.Series("y", y),
        lambda y: pa.array(y),
        lambda y: pa.chunked_array([y[:3], y[3:]]),
    ],
    ids=["list", "object", "pd", "pl", "pa", "pa-chunks"],
)
def test_decimals_are_numbers(make):
    decimals = [Decimal(int(k)) / 10 for k in K]
    expected = NaiveBayesRegressor(calibration=None).fit(X, K / 10).predict(X)
    found = NaiveBayesRegressor(calibration=None).fit(X, make(decimals)).predict(X)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    decimals[4] = None
    with pytest.warns(DataWarning, match=r"^1 row\(s\) have no target"):
        NaiveBayesRegressor(calibration=None).fit(X, make(decimals))


DAYS = np.datetime64("2020-01-01") + K.astype("m8[D]")
DATES = [
    DAYS,
    DAYS.astype("M8[ns]"),
    DAYS.tolist(),
    [datetime.datetime(2020, 1, 1, int(k)) for k in K % 24],
    pd.Series(DAYS.astype("M8[ns]")),
    pd.Series(DAYS.astype("M8[ns]")).dt.tz_localize("UTC"),
    pl.Series(DAYS.tolist()),
    pa.array(DAYS),
]
DURATIONS = [
    K.astype("m8[D]"),
    K.astype("m8[ns]"),
    K.astype("m8[s]").tolist(),
    pd.Series(K.astype("m8[ns]")),
    pl.Series(K.astype("m8[us]").tolist()),
    pa.array(K.astype("m8[s]")),
]


@pytest.mark.parametrize("regressor", [NaiveBayesRegressor(), MTERegressor()], ids=["nb", "mte"])
def test_dates_and_durations_are_refused_with_what_to_type(regressor):
    for y in DATES:
        with pytest.raises(
            ValueError, match=r"^`y` must hold numbers. Got dates.*astype\(\"datetime64\[s\]\"\)"
        ):
            regressor.fit(X, y)
    for y in DURATIONS:
        with pytest.raises(
            ValueError, match=r"^`y` must hold numbers. Got durations.*timedelta64\(1, \"s\"\)"
        ):
            regressor.fit(X, y)


def test_the_advice_for_dates_and_durations_works():
    seconds = DAYS.astype("datetime64[s]").astype(float)
    np.testing.assert_array_equal(np.diff(seconds), np.diff(K) * 86400.0)
    np.testing.assert_array_equal(K.astype("m8[D]") / np.timedelta64(1, "s"), K * 86400.0)


@pytest.mark.parametrize("y", [["a"] * 80, [True, "x"] * 40, [{}] * 80, [1 + 2j] * 80])
def test_what_is_no_number_is_refused(y):
    with pytest.raises(ValueError, match=r"^`y` must hold numbers. Got "):
        NaiveBayesRegressor().fit(X, y)


def test_integers_beyond_the_floats_are_refused_as_infinite():
    with pytest.raises(ValueError, match=r"^`y` must be finite or missing"):
        NaiveBayesRegressor().fit(X, [10**400, *K[1:].tolist()])


@pytest.mark.parametrize("exponent", [-900, -600, 600, 900])
@pytest.mark.parametrize(
    "regressor",
    [NaiveBayesRegressor(), NaiveBayesRegressor(bandwidth="frank1998"), MTERegressor()],
    ids=["auto", "frank1998", "mte"],
)
def test_units_of_the_target_are_units_of_the_answers(regressor, exponent):
    y, unit = X[:, 0] + 0.1 * X[:, 1], 2.0**exponent
    expected = clone(regressor).fit(X, y)
    found = clone(regressor).fit(X, y * unit)
    # rows are sampled in the order of a hash of their numbers, and sums in another order round differently
    np.testing.assert_allclose(found.predict(X) / unit, expected.predict(X), rtol=1e-5)
    quantiles = [model.predict_quantiles(X, [0.1, 0.9]) for model in (found, expected)]
    np.testing.assert_allclose(quantiles[0] / unit, quantiles[1], rtol=1e-5)


def test_money_is_a_number_in_a_target():
    amounts = np.round(np.random.default_rng(0).gamma(2, 900, 60), 2)
    X = np.c_[amounts, amounts % 7]
    written = np.array([f"${amount:,.2f}" for amount in amounts], object)
    plain = NaiveBayesRegressor().fit(X, amounts)
    model = NaiveBayesRegressor().fit(X, written)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    assert model.score(X, written) == plain.score(X, amounts)


@pytest.mark.parametrize("labels", [["1,234 kg", "5,678 kg"], ["12 kg", "3 lb"], ["101", "102"]])
def test_strings_that_may_be_something_else_are_no_target_of_numbers(labels):
    with pytest.raises(ValueError, match="`y` must hold numbers"):
        NaiveBayesRegressor().fit(np.arange(40.0)[:, None], np.array(labels * 20, object))


@pytest.mark.parametrize("estimator", [NaiveBayesRegressor, BoostedNaiveBayesRegressor])
def test_a_row_of_totals_is_told(estimator):
    rng = np.random.default_rng(0)
    sold = rng.gamma(2, 100, 300).round(2)
    X = np.append(sold + rng.normal(size=300), np.nan)[:, None]
    with pytest.warns(DataWarning, match="is the sum of all others: a row of totals"):
        estimator().fit(X, np.append(sold, sold.sum().round(1)))
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*a row of totals")
        estimator().fit(X, np.append(sold, 1.01 * sold.sum()))
        estimator().fit(X, np.append(np.zeros(298), [1, 1, 2]))
        estimator().fit(X[:2], [1e303, 1e303])
