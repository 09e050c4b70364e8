"""Squares and products of columns in the linear start of numbers: what they are, where they help, and all laws."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayfold
from bayfold import BoostedNaiveBayesRegressor
from bayfold.core.kernels.encode import FIRST_BIN, MISSING
from bayfold.families.boosting.linear.features import MOST_PRODUCTS, add_curves, make_features
from bayfold.families.boosting.linear.models import LinearModel
from bayfold.families.boosting.starts.tables import CurvedTables, LinearTables, add_linear


def draw_codes(seed, n_rows=60):
    """Two numbers, one of them of many bins, and a category; some cells are missing."""
    rng = np.random.default_rng(seed)
    n_codes = np.array([FIRST_BIN + 3, FIRST_BIN + 90, FIRST_BIN + 12])
    codes = np.stack([FIRST_BIN + rng.integers(0, n - FIRST_BIN, n_rows) for n in n_codes], axis=1)
    codes[rng.random(codes.shape) < 0.1] = MISSING
    values = [np.array([0.0, 1.0, 5.0]), np.sort(rng.normal(size=90)), None]
    weights = rng.integers(1, 4, n_rows).astype(float)
    return codes, weights, values, n_codes


def curve(codes, weights, values, n_codes, with_products=True):
    features = make_features(codes, weights, values, n_codes)
    return add_curves(features, codes, weights, values, with_products, np.empty((0, 0), np.uint8))


@given(st.integers(0, 2**32 - 1))
def test_a_model_of_products_is_a_table_of_each_pair(seed):
    codes, *rest = draw_codes(seed)
    features = curve(codes, *rest)
    coefficients = np.random.default_rng(seed).normal(size=(features.n_features, 2))
    found = features.tabulate(LinearModel(coefficients, np.zeros(2)))
    total = sum(table[codes[:, k]] for k, table in enumerate(found.tables))
    total = total + sum(p.look_up(*(codes[:, k] for k in p.columns)) for p in found.pairs)
    np.testing.assert_allclose(total, features.design(codes) @ coefficients, atol=1e-10)
    assert {pair.columns for pair in found.pairs} == {(0, 1), (0, 2), (1, 2)}


def test_what_is_missing_has_no_product():
    codes, *rest = draw_codes(0)
    features = curve(codes, *rest)
    found = features.tabulate(LinearModel(np.ones((features.n_features, 1)), np.zeros(1)))
    for pair in found.pairs:
        missing = np.full(5, MISSING), np.arange(5)
        assert (pair.look_up(*missing) == 0).all()
        assert (pair.look_up(*missing[::-1]) == 0).all()


def test_a_weight_is_so_many_rows():
    codes, weights, values, n_codes = draw_codes(1)
    often = np.repeat(codes, weights.astype(int), axis=0)
    once = curve(codes, weights, values, n_codes).design(codes)
    twice = curve(often, np.ones(len(often)), values, n_codes).design(codes)
    np.testing.assert_allclose(once, twice, atol=1e-12)


def test_many_columns_are_left_to_the_trees():
    n = 30
    assert n * (n - 1) // 2 > MOST_PRODUCTS
    rng = np.random.default_rng(0)
    codes = FIRST_BIN + rng.integers(0, 3, (50, n))
    values = [np.array([0.0, 1.0, 2.0])] * n
    assert curve(codes, np.ones(50), values, np.full(n, FIRST_BIN + 3)) is None


def test_a_sum_of_linear_models_has_the_pairs_of_both():
    codes, *rest = draw_codes(2)
    features = curve(codes, *rest)
    rng = np.random.default_rng(2)
    straight = make_features(codes, *rest).tabulate(
        LinearModel(np.ones((make_features(codes, *rest).n_features, 1)), np.ones(1))
    )
    bent = features.tabulate(LinearModel(rng.normal(size=(features.n_features, 1)), np.ones(1)))
    total = add_linear([straight, bent, bent], [1.0, 0.5, 0.25])
    assert isinstance(total, CurvedTables)
    assert total.intercept == 1.75
    np.testing.assert_allclose(total.pairs[0].table, 0.75 * bent.pairs[0].table)
    assert type(add_linear([straight, bent], [1.0, 0.0])) is LinearTables


def draw_bends(n_rows=300, seed=0):
    """A product of two numbers, a square, and a slope that hangs on a category."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n_rows, 4)), columns=list("abcd"))
    X["kind"] = rng.choice(["x", "y", "z"], n_rows)
    slope = X["kind"].map({"x": -1.0, "y": 0.0, "z": 2.0}).to_numpy()
    y = X.a * X.b + 0.5 * X.c**2 + slope * X.d
    return X, (y + 0.1 * rng.normal(size=n_rows)).to_numpy()


