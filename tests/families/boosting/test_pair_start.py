"""Pairs of columns that tell only together: what boosting begins with, where it stays out, and that all laws hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import log_loss

import bayfold
from bayfold import BoostedNaiveBayesClassifier
from bayfold.families.boosting import kernels
from tests.reference import grids as reference

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(2, 4))
def test_the_screen_matches_the_twin(seed, n_groups):
    rng = np.random.default_rng(seed)
    n_bins = rng.integers(1, 6, 4)
    codes = np.stack([rng.integers(0, n, 40) for n in n_bins]).astype(np.uint8)
    labels, weights = rng.integers(0, n_groups, 40), rng.choice([0.5, 1.0, 3.0], 40)
    excess = np.zeros((4, 4))
    kernels.screen_pairs(codes, labels, weights, n_bins, n_groups, 12, excess)
    slow = reference.screen_pairs(codes.tolist(), labels, weights, n_bins, 12)
    np.testing.assert_allclose(excess, slow, atol=1e-9)


@given(seeds, st.integers(2, 3), st.integers(1, 7))
def test_runs_are_the_most_likely_of_all(seed, n_groups, n_bins):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 9, (n_bins, 3, n_groups)) * rng.choice([0.0, 0.5, 1.0], (n_bins, 3, 1))
    prior, cost = rng.dirichlet(np.full(n_groups, 3.0)), float(rng.choice([0.5, 3.0]))
    starts = np.zeros(n_bins, np.int64)
    n_runs = kernels.cut_runs(counts, prior, cost, starts)
    best = reference.cut_runs(counts.tolist(), prior, cost)
    found, likely = (
        reference.weigh_runs(counts.tolist(), prior, cost, runs)
        for runs in (starts[:n_runs].tolist(), best)
    )
    assert starts[0] == 0
    assert (np.diff(starts[:n_runs]) > 0).all()
    assert found == pytest.approx(likely, abs=1e-9)


EDGES = np.array([0.1, 0.22, 0.37, 0.55, 0.7, 0.83]), np.array([0.15, 0.4, 0.5, 0.62, 0.9])


def draw_board(n_rows=2000, seed=0, n_groups=2, noise=0.02):
    """Fields of uneven size in the first and the third of four columns."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, 4))
    y = (np.searchsorted(EDGES[0], X[:, 0]) + np.searchsorted(EDGES[1], X[:, 2])) % n_groups
    return X, np.where(rng.random(n_rows) < noise, rng.integers(0, n_groups, n_rows), y)


def draw_kinds(n_rows=4000, seed=0):
    """Two columns of categories, and a number with missing cells: fields are pairs of a category and an interval."""
    rng = np.random.default_rng(seed)
    field = np.random.default_rng(9).random((20, 6)) < 0.5
    kind, x = rng.integers(0, 20, n_rows), rng.random(n_rows)
    y = field[kind, np.floor(6 * x).astype(int)].astype(int)
    y = np.where(rng.random(n_rows) < 0.02, 1 - y, y)
    x[rng.random(n_rows) < 0.1] = np.nan
    other = rng.integers(0, 5, n_rows)
    names = {"other": [f"o{k}" for k in other], "x": x, "kind": [f"k{k}" for k in kind]}
    return pd.DataFrame(names), y


def fit(X, y, weights=None, **parameters):
    return BoostedNaiveBayesClassifier(n_jobs=1, **parameters).fit(X, y, weights)


def pairs_of(model):
    """The columns of the pairs that boosting began with."""
    pairs = getattr(model._ensemble.rounds.trees.start, "pairs", ())
    return [sorted(model.schema_.narrow[list(pair.columns)].tolist()) for pair in pairs]


@pytest.mark.parametrize(("n_groups", "most"), [(2, 0.25), (3, 0.3)])
def test_a_board_is_learnt_from_few_rows(n_groups, most):
    """No split of one column gains anything: trees alone had .6 and 1.0."""
    model = fit(*draw_board(n_groups=n_groups))
    assert pairs_of(model) == [[0, 2]]
    X, y = draw_board(4000, 1, n_groups)
    assert log_loss(y, model.predict_proba(X)) < most


def test_the_cells_of_categories_and_intervals():
    model = fit(*draw_kinds())
    assert pairs_of(model) == [[1, 2]]
    X, y = draw_kinds(4000, 1)
    p = model.predict_proba(X)
    known = X["x"].notna().to_numpy()
    assert log_loss(y[known], p[known]) < 0.25
    assert log_loss(y[~known], p[~known]) < 0.72


