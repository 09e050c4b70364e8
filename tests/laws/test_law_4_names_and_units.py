"""Law 4: names of categories, the order of columns and units change no prediction."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone, is_regressor

from bayfold import (
    AveragedOneDependenceClassifier,
    BoostedNaiveBayesClassifier,
    BoostedNaiveBayesRegressor,
    MTERegressor,
    NaiveBayesClassifier,
)
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


@settings(deadline=None, derandomize=True, max_examples=30)
@given(seeds, missing_rules, smoothings)
def test_names_of_categories(seed, missing, smoothing):
    X, y, rng = draw_table(seed, n_classes=3)
    names = dict(zip("pqr", rng.permutation(["zebra", "p", "Ärger"]), strict=True))
    renamed = X.assign(w=X["w"].map(names, na_action="ignore"))
    a, b = (plain_classifier(missing=missing, smoothing=smoothing).fit(T, y) for T in (X, renamed))
    np.testing.assert_array_equal(a.predict_proba(X), b.predict_proba(renamed))


@settings(deadline=None, derandomize=True, max_examples=30)
@given(seeds)
def test_names_of_classes(seed):
    X, y, rng = draw_table(seed, n_classes=3)
    names = np.array(rng.permutation(["b", "a", "c"]))
    a, b = plain_classifier().fit(X, y), plain_classifier().fit(X, names[y])
    order = np.searchsorted(b.classes_, names)
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X)[:, order], rtol=0, atol=1e-14)


@settings(deadline=None, derandomize=True, max_examples=30)
@given(seeds, methods, missing_rules)
def test_the_order_of_columns(seed, numeric, missing):
    X, y, rng = draw_table(seed, n_classes=2 + seed % 2)
    other = X[rng.permutation(X.columns)]
    a, b = (plain_classifier(numeric=numeric, missing=missing).fit(T, y) for T in (X, other))
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(other), rtol=0, atol=1e-13)
    np.testing.assert_array_equal(a.predict(X), b.predict(other))
    np.testing.assert_array_equal(a.statistics_.sample.hashes, b.statistics_.sample.hashes)


@settings(deadline=None, derandomize=True, max_examples=40)
@given(seeds, methods, st.integers(-200, 200))
def test_scaling_by_a_power_of_two_keeps_every_code(seed, numeric, exponent):
    X, y, _ = draw_table(seed, n_rows=300, n_classes=2 + seed % 2)
    scaled = X.assign(u=np.ldexp(X["u"].to_numpy(), exponent))
    a, b = (plain_classifier(numeric=numeric).fit(T, y) for T in (X, scaled))
    assert [len(c.edges) for c in a.schema_.columns[:2]] == [
        len(c.edges) for c in b.schema_.columns[:2]
    ]
    np.testing.assert_array_equal(
        np.ldexp(a.schema_.columns[0].edges, exponent), b.schema_.columns[0].edges
    )
    for mine, theirs in zip(a.statistics_.counts.tables, b.statistics_.counts.tables, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(a.predict_proba(X), b.predict_proba(scaled))


@settings(deadline=None, derandomize=True, max_examples=40)
@given(seeds, methods, st.floats(1e-3, 1e3), st.floats(-1e3, 1e3))
def test_increasing_affine_changes(seed, numeric, factor, shift):
    X, y, _ = draw_table(seed, n_rows=300, n_classes=2 + seed % 2)
    new, _, _ = draw_table(seed + 1, n_rows=200, n_classes=2 + seed % 2)

    def change(T):
        return T.assign(u=factor * T["u"].astype(float) + shift)

    a = plain_classifier(numeric=numeric).fit(X, y)
    b = plain_classifier(numeric=numeric).fit(change(X), y)
    # rows within rounding of an edge may change sides
    u, edges = new["u"].to_numpy(float), a.schema_.columns[0].edges
    near = np.min(np.abs(u[:, None] - edges), axis=1) < 1e-14 * (1 + abs(shift) / factor)
    assert near.sum() <= 3
    np.testing.assert_allclose(
        a.predict_proba(new)[~near], b.predict_proba(change(new))[~near], rtol=0, atol=1e-7
    )


def rename_and_permute(X, y, rng):
    """The same table with other names of categories, columns and classes, its columns in another order."""
    names = dict(zip("pqr", rng.permutation(["zebra", "p", "Ärger"]), strict=True))
    other = X.assign(w=X["w"].map(names, na_action="ignore")).rename(columns={"u": "ω", "z": "b"})
    classes = rng.permutation(["b", "a", "c"])
    return other[rng.permutation(other.columns)], classes


@settings(deadline=None, derandomize=True, max_examples=6)
@given(seeds, st.integers(1, 2))
def test_boosting_draws_by_content(seed, interactions):
    n_classes = 2 + seed % 2
    X, y, rng = draw_table(seed, n_rows=120, n_classes=n_classes)
    X = X.assign(many=rng.choice([f"v{k}" for k in range(40)], 120), noise=rng.normal(size=120))
    other, classes = rename_and_permute(X, y, rng)
    model = BoostedNaiveBayesClassifier(
        interactions=interactions, n_models=2, n_rounds=40, random_state=0
    )
    p = model.fit(X, y).predict_proba(X)
    q = model.fit(other, classes[y]).predict_proba(other)
    q = q[:, np.searchsorted(model.classes_, classes[:n_classes])]
    np.testing.assert_allclose(p, q, rtol=0, atol=1e-12)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(seeds, densities, calibrations)
def test_names_and_the_order_of_columns_with_calibration(seed, numeric, calibration):
    """Folds are dealt by frequencies and ranks, so nothing but the end of an optimiser's search may change."""
    n_classes = 2 + seed % 2
    X, y, rng = draw_table(seed, n_rows=120, n_classes=n_classes)
    other, classes = rename_and_permute(X, y, rng)
    model = NaiveBayesClassifier(numeric=numeric, calibration=calibration)
    p = model.fit(X, y).predict_proba(X)
    q = model.fit(other, classes[y]).predict_proba(other)
    q = q[:, np.searchsorted(model.classes_, classes[:n_classes])]
    np.testing.assert_allclose(p, q, rtol=0, atol=1e-3)


def draw_twins(n_rows=200):
    """Two columns that occur equally often with every target, and stand beside different things."""
    rng = np.random.default_rng(5)
    target = np.repeat(np.arange(8.0), n_rows // 8)
    first = rng.integers(0, 2, n_rows)
    second = first.copy()
    for value in range(8):
        rows = np.flatnonzero(target == value)
        second[rows] = rng.permutation(first[rows])
    X = pd.DataFrame({"d": first, "e": second}).astype(str)
    return X.assign(f=rng.normal(size=n_rows) + 0.3 * target), target


@pytest.mark.parametrize(
    "model",
    [
        MTERegressor(),
        MTERegressor(missing="impute", random_state=0),
        BoostedNaiveBayesRegressor(n_models=2),
        NaiveBayesClassifier(),
        BoostedNaiveBayesClassifier(n_models=2),
        AveragedOneDependenceClassifier(),
    ],
    ids=["mte", "mte-impute", "boosted-number", "nb", "boosted", "aode"],
)
def test_names_of_columns_of_the_same_frequencies(model):
    X, target = draw_twins()
    y = target if is_regressor(model) else target > 3
    renamed = X.rename(columns={"d": "z", "e": "a"})
    answer = "predict" if is_regressor(model) else "predict_proba"
    p, q = (getattr(clone(model).fit(T, y), answer)(T) for T in (X, renamed))
    np.testing.assert_allclose(p, q, rtol=0, atol=1e-12)