def fit(X, y, weights=None, **parameters):
    return BoostedNaiveBayesRegressor(n_jobs=1, **parameters).fit(X, y, weights)


def find_error(model, seed=1):
    new, truth = draw_bends(2000, seed)
    return np.sqrt(np.mean((model.predict(new) - truth) ** 2) / truth.var())


def test_bends_are_learnt_at_once():
    """Slopes alone leave the error of trees where it is."""
    X, y = draw_bends()
    assert find_error(fit(X, y)) < 0.75 * find_error(fit(X, y, linear=False))


def test_without_pairs_there_are_no_products():
    model = fit(*draw_bends(), interactions=1)
    assert len(model.collapse().model_.pairs) == 0


@pytest.fixture(scope="module")
def bent():
    X, y = draw_bends()
    X.loc[::9, "a"] = np.nan
    X.loc[::11, "kind"] = None
    return X, fit(X, y)


def test_tables_trees_and_stages_agree(bent):
    X, model = bent
    assert model.blend_weights_[1:].sum() > 0.2
    new = X.head(40).copy()
    new.loc[3, "kind"] = "never seen"
    predicted = model.predict(new)
    np.testing.assert_allclose(model.collapse().predict(new), predicted, rtol=1e-10)
    *_, last = model.staged_predict(new)
    np.testing.assert_allclose(last, predicted, rtol=1e-10)
    explained = model.explain(new).to_frame("pandas").groupby("row")["shift"].sum()
    np.testing.assert_allclose(explained, predicted, rtol=1e-9)


def test_trees_alone_are_the_tables(bent):
    """What the rounds add up to is what the tables say, products and all, where every cell gives evidence."""
    X, model = bent
    new = X[X.kind.notna() & X.a.notna()].head(40)
    rounds, predictor = model._ensemble.rounds, model._ensemble.predictor
    table = model._read(new)
    block = predictor.coder.open(table, warn_unseen=False).block(0, table.n_rows)
    *_, last = rounds.walk(block)
    np.testing.assert_allclose(last[:, 0], predictor.score(table)[:, 0], atol=1e-9)


def test_a_file_holds_products(bent, tmp_path):
    X, model = bent
    model.save(tmp_path / "model.bayfold")
    loaded = bayfold.load(tmp_path / "model.bayfold")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    *_, last = loaded.staged_predict(X)
    np.testing.assert_allclose(last, model.predict(X), rtol=1e-10)


def test_weights_order_names_and_units():
    X, y = draw_bends(200)
    model = fit(X, y).predict(X)
    times = np.random.default_rng(2).integers(1, 4, len(y))
    rows = np.random.default_rng(3).permutation(np.repeat(np.arange(len(y)), times))
    weighted = fit(X, y, times).predict(X)
    np.testing.assert_allclose(fit(X.iloc[rows], y[rows]).predict(X), weighted, rtol=1e-9)
    backwards = X[X.columns[::-1]]
    np.testing.assert_allclose(fit(backwards, y).predict(backwards), model, rtol=1e-8)
    moved = X.assign(a=64.0 * X.a, c=1.8 * X.c + 32.0)
    np.testing.assert_allclose(fit(moved, y).predict(moved), model, atol=1e-6)
    np.testing.assert_allclose(fit(X, 1000.0 * y - 7.0).predict(X), 1000.0 * model - 7.0, atol=1e-6)


def test_wild_columns_stay_finite():
    X, y = draw_bends(150)
    X.loc[0, "a"], X["b"] = 1e300, 1e-300 * X["b"]
    X["flag"], X["same"] = (X.c > 1.5).astype(float), 3.0
    found = fit(X, y).predict(X)
    assert np.isfinite(found).all()
    assert np.sqrt(np.mean((found - y) ** 2) / y.var()) < 0.9
