"""Law 2: weight 2 is the row twice, weight 0 the row absent, for whole models."""

import numpy as np
import pytest
from hypothesis import given, settings

from bayfold import NaiveBayesClassifier
from tests.laws.tables import (
    calibrations,
    densities,
    draw_table,
    methods,
    missing_rules,
    seeds,
    smoothings,
)
from tests.plain import plain_classifier, with_bins

pytestmark = pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")


@settings(deadline=None, derandomize=True, max_examples=50)
@given(seeds, methods, missing_rules, smoothings)
def test_weights_are_repetitions(seed, numeric, missing, smoothing):
    X, y, rng = draw_table(seed, n_classes=2 + seed % 2)
    weights = rng.integers(0, 4, len(y))
    weights[: 2 * (y.max() + 1)] = 1  # every class keeps its rows
    repeated = rng.permutation(np.repeat(np.arange(len(y)), weights))
    parameters = {"missing": missing, "smoothing": smoothing, **with_bins(numeric, 4)}
    weighted = plain_classifier(**parameters).fit(X, y, sample_weight=weights.astype(float))
    twice = plain_classifier(**parameters).fit(X.iloc[repeated], y[repeated])
    assert weighted.class_count_.tolist() == twice.class_count_.tolist()
    new, _, _ = draw_table(seed + 1, n_classes=2 + seed % 2)
    for rows in (X, new):
        np.testing.assert_allclose(
            weighted.predict_proba(rows), twice.predict_proba(rows), rtol=0, atol=1e-12
        )
        np.testing.assert_allclose(
            weighted.score_samples(rows), twice.score_samples(rows), rtol=1e-11, atol=1e-11
        )
    a, b = weighted.statistics_.sample, twice.statistics_.sample
    np.testing.assert_array_equal(a.hashes, b.hashes)
    np.testing.assert_array_equal(a.weights, b.weights)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(seeds, methods)
def test_the_order_of_rows_does_not_matter(seed, numeric):
    X, y, rng = draw_table(seed, n_classes=3)
    order = rng.permutation(len(y))
    straight = plain_classifier(numeric=numeric).fit(X, y)
    shuffled = plain_classifier(numeric=numeric).fit(X.iloc[order], y[order])
    assert straight.schema_ == shuffled.schema_
    np.testing.assert_allclose(
        straight.predict_proba(X), shuffled.predict_proba(X), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("numeric", ["equal_frequency", "equal_width", "gaussian"])
def test_a_row_of_weight_zero_leaves_no_trace(numeric):
    X, y, _ = draw_table(0)
    absent = X.copy()
    absent.loc[0, "u"], absent.loc[0, "w"] = np.inf, "a category of its own"
    weights = np.ones(len(y))
    weights[0] = 0
    ghost = plain_classifier(numeric=numeric).fit(absent, y, sample_weight=weights)
    without = plain_classifier(numeric=numeric).fit(X[1:], y[1:])
    assert ghost.schema_ == without.schema_
    np.testing.assert_array_equal(ghost.predict_proba(X), without.predict_proba(X))


@settings(deadline=None, derandomize=True, max_examples=25)
@given(seeds, densities, calibrations)
def test_weights_are_repetitions_with_calibration_too(seed, numeric, calibration):
    X, y, rng = draw_table(seed, n_rows=80, n_classes=2 + seed % 2)
    weights = rng.integers(0, 4, len(y))
    weights[: 2 * (y.max() + 1)] = 1
    repeated = rng.permutation(np.repeat(np.arange(len(y)), weights))
    parameters = {"numeric": numeric, "calibration": calibration}
    weighted = NaiveBayesClassifier(**parameters).fit(X, y, sample_weight=weights.astype(float))
    twice = NaiveBayesClassifier(**parameters).fit(X.iloc[repeated], y[repeated])
    assert weighted.numeric_ == twice.numeric_
    # the weights end where an optimiser stops, which rounding moves a little
    np.testing.assert_allclose(weighted.predict_proba(X), twice.predict_proba(X), rtol=0, atol=1e-4)
