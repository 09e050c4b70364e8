"""Bins and levels where the data pay for them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss

from bayfold import BoostedNaiveBayesClassifier, BoostedNaiveBayesRegressor
from bayfold.families.boosting.kernels.inputs import BELOW, BELOW_KNOWN, EQUAL, NO_SPLIT
from bayfold.families.boosting.rounds.resolution import (
    FEW_BINS,
    Coarsening,
    look_apart,
    merge_fine_bins,
    merge_neighbours,
)
from tests.reference.boost import goes_left

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(1, 254))
def test_coarse_bins_are_few_and_of_nearly_equal_weight(seed, n_bins):
    rng = np.random.default_rng(seed)
    weights = np.append([3.0, 0.0], rng.integers(0, 5, n_bins))
    merge = merge_fine_bins(weights)
    assert (np.diff(merge) >= 0).all()
    assert merge[:3].tolist() == [0, 1, 2]
    coarse = np.bincount(merge, weights)[2:]
    if weights[2:].sum() > 0:
        assert len(coarse) <= 32
        assert coarse.max() <= weights[2:].sum() / 32 + weights[2:].max()


@given(seeds)
def test_refined_splits_send_every_row_the_same_way(seed):
    rng = np.random.default_rng(seed)
    merges = [merge_fine_bins(np.ones(n)) for n in rng.integers(3, 100, 3)]
    merges[2] = merge_neighbours(len(merges[2]), rng.uniform())
    merges.append(np.arange(5))
    coarsening = Coarsening(merges)
    codes = np.stack([rng.integers(0, len(m), 40) for m in merges], axis=1).astype(np.uint8)
    coarse = coarsening.coarsen(codes)
    for _ in range(20):
        k = int(rng.integers(4))
        kind = int(rng.choice([BELOW, BELOW_KNOWN, NO_SPLIT]) if k < 3 else EQUAL)
        split = np.array([k, kind, rng.integers(0, coarsening.n_codes[k])])
        fine = coarsening.refine(split[None])[0]
        ours = [goes_left(int(row[k]), *fine[1:]) for row in codes]
        assert ours == [goes_left(int(row[k]), *split[1:]) for row in coarse]


@given(st.integers(1, 254), st.floats(0, 1, exclude_max=True))
def test_bins_of_a_model_are_few_and_of_as_many_fine_ones(n_bins, begin):
    merge = merge_neighbours(2 + n_bins, begin)
    assert merge[:3].tolist() == [0, 1, 2]
    assert set(np.diff(merge)) <= {0, 1}
    assert merge[-1] - 1 <= max(FEW_BINS + 1, 1)
    inner = np.bincount(merge)[3:-1]
    if len(inner):
        assert inner.max() - inner.min() <= 1


def test_models_see_different_bins_of_numbers_and_the_same_categories():
    codes = np.random.default_rng(0).integers(2, 130, (500, 2)).astype(np.uint8)
    views = look_apart(
        codes, np.array([130, 130]), np.array([True, False]), np.zeros(2, int), 3, seed=0
    )
    assert len({tuple(view.merges[0]) for view in views}) > 1
    for view in views:
        np.testing.assert_array_equal(view.codes[:, 1], codes[:, 1])
        np.testing.assert_array_equal(view.codes[:, 0], view.merges[0][codes[:, 0]])


def draw_waves(n_rows, seed):
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, 3))
    p = 1 / (1 + np.exp(-6 * np.sin(2 * np.pi * 25 * X[:, 0])))
    return X, (rng.random(n_rows) < p).astype(int)


def draw_board(n_rows, seed):
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, 3))
    return X, np.floor(5 * X[:, :2]).astype(int).sum(axis=1) % 2


def loss_of(model, draw, n_rows):
    model.fit(*draw(n_rows, 0))
    X, y = draw(4000, 1)
    return log_loss(y, model.predict_proba(X))


def test_a_column_that_says_more_by_fine_bins_has_them():
    """25 waves in 32 bins are flat; the best possible loss is .21."""
    assert loss_of(BoostedNaiveBayesClassifier(), draw_waves, 5000) < 0.3
    assert loss_of(BoostedNaiveBayesClassifier(max_bins=32), draw_waves, 5000) > 0.6


def test_a_checkerboard_is_learnt_by_trees_of_three_levels():
    assert loss_of(BoostedNaiveBayesClassifier(), draw_board, 4000) < 0.15


def test_sharp_edges_are_looked_at_closely_before_boosting_stops():
    """Few bins leave .066 here and learn nothing more."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8000, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    model = BoostedNaiveBayesClassifier(random_state=0).fit(X[:3000], y[:3000])
    assert log_loss(y[3000:], model.predict_proba(X[3000:])) < 0.02


def test_small_and_smooth_tables_are_seen_coarsely():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] + rng.normal(size=400) > 0).astype(int)
    model = BoostedNaiveBayesClassifier(linear=False).fit(X, y)
    assert [column.n_bins for column in model.schema_.columns] == [128] * 3
    merges = [term.merge for term in model._ensemble.model.terms]
    assert max(merge.max() + 1 for merge in merges) <= 32


def test_every_hour_of_a_week_is_seen_where_rows_pay_for_it():
    """64 bins leave an error of 2.4 here, the noise is 1."""
    rng = np.random.default_rng(0)
    hours = rng.integers(0, 168, 12_000)
    y = rng.normal(scale=3, size=168)[hours] + rng.normal(size=12_000)
    model = BoostedNaiveBayesRegressor().fit(hours[:6000, None], y[:6000])
    assert np.std(y[6000:] - model.predict(hours[6000:, None])) < 1.1


def test_only_long_tables_are_cut_by_value_too():
    """The tail of a column that is told by it; copies of few rows are few rows."""
    X = np.exp(2 * np.random.default_rng(0).normal(size=(5200, 3)))
    last = []
    for rows in (X[:2500], np.repeat(X[:2500], 2, axis=0), X):
        model = BoostedNaiveBayesRegressor(n_rounds=1, n_models=1).fit(rows, rows[:, 0])
        edges = model.schema_.columns[0].edges
        last.append((len(edges), int((rows[:, 0] > edges[-1]).sum())))
    assert last[0][0] == last[1][0] == 127
    assert last[2][0] > 200
    assert last[0][1] > 15 > last[2][1]


def test_rounds_that_are_used_up_are_a_warning():
    X = draw_board(1000, 0)[0]
    message = (
        r"All 20 rounds were run and the loss of left-out rows was still falling\. Raise `n_rounds`"
    )
    with pytest.warns(ConvergenceWarning, match=message):
        BoostedNaiveBayesClassifier(n_rounds=20).fit(X[:, :1], X[:, 0] > 0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        BoostedNaiveBayesClassifier(n_rounds=20, early_stopping=False).fit(X[:, :1], X[:, 0] > 0.5)
        BoostedNaiveBayesClassifier().fit(X, np.random.default_rng(0).integers(0, 2, 1000))