@pytest.mark.parametrize(
    "truth",
    [
        lambda X, rng: X[:, 0] + X[:, 1] + rng.normal(size=len(X)) > 0,
        lambda X, rng: X[:, 0] * X[:, 1] > 0,
        lambda X, rng: np.sin(9 * X[:, 0]) + rng.normal(size=len(X)) > 0,
        lambda X, rng: rng.random(len(X)) < 0.5,
    ],
    ids=["sum", "product", "wave", "noise"],
)
def test_nothing_changes_where_trees_see_what_there_is(truth, monkeypatch):
    """Bit for bit the model of trees alone."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    y = truth(X, rng).astype(int)
    model = fit(X, y, n_rounds=20)
    assert pairs_of(model) == []
    monkeypatch.setattr("bayfold.families.boosting.learner.find_hidden_pairs", lambda *given: [])
    np.testing.assert_array_equal(model.predict_proba(X), fit(X, y, n_rounds=20).predict_proba(X))


def test_identifiers_are_no_pair():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.integers(0, 200, 3000), "b": rng.integers(0, 200, 3000)}).astype(str)
    assert pairs_of(fit(X, rng.integers(0, 2, 3000))) == []


def test_a_few_heavy_rows_of_noise_are_no_pair():
    """Of 8 pairs that unequal weights had let pass, none says anything."""
    rng = np.random.default_rng(0)
    X, y = rng.random((3000, 50)), rng.integers(0, 2, 3000)
    weights = 10.0 ** rng.uniform(-2, 2, 3000)
    with pytest.warns(bayfold.errors.DataWarning, match="far from 1"):
        assert pairs_of(fit(X, y, weights, n_rounds=10)) == []


def test_no_pairs_in_tables_of_one_column():
    model = fit(*draw_board(), interactions=1)
    assert pairs_of(model) == []
    assert model._ensemble.model.pairs == ()


def test_weights_are_repetitions_and_order_does_not_matter():
    X, y = draw_board(800)
    times = np.random.default_rng(2).integers(1, 4, len(y))
    weighted = fit(X, y, times)
    assert pairs_of(weighted)
    order = np.random.default_rng(3).permutation(times.sum())
    rows = np.repeat(np.arange(len(y)), times)[order]
    np.testing.assert_array_equal(weighted.predict_proba(X), fit(X[rows], y[rows]).predict_proba(X))


def test_columns_in_another_order_and_another_unit():
    X, y = draw_board(800)
    model = fit(X, y).predict_proba(X)
    np.testing.assert_allclose(fit(X[:, ::-1], y).predict_proba(X[:, ::-1]), model, atol=1e-9)
    np.testing.assert_array_equal(fit(64.0 * X, y).predict_proba(64.0 * X), model)


def test_categories_and_classes_by_other_names():
    X, y = draw_kinds(2000)
    model = fit(X, y)
    assert pairs_of(model)
    renamed = X.assign(kind=X["kind"].map(lambda k: f"{97 - int(k[1:]):02d}"))
    other = fit(renamed, 1 - y)
    np.testing.assert_allclose(
        other.predict_proba(renamed)[:, ::-1], model.predict_proba(X), atol=1e-9
    )


@pytest.mark.parametrize("draw", [draw_board, draw_kinds])
def test_explanations_add_up_and_stages_end_at_the_model(draw):
    X, y = draw()
    model, new = fit(X, y), X[:30]
    assert pairs_of(model)
    explained = model.explain(new).to_frame("pandas")
    total = explained.groupby("row")["weight"].sum().to_numpy()
    p = model.predict_proba(new)
    predicted = explained.groupby("row")["class"].first().to_numpy()
    chosen = p[np.arange(30), np.searchsorted(model.classes_, predicted)]
    np.testing.assert_allclose(total, np.log(chosen / (1 - chosen)), atol=1e-9)
    *_, last = model.staged_predict_proba(new)
    np.testing.assert_allclose(last, p, rtol=1e-10)


@pytest.mark.parametrize("n_groups", [2, 3])
def test_trees_and_tables_agree(n_groups):
    """What the trees say with what they began with is what the tables say, for every row."""
    X, y = draw_board(n_groups=n_groups)
    model = fit(X, y)
    ensemble = model._ensemble
    table = model._read(X)
    block = ensemble._predictor.coder.open(table, warn_unseen=False).block(0, table.n_rows)
    *_, scores = ensemble.rounds.walk(block)
    log_p = np.log(model.predict_proba(X))
    expected = log_p[:, 1:] - log_p[:, :1]
    found = scores if n_groups == 2 else scores[:, 1:] - scores[:, :1]
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("draw", [draw_board, draw_kinds])
def test_a_file_holds_pairs(draw, tmp_path):
    X, y = draw()
    model = fit(X, y)
    model.save(tmp_path / "model.bayfold")
    loaded = bayfold.load(tmp_path / "model.bayfold")
    assert len(pairs_of(loaded)) == 1
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    for a, b in zip(
        loaded.staged_predict_proba(X[:9]), model.staged_predict_proba(X[:9]), strict=True
    ):
        np.testing.assert_array_equal(a, b)
