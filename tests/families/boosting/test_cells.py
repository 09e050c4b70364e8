"""Tables of three columns, and of many categories: found where held-out rows gain, pure, and shown as they count."""

import json
import sqlite3
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import bayfold
from bayfold import BoostedNaiveBayesClassifier, BoostedNaiveBayesRegressor
from bayfold.errors import ExportError
from bayfold.families.boosting.cells.grids import CellGrid, finish_side
from bayfold.families.boosting.cells.rounds import RowLoss
from bayfold.families.boosting.purify import purify_cells
from bayfold.families.boosting.rounds.distinct_rows import DistinctRows
from bayfold.families.boosting.rounds.task import make_log_loss, make_rate_loss, make_squared_loss
from bayfold.families.boosting.starts.tables import PairTable
from bayfold.plot import plot_interaction, plot_nomogram

pytestmark = pytest.mark.filterwarnings("ignore")

RNG = np.random.default_rng(0)
N = 3000
X = pd.DataFrame(RNG.uniform(-1, 1, (N, 4)), columns=["a", "b", "c", "d"])
X["kind"] = RNG.choice(["x", "y", "z"], N)
X.loc[RNG.random(N) < 0.05, "c"] = np.nan
THREE = 4 * X["a"] * X["b"] * X["c"].fillna(0.5) + X["d"]
Y = (THREE + 0.3 * RNG.normal(size=N)).to_numpy()


@pytest.fixture(scope="module")
def number():
    return BoostedNaiveBayesRegressor(n_rounds=60).fit(X, Y)


@pytest.fixture(scope="module")
def classes():
    y = np.digitize(THREE, [-0.5, 0.5])
    return BoostedNaiveBayesClassifier(n_rounds=60, interactions=3).fit(X, y)


def list_triples(model):
    names = model.schema_.names
    pairs = model.collapse().model_.pairs
    return {tuple(names[j] for j in pair.columns) for pair in pairs if len(pair.columns) == 3}


def test_three_columns_are_found_where_held_out_rows_gain(number):
    assert ("a", "b", "c") in list_triples(number)
    held = number.summary().held_out
    assert held.model["rmse"] < 0.8 * held.of_two["rmse"]
    assert f"{held.of_two['rmse']:.4g} with interactions=2" in repr(number.summary())
    fresh = np.random.default_rng(1).uniform(-1, 1, (2000, 4))
    fresh = pd.DataFrame(fresh, columns=["a", "b", "c", "d"]).assign(kind="x")
    truth = 4 * fresh["a"] * fresh["b"] * fresh["c"] + fresh["d"]
    two = BoostedNaiveBayesRegressor(n_rounds=60, interactions=2).fit(X, Y)
    assert not list_triples(two)
    errors = [np.mean((model.predict(fresh) - truth) ** 2) for model in (number, two)]
    assert errors[0] < 0.4 * errors[1]


def test_nothing_is_added_where_two_columns_tell_all():
    y = X["a"] * X["b"] + X["d"] + 0.3 * RNG.normal(size=N)
    auto, two = (
        BoostedNaiveBayesRegressor(n_rounds=60, interactions=kind).fit(X, y) for kind in ("auto", 2)
    )
    assert not list_triples(auto)
    assert_allclose(auto.predict(X), two.predict(X), rtol=0, atol=0)
    assert not auto.summary().held_out.of_two


@pytest.mark.parametrize("kind", ["number", "classes"])
def test_tables_add_up_and_are_pure(kind, request):
    model = request.getfixturevalue(kind)
    collapsed = model.collapse()
    rows = X.iloc[:50]
    explained = model.explain(rows)
    if kind == "number":
        assert_allclose(explained["shift"].reshape(50, -1).sum(axis=1), model.predict(rows))
        assert_allclose(collapsed.predict(rows), model.predict(rows), rtol=1e-10)
        assert_allclose(list(model.staged_predict(rows))[-1], model.predict(rows), rtol=1e-10)
    else:
        scores = explained["weight"].reshape(50, -1, 3).sum(axis=1)
        assert_allclose(scores, model.decision_function(rows), atol=1e-10)
        assert_allclose(collapsed.predict_proba(rows), model.predict_proba(rows), rtol=1e-10)
    for pair in collapsed.model_.pairs:
        if len(pair.columns) < 3:
            continue
        table = pair.log_table[pair.known]
        weights = pair.rows[pair.known][..., None]
        for axis in range(3):
            means = (weights * table).sum(axis=axis) / np.maximum(weights.sum(axis=axis), 1e-300)
            assert np.abs(means).max() < 1e-4 * np.abs(table).max()


