"""Law 14: rows of one unit are never on both sides of anything held out, and with times what is held out is later."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayfold
from bayfold.core.counts.folds import Deal, GivenUnits
from bayfold.errors import DataWarning, ignore_warnings
from bayfold.families.boosting.rounds.distinct_rows import DistinctRows

CLASSIFIERS = [
    bayfold.NaiveBayesClassifier,
    bayfold.AveragedOneDependenceClassifier,
    bayfold.BoostedNaiveBayesClassifier,
]
REGRESSORS = [bayfold.BoostedNaiveBayesRegressor]


def draw_patients(n_patients: int, n_visits: int, seed: int, noise: float = 0.01):
    """Columns that say nothing, nearly the same at each visit of a patient, and an outcome by patient."""
    rng = np.random.default_rng(seed)
    X = np.repeat(rng.normal(size=(n_patients, 4)), n_visits, axis=0)
    X += noise * rng.normal(size=X.shape)
    y = np.repeat(rng.permutation(np.arange(n_patients) % 2), n_visits)
    return X, y, np.repeat(np.arange(n_patients), n_visits)


def draw_deal(n_rows: int, n_units: int, n_times: int, n_folds: int, seed: int):
    """Rows of random groups, units and times."""
    rng = np.random.default_rng(seed)
    group_of = rng.integers(0, 2, n_rows)
    keys = rng.integers(1 << 63, size=n_rows, dtype=np.uint64)
    units = np.append([0, 1], rng.integers(0, n_units, n_rows - 2)).astype(np.uint64)
    time = np.append([0.0, 1.0], rng.integers(0, n_times, n_rows - 2))
    return Deal(keys, group_of, np.arange(2), n_folds), units, time, rng.random(n_rows) + 0.5


@given(
    st.integers(10, 60),
    st.integers(2, 30),
    st.integers(2, 20),
    st.integers(2, 12),
    st.integers(0, 99),
)
@settings(max_examples=50)
def test_units_are_on_one_side_and_what_is_held_out_is_later(
    n_rows, n_units, n_times, n_folds, seed
):
    deal, units, time, weights = draw_deal(n_rows, n_units, n_times, n_folds, seed)
    for said in (GivenUnits(units, None), GivenUnits(None, time), GivenUnits(units, time)):
        with ignore_warnings(DataWarning):
            inside, outside = said.hold_out(deal, weights)
            fold_of = said.hold_out_last(deal, weights)
        assert ((inside > 0).sum(axis=1) <= 1).all()  # a row is held out once
        for k in range(inside.shape[1]):
            check_sides(said, inside[:, k] > 0, outside[:, k] > 0)
        for k in range(fold_of.max() + 1):
            is_learnt = (fold_of >= 0) & (fold_of != k)
            units_alone = GivenUnits(said.units, None)
            check_sides(said if k == 0 else units_alone, fold_of == k, is_learnt)
        if said.time is None:
            assert (inside.sum(axis=1) == weights).all()
            assert ((inside > 0) ^ (outside > 0)).all()  # what is not held out is learnt from


def check_sides(said: GivenUnits, is_inside: np.ndarray, is_outside: np.ndarray) -> None:
    """No unit on both sides, and nothing learnt from that is not earlier."""
    assert not (is_inside & is_outside).any()
    if said.units is not None:
        assert not set(said.units[is_inside].tolist()) & set(said.units[is_outside].tolist())
    if said.time is not None and is_inside.any() and is_outside.any():
        assert said.time[is_outside].max() < said.time[is_inside].min()


def test_parts_of_rows_in_units_cut_none():
    unit_of = np.repeat(np.arange(7), [1, 5, 2, 2, 9, 1, 4])
    nothing = np.empty((24, 0), np.uint8)
    rows = DistinctRows(
        nothing, nothing, unit_of, unit_of, unit_of, np.array([0, 24]), unit_of=unit_of
    )
    bounds = rows.cut_evenly(20, 4)
    assert bounds[[0, -1]].tolist() == [0, 20]
    assert all(unit_of[b] != unit_of[b - 1] for b in bounds[1:-1].tolist())
    assert rows.weigh_units().tolist() == [0, 5, 4, 6, 36, 5, 24]


@pytest.mark.parametrize("cls", [*CLASSIFIERS, *REGRESSORS])
def test_every_row_its_own_group_is_no_group(cls):
    rng = np.random.default_rng(3)
    places = rng.permutation(np.indices((5, 5, 5)).reshape(3, -1).T)  # no two rows are equal
    X = np.array(["a", "b", "c", "d", "e"])[places]
    y = (places[:, 0] + rng.normal(size=125) > 2).astype(int)
    target = y if cls in CLASSIFIERS else places[:, 0] + y
    plain = answer(cls().fit(X, target), X)
    own = answer(cls().fit(X, target, groups=rng.permutation(125)), X)
    np.testing.assert_array_equal(own, plain)


def answer(model, X):
    """All that the model says of some rows."""
    if hasattr(model, "predict_proba"):
        return model.predict_proba(X)
    return np.column_stack([model.predict(X), model.predict_interval(X)])


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_neither_names_of_groups_nor_the_order_of_rows_matter(cls):
    X, y, patient = draw_patients(30, 4, seed=0)
    order = np.random.default_rng(0).permutation(len(y))
    found = answer(cls().fit(X, y, groups=patient), X)
    named = np.array([f"patient {k}" for k in 7 * patient % 31])
    again = answer(cls().fit(X[order], y[order], groups=named[order]), X)
    np.testing.assert_allclose(again, found, rtol=1e-9)


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_what_is_the_same_at_each_visit_is_not_believed(cls):
    """Of new patients the model knows nothing; without groups it is as sure as of those that it has seen."""
    X, y, patient = draw_patients(40, 6, seed=1)
    new, truth, _ = draw_patients(300, 1, seed=2)
    losses = []
    for kwargs in ({}, {"groups": patient}):
        p = cls().fit(X, y, **kwargs).predict_proba(new)
        losses.append(-np.log(p[np.arange(len(truth)), truth]).mean())
    assert losses[1] < 0.85
    assert losses[1] < losses[0]
