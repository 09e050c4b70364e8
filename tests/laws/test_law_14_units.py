"""Law 14: rows of one unit are never on both sides of anything held out, and with times what is held out is later."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context, model_selection
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GroupKFold

import bayfold
from bayfold.core.counts.folds import Deal, GivenUnits
from bayfold.errors import DataWarning, MergeError, ignore_warnings
from bayfold.evaluate import (
    cross_validate,
    cross_validate_distributions,
    cross_validate_regressors,
    summarise_regressors,
)
from bayfold.families.boosting.rounds.distinct_rows import DistinctRows

CLASSIFIERS = [
    bayfold.NaiveBayesClassifier,
    bayfold.AveragedOneDependenceClassifier,
    bayfold.BoostedNaiveBayesClassifier,
    bayfold.NaiveBayesTreeClassifier,
    partial(bayfold.NaiveBayesTreeClassifier, 2, utility="leave_one_out"),
    partial(bayfold.AdaBoostNaiveBayesClassifier, max_depth=1, n_rounds=5),
    bayfold.ViaRegressionClassifier,
    partial(bayfold.ClassDecompositionClassifier, n_clusters=2, random_state=0),
]
REGRESSORS = [
    bayfold.BoostedNaiveBayesRegressor,
    bayfold.NaiveBayesRegressor,
    bayfold.MTERegressor,
]


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
        assert {0, 1} <= set(np.minimum(fold_of, 1).tolist())  # held out, and learnt from
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


@pytest.mark.parametrize("cls", CLASSIFIERS[:-1])  # clusters: to the tolerance of EM
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
    assert losses[1] < 0.9
    assert losses[1] < losses[0]


@pytest.mark.parametrize("cls", REGRESSORS)
def test_intervals_of_new_patients_hold(cls):
    """Columns say nothing of new patients; without groups an interval is as narrow as the visits of one."""
    shares = np.empty((4, 2))
    for seed, of_seed in enumerate(shares):
        rng = np.random.default_rng(seed)
        X, _, patient = draw_patients(60, 6, seed=seed)
        y = rng.normal(size=60)[patient] + 0.01 * rng.normal(size=len(patient))
        new, _, _ = draw_patients(300, 1, seed=100 + seed)
        truth = rng.normal(size=300)
        for k, kwargs in enumerate(({}, {"groups": patient})):
            low, high = cls().fit(X, y, **kwargs).predict_interval(new, coverage=0.8).T
            of_seed[k] = ((low <= truth) & (truth <= high)).mean()
    # a quantile of 60 patients is known to .05, the mean of four draws to .026: three of these
    assert shares[:, 0].mean() < 0.6
    assert 0.72 < shares[:, 1].mean() < 0.88


def test_components_are_no_patients():
    """Left out one by one, visits are told apart by patient: there are as many components as can be tried."""
    X, _, patient = draw_patients(30, 6, seed=1)
    mixture = bayfold.NaiveBayesMixture(range(1, 8), random_state=0)
    assert mixture.fit(X).n_components_ == 7
    assert mixture.fit(X, groups=patient).n_components_ < 4
    plain = mixture.fit(X).held_out_log_likelihood_
    own = mixture.fit(X, groups=np.random.default_rng(0).permutation(len(X)))
    assert own.held_out_log_likelihood_ == plain


@pytest.mark.parametrize("cls", [bayfold.NaiveBayesClassifier, bayfold.NaiveBayesRegressor])
def test_words_of_a_patient_tell_nothing_of_others(cls):
    rng = np.random.default_rng(0)
    words = np.array([f"w{k}" for k in range(200)])
    own = [" ".join(rng.choice(words, 8)) for _ in range(40)]
    text = [f"{text} {rng.choice(words)}" for text in own for _ in range(6)]
    patient = np.repeat(np.arange(40), 6)
    X = np.array(text, object)[:, None]
    y = rng.permutation(np.arange(40) % 2)[patient]
    found = [
        np.ptp(answer(cls(text_features=[0]).fit(X, y, **kwargs), X)[:, 0])
        for kwargs in ({}, {"groups": patient})
    ]
    assert found[0] > 0.5
    assert found[1] < 0.2


@pytest.mark.parametrize("cls", [bayfold.NaiveBayesClassifier, bayfold.NaiveBayesTreeClassifier])
def test_groups_and_times_come_from_columns_of_sources(cls, tmp_path):
    X, y, patient = draw_patients(30, 4, seed=0)
    day = np.datetime64("2024-01-01") + np.arange(len(y)) % 4
    columns = {f"x{j}": X[:, j] for j in range(4)}
    named = [f"patient {k}" for k in patient]
    table = pa.table({**columns, "y": y, "patient": named, "day": day})
    pq.write_table(table, tmp_path / "visits.parquet")
    told = {"groups": "patient", "time": "day"}
    source = cls().fit_source(tmp_path / "visits.parquet", "y", **told, progress=False)
    assert source.feature_names_in_.tolist() == list(columns)
    memory = cls().fit(pa.table(columns), y, groups=named, time=day)
    np.testing.assert_array_equal(
        answer(source, pa.table(columns)), answer(memory, pa.table(columns))
    )


def test_sums_of_groups_keep_hashes_alone(tmp_path):
    X, y, patient = draw_patients(20, 4, seed=0)
    half = len(y) // 2
    named = np.array([f"Mrs Miller {k}" for k in patient])
    first = bayfold.NaiveBayesClassifier().fit(X[:half], y[:half], groups=named[:half])
    other = bayfold.NaiveBayesClassifier(schema=first.schema_)
    plain = first + other.fit(X[half:], y[half:])
    sample = plain.statistics_.sample
    assert set(first.statistics_.sample.units.tolist()) < set(sample.units.tolist())
    both = first + other.fit(X[half:], y[half:], groups=named[half:])
    assert len(set(both.statistics_.sample.units.tolist())) == 20
    both.save(tmp_path / "both.bayfold")
    assert b"Miller" not in (tmp_path / "both.bayfold").read_bytes()
    with pytest.raises(MergeError, match="must not share rows"):
        first + other.fit(X[:half], y[:half])
    timed = other.fit(X[half:], y[half:], groups=named[half:], time=np.arange(half))
    with pytest.raises(MergeError, match="must all have been given `time`, or none"):
        first + timed


@pytest.mark.parametrize("first", [{}, {"groups"}])
def test_batches_of_a_stream_may_have_groups_or_none(first):
    X, y, patient = draw_patients(20, 4, seed=0)
    half = len(y) // 2
    parts = [
        {"groups": patient[rows]} if ("groups" in first) == (k == 0) else {}
        for k, rows in enumerate((slice(half), slice(half, None)))
    ]
    stream = bayfold.NaiveBayesClassifier().partial_fit(X[:half], y[:half], **parts[0])
    schema = stream.schema_
    stream.partial_fit(X[half:], y[half:], **parts[1])
    with ignore_warnings(DataWarning):
        one, other = (
            bayfold.NaiveBayesClassifier(schema=schema).fit(X[rows], y[rows], **given)
            for rows, given in zip((slice(half), slice(half, None)), parts, strict=True)
        )
    both = one + other
    np.testing.assert_array_equal(answer(stream, X), answer(both, X))
    assert len(set(stream.statistics_.sample.units.tolist())) > 20
    stream = bayfold.NaiveBayesClassifier().partial_fit(X[:half], y[:half], **parts[0])
    with pytest.raises(MergeError, match="must all have been given `time`, or none"):
        stream.partial_fit(X[half:], y[half:], time=np.arange(half))
    np.testing.assert_array_equal(answer(stream, X), answer(one, X))  # as it was before


@pytest.mark.parametrize("cls", [*CLASSIFIERS, *REGRESSORS])
def test_patients_may_come_one_after_the_other(cls):
    X, y, patient = draw_patients(30, 8, seed=0)
    model = cls().fit(X, y, groups=patient, time=np.arange(len(y)))
    assert np.isfinite(answer(model, X)).all()


def test_one_later_row_is_no_measure_of_spreads():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 2))
    X[::17, 0] = np.nan
    y = np.nan_to_num(X[:, 0]) + rng.normal(size=240)
    model = bayfold.BoostedNaiveBayesRegressor().fit(X, y, time=1.0 * (np.arange(240) == 239))
    assert np.abs(model.predict(X)).max() < 2 * np.abs(y).max()


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"groups": [1, 2]}, r"\[40, 2\]. `groups` must have one entry per row of `X`"),
        (
            {"groups": [None, *range(39)]},
            "`groups` must be known for every row. Got none for 1 row",
        ),
        ({"time": [np.nan] * 2 + [1.0] * 38}, "`time` must be known .* Got none for 2 rows"),
        ({"groups": ["a"] * 40}, "at least two, so that one can be held out. Got one group"),
        ({"time": ["Monday"] * 40}, "`time` must be dates or numbers, which have an order"),
        ({"time": [3] * 40}, "`time` must have at least two values"),
        ({"groups": np.zeros((40, 2))}, "`groups` must be 1-dimensional"),
    ],
)
@pytest.mark.parametrize("cls", [bayfold.NaiveBayesClassifier, bayfold.NaiveBayesTreeClassifier])
def test_bad_groups_and_times_are_refused_by_name(cls, given, text):
    X, y, _ = draw_patients(20, 2, seed=0)
    with pytest.raises(ValueError, match=text):
        cls().fit(X, y, **given)


def test_what_has_no_use_for_groups_refuses_them():
    X, y, patient = draw_patients(20, 2, seed=0)
    with pytest.raises(TypeError, match="Got LinearRegression, which holds no rows out"):
        bayfold.ViaRegressionClassifier(LinearRegression()).fit(X, y, groups=patient)
    with pytest.raises(ValueError, match="leaves out one row at a time, as published"):
        bayfold.NaiveBayesRegressor(bandwidth="frank1998").fit(X, y, groups=patient)
    with pytest.raises(TypeError, match="unexpected keyword argument 'group'"):
        bayfold.NaiveBayesClassifier().fit_source("nothing.csv", "y", group="patient")


@pytest.mark.parametrize("cls", [*CLASSIFIERS[:1], *CLASSIFIERS[3:4], *REGRESSORS[1:]])
def test_few_groups_are_left_out_one_by_one(cls):
    X, y, patient = draw_patients(4, 10, seed=0)
    with pytest.warns(
        DataWarning, match="There are 4 groups, fewer than 10: each fold leaves out one"
    ):
        model = cls().fit(X, y, groups=patient)
    assert np.isfinite(answer(model, X)).all()
    one_class = (patient > 2).astype(int)  # all rows of a group, and none of another, are of it
    with ignore_warnings(DataWarning):
        model = cls().fit(X, one_class, groups=patient, time=np.arange(40) % 3)
    assert np.isfinite(answer(model, X)).all()


class Witness(ClassifierMixin, BaseEstimator):
    """Keeps what it was fitted to and asked about."""

    seen: ClassVar[list] = []

    def fit(self, X, y, groups=None, time=None):
        """Remember the rows, by their first column."""
        self.classes_ = np.unique(y)
        self.learnt = X[:, 0].astype(int)
        self.given = groups is not None, time is not None
        return self

    def predict(self, X):
        """Tell what was seen."""
        Witness.seen.append((self.learnt, X[:, 0].astype(int), self.given))
        return np.repeat(self.classes_[:1], len(X))


@pytest.mark.parametrize("names", [["groups"], ["time"], ["groups", "time"]])
def test_models_are_judged_by_units(names):
    rng = np.random.default_rng(0)
    X = np.arange(90.0)[:, None]
    per_row = {"groups": rng.integers(0, 15, 90), "time": rng.integers(0, 12, 90)}
    per_row = {name: per_row[name] for name in names}
    y = rng.integers(0, 2, 90)
    Witness.seen.clear()
    result = cross_validate({"w": Witness()}, X, y, n_repeats=2, n_folds=4, **per_row)
    assert len(result.fold_of) == 1 + ("groups" in names)
    judged = np.arange(90) if result.rows is None else result.rows
    assert np.bincount(np.concatenate([test for _, test, _ in Witness.seen]))[judged].min() > 0
    for learnt, test, taken in Witness.seen:
        assert taken == ("groups" in names, "time" in names)
        if "groups" in names:
            assert not set(per_row["groups"][learnt]) & set(per_row["groups"][test])
        if "time" in names:
            assert per_row["time"][learnt].max() < per_row["time"][test].min()


def test_numbers_and_distributions_are_judged_by_units():
    X, _, patient = draw_patients(30, 4, seed=0)
    y = np.random.default_rng(0).normal(size=30)[patient]
    models = {"model": bayfold.NaiveBayesRegressor(), "mean": DummyRegressor()}
    found = {}
    for name, per_row in {"rows": {}, "patients": {"groups": patient}}.items():
        result = cross_validate_regressors(models, X, y, n_repeats=1, **per_row)
        found[name] = summarise_regressors(result)["r2"][0]
        held_out = cross_validate_distributions(models["model"], X, y, **per_row)
        assert len(held_out.rank) == len(y)
    assert found["rows"] > 0.5
    assert found["patients"] < 0.2
    timed = cross_validate_distributions(models["model"], X, y, time=np.arange(120))
    assert len(timed.rank) == 80


def test_groups_are_routed_by_scikit_learn():
    X, y, patient = draw_patients(30, 4, seed=0)
    with config_context(enable_metadata_routing=True):
        model = bayfold.NaiveBayesClassifier().set_fit_request(groups=True)
        told = {"groups": patient}
        found = model_selection.cross_validate(
            model, X, y, params=told, cv=GroupKFold(3), return_estimator=True
        )
    for fitted in found["estimator"]:
        assert len(np.unique(fitted.statistics_.sample.units)) == 20