def test_weights_of_cells_are_the_means_of_what_rows_get(classes):
    evidence = classes.evidence_.to_frame()
    explained = classes.explain(X).to_frame()
    name = " x ".join(min(list_triples(classes)))
    shown = evidence[evidence["column"] == name].set_index(["bin", "class"])["weight"]
    found = explained[explained["column"] == name].groupby(["bin", "class"])["weight"].mean()
    assert_allclose(found, shown.loc[found.index], atol=1e-9)


def test_columns_of_many_categories_share_tables_in_groups():
    rng = np.random.default_rng(3)
    n = 12_000
    agent = rng.integers(0, 400, n)
    x = rng.normal(size=n)
    slope = rng.choice([-2.0, 0.0, 2.0], 400)[agent]
    frame = pd.DataFrame({"agent": [f"agent {k}" for k in agent], "x": x})
    model = BoostedNaiveBayesRegressor(n_rounds=60).fit(frame, slope * x + rng.normal(size=n))
    (pair,) = model.collapse().model_.pairs
    assert pair.columns == (0, 1)
    assert pair.shape[0] <= 10
    mean = model.predict(frame)
    assert np.mean((mean - slope * x) ** 2) < 0.2 * np.mean((slope * x) ** 2)
    frame["agent"] = rng.permutation(frame["agent"].to_numpy())
    alone = BoostedNaiveBayesRegressor(n_rounds=60).fit(frame, slope * x + rng.normal(size=n))
    assert not alone.collapse().model_.pairs


def test_exports_files_and_plots_have_three_columns(number, classes, tmp_path):
    rows = X.iloc[:40]
    for model in (number, classes):
        path = tmp_path / "model.bayfold"
        model.save(path)
        again = bayfold.load(path)
        assert_allclose(again.predict(rows), model.predict(rows), rtol=0, atol=0)
        written = json.loads(model.to_json())
        assert written["version"] == 2
        assert {len(pair["columns"]) for pair in written["pairs"]} >= {3}
        name = " x ".join(min(list_triples(model)))
        first = plot_interaction(model, name, at=1).get_title()
        assert first != plot_interaction(model, name, at=2).get_title()
        with pytest.raises(ValueError, match="a bin of the third column"):
            plot_interaction(model, name, at="nowhere")
        with pytest.raises(ValueError, match=f"without tables of three columns. Got.*{name}"):
            plot_nomogram(model)
    database = sqlite3.connect(":memory:")
    rows.reset_index().to_sql("t", database, index=False)
    query = classes.to_sql("sqlite", table="t", keep=["index"])
    found = pd.read_sql(query, database).sort_values("index")
    assert (found["prediction"].to_numpy() == classes.predict(rows)).all()


def test_scorecards_refuse_three_columns():
    y = (THREE > 0).to_numpy()
    model = BoostedNaiveBayesClassifier(n_rounds=60, interactions=[("a", "b", "c")]).fit(X, y)
    assert list_triples(model) == {("a", "b", "c")}
    with pytest.raises(ExportError, match=r"tables of three: .a x b x c"):
        model.to_scorecard()


def test_forbidden_pairs_are_in_no_triple():
    model = BoostedNaiveBayesRegressor(
        n_rounds=60, interactions=3, forbidden_interactions=[("a", "b")]
    )
    assert not any({"a", "b"} <= set(some) for some in list_triples(model.fit(X, Y)))


def test_ordered_scores_have_no_tables_of_three_columns():
    model = BoostedNaiveBayesRegressor(n_rounds=60, monotone={"d": "increasing"}).fit(X, Y)
    assert not list_triples(model)
    model.set_params(interactions=3)
    with pytest.raises(ValueError, match="without tables of three columns beside `monotone`"):
        model.fit(X, Y)


def test_groups_and_times_are_respected():
    unit = np.arange(N) // 10
    held_out_together = BoostedNaiveBayesRegressor(n_rounds=60).fit(X, Y, groups=unit)
    assert ("a", "b", "c") in list_triples(held_out_together)
    own = (
        3 * RNG.normal(size=300)[unit]
    )  # a level of each unit, which columns of its own would tell
    tell = pd.DataFrame(RNG.normal(size=(300, 3))[unit], columns=["u", "v", "w"])
    model = BoostedNaiveBayesRegressor(n_rounds=60).fit(tell, own, groups=unit)
    assert not list_triples(model)
    later = BoostedNaiveBayesRegressor(n_rounds=60).fit(X, Y, time=np.arange(N))
    assert ("a", "b", "c") in list_triples(later)


