"""Law 3: a missing cell touches only its own column's term."""

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
from tests.plain import plain_classifier

pytestmark = pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")


def weights(model, rows):
    """Weights of evidence of shape (rows, prior and columns, scores)."""
    records = model.explain(rows)
    return records["weight"].reshape(len(rows), 1 + rows.shape[1], -1)


@settings(deadline=None, derandomize=True, max_examples=40)
@given(seeds, methods, missing_rules, smoothings)
def test_a_missing_cell_changes_no_other_weight(seed, numeric, missing, smoothing):
    X, y, rng = draw_table(seed, n_classes=2 + seed % 2)
    model = plain_classifier(numeric=numeric, missing=missing, smoothing=smoothing).fit(X, y)
    before = weights(model, X)
    column = int(rng.integers(X.shape[1]))
    holed = X.copy()
    holed.isetitem(column, np.full(len(X), np.nan))
    after = weights(model, holed)
    kept = np.arange(1 + X.shape[1]) != 1 + column
    np.testing.assert_array_equal(after[:, kept], before[:, kept])
    if missing == "ignore":
        assert not after[:, 1 + column].any()


@settings(deadline=None, derandomize=True, max_examples=40)
@given(seeds, methods, smoothings)
def test_a_missing_cell_in_training_changes_no_other_column(seed, numeric, smoothing):
    X, y, rng = draw_table(seed)
    column = int(rng.integers(X.shape[1]))
    holed = X.copy()
    holed.iloc[rng.random(len(X)) < 0.5, column] = np.nan
    a, b = (plain_classifier(numeric=numeric, smoothing=smoothing).fit(T, y) for T in (X, holed))
    kept = np.arange(1 + X.shape[1]) != 1 + column
    np.testing.assert_array_equal(weights(a, X)[:, kept], weights(b, X)[:, kept])


@settings(deadline=None, derandomize=True, max_examples=30)
@given(seeds, methods, smoothings)
def test_a_column_without_known_cells_changes_no_prediction(seed, numeric, smoothing):
    X, y, rng = draw_table(seed, n_classes=2 + seed % 2)
    wider = X.copy()
    wider.insert(int(rng.integers(5)), "nothing", np.nan)
    a, b = (plain_classifier(numeric=numeric, smoothing=smoothing).fit(T, y) for T in (X, wider))
    np.testing.assert_array_equal(a.predict_proba(X), b.predict_proba(wider))
    np.testing.assert_array_equal(a.score_samples(X), b.score_samples(wider))
    np.testing.assert_array_equal(
        b.predict_proba(wider), b.predict_proba(wider.assign(nothing=3.0))
    )


@settings(deadline=None, derandomize=True, max_examples=25)
@given(seeds, densities, calibrations, missing_rules)
def test_a_missing_cell_changes_no_other_weight_of_a_calibrated_model(
    seed, numeric, calibration, missing
):
    """In training it may: a column less is a reason to believe the others more."""
    X, y, rng = draw_table(seed, n_rows=60, n_classes=2 + seed % 2)
    model = NaiveBayesClassifier(numeric=numeric, calibration=calibration, missing=missing)
    model.fit(X, y)
    before = weights(model, X)
    column = int(rng.integers(X.shape[1]))
    holed = X.copy()
    holed.isetitem(column, np.full(len(X), np.nan))
    after = weights(model, holed)
    kept = np.arange(1 + X.shape[1]) != 1 + column
    np.testing.assert_array_equal(after[:, kept], before[:, kept])
    if missing == "ignore":
        assert not after[:, 1 + column].any()