def test_counts_have_factors_of_three_columns():
    rate = np.exp(2 * X["a"] * X["b"] * X["c"].fillna(0.5))
    y = RNG.poisson(rate)
    model = BoostedNaiveBayesRegressor(n_rounds=60, loss="poisson", interactions=3).fit(X, y)
    assert ("a", "b", "c") in list_triples(model)
    assert_allclose(model.predict(X).mean(), y.mean(), rtol=1e-6)
    assert np.corrcoef(np.log(model.predict(X)), np.log(rate))[0, 1] > 0.7


@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 3]))
def test_purified_cells_and_margins_add_up(seed, n_columns):
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(2, 5, n_columns))
    table = np.zeros((*shape, 2))
    inside = (slice(1, None),) * n_columns
    table[inside] = rng.normal(size=table[inside].shape)
    weights = rng.integers(0, 3, shape).astype(float)
    before = table.copy()
    margins = purify_cells(table, weights)
    total = table + sum(np.expand_dims(margin, axis) for axis, margin in enumerate(margins))
    assert_allclose(total[inside], before[inside], atol=1e-12)


@given(st.integers(0, 2**32 - 1))
def test_sums_of_tables_of_two_columns(seed):
    rng = np.random.default_rng(seed)
    tables = []
    for _ in range(2):
        merges = tuple(np.sort(rng.integers(0, 3, n)) for n in (5, 4))
        merges = tuple(np.unique(m, return_inverse=True)[1] for m in merges)
        shape = tuple(int(m.max()) + 1 for m in merges)
        tables.append(PairTable((0, 1), merges, rng.normal(size=(*shape, 1))))
    a, b = np.indices((5, 4))
    found = tables[0].plus(tables[1]).look_up(a, b)
    assert_allclose(found, tables[0].look_up(a, b) + tables[1].look_up(a, b))


def test_smoothed_sums_are_those_of_a_loop():
    rng = np.random.default_rng(0)
    sides = [
        finish_side(k, np.arange(n), np.ones(n, bool), np.arange(n) > 0)
        for k, n in enumerate((3, 4, 2))
    ]
    grid = CellGrid(tuple(sides))
    sums = rng.normal(size=(grid.n_cells, 2))
    shaped = sums.reshape(*grid.shape, 2)
    expected = np.zeros_like(shaped)
    cells = list(product(*(range(n) for n in grid.shape)))
    for here, there in product(cells, cells):
        factors = [s.kernel[i, j] for s, i, j in zip(sides, here, there, strict=True)]
        expected[here] += np.prod(factors) * shaped[there]
    assert_allclose(grid.smooth(sums), expected.reshape(-1, 2))


@pytest.mark.parametrize("kind", ["squared", "two", "three", "poisson", "tweedie"])
def test_pulls_are_derivatives_of_the_loss(kind):
    rng = np.random.default_rng(0)
    loss = {
        "squared": make_squared_loss(),
        "two": make_log_loss(2),
        "three": make_log_loss(3),
        "poisson": make_rate_loss(1.0),
        "tweedie": make_rate_loss(1.5),
    }[kind]
    n_scores = 3 if kind == "three" else 1
    codes = np.zeros((6, 0), np.uint8)
    labels = rng.integers(0, 2, 6)
    rows = DistinctRows(codes, codes, labels, rng.random(6), rng.random(6), np.array([0, 6]))
    of_rows = RowLoss(loss, replace(rows, exposures=rng.random(6)))
    scores = rng.normal(size=(6, n_scores))
    losses, pull, curvature = of_rows.find_pull(scores, slice(0, 6))
    assert_allclose(losses, of_rows.weights * of_rows.judge(scores, of_rows.targets)[0])
    step = 1e-4
    for k in range(n_scores):
        moved = [scores.copy() for _ in range(3)]
        moved[0][:, k] -= step
        moved[2][:, k] += step
        low, here, high = (of_rows.weights * of_rows.judge(s, of_rows.targets)[0] for s in moved)
        assert_allclose(pull[:, k], (low - high) / (2 * step), atol=1e-6)
        assert_allclose(curvature[:, k], (low - 2 * here + high) / step**2, atol=1e-5)
